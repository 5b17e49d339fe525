"""Tables for print: LaTeX that fits a column or a page in 8 or 7 points, by a rule that says what it left out."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from textwrap import indent

import numpy as np
import pandas as pd
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from srlib.displays.styling import Style
from srlib.displays.tables import table as tables
from srlib.displays.tables.equations import PRINT_DIGITS, formula_width, print_equation
from srlib.displays.tables.table import Table, latex_text, printable

SIZES = (8.0, 7.0)  # points of the letters
# place, whether headings of numbers are turned, whether texts and models wrap: the first that fits is taken
FORMS = (
    ("column", False, False),
    ("page", False, False),
    ("page", True, False),
    ("column", True, True),
    ("page", True, True),
)
GAP = 6.0  # points between columns: twice \tabcolsep
POINTS_PER_INCH = 72.0  # TeX has 72.27; journals round their columns up to inches
TALLEST_ROWS = 560.0  # points of a page's height for headings and rows
FEWEST_ROWS = 5  # a form that shows fewer is not taken
MOST_LINES = 8  # lines of a wrapped text; a longer one is cut
LONGEST_CELL, LONGEST_HEADING = 1500, 200  # letters; a wrapped cell has no room for more
LEADING, HIGH = 1.2, 2.9  # height of a line, and of one with fractions, in sizes of its letters
RULES_HEIGHT = 16.0  # points of a table's rules and of the space around them
ROW_SPACE = 2.0  # points below a row of several lines
TURNED_HEIGHT = 110.0  # points of a turned heading; a longer one has several lines
LEAST_TEXT, LEAST_MODEL = 80.0, 150.0  # points of a wrapped text, and of a wrapped model
MOST_TEXT = 110.0  # points of a text in a table of several parts
MOST_HEADERS = 2  # columns that name the rows in each of several parts
WIDER, BOLD = (
    1.25,
    1.16,
)  # Computer Modern at 7 points is so much wider than Times, and bold letters than others
# narrow letters and some signs differ more; in sizes of the letters
LEAST_WIDTH, LEAST_WIDTHS = 0.36, dict.fromkeys('#/\\"²JPFT<>', 0.75)
SAFE_SHARE = 0.95  # share of a line that a piece of a model takes at most
CUT = r" $\cdots$"
BREAK = r"\allowbreak{}"
POWER = r"([\d.]+)\$\\times\$10\\textasciicircum\{\}([-+$\d]+)"
# what a document with these tables needs; the colours are the shades of pages, 5% to 45% of their blue
PREAMBLE = r"""\usepackage{amsmath,array,booktabs,graphicx,xcolor,colortbl}
\definecolor{srlib1}{RGB}{243,248,251}
\definecolor{srlib2}{RGB}{232,240,246}
\definecolor{srlib3}{RGB}{220,232,242}
\definecolor{srlib4}{RGB}{209,225,238}
\definecolor{srlib5}{RGB}{197,218,234}
\definecolor{srlib6}{RGB}{185,210,230}
\definecolor{srlib7}{RGB}{174,203,225}
\definecolor{srlib8}{RGB}{162,195,221}
\definecolor{srlib9}{RGB}{151,188,217}"""


@cache
def _letter_width(letter: str) -> float:
    """Return the width of a letter at 1 point, or of what is printed in its place."""
    if (alike := printable(letter)) != letter:
        return width_of(alike)
    font = FontProperties(family="STIXGeneral", size=100)
    width = text_to_path.get_text_width_height_descent(letter, font, False)[0] / 100
    return WIDER * max(width, LEAST_WIDTHS.get(letter, LEAST_WIDTH))


def width_of(text: str) -> float:
    """Return the width of a text in points at 1 point: that of the Times which matplotlib ships, times `WIDER`."""
    return sum(map(_letter_width, text))


@cache
def width_of_equation(latex: str) -> float:
    """Return about how wide a piece of a model is at 1 point, and no less."""
    return formula_width(latex, width_of)


Pieces = Sequence[tuple[str, float]]  # LaTeX between which a line may break, with its width


@cache
def text_pieces(text: str, width: float) -> Pieces:
    r"""Return the words of a text as LaTeX with their widths; longer words than this break at signs, or anywhere.

    Examples
    --------
    >>> [latex for latex, _ in text_pieces("the exact_formulas", 4)]
    ['the ', 'exact\\_\\allowbreak{}', 'formu\\allowbreak{}', 'las\\allowbreak{}']
    """
    pieces = re.findall(r"\S+\s*", text)
    for pattern in ("[^_/-]*[_/-]?", ".{1,5}"):
        parts = [
            [piece] if width_of(piece) <= width + 0.01 else re.findall(pattern, piece)
            for piece in pieces
        ]
        pieces = [part for piece in parts for part in piece if part]
    return [
        (latex_text(piece) + BREAK * (not piece.endswith(" ")), width_of(piece)) for piece in pieces
    ]


def fill_lines(pieces: Pieces, width: float) -> list[str]:
    """Return pieces of LaTeX in lines that are no wider."""
    lines, end = [""], 0.0
    for latex, piece_width in pieces:
        end += piece_width
        if end > width + 0.01 and lines[-1]:
            lines.append("")
            end = piece_width
        lines[-1] += latex
    return lines


@dataclass(frozen=True)
class Column:
    """A column for print.

    Parameters
    ----------
    heading : str
        Heading, in letters that pdflatex has, as are the texts.
    texts : sequence of str
        The cells.
    kind : {'l', 'r'}
        Alignment: r of numbers. Only their headings are turned.
    models : mapping of int to str
        Model texts, by position, which are set as equations.
    bold : collection of int
        Positions of cells in bold.
    colours : mapping of int to str
        Commands that colour cells, by position.
    """

    heading: str
    texts: Sequence[str]
    kind: str
    models: Mapping[int, str]
    bold: Collection[int]
    colours: Mapping[int, str]

    def pieces(self, row: int, ems: float) -> Pieces:
        """Return the pieces of a cell for lines of this width, in sizes of its letters."""
        pieces = print_equation(self.models.get(row, ""), SAFE_SHARE * ems, width_of)
        if pieces:
            return [(piece, width_of_equation(piece)) for piece in pieces]
        return text_pieces(self.texts[row], ems)

    @cached_property
    def cell_width(self) -> float:
        """Width of the cells on one line, in sizes of their letters."""
        rows = range(len(self.texts))
        widths = [sum(width for _, width in self.pieces(row, math.inf)) for row in rows]
        return max(widths, default=0.0) * (BOLD if self.bold else 1.0)

    def head(self, width: float, size: float, turned: bool) -> tuple[str, float, float]:
        """Return the heading as LaTeX for a column of this width in points, its own width, and its height."""
        turned &= self.kind == "r" and width_of(self.heading) > self.cell_width
        room = (TURNED_HEIGHT if turned else width) / size
        pieces = text_pieces(self.heading, room)
        lines = fill_lines(pieces, room)
        latex = r" \\ ".join(line.removesuffix(BREAK).strip() for line in lines)
        height = LEADING * size * len(lines)
        if len(lines) > 1:
            kind = "l" if turned else self.kind
            latex = rf"\begin{{tabular}}[b]{{@{{}}{kind}@{{}}}}{latex}\end{{tabular}}"
        if turned:
            along = min(TURNED_HEIGHT, size * width_of(self.heading))
            return rf"\rotatebox{{90}}{{{latex}}}", height, along
        return latex, size * max((width for _, width in pieces), default=0.0), height

    def natural_width(self, size: float, turned: bool) -> float:
        """Return the width in points if no cell wraps; headings wrap at words."""
        return max(size * self.cell_width, self.head(math.inf, size, turned)[1])

    def cell(self, row: int, width: float, size: float, tallest: float) -> tuple[str, float]:
        """Return a cell as LaTeX for a column of this width, and its height in points; what is higher ends in dots."""
        ems = width / size / (BOLD if self.bold else 1.0)
        lines = fill_lines(self.pieces(row, ems), ems)
        high = [HIGH if re.search(r"\\dfrac|cases", line) else LEADING for line in lines]
        end = max(1, int(np.searchsorted(size * np.cumsum(high), tallest, side="right")))
        end = end if row in self.models else min(end, MOST_LINES)
        latex = "".join(lines[:end]).removesuffix(BREAK).rstrip().replace(" {}", " ")
        if end < len(lines):
            latex += CUT if row in self.models else r"\dots{}"
        # names of features may have letters that pdflatex does not have
        latex = re.sub(r"[^\x00-\x7f]", lambda letter: latex_text(letter[0]), latex)
        latex = re.sub(POWER, _write_power, latex)
        if row in self.bold and row not in self.models:
            latex = rf"\textbf{{{latex}}}"
        return self.colours.get(row, "") + latex, size * sum(high[:end])


def _write_power(number: "re.Match[str]") -> str:
    """Return a number with an exponent as LaTeX."""
    return rf"${number[1]}\times10^{{{number[2].replace('$', '').lstrip('+0')}}}$"


def columns_of(table: Table, most_rows: int) -> list[Column]:
    """Return the columns for print: `value`, `low` and `high` are one, and the best of a shaded row is bold."""
    shades = tables.shade_classes(table)
    frame = table.frame.head(most_rows)
    table = replace(table, frame=frame)
    names = {name for name in frame if name not in table.methods}
    stems = {name: re.sub("_?(value|mean|median)?$", "_", str(name), count=1) for name in names}
    bounds = {
        name: [(stem + end).lstrip("_") for end in ("low", "high")] for name, stem in stems.items()
    }
    bounds = {name: pair for name, pair in bounds.items() if names.issuperset(pair)}
    scores = frame[list(table.shaded)].astype(float).round(table.digits)
    best = scores.eq(scores.min(axis=1) if table.lower else scores.max(axis=1), axis=0)
    columns = []
    for name, values in frame.items():
        if any(name in pair for pair in bounds.values()):
            continue
        heading, texts = table.heading(name), table.texts(name)
        if name in bounds:
            heading += " [low, high]"
            intervals = zip(texts, *map(table.texts, bounds[name]), strict=True)
            texts = [
                text if tables.ABSENT in ends else f"{text} [{', '.join(ends)}]"
                for text, *ends in intervals
            ]
        kind = "l"
        if tables.is_numeric(values):
            kind, texts = "r", [text.replace("e", "×10^") for text in texts]
        is_model = name in table.equations or ("model" in str(name) and name in names)
        models = {row: v for row, v in enumerate(values) if is_model and isinstance(v, str)}
        bold, colours = set(table.marked), {}
        if name in table.shaded:
            bold |= set(np.flatnonzero(best[name]).tolist())
            classes = [shades.get(value, "") for value in values]
            colours = {row: rf"\cellcolor{{srlib{c[1:]}}}" for row, c in enumerate(classes) if c}
        texts = [printable(text[:LONGEST_CELL]) for text in texts]
        heading = printable(heading[:LONGEST_HEADING])
        columns.append(Column(heading, texts, kind, models, bold, colours))
    return columns


Part = Sequence[tuple[Column, float]]


def forms_of(
    columns: Sequence[Column], row_headers: int
) -> Iterator[tuple[str, float, bool, Sequence[Part]]]:
    """Yield place, size, whether headings are turned, and parts (columns and their widths) of the forms that fit."""
    rooms = {
        place: POINTS_PER_INCH * inches + GAP for place, inches in Style.current.widths.items()
    }
    limits = [
        LEAST_MODEL if c.models else math.inf if c.kind == "r" else LEAST_TEXT for c in columns
    ]
    for (place, turned, wrapped), size in product(FORMS, SIZES):
        widths = np.array([GAP + column.natural_width(size, turned) for column in columns])
        least = np.minimum(widths, limits) if wrapped else widths.copy()
        spare = rooms[place] - least.sum()
        if spare < 0:
            continue
        order = np.argsort(widths - least, kind="stable")
        for left, column in zip(range(len(columns), 0, -1), order, strict=True):
            widths[column] = min(widths[column], least[column] + spare / left)
            spare -= widths[column] - least[column]
        yield place, size, turned, [list(zip(columns, widths - GAP, strict=True))]
    limits = [LEAST_MODEL if column.models else MOST_TEXT for column in columns]
    widths = np.minimum([column.natural_width(SIZES[-1], True) for column in columns], limits)
    pairs = list(zip(columns, widths, strict=True))
    headers = pairs[: min(row_headers, MOST_HEADERS, len(pairs) - 1)]
    parts = [headers]
    for pair in pairs[len(headers) :]:
        if sum(width + GAP for _, width in [*parts[-1], pair]) > rooms["page"]:
            parts.append(headers)
        parts[-1] = [*parts[-1], pair]
    for count in range(len(parts), 0, -1):
        yield "page", SIZES[-1], True, parts[:count]


def set_rows(size: float, turned: bool, parts: Sequence[Part], n_rows: int) -> list[list[str]]:
    """Return the lines of LaTeX for each part: its heading, then the rows that fit a page."""
    heads = [[column.head(width, size, turned) for column, width in part] for part in parts]
    height = sum(RULES_HEIGHT + max(height for *_, height in part) for part in heads)
    tallest = (TALLEST_ROWS - height) / max(1, min(n_rows, FEWEST_ROWS)) / len(parts) - ROW_SPACE
    lines = [[f"{' & '.join(latex for latex, *_ in part)} \\\\"] for part in heads]
    for row in range(n_rows):
        row_lines = []
        for part in parts:
            cells = [column.cell(row, width, size, tallest) for column, width in part]
            highest = max(height for _, height in cells)
            # a row of several lines stands apart
            space = ROW_SPACE if highest > LEADING * size + 1 else 0.0
            height += highest + space
            line = f"{' & '.join(latex for latex, _ in cells)} \\\\"
            row_lines.append(f"{line}[{space:g}pt]" if space else line)
        if height > TALLEST_ROWS and row:
            break
        for part_lines, line in zip(lines, row_lines, strict=True):
            part_lines.append(line)
    return lines


def print_table(table: Table | pd.DataFrame, caption: str, *, label: str) -> str:
    r"""Return a table as LaTeX that is ready for print: nothing is scaled, and all text is escaped.

    It has the first of these forms that fits: a column in 8 or 7 points; a page in 8 or 7 points, as it is, then with
    headings of numbers turned; with models and texts wrapped, in a column or a page; in parts below each other, each
    with the names of the rows. Headings wrap at words; a wrapped text has at most 8 lines. A form in which fewer than
    five rows fit a page is not taken; rows and columns that do not fit are left out, and the caption counts those that
    are there. Models are mathematics of any length; one that is cut, since five rows have to fit a page, ends in dots,
    and is taken only if no form has room for it.

    Marked rows are bold; so is the best of each row in shaded columns, which have the nine shades of pages. A value
    with its interval is one column. A comment has the lines that the document needs, which are `PREAMBLE`.

    Parameters
    ----------
    table : Table or pandas.DataFrame
        The table.
    caption : str
        Caption; plain text.
    label : str
        Label of the table, written as tab:LABEL.

    Examples
    --------
    >>> table = print_table(pd.DataFrame({"method": ["a_b"], "score": [2.0]}), "Scores", label="scores")
    >>> r"a\_b & 2.000 \\" in table, r"\begin{table}" in table, r"\fontsize{8}" in table
    (True, True, True)
    """
    table = tables.as_table(table)
    if not len(table.frame.columns):
        table = Table(pd.DataFrame({tables.ABSENT: []}))
    columns = columns_of(table, int(TALLEST_ROWS / LEADING / SIZES[-1]))
    n_rows = len(columns[0].texts)
    chosen, best = (("page", 0.0, False, []), []), 0
    for form in forms_of(columns, table.row_headers):
        lines = set_rows(*form[1:], n_rows)
        # one in which no model is cut is better
        grade = (len(lines[0]) > min(FEWEST_ROWS, n_rows)) * (
            2 - (CUT in "".join(map("".join, lines)))
        )
        if grade > best or not best:
            chosen, best = (form, lines), grade
        if best == 2:
            break
    (place, size, _, parts), lines = chosen
    n_columns = len({id(column) for part in parts for column, _ in part})
    counts = [(n_columns, len(columns), "columns"), (len(lines[0]) - 1, len(table.frame), "rows")]
    counts = [f"the first {n} of {total:,} {kind}" for n, total, kind in counts if n < total]
    notes = [" and ".join(counts)] if counts else []
    if table.shaded:
        notes.append("the best of each row is bold")
    if table.equations:
        notes.append(f"constants have {PRINT_DIGITS} significant digits")
    if notes:
        caption += f"{';' if ':' in caption else ':'} {'; '.join(notes)}"
    tabulars = []
    for part, (head, *body) in zip(parts, lines, strict=True):
        kinds = "".join(
            column.kind
            if size * column.cell_width < width + 0.1
            else rf">{{\raggedright\arraybackslash}}p{{{width:.1f}pt}}"
            for column, width in part
        )
        rows = "\n".join([r"\toprule", head, r"\midrule", *body, r"\bottomrule"])
        tabulars.append(
            f"\\begin{{tabular}}{{@{{}}{kinds}@{{}}}}\n{rows}\n\\end{{tabular}}\\par\\smallskip\n"
        )
    environment = "table" if place == "column" else "table*"
    return (
        f"% needs\n{indent(PREAMBLE, '% ')}\n"
        f"\\begin{{{environment}}}[tbp]\n\\centering\n"
        f"\\caption{{{latex_text(caption)}}}\\label{{tab:{label}}}\n"
        f"\\fontsize{{{size:g}}}{{{LEADING * size:.1f}}}\\selectfont\\setlength{{\\tabcolsep}}{{{GAP / 2:g}pt}}\n"
        f"{''.join(tabulars)}\\end{{{environment}}}\n"
    )
