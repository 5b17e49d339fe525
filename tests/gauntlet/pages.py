"""A report's code cells, executed in this process on a competition of one's own."""

import contextlib
import io
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from srlib import displays
from srlib.displays.styling import style
from srlib.displays.tables.table import html_table
from srlib.files import NOTEBOOKS, file_name
from srlib.table_files import write_frame


@cache
def sources(name: str) -> list[str]:
    """Code of a notebook's cells."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [text for text in texts if text.strip()]


def execute(name: str, folder: Path, **parameters: Any) -> tuple[dict[str, Any], str]:
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


@contextlib.contextmanager
def drawn_once() -> Iterator[None]:
    """Let figures be drawn at one width and in no format; their numbers are written and shown as ever."""

    def figure(shown: Any, output: Path, *, name: str, caption: str) -> None:
        assert shown.alt and caption
        if not shown.replacement:
            with style():
                shown.plot().figure_.draw_without_rendering()
        displays.show_table(shown.numbers, output, name=f"{name}-numbers", caption=caption)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(displays, "show_figure", figure, raising=False)
        yield


def passed(said: str) -> bool:
    """Say whether all checks of a page passed."""
    return bool(re.search(r"^checks passed: (\d+) of \1$", said, re.MULTILINE))


def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let figures write their numbers and their words, tables their CSV and HTML; nothing is drawn or set in LaTeX.

    Drawing and LaTeX take most of a page's time; the render of the whole suite does them. Files need not outlive a
    loss of power.
    """

    def table(frame: pd.DataFrame, output: Path, *, name: str, caption: str, **more: Any) -> None:
        write_frame(more.pop("file", frame), output / "tables" / f"{file_name(name)}.csv")
        look = {key: value for key, value in more.items() if key not in ("folded", "see")}
        assert html_table(frame, caption, **look)

    def figure(shown: Any, output: Path, *, name: str, caption: str) -> None:
        assert shown.alt and caption
        table(shown.numbers, output, name=f"{name}-numbers", caption=name)

    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(displays, "show_figure", figure, raising=False)
    monkeypatch.setattr(displays, "show_table", table, raising=False)
