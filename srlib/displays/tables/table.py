"""A table for people: HTML with caption and scopes, LaTeX that is never wider than its page, CSV for spreadsheets."""

import csv
import io
import math
import re
from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.equations import equation, equation_latex
from srlib.expressions.tree import LATEX_SPECIAL
from srlib.prose import html_text, visible

ABSENT = "–"
N_SHADES = 9  # classes s1 to s9 of the page's style
LONG_CELL = 60  # letters of a cell that is laid out wide
HEADINGS = {
    "complexity": "components",
    "r2_test": "test R²",
    "r2_train": "training R²",
    "r2_extrapolation": "extrapolation R²",
    "p_value": "p",
    "p_win": "share of wins",
    "p_top_3": "share in the top 3",
}  # other names of columns are read as words
LATEX_PAGE_ROWS = 45  # that fit a page; a longer table takes several
LATEX_CELL_LETTERS = 34  # of a cell on one line; longer ones are set in lines
LONG_WORD = (
    r"\S{25,}"  # longer than any of a language, as models are: it may break after every few letters
)
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


def html_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    digits: int = 3,
    row_headers: int = 1,
    equations: Collection[str] = (),
    marked: Collection[int] = (),
    shaded: Collection[str] = (),
    leads: Sequence[str] = (),
    pages: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Write a table as accessible HTML: all text escaped, numbers rounded and right-aligned, no random ids.

    Parameters
    ----------
    frame : pandas.DataFrame
        The values; the index is not shown. Its attribute `headings` may name columns otherwise, and `methods` names
        those that are a method's (or a feature's), each with its name, whose heading is no word of srlib's.
    caption : str
        What the table says; plain text.
    digits : int
        Decimals of floats.
    row_headers : int
        How many leading columns name the row.
    equations : collection of str
        Columns of model text, shown as equations.
    marked : collection of int
        Positions of rows set in bold, as the winner's, and those of the table's attribute `marked`.
    shaded : collection of str
        Columns of numbers with a common scale: the higher a value, the stronger its colour; the lower, where
        the table's attribute `lower` is true.
    leads : sequence of str
        For each row, the address on the page that its first cell leads to, and its shaded cells in a table of not too
        many.
    pages : mapping of str to str
        Pages of methods. A method that names a row leads to its page, and a shaded cell to the row's address on the
        page of its column's method.

    Examples
    --------
    >>> page = html_table(pd.DataFrame({"method": ["<b>"], "score": [2.34567]}), "Scores")
    >>> "&lt;b&gt;" in page, "2.346" in page, 'scope="row"' in page
    (True, True, True)
    """
    numeric = {name for name in frame.columns if is_numeric(frame[name])}
    bold = {*marked, *frame.attrs.get("marked", ())}
    shades = shade_classes(frame, shaded)
    methods = frame.attrs.get("methods", {})
    heads = [
        f'<th scope="col"{_class_attribute({"n": name in numeric})}>{html_text(column_heading(frame, name))}</th>'
        for name in frame.columns
    ]
    rows = []
    for position, values in enumerate(frame.itertuples(index=False, name=None)):
        row = []
        for column, (name, value) in enumerate(zip(frame.columns, values, strict=True)):
            text = text_of(value, digits)
            if name == "property":
                text = text.replace("_", " ")
            # names break where a reader would break them
            cell = html_text(text).replace("_", "_<wbr>")
            if name in equations and not is_absent(value):
                cell = equation(visible(str(value)))
            shade = ""
            if column == 0 and leads:
                cell = f'<a href="#{html_text(leads[position])}">{cell}</a>'
            elif column < row_headers and value in pages:
                cell = f'<a href="{html_text(pages[value])}">{cell}</a>'
            elif name in shaded and not is_absent(value):
                shade = shades.get(value, "")
                if leads:
                    method = methods.get(name, name)
                    address = html_text(f"{pages.get(method, '')}#{leads[position]}")
                    label = html_text(f"{method} on {values[0]}: {text}")
                    cell = f'<a class="cell" href="{address}" aria-label="{label}">{cell}</a>'
            tag, scope = ("th", ' scope="row"') if column < row_headers else ("td", "")
            classes = {"n": name in numeric, "long": len(text) > LONG_CELL, shade: bool(shade)}
            row.append(f"<{tag}{scope}{_class_attribute(classes)}>{cell}</{tag}>")
        rows.append(f"<tr{_class_attribute({'marked': position in bold})}>{''.join(row)}</tr>\n")
    return (
        f'<table class="srlib">\n<caption>{html_text(caption)}</caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table>"
    )


def _class_attribute(conditions: Mapping[str, bool]) -> str:
    """Write the attribute `class` with the names whose conditions hold; empty without any."""
    names = " ".join(name for name, holds in conditions.items() if holds)
    return f' class="{names}"' if names else ""


def latex_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    label: str,
    digits: int = 3,
    equations: Collection[str] = (),
) -> str:
    r"""Write a table as LaTeX, all text escaped, short models in math mode.

    It is shrunk to its column or page; one of more than 45 rows is a longtable. A comment names the packages; letters
    beyond Latin need lualatex or xelatex, and a font that has them.

    Parameters
    ----------
    frame, caption, digits, equations
        See `html_table`.
    label : str
        Label of the table, written as tab:LABEL.

    Examples
    --------
    >>> table = latex_table(pd.DataFrame({"method": ["a_b"], "score": [2.0]}), "Scores", label="scores")
    >>> print(table.splitlines()[9])
    a\_b & 2.000 \\
    """
    columns, kinds = [], ""
    for name, values in frame.items():
        texts = [text_of(value, digits) for value in values]
        cells = [latex_text(text) for text in texts]
        if name in equations:
            formulas = [equation_latex(str(value), LATEX_FORMULA_LETTERS) for value in values]
            cells = [f"${f}$" if f else cell for f, cell in zip(formulas, cells, strict=True)]
        columns.append(cells)
        if max(map(len, texts), default=0) > LATEX_CELL_LETTERS:
            kinds += r">{\raggedright\arraybackslash}p{5cm}"
        else:
            kinds += "r" if is_numeric(values) else "l"
    heads = [latex_text(column_heading(frame, name)) for name in frame]
    lines = [rf"{' & '.join(cells)} \\" for cells in [heads, *zip(*columns, strict=True)]]
    parts = {"CAPTION": latex_text(caption), "LABEL": label, "KINDS": kinds, "HEADS": lines[0]}
    parts |= {"ROWS": "".join(f"{line}\n" for line in lines[1:]), "WIDTH": str(len(heads))}
    template = LATEX_LONG_TABLE if len(frame) > LATEX_PAGE_ROWS else LATEX_TABLE
    return re.sub("|".join(parts), lambda match: parts[match[0]], template)


def latex_text(text: str) -> str:
    r"""Escape a text for LaTeX; a very long word may break across lines.

    Examples
    --------
    >>> latex_text("50% of a_b")
    '50\\% of a\\_b'
    >>> latex_text("differences of sin(x1*12345.67890123456789)")
    'differences of sin(x1*1\\allowbreak{}2345.678\\allowbreak{}90123456\\allowbreak{}789)'
    """
    text = re.sub(LONG_WORD, lambda word: "\u200b".join(wrap(word[0], 8)), visible(text))
    # else a row that begins so would be an argument of the line break before it
    guard = "{}" if text.startswith(("[", "*")) else ""
    return guard + "".join(LATEX_SIGNS.get(letter, letter) for letter in text)


def neutralise(text: str) -> str:
    r"""Make a CSV safe for a spreadsheet: text that would be taken for a formula gets an apostrophe in front.

    Numbers stay numbers; only for downloads in reports, never for what machines read.

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
    """Say whether a spreadsheet would take a cell for a formula."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULA_STARTS)
    return False


def text_of(value: Any, digits: int = 3) -> str:
    """Write a value as a table shows it; a value other than 0 never reads as 0.

    Examples
    --------
    >>> text_of(0.0001), text_of(-2e-9), text_of(1e-15), text_of(-0.0)
    ('<0.001', '>−0.001', '0.000', '0.000')
    >>> text_of(0.98765), text_of(float("nan")), text_of(12345), text_of(True)
    ('0.988', '–', '12,345', 'yes')
    """
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


def shade_classes(frame: pd.DataFrame, names: Collection[str]) -> dict[Any, str]:
    """Give each number of the named columns the class of its shade; none where all are equal.

    Outliers get the first or last class: the scale ends one and a half interquartile ranges beyond the quartiles.
    """
    values = frame[list(names)].to_numpy(dtype="float64")
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
    if frame.attrs.get("lower", False):
        classes = N_SHADES + 1 - classes
    return {value: f"s{number}" for value, number in zip(values, classes, strict=True)}


def is_numeric(column: pd.Series) -> bool:
    """Say whether a column holds numbers."""
    return column.dtype.kind in "iuf"


def is_absent(value: Any) -> bool:
    """Say whether a value is missing."""
    return pd.isna(value) is True


def column_heading(frame: pd.DataFrame, name: Any) -> str:
    """Write the heading of a column as people read it; a method stays as it is called.

    Examples
    --------
    >>> [column_heading(pd.DataFrame(), name) for name in ("n_runs", "r2_test", "p_value")]
    ['runs', 'test R²', 'p']
    """
    headings = frame.attrs.get("headings", {})
    if name in frame.attrs.get("methods", {}) and name not in headings:
        return str(name)
    name = headings.get(name, name)
    words = str(name).removeprefix("n_").replace("r2", "R²").replace("_", " ")
    return HEADINGS.get(name, words)
