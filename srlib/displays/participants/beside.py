"""A method beside the others, dataset by dataset: tables, and what the page's script puts into them."""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import pandas as pd

from srlib.displays.bundles import anchor
from srlib.displays.frame import scrolling
from srlib.displays.tables.table import html_table, text_of
from srlib.judging.robustness.standing import Standing, counted, decided, signed
from srlib.letters import seen
from srlib.words import minus

ROOM = 700_000  # letters that the numbers of all other methods may take
OTHERS = ["place", "method", "score", "lead over it", "ahead on", "behind on", "wins most on",
          "loses most on"]  # fmt: skip


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
            cells.append(_cell(minus(decided(row)), "long"))
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


def others_table(
    method: str,
    ranking: pd.DataFrame,
    compared: Mapping[str, pd.DataFrame],
    pages: Mapping[str, str],
) -> str:
    """Write a row for each other method: its place, and what this one wins and loses beside it."""
    rows, score = [], ranking.set_index("method")["score"].to_dict()
    for name, table in compared.items():
        differs = table["difference"]
        ends: list[Any] = ["", ""]
        for at, some in enumerate((table[differs > 0].head(1), table[differs < 0].tail(1))):
            for row in some.itertuples():
                ends[at] = f"{row.dataset} ({_minus(row.difference)})"
        place = ranking.loc[ranking["method"] == name, "rank"].iloc[0]
        ahead, behind = int((differs > 0).sum()), int((differs < 0).sum())
        lead = _minus(score[method] - score[name], 3)
        rows.append([place, name, score[name], lead, ahead, behind, *ends])
    frame = pd.DataFrame(rows, columns=OTHERS).astype({"place": "Int64"})
    shown = html_table(frame, f"{method} beside each of the others", row_headers=2)
    return scrolling(linked(shown, pages), "Others")


def linked(table: str, addresses: Mapping[str, str]) -> str:
    """Let the names of methods in a table lead to their pages; `addresses` by name."""
    known = {escape(name).replace("_", "_<wbr>"): to for name, to in addresses.items()}

    def lead(found: "re.Match[str]") -> str:
        look, name = found.groups()
        if name in known:
            return f'<th scope="row"{look}><a href="{known[name]}">{name}</a></th>'
        return found[0]

    return re.sub(r'<th scope="row"([^>]*)>(.*?)</th>', lead, table)


def embedded(standing: Standing, compared: Mapping[str, pd.DataFrame]) -> str:
    """Write what the table shows for any other method, as data for the page's script; empty where there is no choice.

    The nearest places come first where there is no room for all.
    """
    names = list(standing.datasets["dataset"])
    at, others, room = {name: i for i, name in enumerate(names)}, [], ROOM
    for name, table in compared.items():
        rows = [
            [at[row.dataset], _score(row.rival), _minus(row.difference), minus(decided(row))]
            for row in table.itertuples()
        ]
        said = f"Beside {name}: {counted(table)}. {most(table)}"
        sums = by_property(table, name)
        text = _json({"name": seen(name), "said": seen(said), "sums": seen(sums), "rows": rows})
        room -= len(text)
        if room < 0:
            break
        others.append(text)
    if len(others) < 2:
        return ""
    chosen = _json(seen(standing.rival))
    data = f'{{"chosen": {chosen}, "others": [{", ".join(others)}]}}'
    parts = [
        '<p class="choose" id="choose" hidden><label>Compare with <select></select></label></p>',
        '<noscript><p class="choose">With scripts any other method can be chosen here, as with '
        "<code>srlib score RUNS --explain METHOD --against OTHER</code>.</p></noscript>",
        f'<script type="application/json" id="others">{data}</script>',
    ]
    if len(others) < len(compared):
        said = f"Of {len(compared)} others the best {len(others)} can be chosen here."
        parts.append(f'<p class="quiet">{said}</p>')
    return "".join(parts)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _cell(text: str, kind: str = "") -> str:
    return f'<td class="{kind}">{escape(text)}</td>'


def _score(value: Any) -> str:
    return text_of(float(value), 2)


def _minus(difference: Any, digits: int = 2) -> str:
    """Write a difference with its sign, as the terminal does, but for the minus of print."""
    if pd.isna(difference):
        return text_of(difference)
    return signed(float(difference), digits).replace("-", "−")
