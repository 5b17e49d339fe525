"""A report's code cells, executed in this process on a competition of one's own, and what they show."""

import contextlib
import io
import json
import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.displays import page
from srlib.errors import SrlibError
from srlib.files import NOTEBOOKS, file_name
from srlib.judging import readings, robustness
from srlib.table_files import write_frame
from srlib.workers import Outcome

DRAWS = 1_000  # re-draws of the runs
# of 4,096
FEW = {path: readings.READINGS[path] for path in [("ties",), ("missing", "incomplete")]}


@cache
def cells(name):
    """Kind and text of a notebook's cells that have a text."""
    content = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]
    texts = [(cell["cell_type"], "".join(cell["source"])) for cell in content]
    return [(kind, text) for kind, text in texts if text.strip()]


def sources(name):
    """Code of a notebook's cells."""
    return [text for kind, text in cells(name) if kind == "code"]


@dataclass
class Executed:
    """A page: its folder, what it printed, and data and note of all that it showed."""

    name: str
    folder: Path
    printed: str = ""
    shown: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)

    @property
    def answer(self):
        """Note of the answer."""
        return next(note for _, note in self.shown if note.get("kind") == "answer")

    @property
    def sentences(self):
        """All sentences of the answer."""
        return [self.answer["verdict"], self.answer["certainty"], *self.answer["details"]]

    @property
    def words(self):
        """All that a reader sees but the cells of tables."""
        texts = [text for kind, text in cells(self.name) if kind == "markdown"]
        outputs = (note.get("caption") or data.get("text/plain", "") for data, note in self.shown)
        return "\n".join([*texts, *self.sentences, self.printed, *outputs])

    def csv(self, name):
        """Return a table of the page's folder; an empty one if the page has none of this name."""
        path = self.folder / f"{name}.csv"
        how = {"keep_default_na": False, "na_values": [""]}
        return pd.read_csv(path, **how) if path.exists() else pd.DataFrame()


def measure_here(function, items, **_):
    """Measure in this process: the texts of these tests need no limits, and a process for each takes minutes."""
    for position, item in enumerate(items):
        try:
            yield position, Outcome("ok", function(item))
        except (SrlibError, ValueError, ArithmeticError) as error:
            yield position, Outcome("error", detail=str(error))


def passed(text):
    """Whether all checks of a page passed."""
    return bool(re.search(r"^checks passed: (\d+) of \1$", text, re.MULTILINE))


def undrawn(monkeypatch):
    """Return a list for data and note of all that pages show; nothing is drawn or set in LaTeX, few readings scored.

    These take most of a page's time; the render of a suite does them. Files need not outlive a loss of power.
    """
    shown = []

    def show(data, metadata=None, raw=False):
        shown.append((data, (metadata or {}).get("srlib", {})))

    def figure(self, drawing, name, caption):
        write_frame(drawing.numbers, self.folder / "tables" / f"{file_name(name)}-numbers.csv")
        assert drawing.alt and caption
        caption = f"{drawing.finding} {self.print_names(caption)} {drawing.omissions}"
        show({}, {"srlib": {"kind": "figure", "caption": caption, "drawing": drawing}})

    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(page, "display", show)
    monkeypatch.setattr(page, "print_table", lambda *_, **__: "")
    monkeypatch.setattr(page.Page, "_add_numbers", lambda *_: None)
    monkeypatch.setattr(page.Page, "figure", figure)
    monkeypatch.setattr(readings, "READINGS", FEW)
    return shown


def execute(name, folder, monkeypatch, **parameters):
    """Execute a notebook on a folder with runs, problems and rules."""
    first, *code = sources(name)
    space: dict[str, Any] = {}
    exec(first, space)
    files = {"runs": "runs", "problems": "problems.yaml", "rules": "rules.yaml"}
    space |= {key: str(folder / file) for key, file in files.items()}
    space |= {"output_dir": str(folder / "out" / name), "resamples": DRAWS} | parameters
    executed = Executed(name, Path(space["output_dir"]), shown=undrawn(monkeypatch))
    monkeypatch.setattr(robustness, "N_DRAWS", DRAWS)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for text in code:
            exec(text, space)
    executed.printed = printed.getvalue()
    return executed
