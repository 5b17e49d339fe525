"""Tables for print: LaTeX that fits a column or a page in 8 or 7 points, by a rule that says what it left out."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
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
POINTS_PER_INCH = 72.27
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
LEAST_WIDTH, LEAST_WIDTHS = 0.36, {"#": 0.75} | dict.fromkeys('/\\"²J<>', 0.55)
SAFE_SHARE = 0.95  # share of a line that a piece of a model takes at most
CUT = r"$\cdots$"
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


_piece_width = cache(partial(formula_width, width_of=width_of))


def fill_lines(
    pieces: Sequence[str], width: float, width_of: Callable[[str], float] = width_of
) -> list[list[str]]:
    """Return pieces of a text or model in lines that are no wider; spaces at the end of a line do not count."""
    lines, end = [], math.inf
    for piece in pieces:
        if end + width_of(piece.rstrip()) > width + 0.01:
            lines.append([])
            end = 0.0
        lines[-1].append(piece)
        end += width_of(piece)
    return lines


def wrap_text(text: str, width: float) -> list[str]:
    """Return a text in lines that are no wider, in sizes of its letters; only words that are wider break.

    Examples
    --------
    >>> wrap_text("the exact_formula_easier", 5)
    ['the', 'exact_', 'formula_', 'easier']
    """
    pieces = [text]
    for pattern in (r"\S+\s*", "[^_/-]*[_/-]?", ".{1,5}"):
        pieces = [
            part
            for piece in pieces
            for part in ([piece] if width_of(piece.rstrip()) <= width else re.findall(pattern, piece))
        ]
    return ["".join(line).rstrip() for line in fill_lines(pieces, width)]


def stack_lines(lines: Sequence[str], kind: str, anchor: str) -> str:
    """Return lines of LaTeX below each other, aligned as a kind of column (l or r) at an anchor (t or b)."""
    body = r" \\ ".join(lines)
    if len(lines) == 1:
        return body
    return rf"\begin{{tabular}}[{anchor}]{{@{{}}{kind}@{{}}}}{body}\end{{tabular}}"


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
    bold : collection of int
        Positions of cells in bold.
    colours : mapping of int to str
        Colours of cells, by position.
    models : mapping of int to str
        Model texts, by position, which are set as equations.
    """

    heading: str
    texts: Sequence[str]
    kind: str
    bold: Collection[int]
    colours: Mapping[int, str]
    models: Mapping[int, str]

    def pieces(self, row: int, ems: float = math.inf) -> tuple[str, ...]:
        """Return the pieces of a model, between which lines may break; empty for a text."""
        return print_equation(self.models[row], ems, width_of) if row in self.models else ()

    @cached_property
    def cell_width(self) -> float:
        """Width of the cells on one line, in sizes of their letters."""
        texts = [text.replace("e", "×10") if self.kind == "r" else text for text in self.texts]
        widths = [
            sum(map(_piece_width, self.pieces(row))) or width_of(text)
            for row, text in enumerate(texts)
        ]
        return max(widths, default=0.0) * (BOLD if self.bold else 1.0)

    @cached_property
    def turns(self) -> bool:
        """Whether the heading is wider than the numbers below it."""
        return self.kind == "r" and width_of(self.heading) > self.cell_width

    def natural_width(self, size: float, turned: bool) -> float:
        """Return the width in points if no cell wraps; headings wrap at words."""
        head = max(map(width_of, self.heading.split()), default=0.0)
        if turned and self.turns:
            head = LEADING * len(wrap_text(self.heading, TURNED_HEIGHT / size))
        return size * max(self.cell_width, head)

    def head(self, width: float, size: float, turned: bool) -> tuple[str, float]:
        """Return the heading as LaTeX for a column of this width in points, and its height."""
        turns = turned and self.turns
        lines = wrap_text(self.heading, (TURNED_HEIGHT if turns else width) / size)
        stack = stack_lines([*map(latex_text, lines)], "l" if turns else self.kind, "b")
        if turns:
            return rf"\rotatebox{{90}}{{{stack}}}", size * max(map(width_of, lines))
        return stack, size * LEADING * len(lines)

    def cell(self, row: int, width: float, size: float, tallest: float) -> tuple[str, float]:
        """Return a cell as LaTeX for a column of this width, and its height; a model that is higher ends in dots."""
        ems = width / size
        if pieces := self.pieces(row, SAFE_SHARE * ems):
            lines = fill_lines(pieces, ems, _piece_width)
            high = [HIGH if re.search("frac|cases", "".join(line)) else LEADING for line in lines]
            end = int(np.searchsorted(size * np.cumsum(high), tallest, side="right"))
            cut = [CUT] if end < len(lines) else []
            latex = "".join(["".join(line) for line in lines[:end]] + cut).rstrip()
            # names of features may have letters that pdflatex does not have
            latex = re.sub(r"[^\x00-\x7f]", lambda letter: latex_text(letter[0]), latex)
            return latex, size * sum(high[:end])
        texts = wrap_text(self.texts[row], ems / (BOLD if self.bold else 1.0))
        if len(texts) > MOST_LINES:
            texts = [*texts[: MOST_LINES - 1], f"{texts[MOST_LINES - 1][:-3]}…"]
        cells = [latex_text(text) for text in texts]
        if self.kind == "r":
            cells = [re.sub(r"((?:\$-\$)?[\d.]+)e(\$-\$|\+)0*(\d+)", _write_power, cell) for cell in cells]
        if row in self.bold:
            cells = [rf"\textbf{{{cell}}}" for cell in cells]
        stack = stack_lines(cells, self.kind, "t")
        return self.colours.get(row, "") + stack, size * LEADING * len(texts)


