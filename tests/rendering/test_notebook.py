import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from srlib.rendering.notebook import checks_of, find_failure
from srlib.rendering.report_page import write_report
from tests.rendering.small import small_job


def notebook(*texts, executed=True, error=None):
    cells = []
    for text in texts:
        cell = new_code_cell("code", execution_count=1 if executed else None)
        cell.outputs = [new_output("stream", name="stdout", text=text)]
        cells.append(cell)
    if error:
        cells[-1].outputs.append(
            new_output("error", ename="E", evalue=error, traceback=["\x1b[31mline\x1b[0m"])
        )
    return new_notebook(cells=cells)


def test_a_finished_notebook_has_no_failure():
    assert find_failure(notebook("x", "checks passed: 3 of 3\n")) == ""
    assert checks_of(notebook("checks passed: 3 of 4\n")) == (3, 4)


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (notebook("checks passed: 2 of 3\n"), "Only 2 of 3 checks passed"),
        (notebook("checks passed: 0 of 0\n"), "no line 'checks passed"),
        (notebook("fine\n"), "no line 'checks passed"),
        (notebook("checks passed: 3 of 3\n", "after\n"), "no line 'checks passed"),
        (notebook("checks passed: 3 of 3\n", executed=False), "not executed"),
        (notebook("checks passed: 3 of 3\n", error="boom"), "raised E: boom"),
        (new_notebook(), "no line 'checks passed"),
    ],
)
def test_nothing_half_done_looks_fine(made, what, tmp_path):
    failure = find_failure(made)
    assert what in failure
    handed = write_report(small_job(tmp_path), made, failure)
    assert handed["verdict"].startswith("Failed. ") and handed["failure"] == failure


def test_a_report_that_refers_to_a_file_that_is_not_there_is_a_failure(tmp_path):
    made = notebook("checks passed: 1 of 1\n")
    note = {"kind": "table", "name": "t", "caption": "T", "files": ["tables/t.csv", "tables/t.tex"]}
    made.cells[0].outputs.append(
        new_output("display_data", {"text/html": "<table></table>"}, metadata={"srlib": note})
    )
    handed = write_report(small_job(tmp_path), made, "")
    assert "did not write tables/t.csv, which" in handed["failure"]
