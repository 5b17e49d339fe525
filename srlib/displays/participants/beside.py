"""A method beside the winner, or the winner beside the second, dataset by dataset."""

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import pandas as pd

from srlib.displays.bundles import anchor
from srlib.displays.frame import scrolling
from srlib.displays.tables.table import text_of
from srlib.judging.robustness.standing import Standing, decided, signed
from srlib.prose import minus_signs


def most(table: pd.DataFrame) -> str:
    """Say where a method wins and loses most, from `Cells.compared`; empty where nothing differs."""
    differs, said = table["difference"], []
    for word, some in (("wins", table[differs > 0].head(1)), ("loses", table[differs < 0].tail(1))):
        for row in some.itertuples():
            by = f", by {row.aspect}" * isinstance(row.aspect, str)
            said.append(f"{word} most on {row.dataset} ({_minus(row.difference)}{by})")
    return f"It {' and '.join(said)}." * bool(said)


def by_property(table: pd.DataFrame, rival: str) -> str:
    """Sum the differences of `Cells.compared` with another method by property; empty where there is one at most."""
    kinds = table["property"].fillna("no property")
    sums = table.groupby(kinds)["difference"].sum().sort_values(ascending=False)
    if len(sums) < 2:
        return ""
    named = {kind: str(kind).replace("_", " ") for kind in sums.index}
    told = ", ".join(f"{named[kind]} {_minus(value)}" for kind, value in sums.items())
    return f"Differences from {rival} in dataset scores, summed by property: {told}."


def score_table(standing: Standing, cards: Iterable[str]) -> str:
    """Write the table of datasets, best first; those that have a card lead to it."""
    table, shown, rows = standing.datasets, set(cards), []
    for row in table.itertuples():
        name, own = escape(str(row.dataset)).replace("_", "_<wbr>"), anchor(str(row.dataset))
        place = f' id="{own}"'  # the row stands for the card that there is no room for
        if row.dataset in shown:
            name, place = f'<a href="#{own}">{name}</a>', ""
        cells = [_cell(_score(row.score), "n"), _cell(text_of(row.property).replace("_", " "))]
        if standing.rival:
            cells.insert(0, _cell(_minus(row.difference), "n"))
            cells.insert(2, _cell(_score(row.rival), "n"))
            cells.append(_cell(minus_signs(decided(row)), "long"))
        rows.append(f'<tr{place}><th scope="row">{name}</th>{"".join(cells)}</tr>')
    heads = [("dataset", ""), ("score", "n"), ("property", "")]
    if standing.rival:
        heads.insert(1, ("difference", "n"))
        heads.insert(3, (standing.rival, "n"))
        heads.append(("decided by", ""))
    head = "".join(f'<th scope="col" class="{kind}">{escape(text)}</th>' for text, kind in heads)
    caption = f"Score of {standing.method} on each dataset"
    if standing.rival:
        caption += f", and of {standing.rival}"
    table = (
        f'<table class="srlib" id="datasets-table">\n<caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{chr(10).join(rows)}\n</tbody></table>"
    )
    return scrolling(table, "Datasets")


def linked(table: str, addresses: Mapping[str, str]) -> str:
    """Let the names of methods in a table lead to their pages; `addresses` by name."""
    known = {escape(name).replace("_", "_<wbr>"): to for name, to in addresses.items()}

    def lead(found: "re.Match[str]") -> str:
        look, name = found.groups()
        if name in known:
            return f'<th scope="row"{look}><a href="{known[name]}">{name}</a></th>'
        return found[0]

    return re.sub(r'<th scope="row"([^>]*)>(.*?)</th>', lead, table)


def _cell(text: str, kind: str = "") -> str:
    return f'<td class="{kind}">{escape(text)}</td>'


def _score(value: Any) -> str:
    return text_of(float(value), 2)


def _minus(difference: Any, digits: int = 2) -> str:
    """Write a difference with its sign, as the terminal does, but for the minus of print."""
    if pd.isna(difference):
        return text_of(difference)
    return signed(float(difference), digits).replace("-", "−")