def _write_power(number: "re.Match[str]") -> str:
    """Return a number with an exponent as LaTeX."""
    factor, sign, exponent = number.groups()
    return rf"${factor.replace('$', '')}\times10^{{{sign.strip('$+')}{exponent}}}$"


def columns_of(table: Table, most_rows: int) -> list[Column]:
    """Return the columns for print: `value`, `low` and `high` are one, and the best of a shaded row is bold."""
    frame, bounds = table.frame.head(most_rows), intervals_of(table)
    scores = frame[list(table.shaded)].astype(float).round(table.digits)
    best = scores.min(axis=1) if table.lower else scores.max(axis=1)
    shades = tables.shade_classes(table)
    columns = []
    for name, values in frame.items():
        if any(name in pair for pair in bounds.values()):
            continue
        heading, texts = table.heading(name), table.texts(name)
        if name in bounds:
            heading += " [low, high]"
            ends = map(table.texts, bounds[name])
            texts = [
                text if tables.ABSENT in (low, high) else f"{text} [{low}, {high}]"
                for text, low, high in zip(texts, *ends, strict=True)
            ]
        bold, colours = set(table.marked), {}
        if name in table.shaded:
            bold |= {row for row in range(len(frame)) if scores[name].iloc[row] == best.iloc[row]}
            colours = {
                row: rf"\cellcolor{{srlib{shades[value][1:]}}}"
                for row, value in enumerate(values)
                if value in shades
            }
        is_model = name in table.equations or "model" in str(name) and name not in table.methods
        models = {row: v for row, v in enumerate(values) if is_model and isinstance(v, str)}
        texts = [printable(text[:LONGEST_CELL]) for text in texts[:most_rows]]
        kind = "r" if tables.is_numeric(values) else "l"
        heading = printable(heading[:LONGEST_HEADING])
        columns.append(Column(heading, texts, kind, bold, colours, models))
    return columns


def intervals_of(table: Table) -> dict[str, list[str]]:
    """Return {column: columns of its bounds}: `low` and `high` of `value`, `a_low` and `a_high` of `a`."""
    bounds: dict[str, list[str]] = {}
    names = {str(name) for name in table.frame if name not in table.methods}
    for name in table.frame:
        stem = re.sub("_?(value|mean|median)?$", "", str(name))
        pair = [f"{stem}_{end}".strip("_") for end in ("low", "high")]
        if names.issuperset([name, *pair]) and pair not in bounds.values():
            bounds[name] = pair
    return bounds


Part = Sequence[tuple[Column, float]]


