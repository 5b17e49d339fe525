"""A page of a large competition: which of its sections are folded, so that all the others can be looked through."""

import base64
import re
from typing import Any

from srlib.displays.bundles import FIGURE, REPORT, TABLE

SCREEN, MOST = 800, 9.3  # pixels of a screen; screens of a page, by the estimate
MANY = 20  # methods; the page of fewer is as long as its notebook makes it
FIRST = 340  # pixels of all that stands above the first text
BAR = 45.0  # pixels of a section that is folded
TAGS = re.compile(r"<[^>]*>")


def fold_last(notebook: Any, methods: int) -> None:
    """Tag the last sections of a very long page as folded, until the others are less than ten screens.

    The heights are estimates for a screen of 1280 by 800. The first section is never folded.

    Parameters
    ----------
    notebook : NotebookNode
        Executed; the cells of second-level headings get the tag `folded`.
    methods : int
        How many there are; a page of few is left as it is.
    """
    if methods <= MANY:
        return
    sections: list[tuple[Any, list[float]]] = [(None, [FIRST])]
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.search(r"^## ", cell.source, re.MULTILINE):
            sections.append((cell, []))
        sections[-1][1].append(height_of(cell))
    bars = BAR * sum(_folded(head) for head, _ in sections)
    heights = [sum(each) for head, each in sections if not _folded(head)]
    shown = [head for head, _ in sections if not _folded(head)]
    for place in range(len(shown) - 1, 1, -1):
        if bars + sum(heights) <= MOST * SCREEN:
            break
        heights[place] = BAR
        head = shown[place]
        head.metadata["tags"] = [*head.metadata.get("tags", ()), "folded"]


def _folded(head: Any) -> bool:
    return head is not None and "folded" in head.metadata.get("tags", ())


def height_of(cell: Any) -> float:
    """Estimate the pixels that a cell takes on the page."""
    if cell.cell_type == "markdown":
        return sum(map(_prose, cell.source.split("\n\n")))
    return 30.0 + sum(map(_output, cell.get("outputs", ())))


def _prose(text: str) -> float:
    if text.startswith("#"):
        return 65.0
    return 12.0 + 25.6 * -(-len(text) // 74)


def _output(output: Any) -> float:
    data = output.get("data", {})
    if FIGURE in data:
        return 90.0 + _picture(data.get("image/png", ""), output.get("metadata", {}))
    if REPORT in data:
        return 26.0 * data[REPORT].get("details", "").count("<li")
    html = data.get("text/html", "")
    if TABLE in data and data[TABLE].get("folded"):
        return 50.0
    if TABLE in data:
        return 80.0 + min(40.0 * html.count("<tr"), 660.0)
    if "<li" in html:
        return sum(25.6 * -(-len(TAGS.sub("", item)) // 110) for item in html.split("<li>"))
    return 50.0


def _picture(png: str, metadata: Any) -> float:
    """Give the height of a picture as it is shown, from its width there and the head of the file."""
    head = base64.b64decode("".join(png.split())[:40])
    across, down = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
    shown = metadata.get("image/png", {}).get("width", 0)
    return shown * down / max(across, 1)
