"""`Table`, a frame with its layout; as accessible HTML, as LaTeX scaled to its page, as CSV safe in spreadsheets."""

import csv
import io
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd

from srlib.displays.tables.equations import equation, equation_latex
from srlib.expressions.tree import LATEX_SPECIAL
from srlib.prose import html_text, listed, visible

ABSENT = "–"
N_SHADES = 9  # shades, with the CSS classes s1 to s9
LONG_CELL = 60  # a cell with more letters is laid out wide
HEADINGS = {
    "complexity": "components",
    "r2_test": "test R²",
    "r2_train": "training R²",
    "r2_extrapolation": "extrapolation R²",
    "p_value": "p",
    "p_win": "share of wins",
    "p_top_3": "share in the top 3",
}  # headings of other columns are made from their names
LATEX_PAGE_ROWS = 45  # rows that fit a page; a longer table is a longtable
LATEX_CELL_LETTERS = 34  # letters of a cell on one line; longer cells wrap
# a word that is too long for prose, such as a model; it may break after every few letters
LONG_WORD = r"\S{25,}"
LATEX_FORMULA_LETTERS = 120  # letters of LaTeX; longer models are set as text
LATEX_SIGNS = LATEX_SPECIAL | {
    "−": "$-$",
    "–": "--",
    "∞": r"$\infty$",
    "²": "$^2$",
    "\n": " ",
    "\r": " ",
    "\u200b": r"\allowbreak{}",
}
LATEX_TABLE = r"""% needs \usepackage{adjustbox,amsmath,array,booktabs,longtable}
\begin{table}[htbp]
\centering\footnotesize\setlength{\tabcolsep}{4pt}
\caption{CAPTION}\label{tab:LABEL}
\begin{adjustbox}{max width=\linewidth, max totalheight=0.85\textheight}
\begin{tabular}{KINDS}
\toprule
HEADS
\midrule
ROWS\bottomrule
\end{tabular}
\end{adjustbox}
\end{table}
"""
LATEX_LONG_TABLE = r"""% needs \usepackage{adjustbox,amsmath,array,booktabs,longtable}
\begin{longtable}{KINDS}
\caption{CAPTION} \label{tab:LABEL} \\
\toprule
HEADS
\midrule
\endfirsthead
\caption[]{CAPTION} \\
\toprule
HEADS
\midrule
\endhead
\midrule
\multicolumn{WIDTH}{r}{Continued on next page} \\
\midrule
\endfoot
\bottomrule
\endlastfoot
ROWS\end{longtable}
"""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass(frozen=True, eq=False)
class Table:
    """A frame, and how readers see it.

    Parameters
    ----------
    frame : pandas.DataFrame
        The values; the index is not shown.
    headings : mapping of str to str
        Other headings of columns; those of further columns are made from their names.
    marked : collection of int
        Positions of rows that are set in bold.
    lower : bool
        Whether a lower value is better in the shaded columns.
    equations : collection of str
        Columns of model text, shown as equations.
    shaded : collection of str
        Columns of numbers on a common scale: the better a value, the stronger its colour.
    row_headers : int
        Number of leading columns that name the row.
    digits : int
        Decimals of floats.
    methods : mapping of str to str
        Columns of methods (or features) with the names of these; such a heading is shown as it is.

    Examples
    --------
    >>> scores = Table(pd.DataFrame({"method": ["A"], "n_runs": [3]}), headings={"method": "team"})
    >>> [scores.heading(name) for name in scores.frame]
    ['team', 'runs']
    """

    frame: pd.DataFrame
    headings: Mapping[str, str] = field(default_factory=dict)
    marked: Collection[int] = ()
    lower: bool = False
    equations: Collection[str] = ()
    shaded: Collection[str] = ()
    row_headers: int = 1
    digits: int = 3
    methods: Mapping[str, str] = field(default_factory=dict)

    def with_frame(self, frame: pd.DataFrame) -> Self:
        """Return a table of other rows or columns with the same layout; no row is marked."""
        return replace(self, frame=frame, marked=())

    def heading(self, name: Any) -> str:
        """Return the heading of a column in words; the name of a method is not changed."""
        if name in self.methods and name not in self.headings:
            return str(name)
        name = self.headings.get(name, name)
        words = str(name).removeprefix("n_").replace("r2", "R²").replace("_", " ")
        return HEADINGS.get(name, words)


def as_table(table: Table | pd.DataFrame) -> Table:
    """Return a table; a frame gets the default layout."""
    return table if isinstance(table, Table) else Table(table)


