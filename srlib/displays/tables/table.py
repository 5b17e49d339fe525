"""A table for people: HTML with caption and scopes."""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape, unescape
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.equations import equation, foreign

ABSENT = "–"
SHADES = 9  # classes s1 to s9 of the page's style
BRIEF = 18  # letters: a column of texts no longer than this does not break; classes k1 to k4 say which it is
KINDS = {"property", "scope"}  # columns whose names with underscores are words of ours
HEADINGS = {
    "r2_test": "test R²",
    "r2_train": "training R²",
    "r2_extrapolation": "extrapolation R²",
    "n_runs": "runs",
    "n_datasets": "datasets",
    "n_methods": "methods",
    "n_instances": "instances",
    "n_resamples": "resamples",
    "complexity": "components",
    "median_r2": "median R²",
    "median_r2_over_datasets": "median R² over datasets",
    "r2_lowest": "R² lowest",
    "r2_median": "R² median",
    "r2_highest": "R² highest",
    "p_value": "p",
    "p_iman_davenport": "p (Iman and Davenport)",
    "p_win": "share of wins",
    "p_top_3": "share in the top 3",
    "kendall_w": "Kendall's W",
}


def html_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    digits: int | Mapping[str, int] = 3,
    row_headers: int = 1,
    equations: Collection[str] | Mapping[str, Collection[str]] = (),
    marked: Collection[int] = (),
    shaded: Collection[str] = (),
    leads: Sequence[str] = (),
    cells: Sequence[str] = (),
) -> str:
    """Write a table as accessible HTML: all text escaped, numbers rounded and right-aligned, no random ids.

    Parameters
    ----------
    frame : pandas.DataFrame
        The values; the index is not shown. Its attribute `headings` may name columns otherwise, and `methods` names
        those that are a method's (or a feature's), each with its name, whose heading is no word of srlib's.
    caption : str
        What the table says; plain text.
    digits : int or dict of str to int
        Decimals of floats, for all columns or by column (3 for the others).
    row_headers : int
        How many leading columns name the row.
    equations : collection of str, or dict of str to collection of str
        Columns of model text, shown as equations; as a mapping, with the features to underline in each.
    marked : collection of int
        Positions of rows set in bold, as the winner's, and those of the table's attribute `marked`.
    shaded : collection of str
        Columns of numbers with a common scale: the higher a value, the stronger its colour; the lower, where
        the table's attribute `lower` is true.
    leads : sequence of str
        For each row, the address on the page that its first cell leads to.
    cells : sequence of str
        With `leads`: for each row, the address of its cells on the pages of participants, to which the shaded columns
        belong. The shaded cells are links, too.

    Examples
    --------
    >>> page = html_table(pd.DataFrame({"method": ["<b>"], "score": [2.34567]}), "Scores")
    >>> "&lt;b&gt;" in page, "2.346" in page, 'scope="row"' in page
    (True, True, True)
    """
    numeric = {name for name in frame.columns if is_numeric(frame[name])}
    places = {
        name: digits if isinstance(digits, int) else digits.get(name, 3) for name in frame.columns
    }
    marks = equations if isinstance(equations, Mapping) else dict.fromkeys(equations, ())
    shade, named = _shades(frame, shaded), headings(frame)
    bold = set(marked) | set(frame.attrs.get("marked", ()))
    head = "".join(
        _tag("th", escape(named.get(name) or heading(name)), "n" * (name in numeric), 'scope="col"')
        for name in frame.columns
    )
    rows = []
    for position, values in enumerate(frame.itertuples(index=False, name=None)):
        row = []
        for column, (name, value) in enumerate(zip(frame.columns, values, strict=True)):
            shown_as_equation = name in marks and not absent(value)
            text = _text_html(text_of(value, places[name]))
            if name in KINDS:
                text = text.replace("_<wbr>", " ")
            if shown_as_equation:
                text = equation(str(value), underlined=marks[name])
            if column == 0 and leads:
                text = f'<a href="#{escape(leads[position])}">{text}</a>'
            tag, scope = ("th", 'scope="row"') if column < row_headers else ("td", "")
            if "<math" not in text:
                scope = f"{scope} {_long(value)}".strip()
            kind = "n" * (name in numeric)
            if name in shaded:
                kind += shade(value)
                if leads and cells and not absent(value):
                    of = frame.attrs.get("methods", {}).get(name, name)
                    text = _opening(text, of, str(values[0]), leads[position], cells[position])
            row.append(_tag(tag, text, kind, scope))
        rows.append(f"<tr{' class=marked' if position in bold else ''}>{''.join(row)}</tr>")
    body = "\n".join(rows)
    brief = [
        f" k{column}"
        for column, name in enumerate(frame.columns[:4], start=1)
        if name not in numeric and max(map(len, map(text_of, frame[name])), default=0) <= BRIEF
    ]
    said = foreign_calls(frame, marks)
    notes = "; ".join(f"<code>{escape(call)}</code> is {equation(text)}" for call, text in said)
    foot = ""
    if said:
        foot = f'<tfoot><tr><td colspan="{len(frame.columns)}">{notes}</td></tr></tfoot>\n'
    return (
        f'<table class="srlib{"".join(brief)}">\n<caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n{foot}</table>"
    )


