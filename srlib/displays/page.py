"""`Page`: what a notebook shows, the files of it, and the notes that make a report of the notebook.

A note is the output's metadata `srlib`, which the report's template reads: kind, name, caption, alt, files, folded,
see, place. A figure is shown as a PNG, which nbval does not compare (its pixels differ slightly between machines), and
its numbers as text, which nbval compares. Files go into figures/ and tables/ of the output folder, and numbers.tex has
what a paper may quote, by key; no path is printed.
"""

import atexit
import base64
import io
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import matplotlib as mpl
import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure
from PIL import Image

from srlib.displays.figures.display import PAGE_PIXELS, Display, save_figure
from srlib.displays.styling import DARK, Style, print_name
from srlib.displays.tables.answer import (
    Answerable,
    ReportAnswer,
    explain_rules,
    facts_of,
    rules_table,
)
from srlib.displays.tables.numbers import (
    NUMBERS_FILE,
    sentence_numbers,
    table_numbers,
    write_numbers,
)
from srlib.displays.tables.print_table import print_table
from srlib.displays.tables.table import Table, as_table, cell_texts, html_table
from srlib.files import STYLE_FILE, file_name, sha256, write_atomically
from srlib.judging.readings import Readings, list_rankings
from srlib.prose import html_text, minus_signs, print_names, visible
from srlib.result import first_rows
from srlib.rules import Rules, departure
from srlib.table_files import write_frame
from srlib.yaml_files import check_parameter

# most rows of a table on a page, and of a folded table; the CSV has all rows
MOST_ROWS, FOLDED_ROWS = 200, 20
PLAIN_ROWS = 20  # rows of a table that is shown as text
EMPTY: Mapping[str, Any] = MappingProxyType({})


