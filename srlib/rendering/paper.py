r"""A paper of a suite that compiles: figures, tables, numbers and names by key, and a text that becomes the author's.

FOLDER/paper.tex              written once, from paper.tex.j2
FOLDER/srlib/preamble.tex     packages, \sr, \srset, and letters that pdflatex does not know
FOLDER/srlib/numbers.tex      \srset{KEY}{TEXT}, a line each, sorted by key
FOLDER/srlib/figures/         REPORT-NAME.pdf and .tex
FOLDER/srlib/tables/          REPORT-NAME.tex
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Template

from srlib.displays.tables.numbers import NUMBERS_FILE, key_of, read_numbers, write_numbers
from srlib.displays.tables.print_table import PREAMBLE as TABLE_PREAMBLE
from srlib.displays.tables.table import latex_text
from srlib.errors import require
from srlib.files import list_files, write_atomically
from srlib.folders import check_result_folder, result_folder
from srlib.prose import counted
from srlib.rendering.page import read_template
from srlib.rendering.suite import Suite

# the author's file, the folder that is replaced, and its first file
PAPER_FILE, WRITTEN, PREAMBLE_FILE = "paper.tex", "srlib", "preamble.tex"
USED_KEY = re.compile(r"\\sr\s*\{([^{}#\\]*)\}")  # with a # it would be a part of a key in a macro
COMMENT = re.compile(r"(?<!\\)%.*")
PREAMBLE = r"""% Written by `srlib report --paper`, which replaces the folder of this file as a whole.
\usepackage{graphicx}
TABLES
\extrafloats{100}
\makeatletter
% a figure at its natural size, or if it is higher than a page, so that its caption fits below
\newcommand\srfit[1]{\sbox\z@{#1}\ifdim\ht\z@>.85\textheight\resizebox{!}{.85\textheight}{\usebox\z@}\else
  \usebox\z@\fi}
\newcommand\srset[2]{\expandafter\gdef\csname srlib@\detokenize{#1}\endcsname{#2}}
\DeclareRobustCommand\sr[1]{\ifcsname srlib@\detokenize{#1}\endcsname\csname srlib@\detokenize{#1}\endcsname\else
  \GenericError{}{srlib: numbers.tex has no number of this key:\MessageBreak\detokenize{#1}}{}%
  {It is misspelt, or no report has it any more; `srlib report --paper' lists such keys.}\fi}
% a minus sign of numbers.tex, also in mathematics
\expandafter\gdef\csname u8:\detokenize{−}\endcsname{\ensuremath{-}}
\makeatother
\input{srlib/numbers}
"""
FIGURE = r"""\begin{%(environment)s}[tp]
\centering
\srfit{\includegraphics{srlib/figures/%(name)s.pdf}}
\caption{%(caption)s}\label{fig:%(name)s}
\end{%(environment)s}
"""


@dataclass(frozen=True)
class Paper:
    """What to say about a paper.

    Parameters
    ----------
    sentences : list of str
        What was written, and each number that changed and that the author's text uses, as 'KEY: OLD → NEW'.
    faults : list of str
        Why there is no paper, or keys that the author's text uses and no report has.
    """

    sentences: list[str]
    faults: list[str]


def check_paper_folder(folder: Path, out: Path) -> None:
    """Raise InputError if a paper cannot be written to a folder; OUT is the folder of the reports, without links."""
    for path in (folder, folder / WRITTEN):
        require(not path.is_symlink(), f"{path}: a folder was expected, and a link stands there")
    target = Path(os.path.realpath(folder))
    require(
        not target.is_relative_to(out) and not out.is_relative_to(target / WRITTEN),
        f"{folder}: a paper cannot lie in the folder of the reports; name another folder",
    )
    place = next(path for path in (target, *target.parents) if path.exists())
    require(
        place.is_dir() and os.access(place, os.W_OK | os.X_OK),
        f"{folder}: a folder that can be written was expected, got {place}",
    )
    check_result_folder(folder / WRITTEN, "report")


def write_paper(
    suite: Suite, contents: Sequence[Mapping[str, Any]], out: Path, folder: Path
) -> Paper:
    """Write FOLDER/srlib anew, and FOLDER/paper.tex if there is none.

    Parameters
    ----------
    suite : Suite
        The suite.
    contents : sequence of mapping
        Content of NAME.report.json of each report but participants' pages, with its `name` and `state`. Nothing is
        written if one is not good.
    out : Path
        Folder of the rendered reports.
    folder : Path
        Folder of the paper.

    Raises
    ------
    InputError
        When a file cannot be written, or two figures or tables would have the same file.
    """
    faults = [
        f"No paper: the report {content['name']} is {content.get('state', 'missing')}."
        for content in contents
        if content.get("state") != "good"
    ]
    if faults or not contents:
        return Paper([], faults or ["No paper: there are no reports but participants' pages."])
    files, numbers = dict[str, bytes | str](), dict[str, str]()
    for content in contents:
        name = content["name"]
        numbers |= read_numbers(out / name / NUMBERS_FILE)
        for file, data in files_of(content, out / name):
            require(file not in files, f"{file}: two reports would write it; rename report {name}")
            files[file] = data
    with result_folder(folder / WRITTEN, "report") as new:
        before = read_numbers(folder / WRITTEN / NUMBERS_FILE)
        for file, data in files.items():
            write_atomically(new / file, data)
        write_numbers(new / NUMBERS_FILE, numbers)
        write_atomically(new / PREAMBLE_FILE, PREAMBLE.replace("TABLES", TABLE_PREAMBLE))
    if not os.path.lexists(folder / PAPER_FILE):
        write_atomically(folder / PAPER_FILE, fill_template(suite, contents))
    used = used_keys(folder)
    changed = [
        f"{key}: {before.get(key, '–')} → {numbers[key]}"
        for key in sorted(used.keys() & numbers.keys())
        if before and before.get(key) != numbers[key]
    ]
    written = f"{counted(len(files), 'file')} and {counted(len(numbers), 'number')}"
    numbers_changed = f"{counted(len(changed), 'number')} that the author's text uses changed"
    return Paper(
        [f"Paper: {written} in {folder / WRITTEN}; {numbers_changed}.", *changed],
        [
            f"{used[key]}: \\sr{{{key}}} is used, and no report has it."
            for key in sorted(used.keys() - numbers.keys())
        ],
    )


def files_of(content: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, bytes | str]]:
    """Yield (file in FOLDER/srlib, content) for the figures and tables of a report.

    A figure of one panel takes a column, another one a page; both enter at their natural size.
    """
    for figure in content["figures"]:
        name, is_narrow = f"{content['name']}-{figure['name']}", figure["place"] == "column"
        file = f"{figure['name']}-column.pdf" if is_narrow else f"{figure['name']}.pdf"
        environment = "figure" if is_narrow else "figure*"
        caption = latex_text(figure["caption"])
        yield f"figures/{name}.pdf", (folder / "figures" / file).read_bytes()
        yield (
            f"figures/{name}.tex",
            FIGURE % {"environment": environment, "name": name, "caption": caption},
        )
    for table in content["tables"]:
        text = (folder / "tables" / f"{table['name']}.tex").read_text("utf-8")
        yield f"tables/{content['name']}-{table['name']}.tex", text


def fill_template(suite: Suite, contents: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a new paper: a section for each report, with its answer, figures and tables."""
    template = Template(
        read_template(f"{PAPER_FILE}.j2"),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        trim_blocks=True,
    )
    return template.render(suite=suite, reports=contents, tex=latex_text, key=key_of)


def used_keys(folder: Path) -> dict[str, Path]:
    r"""Return the keys that the author's .tex files use by \sr, with the first such file; comments do not count."""
    used: dict[str, Path] = {}
    for path in list_files(folder, "**/*.tex"):
        if folder / WRITTEN not in path.parents:
            text = COMMENT.sub("", path.read_text("utf-8", "replace"))
            for key in USED_KEY.findall(text):
                used.setdefault(" ".join(key.split()), path)
    return used