def _long(value: Any) -> str:
    """Class of a cell with a sentence, or with a text of many lines: it is laid out wide, not high."""
    letters = len(str(value))
    if letters > 240:
        return 'class="long longer"'
    if letters > 60:
        return 'class="long"'
    return 'class="half"' * (letters > 30)


def foreign_calls(frame: pd.DataFrame, columns: Collection[str]) -> list[tuple[str, str]]:
    """Find the calls in columns of models that only one library writes, with what they mean."""
    texts = (str(text) for name in columns if name in frame for text in frame[name].dropna())
    return list(foreign(texts).items())


def text_of(value: Any, digits: int = 3, tiny: bool = False) -> str:
    """Write a value as a table shows it; with `tiny`, what is not 0 does not read as 0.

    Examples
    --------
    >>> text_of(0.0001, tiny=True), text_of(-2e-9, tiny=True), text_of(1e-15, tiny=True)
    ('<0.001', '>−0.001', '0.000')
    >>> text_of(0.98765), text_of(float("nan")), text_of(12345), text_of(True), text_of(-0.0001)
    ('0.988', '–', '12,345', 'yes', '0.000')
    """
    if absent(value):
        return ABSENT
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if abs(value) >= 1e6:
            return f"{value:.{digits}e}".replace("-", "−")
        if tiny and 1e-12 < abs(value) < 0.5 * 10.0**-digits:
            return f"{'<' if value > 0 else '>−'}{10.0**-digits:.{digits}f}"
        return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")
    if isinstance(value, int) or hasattr(value, "__index__"):
        return f"{int(value):,}".replace("-", "−")
    return str(value)


def _opening(text: str, method: str, dataset: str, lead: str, cell: str) -> str:
    """Let a cell lead to its row's table; the renderer turns it to the participant's page, see `opened`."""
    name = escape(f"{method} on {dataset}: {text}")
    of = f'data-of="{escape(method)}" data-on="{escape(cell)}"'
    return f'<a class="cell" {of} href="#{escape(lead)}" aria-label="{name}">{text}</a>'


def opened(table: str, addresses: Mapping[str, str]) -> str:
    """Turn the links of a table's cells to what the pages of participants say of them; `addresses` by method.

    Examples
    --------
    >>> cell = '<a class="cell" data-of="A" data-on="on-d" href="#t">'
    >>> opened(cell, {"A": "participants/A.html"}), opened(cell, {})
    ('<a class="cell" href="participants/A.html#on-d">', '<a class="cell" href="#t">')
    """

    def turned(found: "re.Match[str]") -> str:
        own = addresses.get(unescape(found[1]))
        address = found[3]
        if own:
            address = f"{escape(own)}#{found[2]}"
        return f'<a class="cell" href="{address}"'

    return re.sub(
        r'<a class="cell" data-of="([^"]*)" data-on="([^"]*)" href="([^"]*)"', turned, table
    )


def _text_html(text: str) -> str:
    return escape(text).replace("_", "_<wbr>")  # names break where a reader would break them


def _shades(frame: pd.DataFrame, names: Collection[str]) -> Callable[[Any], str]:
    """Say which class a number of the named columns has, after a blank; equal numbers have equal classes.

    What lies far out has the class of the nearest number that does not, or it would leave one shade for all others.
    """
    if not names:
        return lambda value: ""
    values = frame[list(names)].to_numpy(dtype="float64")
    values = values[np.isfinite(values)]
    if len(values) == 0 or values.min() == values.max():
        return lambda value: ""
    quarter, last = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (last - quarter) or np.inf
    near = values[(values >= quarter - reach) & (values <= last + reach)]
    if near.min() == near.max():
        near = values
    low, high = near.min(), near.max()
    falling = frame.attrs.get("lower", False)

    def shade(value: Any) -> str:
        if absent(value):
            return ""
        part = (min(max(value, low), high) - low) / (high - low)
        if falling:
            part = 1 - part
        return f" s{1 + min(int(part * SHADES), SHADES - 1)}"

    return shade


def _tag(name: str, content: str, kind: str, attributes: str) -> str:
    parts = " ".join(part for part in (name, kind and f'class="{kind}"', attributes) if part)
    return f"<{parts}>{content}</{name}>"


def is_numeric(column: pd.Series) -> bool:
    """Say whether a column holds numbers."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def absent(value: Any) -> bool:
    """Say whether a value is missing."""
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def headings(frame: pd.DataFrame) -> dict[Any, str]:
    """Give the headings of a table's columns that are not made of their names; a method stays as it is called."""
    said = {name: heading(text) for name, text in frame.attrs.get("headings", {}).items()}
    return {name: str(name) for name in frame.attrs.get("methods", {})} | said


def heading(name: Any) -> str:
    """Write the heading of a column as people read it."""
    return HEADINGS.get(name, str(name).replace("_", " "))
