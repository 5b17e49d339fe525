"""Which sections of a large competition's page are folded."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from srlib.displays.bundles import TABLE
from srlib.rendering.folding import fold_last


def notebook(sections):
    html = "<tr>" * 100  # in a window of its own, nearly a screen
    table = new_output("display_data", data={TABLE: {"folded": False}, "text/html": html})
    cells = []
    for i in range(sections):
        cells += [new_markdown_cell(f"## Part {i}\n\nText."), new_code_cell(outputs=[table])]
    return new_notebook(cells=cells)


@pytest.mark.parametrize(
    ("methods", "sections", "left"), [(6, 20, 20), (30, 7, 7), (30, 20, 7), (30, 9, 8)]
)
def test_the_last_sections_of_a_long_page_of_many_methods_are_folded(methods, sections, left):
    page = notebook(sections)
    fold_last(page, methods)
    folded = [cell.metadata.get("tags") == ["folded"] for cell in page.cells[::2]]
    assert folded == [False] * left + [True] * (sections - left)
