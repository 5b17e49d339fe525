"""`Table`, a frame with its layout: cells as text, accessible HTML, text for LaTeX, CSV safe in spreadsheets."""

import csv
import io
import math
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd

from srlib.displays.styling import print_name
from srlib.displays.tables.equations import equation
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
# columns of names, which the suite may print in another way, and of p-values (p_win is a share of wins)
NAMES = re.compile("method|dataset|propert|metric|solver|winner|rival|leader|better", re.IGNORECASE)
P_VALUES = re.compile(r"(?i)(?<![^\W_])p([_ -]?val\w*)?(?![^\W_])(?!_(win|top|rank))")
LARGEST_SMALL_P = 0.001  # a smaller p-value is shown with two digits
# a word that is too long for prose, such as a model; it may break after every few letters
LONG_WORD = r"\S{25,}"
_LATEX_LETTERS = r"""
    − $-$ ∞ $\infty$ ² $^2$ ³ $^3$ ¹ $^1$ ° $^\circ$ × $\times$ · $\cdot$ ± $\pm$ ≤ $\le$ ≥ $\ge$ ≠ $\ne$
    ≈ $\approx$ → $\to$ | $|$ ∈ $\in$ ∩ $\cap$ ∪ $\cup$ √ $\surd$ ∑ $\sum$ ∂ $\partial$ ∝ $\propto$
    – \textendash{} — \textemdash{} ’ \textquoteright{} ‘ \textquoteleft{} “ \textquotedblleft{}
    ” \textquotedblright{} … \dots{} § \S{} ß \ss{} æ \ae{} Æ \AE{} œ \oe{} Œ \OE{} ø \o{} Ø \O{} ł \l{} Ł \L{}
    ı \i{} α $\alpha$ β $\beta$ γ $\gamma$ δ $\delta$ ε $\varepsilon$ ζ $\zeta$ η $\eta$ θ $\theta$ ι $\iota$
    κ $\kappa$ λ $\lambda$ μ $\mu$ ν $\nu$ ξ $\xi$ ο o π $\pi$ ρ $\rho$ ς $\varsigma$ σ $\sigma$ τ $\tau$
    υ $\upsilon$ φ $\varphi$ χ $\chi$ ψ $\psi$ ω $\omega$ Γ $\Gamma$ Δ $\Delta$ Θ $\Theta$ Λ $\Lambda$ Ξ $\Xi$
    Π $\Pi$ Σ $\Sigma$ Υ $\Upsilon$ Φ $\Phi$ Ψ $\Psi$ Ω $\Omega$ Α A Β B Ε E Ζ Z Η H Ι I Κ K Μ M Ν N Ο O Ρ P Τ T
    Χ X
"""
LATEX_SIGNS = {
    **dict(row.split() for row in re.findall(r"\S+ \S+", _LATEX_LETTERS)),
    **LATEX_SPECIAL,
    "\u200b": r"\allowbreak{}",
}
MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327"
ACCENTS = dict(zip(MARKS, "`'^~=u.\"rHvdc", strict=True))  # the command that sets each mark
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
        """Return the heading of a column in words; a method has its printed name."""
        if name in self.methods and name not in self.headings:
            method = str(self.methods[name])
            return print_name(method) + str(name).removeprefix(method)
        name = self.headings.get(name, name)
        words = str(name).removeprefix("n_").replace("r2", "R²").replace("_", " ")
        return HEADINGS.get(name, words)

    def texts(self, name: Any) -> list[str]:
        """Return the cells of a column as text, as pages and print show them; see `cell_texts`."""
        values = self.frame[name].rename(None if name in self.methods else name)
        are_names = name in self.frame.columns[: self.row_headers]
        return cell_texts(values, self.digits, are_names=are_names)


def as_table(table: Table | pd.DataFrame) -> Table:
    """Return a table; a frame gets the default layout."""
    return table if isinstance(table, Table) else Table(table)