class Page:
    """The page that a notebook makes: it shows the answer, figures and tables, and writes their files.

    A new page replaces the style of figures (`srlib.displays.styling.Style.current`) by that of its folder, and
    methods get their looks anew, in order of first use.

    Parameters
    ----------
    namespace : mapping
        The notebook's `globals()`: its parameters, with their annotations, of which `output_dir` names the folder.

    Attributes
    ----------
    folder : Path
        The output folder, which is created; for an empty `output_dir` a temporary one, removed when the process ends.
    style : Style
        Style of the suite, which the renderer writes as style.json into the folder; outside a suite srlib's own.

    Raises
    ------
    InputError
        When a parameter has another type than its annotation.

    Examples
    --------
    >>> page = Page({"__annotations__": {"runs": str}, "runs": "demo"})
    >>> page.folder.is_dir(), page.style.widths["page"]
    (True, 7.13)
    """

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        for name, kind in namespace.get("__annotations__", {}).items():
            check_parameter(name, kind, namespace.get(name))
        if name := namespace.get("output_dir", ""):
            self.folder = Path(name)
            self.folder.mkdir(parents=True, exist_ok=True)
        else:
            self.folder = Path(tempfile.mkdtemp(prefix="srlib-"))
            atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        path = self.folder / STYLE_FILE
        self.style = Style(**json.loads(path.read_text("utf-8"))) if path.is_file() else Style()
        Style.current = self.style
        self._numbers: dict[str, str] = {}

    def _add_numbers(self, numbers: Mapping[str, str]) -> None:
        """Write numbers.tex with further numbers."""
        self._numbers |= numbers
        write_numbers(self.folder / NUMBERS_FILE, self._numbers)

    def print_names(self, sentence: str) -> str:
        """Return a sentence with its names as the suite's labels print them (`srlib.prose.print_names`)."""
        return print_names(sentence, self.style.names)

    def answer(
        self,
        result: Answerable | None,
        title: str,
        sentence: str = "",
        *,
        certainty: str = "",
        inputs: Iterable[str | Path] = (),
        facts: Mapping[str, Any] = EMPTY,
        **changes: Any,
    ) -> None:
        """Show the answer to the report's question, and pass it to the report and the index as a note.

        tables/verdict.csv gets the columns `name` and `value`, and a line for the verdict, each count, each fact and
        each method's score; tables/rules.csv gets all switches. The last cell of a notebook checks these.

        Parameters
        ----------
        result : Judgement, Robustness, Comparison, Qualification or None
            The result that answers; what it has is shown unless `changes` have it.
        title : str
            Title of the report; plain text.
        sentence : str
            The answer, for the head of the page and the index; plain text.
        certainty : str
            Sentence about the certainty of the answer; plain text, above the notices.
        inputs : iterable of str or Path
            Files, or folders of files, that no parameter of the notebook names; the page states their SHA-256.
        facts : mapping
            Further lines of verdict.csv, as {name: value}.
        **changes
            What stands in place of what the result has: `details` (sentences below the answer; empty ones are left
            out), `notices` (sentences above them, which a reader has to know before reading the ranking), `ranking`
            (`method`, `score` in any direction, NaN is passed on as null, and `rank`, 1 is best), `counts` (numbers of
            distinct runs: `read`, `scored` and `excluded`; `read` is the sum of the others), `rules`.

        Raises
        ------
        ValueError
            When the number of runs read is not the sum of those scored and excluded.

        Examples
        --------
        >>> Page({}).answer(None, "Is it fair?", "It is.", counts={"read": 3, "scored": 2, "excluded": 0})
        Traceback (most recent call last):
        ValueError: runs read are not the sum of runs scored and excluded: 3 read, 2 scored, 0 excluded
        """
        changes |= {"sentence": sentence} if sentence else {}
        answer = replace(ReportAnswer.of(result), **changes)
        answer.check_counts()
        departures = [departure(answer.rules)] if answer.rules else []
        sentence, certainty = self.print_names(answer.sentence), self.print_names(certainty)
        notices, details = (
            [self.print_names(line) for line in lines] for lines in (answer.notices, answer.details)
        )
        lines = [*departures, *notices, *map(minus_signs, details)]
        note = answer.note() | {
            "verdict": sentence,
            "kind": "answer",
            "title": title,
            "inputs": [{"name": Path(path).name, "sha256": sha256(path)} for path in inputs],
            "certainty": certainty,
            "details": [line for line in lines if line],
            "facts": facts_of([sentence, certainty, *notices, *details]),
        }
        scores = {f"score of {row['method']}": row["score"] for row in note["ranking"]}
        verdict = {"verdict": answer.sentence} | dict(answer.counts) | dict(facts) | scores
        table = pd.DataFrame(verdict.items(), columns=["name", "value"])
        write_frame(table, self.folder / "tables" / "verdict.csv")
        if answer.rules:
            write_frame(rules_table(answer.rules), self.folder / "tables" / "rules.csv")
        text = "\n".join(filter(None, [sentence, certainty, *note["details"]]))
        names = [name for name in ("verdict", "certainty", "scope") if note[name]]
        texts = {name: {"text": minus_signs(note[name])} for name in names}
        self._add_numbers(sentence_numbers(self.folder.name, texts | note["facts"]))
        _show({"text/plain": text}, note)

    def figure(self, drawing: Display, name: str, caption: str) -> None:
        """Draw a Display, write it as PDF and PNG at both print widths and as SVG, write its numbers, and show it.

        Parameters
        ----------
        drawing : Display
            The figure. If its `replacement` is not empty, this sentence is shown and only the numbers are written.
        name : str
            Name of the files (narrow ones end in -column, those for talks in -dark); see `file_name`. The figure
            `strip` stands on the first screen of the page and of the index.
        caption : str
            Plain sentences that explain how to read the figure, whose title is its `finding`.
        """
        name, caption = file_name(name), f"{self.print_names(caption).rstrip('.')}."
        numbers_file = f"tables/{name}-numbers.csv"
        write_frame(drawing.numbers, self.folder / numbers_file)
        if drawing.replacement:
            text = f"{caption} {drawing.replacement}"
            _show({"text/html": f"<p>{html_text(text)}</p>", "text/plain": text})
            return
        figures = {"": drawing.plot(width="page").figure_}
        caption = f"{caption} {drawing.omissions}".strip()
        figures |= {"-column": drawing.plot(width="column").figure_}
        if drawing.for_talks:
            with mpl.rc_context(DARK):
                figures["-dark"] = drawing.plot(width="page").figure_
        files = {
            f"figures/{name}{ending}.{suffix}": data
            for ending, figure in figures.items()
            for suffix, data in figure_files(figure, with_svg=ending != "-column").items()
        }
        for file, data in files.items():
            write_atomically(self.folder / file, data)
        note = {
            "kind": "figure",
            "name": name,
            "alt": drawing.alt,
            "caption": caption,
            "files": [*files, numbers_file],
            "width": PAGE_PIXELS,
            "place": "column" if len(drawing.panels) == 1 else "page",
        }
        data = {
            "image/png": base64.b64encode(files[f"figures/{name}.png"]).decode(),
            "text/plain": "\n".join([caption, drawing.alt, plain_text(drawing.numbers)]),
        }
        _show(data, note)

    def table(
        self,
        table: Table | pd.DataFrame,
        name: str,
        caption: str,
        *,
        folded: bool = False,
        file: pd.DataFrame | None = None,
        leads: Sequence[str] = (),
        see: Mapping[str, str] = EMPTY,
        linked: bool = False,
    ) -> None:
        """Write a table as CSV (verbatim, full precision) and LaTeX for print, and show it rounded for reading.

        A page shows the first `MOST_ROWS` rows (`FOLDED_ROWS` of a folded table); LaTeX has what fits a printed page
        (see `print_table`); the CSV has all rows.

        Parameters
        ----------
        table : Table or pandas.DataFrame
            The table.
        name : str
            Name of the files; see `file_name`.
        caption : str
            Caption; plain text.
        folded : bool
            Whether the report shows only the caption until a reader unfolds the table.
        file : pandas.DataFrame, optional
            Content of the CSV if it differs from the table, as when the page has words in place of the rules' names.
        leads : sequence of str
            For each row, the name of the table to which its first cell and its shaded cells link.
        see : dict of str to str, optional
            Links below the table, as {text of the link: name of the table to which it links}.
        linked : bool
            Whether methods link to the participants' pages, if the suite has such pages.
        """
        name, table, caption = file_name(name), as_table(table), self.print_names(caption)
        if table.shaded:
            caption = f"{caption}: the stronger the colour, the better"
        files = [f"tables/{name}.csv", f"tables/{name}.tex"]
        write_frame(table.frame if file is None else file, self.folder / files[0])
        latex = print_table(table, caption, label=f"{self.folder.name}-{name}")
        write_atomically(self.folder / files[1], latex)
        note = {
            "kind": "table",
            "name": name,
            "caption": caption,
            "files": files,
            "folded": folded,
            "see": [[self.print_names(text), file_name(target)] for text, target in see.items()],
        }
        if not folded and len(table.frame) <= MOST_ROWS:
            self._add_numbers(table_numbers(table, self.folder.name, name))
        addresses = [f"table-{file_name(lead)}" for lead in leads]
        rows, title = first_rows(table.frame, caption, FOLDED_ROWS if folded else MOST_ROWS)
        pages = self.style.participants if linked else {}
        html = html_table(replace(table, frame=rows), title, leads=addresses, pages=pages)
        _show({"text/html": html, "text/plain": f"{caption}\n{plain_text(table.frame)}"}, note)

    def readings(self, readings: Readings) -> None:
        """Let readers of the page change open switches, and show who wins.

        The page looks up the rankings, which are also written as readings.json; it does not compute scores.
        """
        rankings = list_rankings(readings)
        rankings["methods"] = [visible(print_name(name)) for name in rankings["methods"]]
        # so that a method's name cannot close the script element
        block = json.dumps(rankings, separators=(",", ":")).replace("<", "\\u003c")
        write_atomically(self.folder / "readings.json", block)
        html = f'<div class="what-if"><script type="application/json">{block}</script></div>'
        note = {"kind": "readings", "name": "readings", "files": ["readings.json"]}
        text = f"{len(readings.table)} open readings in readings.json"
        _show({"text/html": html, "text/plain": text}, note)

    def rules(self, rules: Rules, page: str = "synthetic") -> None:
        """Show the sentences of `explain_rules` as a list; each follows from the value of a switch."""
        sections = explain_rules(rules, page).items()
        items = (
            f"<li><strong>{html_text(title)}.</strong> {html_text(text)}</li>"
            for title, text in sections
        )
        plain = "\n".join(f"{title}. {text}" for title, text in sections)
        _show({"text/html": f"<ul>{''.join(items)}</ul>", "text/plain": plain})


def _show(data: Mapping[str, str], note: Mapping[str, Any] = EMPTY) -> None:
    """Show an output in the notebook, with a note for the report."""
    display(dict(data), metadata={"srlib": dict(note)} if note else None, raw=True)


def figure_files(figure: Figure, with_svg: bool = True) -> dict[str, bytes]:
    """Return a figure as PDF, PNG and SVG, as {suffix: bytes}; the same figure gives the same bytes."""
    files = {}
    for suffix in ("pdf", *(["svg"] * with_svg), "png"):
        files[suffix] = save_figure(figure, suffix)
        # all formats use the layout that was computed for the first
        figure.set_layout_engine("none")
    buffer = io.BytesIO()  # with a palette of 256 colours the file is a third as large
    picture = Image.open(io.BytesIO(files["png"])).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return files | {"png": buffer.getvalue()}


def plain_text(frame: pd.DataFrame) -> str:
    """Return the first rows of a table as text, a line for each row."""
    rows = frame.head(PLAIN_ROWS)
    columns = [cell_texts(values) for _, values in rows.items()]
    return "\n".join(map(" | ".join, zip(*columns, strict=True)))
