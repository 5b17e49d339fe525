"""A report's code cells, executed in this process on a competition of one's own."""

import contextlib
import io
import json
import os
import re
from functools import cache
from typing import Any

from srlib.displays.page import Page
from srlib.displays.tables.table import as_table, html_table
from srlib.files import NOTEBOOKS, file_name
from srlib.table_files import write_frame


@cache
def sources(name):
    """Code of a notebook's cells."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [text for text in texts if text.strip()]


def execute(name, folder, **parameters):
    """Execute a notebook on a folder that `competition.write` made; return its variables and what it printed."""
    first, *cells = sources(name)
    space: dict[str, Any] = {}
    exec(first, space)
    files = {"runs": "runs.csv", "problems": "problems.yaml", "rules": "rules.yaml"}
    space |= {key: str(folder / file) for key, file in files.items()}
    space |= {"output_dir": str(folder / "out" / name), "resamples": 50} | parameters
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            exec(cell, space)
    return space, printed.getvalue()


def passed(text):
    """Return whether all checks of a page passed."""
    return bool(re.search(r"^checks passed: (\d+) of \1$", text, re.MULTILINE))


def undrawn(monkeypatch):
    """Let figures write their numbers and their words, tables their CSV and HTML; nothing is drawn or set in LaTeX.

    Drawing and LaTeX take most of a page's time; the render of the whole suite does them. Files need not outlive a
    loss of power.
    """

    def table(self, table, name, caption, *, file=None, leads=(), **layout):
        table, path = as_table(table), self.folder / "tables" / f"{file_name(name)}.csv"
        write_frame(table.frame if file is None else file, path)
        assert html_table(table, caption, leads=leads)

    def figure(self, figure, name, caption):
        assert figure.alt and caption
        self.table(figure.numbers, f"{name}-numbers", caption)

    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(Page, "figure", figure)
    monkeypatch.setattr(Page, "table", table)