def forms_of(
    columns: Sequence[Column], row_headers: int
) -> Iterator[tuple[str, float, bool, Sequence[Part]]]:
    """Yield place, size, whether headings are turned, and parts (columns and their widths) of the forms that fit."""
    rooms = {place: POINTS_PER_INCH * inches for place, inches in Style.current.widths.items()}
    for (place, turned, wrapped), size in product(FORMS, SIZES):
        widths = [column.natural_width(size, turned) for column in columns]
        least = widths
        if wrapped:
            most = [
                LEAST_MODEL if c.models else LEAST_TEXT if c.kind == "l" else math.inf
                for c in columns
            ]
            least = np.minimum(widths, most).tolist()
        spare = rooms[place] + GAP - sum(least) - GAP * len(columns)
        if spare < 0:
            continue
        extra = np.subtract(widths, least)
        for number, column in enumerate(np.argsort(extra, kind="stable")):
            more = min(extra[column], spare / (len(columns) - number))
            widths[column], spare = least[column] + more, spare - more
        yield place, size, turned, [list(zip(columns, widths, strict=True))]
    size = SIZES[-1]
    limits = [LEAST_MODEL if column.models else MOST_TEXT for column in columns]
    pairs = [
        (column, min(column.natural_width(size, True), limit))
        for column, limit in zip(columns, limits, strict=True)
    ]
    headers = pairs[: min(row_headers, MOST_HEADERS, len(pairs) - 1)]
    parts = [headers]
    for pair in pairs[len(headers) :]:
        if sum(width + GAP for _, width in [*parts[-1], pair]) > rooms["page"] + GAP:
            parts.append(headers)
        parts[-1] = [*parts[-1], pair]
    for count in range(len(parts), 0, -1):
        yield "page", size, True, parts[:count]


def set_rows(
    place: str, size: float, turned: bool, parts: Sequence[Part], n_rows: int
) -> list[list[str]]:
    """Return the lines of LaTeX for each part: its heading, then the rows that fit a page."""
    heads = [[column.head(width, size, turned) for column, width in part] for part in parts]
    rows, height = [heads], sum(RULES_HEIGHT + max(h for _, h in part) for part in heads)
    tallest = (TALLEST_ROWS - height) / max(1, min(n_rows, FEWEST_ROWS)) / len(parts) - ROW_SPACE
    for row in range(n_rows):
        cells = [[c.cell(row, width, size, tallest) for c, width in part] for part in parts]
        height += sum(ROW_SPACE + max(h for _, h in part) for part in cells)
        if height > TALLEST_ROWS and row:
            break
        rows.append(cells)
    lines = []
    for part in zip(*rows, strict=True):
        lines.append([])
        for cells in part:
            is_high = max(height for _, height in cells) > LEADING * size + 1
            space = rf"[{ROW_SPACE:g}pt]" if is_high else ""
            lines[-1].append(rf"{' & '.join(latex for latex, _ in cells)} \\{space}")
    return lines


def print_table(table: Table | pd.DataFrame, caption: str, *, label: str) -> str:
    r"""Return a table as LaTeX that is ready for print: nothing is scaled, and all text is escaped.

    It has the first of these forms that fits: a column in 8 or 7 points; a page in 8 or 7 points, as it is, then with
    headings of numbers turned; with models and texts wrapped, in a column or a page; in parts below each other, each
    with the names of the rows. Headings wrap at words; a wrapped text has at most 8 lines. A form in which fewer than
    five rows fit a page is not taken; rows and columns that do not fit are left out, and the caption counts those that
    are there. Models are mathematics of any length, as far as five rows fit a page.

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
    for form in forms_of(columns, table.row_headers):
        lines = set_rows(*form, n_rows)
        if len(lines[0]) > min(FEWEST_ROWS, n_rows):
            break
    place, size, _, parts = form
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
            rf">{{\raggedright\arraybackslash}}p{{{width:.1f}pt}}" if column.models else column.kind
            for column, width in part
        )
        rows = "\n".join([r"\toprule", head, r"\midrule", *body, r"\bottomrule"])
        tabulars.append(f"\\begin{{tabular}}{{@{{}}{kinds}@{{}}}}\n{rows}\n\\end{{tabular}}\\par\n")
    environment = "table" if place == "column" else "table*"
    return (
        f"% needs\n{indent(PREAMBLE, '% ')}\n"
        f"\\begin{{{environment}}}[tbp]\n\\centering\n"
        f"\\caption{{{latex_text(caption)}}}\\label{{tab:{label}}}\n"
        f"\\fontsize{{{size:g}}}{{{LEADING * size:.1f}}}\\selectfont\\setlength{{\\tabcolsep}}{{{GAP / 2:g}pt}}\n"
        f"{''.join(tabulars)}\\end{{{environment}}}\n"
    )