def html_table(
    table: Table | pd.DataFrame,
    caption: str,
    *,
    leads: Sequence[str] = (),
    pages: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a table as accessible HTML: all text escaped, numbers rounded and right-aligned, no random ids.

    Parameters
    ----------
    table : Table or pandas.DataFrame
        The table.
    caption : str
        Caption; plain text.
    leads : sequence of str
        For each row, the id of the part of the page to which its first cell and its shaded cells link.
    pages : mapping of str to str
        Addresses of the methods' pages. A method that names a row links to its page; if there are `leads`, a shaded
        cell links to the row's id on the page of its column's method.

    Examples
    --------
    >>> page = html_table(pd.DataFrame({"method": ["<b>"], "score": [2.34567]}), "Scores")
    >>> "&lt;b&gt;" in page, "2.346" in page, 'scope="row"' in page
    (True, True, True)
    """
    table = as_table(table)
    frame, row_headers, shades = table.frame, table.row_headers, shade_classes(table)
    numeric = {name for name in frame.columns if is_numeric(frame[name])}
    heads = [
        f'<th scope="col"{_class_attribute({"n": name in numeric})}>{html_text(table.heading(name))}</th>'
        for name in frame.columns
    ]
    rows = []
    for position, values in enumerate(frame.itertuples(index=False, name=None)):
        row = []
        for column, (name, value) in enumerate(zip(frame.columns, values, strict=True)):
            text = text_of(value, table.digits)
            if name == "property":
                text = text.replace("_", " ")
            # names may break after an underscore
            cell = html_text(text).replace("_", "_<wbr>")
            if name in table.equations and not is_absent(value):
                cell = equation(visible(str(value)))
            shade = ""
            if column == 0 and leads:
                cell = f'<a href="#{html_text(leads[position])}">{cell}</a>'
            elif column < row_headers and value in pages:
                cell = f'<a href="{html_text(pages[value])}">{cell}</a>'
            elif name in table.shaded and not is_absent(value):
                shade = shades.get(value, "")
                if leads:
                    method = table.methods.get(name, name)
                    address = html_text(f"{pages.get(method, '')}#{leads[position]}")
                    label = html_text(f"{method} on {values[0]}: {text}")
                    cell = f'<a class="cell" href="{address}" aria-label="{label}">{cell}</a>'
            tag, scope = ("th", ' scope="row"') if column < row_headers else ("td", "")
            classes = {"n": name in numeric, "long": len(text) > LONG_CELL, shade: bool(shade)}
            row.append(f"<{tag}{scope}{_class_attribute(classes)}>{cell}</{tag}>")
        rows.append(
            f"<tr{_class_attribute({'marked': position in table.marked})}>{''.join(row)}</tr>\n"
        )
    return (
        f'<table class="srlib">\n<caption>{html_text(caption)}</caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table>"
    )


def _class_attribute(conditions: Mapping[str, bool]) -> str:
    """Return the HTML attribute `class` with the names whose conditions hold; empty if none does."""
    names = " ".join(name for name, holds in conditions.items() if holds)
    return f' class="{names}"' if names else ""


def latex_table(table: Table | pd.DataFrame, caption: str, *, label: str) -> str:
    r"""Return a table as LaTeX, all text escaped, short models in math mode.

    The table is scaled to fit its column or page; with more than 45 rows it is a longtable. A comment names the
    required packages. Letters beyond Latin need lualatex or xelatex, and a font that has them.

    Parameters
    ----------
    table, caption
        See `html_table`.
    label : str
        Label of the table, written as tab:LABEL.

    Examples
    --------
    >>> table = latex_table(pd.DataFrame({"method": ["a_b"], "score": [2.0]}), "Scores", label="scores")
    >>> print(table.splitlines()[9])
    a\_b & 2.000 \\
    """
    table, columns, kinds = as_table(table), [], ""
    for name, values in table.frame.items():
        texts = [text_of(value, table.digits) for value in values]
        cells = [latex_text(text) for text in texts]
        if name in table.equations:
            formulas = [equation_latex(str(value), LATEX_FORMULA_LETTERS) for value in values]
            cells = [f"${f}$" if f else cell for f, cell in zip(formulas, cells, strict=True)]
        columns.append(cells)
        if max(map(len, texts), default=0) > LATEX_CELL_LETTERS:
            kinds += r">{\raggedright\arraybackslash}p{5cm}"
        else:
            kinds += "r" if is_numeric(values) else "l"
    heads = [latex_text(table.heading(name)) for name in table.frame]
    lines = [rf"{' & '.join(cells)} \\" for cells in [heads, *zip(*columns, strict=True)]]
    parts = {"CAPTION": latex_text(caption), "LABEL": label, "KINDS": kinds, "HEADS": lines[0]}
    parts |= {"ROWS": "".join(f"{line}\n" for line in lines[1:]), "WIDTH": str(len(heads))}
    template = LATEX_LONG_TABLE if len(table.frame) > LATEX_PAGE_ROWS else LATEX_TABLE
    return re.sub("|".join(parts), lambda match: parts[match[0]], template)


def latex_text(text: str) -> str:
    r"""Return a text escaped for LaTeX; a very long word may break across lines.

    Examples
    --------
    >>> latex_text("50% of a_b")
    '50\\% of a\\_b'
    >>> latex_text("differences of sin(x1*12345.67890123456789)")
    'differences of sin(x1*1\\allowbreak{}2345.678\\allowbreak{}90123456\\allowbreak{}789)'
    """
    text = re.sub(LONG_WORD, lambda word: "\u200b".join(wrap(word[0], 8)), visible(text))
    # otherwise the start of a row would be an argument of the line break before it
    guard = "{}" if text.startswith(("[", "*")) else ""
    return guard + "".join(LATEX_SIGNS.get(letter, letter) for letter in text)


def neutralise(text: str) -> str:
    r"""Return a CSV that is safe in a spreadsheet: text that it would read as a formula gets an apostrophe in front.

    Numbers are not changed. Only downloads in reports are treated so, never files that programs read.

    Examples
    --------
    >>> neutralise("model,score\n=cmd(),-1.5\n-x1,+2\n").splitlines()
    ['model,score', "'=cmd(),-1.5", "'-x1,+2"]
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    # a model may be longer than the csv module expects
    old_limit = csv.field_size_limit(max(len(text), 1))
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            writer.writerow([f"'{cell}" if _is_formula(cell) else cell for cell in row])
    finally:
        csv.field_size_limit(old_limit)
    return buffer.getvalue()


def _is_formula(cell: str) -> bool:
    """Return whether a spreadsheet would read a cell as a formula."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULA_STARTS)
    return False


def text_of(value: Any, digits: int = 3) -> str:
    """Return a value as tables show it; a value that would round to 0 is shown as '<0.001' or '>−0.001'.

    Names in a tuple are listed in words. Only values closer to 0 than 1e-12 are shown as 0.

    Examples
    --------
    >>> text_of(0.0001), text_of(-2e-9), text_of(1e-15), text_of(-0.0)
    ('<0.001', '>−0.001', '0.000', '0.000')
    >>> text_of(("A", "B", "C"))
    'A, B and C'
    >>> text_of(0.98765), text_of(float("nan")), text_of(12345), text_of(True)
    ('0.988', '–', '12,345', 'yes')
    """
    if isinstance(value, tuple):
        return listed(value)
    if is_absent(value):
        return ABSENT
    if isinstance(value, bool | np.bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if abs(value) >= 1e6:
            return f"{value:.{digits}e}".replace("-", "−")
        if 1e-12 < abs(value) < 0.5 * 10.0**-digits:
            return f"{'<' if value > 0 else '>−'}{10.0**-digits:.{digits}f}"
        return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")
    if hasattr(value, "__index__"):
        return f"{int(value):,}".replace("-", "−")
    return str(value)


def shade_classes(table: Table) -> dict[Any, str]:
    """Return {value: CSS class of its shade} for the numbers in the shaded columns; empty if all numbers are equal.

    The scale ends one and a half interquartile ranges beyond the quartiles; outliers get the first or last class.
    """
    values = table.frame[list(table.shaded)].to_numpy(dtype="float64")
    values = values[np.isfinite(values)]
    if len(np.unique(values)) < 2:
        return {}
    first_quartile, third_quartile = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (third_quartile - first_quartile) or np.inf
    classes = (
        pd.cut(
            np.clip(values, first_quartile - reach, third_quartile + reach), N_SHADES, labels=False
        )
        + 1
    )
    if table.lower:
        classes = N_SHADES + 1 - classes
    return {value: f"s{number}" for value, number in zip(values, classes, strict=True)}


def is_numeric(column: pd.Series) -> bool:
    """Return whether a column has a numeric type."""
    return column.dtype.kind in "iuf"


def is_absent(value: Any) -> bool:
    """Return whether a value is missing."""
    return pd.isna(value) is True