def html_table(
    table: Table | pd.DataFrame,
    caption: str,
    *,
    leads: Sequence[str] = (),
    pages: Mapping[str, str] = MappingProxyType({}),
    buttons: str = "",
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
    buttons : str
        Column whose cells are buttons with the cell's value; empty for none.

    Examples
    --------
    >>> page = html_table(pd.DataFrame({"method": ["<b>"], "score": [2.34567]}), "Scores")
    >>> "&lt;b&gt;" in page, "2.346" in page, 'scope="row"' in page
    (True, True, True)
    """
    table = as_table(table)
    frame, row_headers, shades = table.frame, table.row_headers, shade_classes(table)
    texts = [table.texts(name) for name in frame]
    numeric = {name for name in frame.columns if is_numeric(frame[name])}
    heads = [
        f'<th scope="col"{_class_attribute({"n": name in numeric})}>{html_text(table.heading(name))}</th>'
        for name in frame.columns
    ]
    rows = []
    for position, values in enumerate(frame.itertuples(index=False, name=None)):
        row = []
        for column, (name, value) in enumerate(zip(frame.columns, values, strict=True)):
            text = texts[column][position]
            # names may break after an underscore
            cell = html_text(text).replace("_", "_<wbr>")
            if name in table.equations and not is_absent(value):
                cell = equation(visible(str(value)))
            shade = ""
            if column == 0 and leads:
                cell = f'<a href="#{html_text(leads[position])}">{cell}</a>'
            elif column < row_headers and value in pages:
                cell = f'<a href="{html_text(pages[value])}">{cell}</a>'
            elif name == buttons:
                chosen = html_text(str(value))
                cell = f'<button type="button" class="row" value="{chosen}">{cell}</button>'
            elif name in table.shaded and not is_absent(value):
                shade = shades.get(value, "")
                if leads:
                    method = table.methods.get(name, name)
                    address = html_text(f"{pages.get(method, '')}#{leads[position]}")
                    label = html_text(f"{print_name(method)} on {texts[0][position]}: {text}")
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


@cache
def latex_letter(letter: str) -> str:
    r"""Return a letter as pdflatex reads it, in any of its fonts; empty if they do not have it.

    Examples
    --------
    >>> latex_letter("%"), latex_letter("é"), latex_letter("中")
    ('\\%', "\\'{e}", '')
    """
    base, *marks = unicodedata.normalize("NFD", letter)
    if len(marks) == 1 and base.isascii() and marks[0] in ACCENTS:
        return rf"\{ACCENTS[marks[0]]}{{{base}}}"
    return LATEX_SIGNS.get(letter, letter if letter.isascii() else "")


def printable(text: str) -> str:
    r"""Return a text in letters that pdflatex has; others become letters that look alike, or escapes.

    Examples
    --------
    >>> printable("naïve ế １ 中")
    'naïve e 1 \\u4e2d'
    """
    letters = []
    for letter in re.sub(r"\s", " ", visible(unicodedata.normalize("NFC", text))):
        bases = letter
        if not latex_letter(letter):
            bases = "".join(b for b in unicodedata.normalize("NFKD", letter) if latex_letter(b))
        letters.append(bases or letter.encode("unicode_escape").decode())
    return "".join(letters)


def latex_text(text: str) -> str:
    r"""Return a text escaped for LaTeX as pdflatex reads it; a very long word may break across lines.

    Examples
    --------
    >>> latex_text("50% of a_b")
    '50\\% of a\\_b'
    >>> latex_text("Müller, α -- 中")
    'M\\"{u}ller, $\\alpha$ -{}- \\textbackslash{}u4e2d'
    >>> latex_text("differences of sin(x1*12345.67890123456789)")
    'differences of sin(x1*1\\allowbreak{}2345.678\\allowbreak{}90123456\\allowbreak{}789)'
    """
    text = re.sub(LONG_WORD, lambda word: "\u200b".join(wrap(word[0], 8)), printable(text))
    # two such signs would become another one
    latex = re.sub(r"([-'`!?])(?=[-'`])", r"\1{}", "".join(map(latex_letter, text)))
    # otherwise the start of a row would be an argument of the line break before it
    return "{}" + latex if latex.lstrip().startswith(("[", "*")) else latex


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


def cell_texts(values: pd.Series, digits: int = 3, *, are_names: bool = False) -> list[str]:
    """Return the cells of a column as pages and print show them.

    Parameters
    ----------
    values : pandas.Series
        The column; its name says whether it has p-values, which keep two digits however small they are, or names of
        methods, datasets, properties or metrics, which are printed as the suite's labels say.
    digits : int
        Decimals of floats.
    are_names : bool
        Whether the texts are such names whatever the column is called.

    Examples
    --------
    >>> cell_texts(pd.Series([9.2e-22, 0.04, 0.0], name="p_holm")), cell_texts(pd.Series([9.2e-8]))
    (['9.2e−22', '0.040', '0.000'], ['<0.001'])
    """
    are_names |= bool(NAMES.search(str(values.name)))
    smallest = max(LARGEST_SMALL_P, 10.0**-digits) if P_VALUES.search(str(values.name)) else 0.0
    texts = []
    for value in values:
        if isinstance(value, float) and 0 < value < smallest:
            texts.append(f"{value:.1e}".replace("e-0", "e-").replace("-", "−"))
            continue
        if are_names and isinstance(value, tuple):
            value = tuple(map(print_name, value))
        elif are_names and isinstance(value, str):
            printed = print_name(value)
            in_words = values.name == "property" and printed == value
            value = value.replace("_", " ") if in_words else printed
        texts.append(text_of(value, digits))
    return texts


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
