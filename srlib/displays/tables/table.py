"""A table for people: HTML with caption and scopes."""

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.equations import equation, foreign
from srlib.prose import html_text, visible

ABSENT = "–"
SHADES = 9  # classes s1 to s9 of the page's style
LONG = 60  # letters of a cell that is laid out wide
KINDS = {"property", "scope"}  # columns whose names with underscores are words of ours
HEADINGS = {
    "r2_test": "test R²",
    "r2_train": "training R²",
    "r2_extrapolation": "extrapolation R²",
    "n_runs": "runs",
    "n_datasets": "datasets",
    "n_instances": "instances",
    "n_resamples": "resamples",
    "complexity": "components",
    "median_r2": "median R²",
    "median_r2_over_datasets": "median R² over datasets",
    "r2_lowest": "R² lowest",
    "r2_median": "R² median",
    "r2_highest": "R² highest",
    "p_value": "p",
    "p_win": "share of wins",
    "p_top_3": "share in the top 3",
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
    underlined = equations if isinstance(equations, Mapping) else dict.fromkeys(equations, ())
    bold = {*marked, *frame.attrs.get("marked", ())}
    shades = shade_classes(frame, shaded)
    methods = frame.attrs.get("methods", {})
    heads = [
        f'<th scope="col"{_kind("n" * (name in numeric))}>{html_text(column_heading(frame, name))}</th>'
        for name in frame.columns
    ]
    rows = []
    for position, values in enumerate(frame.itertuples(index=False, name=None)):
        row = []
        for column, (name, value) in enumerate(zip(frame.columns, values, strict=True)):
            places = digits if isinstance(digits, int) else digits.get(name, 3)
            text = text_of(value, places)
            if name in KINDS:
                text = text.replace("_", " ")
            cell = html_text(text).replace(
                "_", "_<wbr>"
            )  # names break where a reader would break them
            if name in underlined and not absent(value):
                cell = equation(visible(str(value)), underlined=underlined[name])
            kinds = ["n"] * (name in numeric) + ["long"] * (len(text) > LONG)
            if column == 0 and leads:
                cell = f'<a href="#{html_text(leads[position])}">{cell}</a>'
            elif column < row_headers and value in pages:
                cell = f'<a href="{html_text(pages[value])}">{cell}</a>'
            elif name in shaded and not absent(value):
                kinds += shades.get(value, [])
                if leads:
                    method = methods.get(name, name)
                    address = html_text(f"{pages.get(method, '')}#{leads[position]}")
                    label = html_text(f"{method} on {values[0]}: {text}")
                    cell = f'<a class="cell" href="{address}" aria-label="{label}">{cell}</a>'
            tag, scope = ("th", ' scope="row"') if column < row_headers else ("td", "")
            row.append(f"<{tag}{scope}{_kind(*kinds)}>{cell}</{tag}>")
        rows.append(f"<tr{_kind('marked' * (position in bold))}>{''.join(row)}</tr>\n")
    texts = (str(text) for name in underlined if name in frame for text in frame[name].dropna())
    notes = "; ".join(
        f"<code>{call}</code> is {equation(text)}" for call, text in foreign(texts).items()
    )
    foot = f'<tfoot><tr><td colspan="{len(heads)}">{notes}</td></tr></tfoot>\n' * bool(notes)
    return (
        f'<table class="srlib">\n<caption>{html_text(caption)}</caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n{foot}</table>"
    )


def _kind(*classes: str) -> str:
    names = " ".join(filter(None, classes))
    return f' class="{names}"' * bool(names)


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


def shade_classes(frame: pd.DataFrame, names: Collection[str]) -> dict[Any, list[str]]:
    """Give each number of the named columns the class of its shade; none where all are equal.

    What lies far out has the class of the nearest number that does not, or it would leave one shade for all others.
    """
    values = frame[list(names)].to_numpy(dtype="float64")
    values = values[np.isfinite(values)]
    if len(values) == 0 or values.min() == values.max():
        return {}
    quarter, last = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (last - quarter) or np.inf
    typical = values[(values >= quarter - reach) & (values <= last + reach)]
    if typical.min() == typical.max():
        typical = values
    low, high = typical.min(), typical.max()
    parts = (np.clip(values, low, high) - low) / (high - low)
    if frame.attrs.get("lower", False):
        parts = 1 - parts
    classes = np.minimum(parts * SHADES, SHADES - 1).astype(int) + 1
    return {value: [f"s{number}"] for value, number in zip(values, classes, strict=True)}


def is_numeric(column: pd.Series) -> bool:
    """Say whether a column holds numbers."""
    return column.dtype.kind in "iuf"


def absent(value: Any) -> bool:
    """Say whether a value is missing."""
    return pd.isna(value) is True


def column_heading(frame: pd.DataFrame, name: Any) -> str:
    """Write the heading of a column as people read it; a method stays as it is called."""
    headings = frame.attrs.get("headings", {})
    if name in frame.attrs.get("methods", {}) and name not in headings:
        return str(name)
    name = headings.get(name, name)
    return HEADINGS.get(name, str(name).replace("_", " "))
