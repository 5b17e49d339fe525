"""What stands on a participant's page: all but the frame, which the renderer puts around it."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from srlib.displays.bundles import anchor
from srlib.displays.frame import scrolling
from srlib.displays.participants.beside import (
    by_property,
    most,
    score_table,
)
from srlib.displays.tables.table import html_table
from srlib.judging.robustness import Certainty
from srlib.judging.robustness.standing import (
    Standing,
    counted,
    gains_said,
    left_out,
    place_said,
    why_none,
)
from srlib.ledger import MEANINGS
from srlib.prose import minus_signs, percent

LINES = 100  # of the ledger on a page; the report has all


@dataclass(frozen=True)
class Competition:
    """What the pages of all participants share.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the numbers come from.
    sure : Certainty
        How sure the winner is.
    """

    judgement: Any
    sure: Certainty


def page_of(
    method: str, standing: Standing | None, cards: Mapping[str, str], all_: Competition
) -> str:
    """Write a participant's page.

    Parameters
    ----------
    method : str
        Whose page it is.
    standing : Standing or None
        Beside the winner, or beside the second for the winner; None where the method has no place.
    cards : mapping of str to str
        Its models by dataset, from `srlib.displays.participants.models.model_cards`.
    all_ : Competition
        What the pages share.
    """
    parts = [_first(method, standing, all_)]
    if standing is not None:
        parts.append('<h2 id="datasets">Where points were won and lost</h2>')
        parts.append(_compared(standing, cards))
    parts += ['<h2 id="models">The models beside their truths</h2>', _models(cards, all_.judgement)]
    parts += ['<h2 id="excluded">What was excluded, and why</h2>', _excluded(method, all_)]
    parts.append('<h2 id="gains">What would gain a place</h2>')
    said = ["A method without a place cannot gain one by a better value: it needs runs that count."]
    if standing is not None:
        said = gains_said(standing)
    return "\n".join([*parts, *(f"<p>{escape(minus_signs(line))}</p>" for line in said)])


def _first(method: str, standing: Standing | None, all_: Competition) -> str:
    judgement = all_.judgement
    lines, more = [f"No place: {why_none(method, judgement)}"], ""
    if standing is not None:
        said = place_said(standing)
        lines = [minus_signs(f"{said[:1].upper()}{said[1:].rstrip('.')}.")]
        if standing.rival:
            told = [f"Beside {standing.rival}: {counted(standing.datasets)}.", most(standing.datasets)]  # fmt: skip
            more = f"<p>{escape(' '.join(filter(None, told)))}</p>"
    ran = judgement.assessments[judgement.assessments["method"] == method]
    gone = judgement.ledger
    gone = gone[(gone["method"] == method) & (gone["action"] == "excluded") & (gone["level"] == "run")]  # fmt: skip
    counts = {"Runs read": len(ran), "= scored": len(ran) - len(gone), "+ excluded": len(gone)}
    facts = "".join(f"<div><dt>{name}</dt><dd>{n:,}</dd></div>" for name, n in counts.items())
    return (
        f'<section class="box place" aria-label="Place"><p class="headline">{escape(lines[0])}</p>{more}'
        f'{_certainty(method, all_.sure)}<dl class="facts">{facts}</dl></section>'
    )


def _certainty(method: str, sure: Certainty) -> str:
    """Show the winner's badge, as the report does, and how sure this method's own place is."""
    if not sure.badge:
        return ""
    own = ""
    if method in set(sure.places["method"]):
        row: Any = sure.places.set_index("method").loc[method]
        places = f"places {row['rank_low']} to {row['rank_high']}"
        if row["rank_low"] == row["rank_high"]:
            places = f"place {row['rank_low']}"
        own = (
            f"In 95% of {sure.draws:,} re-draws {method} takes {places}; "
            f"it wins {percent(float(row['p_win']))} of all."
        )
    badge = sure.badge
    return (
        f'<div class="certainty {badge["word"]}"><details><summary><strong class="badge">Certainty of the winner: '
        f"{badge['word']}</strong></summary><p>{escape(badge['said'])} {escape(badge['rule'])}</p></details>"
        f"<span>{escape(own)}</span></div>"
    )


def _compared(standing: Standing, cards: Mapping[str, str]) -> str:
    table = score_table(standing, cards)
    if not standing.rival:
        return f"<p>It is the only method with a place, so there is nobody to compare it with.</p>{table}"
    return (
        f"<p>A dataset's score is made of the points in its aspects, higher is better; <em>decided by</em> names the "
        "aspect that moves the score most in the direction of the difference. "
        f"{escape(by_property(standing.datasets, standing.rival))}</p>{table}"
    )


def _models(cards: Mapping[str, str], judgement: Any) -> str:
    if not cards:
        return "<p>There is no model to show: no run has one that could be read.</p>"
    folded = "".join(
        f'<details class="folded">{card.replace("<div", f"<div id={chr(34)}{anchor(name)}{chr(34)}", 1)}</details>'
        for name, card in cards.items()
    )
    datasets, few = judgement.datasets["dataset"].nunique(), ""
    if datasets > len(cards):
        few = f"{len(cards)} of {datasets} datasets stand here; the report has all. "
    return (
        f"<p>{few}Unfold a dataset for its values, the model of the run with the best test R² beside the truth, which "
        "does not stand for the other repetitions, and each run with the evidence "
        f"of its verdict.</p>{folded}"
    )


def _excluded(method: str, all_: Competition) -> str:
    counted_ = left_out(all_.judgement, method)
    if not len(counted_):
        return "<p>Nothing: all of its runs count as they stand.</p>"
    counted_.insert(1, "meaning", counted_["code"].map(MEANINGS).astype("str"))
    order = {"excluded": 0, "replaced": 1, "noted": 2}
    by_action = {"key": lambda column: column.map(order), "kind": "stable"}
    counted_ = counted_.sort_values("action", ignore_index=True, **by_action)
    ledger = all_.judgement.ledger
    lines = ledger[(ledger["method"] == method) & (ledger["code"] != "not_scored")]
    lines = lines.sort_values("action", **by_action)
    shown = lines[["action", "code", "dataset", "repetition", "detail", "file", "row"]].head(LINES)
    caption = f"Line by line ({len(lines):,}; without datasets that only serve as a reference)"
    if len(lines) > LINES:
        caption += f": the first {LINES}, what was excluded first"
    short = html_table(counted_.rename(columns={"n": "lines"}), "What did not count as it stands")
    long = html_table(shown, caption)
    lines_said = f"<summary>{escape(caption)}</summary>{scrolling(long, 'Ledger')}"
    return f'{scrolling(short, "Ledger in short")}<details class="folded">{lines_said}</details>'
