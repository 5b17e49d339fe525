r"""A paper of a suite that compiles: figures, tables, numbers and names by key, and a text that becomes the author's.

FOLDER/paper.tex              written once, from paper.tex.j2
FOLDER/srlib/preamble.tex     packages, \sr, \srset, and letters that pdflatex does not know
FOLDER/srlib/numbers.tex      \srset{KEY}{TEXT}, a line each, sorted by key
FOLDER/srlib/figures/REPORT-NAME.pdf and .tex, FOLDER/srlib/tables/REPORT-NAME.tex
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import name as letter_name
from unicodedata import normalize

from jinja2 import Environment, FileSystemLoader

from srlib.displays.tables.numbers import NUMBERS_FILE, key_of, read_numbers, write_numbers
from srlib.displays.tables.table import latex_text
from srlib.errors import require
from srlib.files import list_files, printable, write_atomically
from srlib.folders import check_result_folder, result_folder
from srlib.prose import counted, listed
from srlib.rendering.page import TEMPLATE
from srlib.rendering.suite import Suite

PAPER_FILE, WRITTEN = "paper.tex", "srlib"  # the author's file, and the folder that is replaced
TABLE_PACKAGES = r"\usepackage{adjustbox,amsmath,array,booktabs,longtable}"
USED_KEY = re.compile(r"\\sr\s*\{([^{}#\\]*)\}")  # with a # it would be a part of a key in a macro
COMMENT = re.compile(r"(?<!\\)%.*")
SYMBOLS = {"≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "→": "rightarrow", "∈": "in", "√": "surd"}  # fmt: skip
PREAMBLE = r"""% Written by `srlib report --paper`, which replaces the folder of this file as a whole.
\usepackage{graphicx}
PACKAGES
\extrafloats{100}
\makeatletter
% letters that the encoding of the paper's fonts lacks come from T1
\input{t1enc.def}
\DeclareTextAccentDefault{\k}{T1}
\@for\srlib@name:=DH,DJ,NG,TH,dh,dj,ng,th,guillemotleft,guillemotright,guilsinglleft,guilsinglright,%
quotedblbase,quotesinglbase,textquotedbl\do{\expandafter\DeclareTextSymbolDefault\csname\srlib@name\endcsname{T1}}
\newcommand\srset[2]{\expandafter\gdef\csname srlib@\detokenize{#1}\endcsname{#2}}
\DeclareRobustCommand\sr[1]{\ifcsname srlib@\detokenize{#1}\endcsname\csname srlib@\detokenize{#1}\endcsname\else
  \GenericError{}{srlib: numbers.tex has no number of this key:\MessageBreak\detokenize{#1}}{}%
  {It is misspelt, or no report has it any more; `srlib report --paper' lists such keys.}\fi}
% a letter that pdflatex does not know: a symbol of mathematics, or its number
\newcommand\srsymbol[2]{\ifcsname#1\endcsname\ensuremath{\csname#1\endcsname}\else[U+#2]\fi}
\newcommand\srletter[3]{\ifcsname u8:\detokenize{#1}\endcsname\else\DeclareUnicodeCharacter{#2}{#3}\fi}
\ifcsname DeclareUnicodeCharacter\endcsname
LETTERS\DeclareUnicodeCharacter{2212}{\ensuremath{-}}
\fi
\makeatother
\input{srlib/numbers}
"""
FIGURE = r"""\begin{ENVIRONMENT}[tp]
\centering
\includegraphics{srlib/figures/NAME.pdf}
\caption{CAPTION}\label{fig:NAME}
\end{ENVIRONMENT}
"""


@dataclass(frozen=True)
class Paper:
    """What was written for a paper, and what its author has to know.

    Parameters
    ----------
    folder : Path
        Folder of the paper.
    figures, tables, numbers : int
        How many there are; 0 if nothing was written.
    changed : tuple of str
        'KEY: OLD → NEW' for each number that the author's text uses and that changed.
    faults : tuple of str
        Sentences: reports without which no paper was written, and keys that the author's text uses and no report has.
    """

    folder: Path
    figures: int = 0
    tables: int = 0
    numbers: int = 0
    changed: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Sentences with what was written, changed numbers, and faults."""
        nouns = {"figure": self.figures, "table": self.tables, "number": self.numbers}
        counts = listed([counted(count, noun) for noun, count in nouns.items()])
        sentences = [f"Paper: {counts} in {self.folder / WRITTEN}."] if self.numbers else []
        if self.changed:
            number = counted(len(self.changed), "number")
            sentences.append(f"{number} that the author's text uses changed:")
        return [*sentences, *self.changed, *self.faults]


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
    require(place.is_dir(), f"{folder}: a folder was expected, and a file stands there")
    require(os.access(place, os.W_OK | os.X_OK), f"{folder}: cannot be written (no permission)")
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
        return Paper(folder, faults=tuple(faults or ["No paper: the suite has no other pages."]))
    files, numbers = collect_files(contents, out), dict[str, str]()
    for content in contents:
        numbers |= read_numbers(out / content["name"] / NUMBERS_FILE)
    numbers = {key: normalize("NFC", text) for key, text in numbers.items()}
    texts = read_author_files(folder)
    is_new = not os.path.lexists(folder / PAPER_FILE)
    if is_new:
        texts[PAPER_FILE] = fill_template(suite, contents)
    with result_folder(folder / WRITTEN, "report") as new:
        before = read_numbers(folder / WRITTEN / NUMBERS_FILE)
        for file, data in files.items():
            write_atomically(new / file, data)
        write_numbers(new / NUMBERS_FILE, numbers)
        written = [data for data in files.values() if isinstance(data, str)]
        letters = {*"".join([*written, *numbers.values(), *texts.values()])}
        write_atomically(new / "preamble.tex", fill_preamble(letters))
    if is_new:
        write_atomically(folder / PAPER_FILE, texts[PAPER_FILE])
    used = used_keys(texts)
    changed = {key: (before.get(key, "–"), numbers.get(key, "–")) for key in sorted(used)}
    return Paper(
        folder,
        sum(len(content["figures"]) for content in contents),
        sum(len(content["tables"]) for content in contents),
        len(numbers),
        tuple(
            f"{key}: {old} → {text}"
            for key, (old, text) in changed.items()
            if before and key in numbers and old != text
        ),
        tuple(
            f"{listed(used[key])}: no report has the number \\sr{{{key}}}; before: {old}"
            for key, (old, _) in changed.items()
            if key not in numbers
        ),
    )


def collect_files(contents: Sequence[Mapping[str, Any]], out: Path) -> dict[str, bytes | str]:
    """Return {file in FOLDER/srlib: content} of the figures and tables of reports.

    A figure of one panel takes a column, another one a page; both enter at their natural size.
    """
    files: dict[str, bytes | str] = {}
    for content in contents:
        report, folder = content["name"], out / content["name"]
        for figure in content["figures"]:
            name, is_narrow = f"{report}-{figure['name']}", figure["place"] == "column"
            file = f"figures/{figure['name']}{'-column' if is_narrow else ''}.pdf"
            parts = {"ENVIRONMENT": "figure" if is_narrow else "figure*", "NAME": name}
            parts["CAPTION"] = normalize("NFC", latex_text(figure["caption"]))
            text = re.sub("|".join(parts), lambda match, parts=parts: parts[match[0]], FIGURE)
            _add_files(files, f"figures/{name}", pdf=(folder / file).read_bytes(), tex=text)
        for table in content["tables"]:
            text = (folder / f"tables/{table['name']}.tex").read_text("utf-8")
            _add_files(files, f"tables/{report}-{table['name']}", tex=normalize("NFC", text))
    return files


def _add_files(files: dict[str, bytes | str], name: str, **contents: bytes | str) -> None:
    """Add files NAME.SUFFIX; raise InputError if two reports have the same."""
    for suffix, content in contents.items():
        file = f"{name}.{suffix}"
        require(
            file not in files,
            f"{file}: two reports of the suite would write it; give one another name",
        )
        files[file] = content


def read_author_files(folder: Path) -> dict[str, str]:
    """Return {name: text} of the .tex files in a paper's folder that are the author's."""
    paths = (path.relative_to(folder) for path in list_files(folder, "**/*.tex"))
    return {
        printable(path.as_posix()): (folder / path).read_text("utf-8", "replace")
        for path in paths
        if path.parts[0] != WRITTEN
    }


def used_keys(texts: Mapping[str, str]) -> dict[str, list[str]]:
    r"""Return the keys that texts use by \sr, each with the names of the texts; comments do not count.

    Examples
    --------
    >>> used_keys({"a.tex": r"\sr{r/verdict}, 5\% \sr{r/name of  a}% \sr{r/old}"})
    {'r/verdict': ['a.tex'], 'r/name of a': ['a.tex']}
    """
    used: dict[str, list[str]] = {}
    for name, text in texts.items():
        for key in dict.fromkeys(USED_KEY.findall(COMMENT.sub("", text))):
            used.setdefault(" ".join(key.split()), []).append(name)
    return used


def fill_preamble(letters: set[str]) -> str:
    """Return the preamble, with a declaration for each letter beyond ASCII."""
    lines = [
        f"\\srletter{{{letter}}}{{{ord(letter):04X}}}{{{tex_letter(letter)}}}\n"
        for letter in sorted(letters)
        if not letter.isascii()
    ]
    parts = {"PACKAGES": TABLE_PACKAGES, "LETTERS": "".join(lines)}
    return re.sub("|".join(parts), lambda match: parts[match[0]], PREAMBLE)


def tex_letter(letter: str) -> str:
    r"""Return TeX for a letter that pdflatex does not know: plain letters, a symbol, or its number.

    Examples
    --------
    >>> tex_letter("₁"), tex_letter("λ"), tex_letter("中")
    ('1', '\\srsymbol{lambda}{03BB}', '\\srsymbol{}{4E2D}')
    """
    plain = normalize("NFKD", letter)
    if plain.isascii():
        return latex_text(plain)
    symbol, words = SYMBOLS.get(letter, ""), letter_name(plain[0], "").replace("LAMDA", "LAMBDA")
    if match := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", words):
        symbol = match[2].lower() if match[1] == "SMALL" else match[2].title()
    return rf"\srsymbol{{{symbol}}}{{{ord(letter):04X}}}"


def fill_template(suite: Suite, contents: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a new paper: a section for each report, with its answer, figures and tables."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE),
        autoescape=False,
        trim_blocks=True,
        keep_trailing_newline=True,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
    )
    environment.filters["tex"] = lambda text: normalize("NFC", latex_text(text))
    environment.filters["comment"] = lambda text: " ".join(str(text).split())
    environment.globals["number"] = lambda *parts: rf"\sr{{{key_of(*parts)}}}"
    template = environment.get_template(f"{PAPER_FILE}.j2")
    main = next((content for content in contents if content["certainty"]), contents[0])
    return template.render(suite=suite, reports=contents, main=main)
