"""Where a method stands: beside another one on each dataset, what did not count, and what would gain a place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.robustness.improvements import Improvements, improvements, would_gain
from srlib.judging.verdict import Judgement
from srlib.ledger import MEANINGS

MOST = 12  # datasets that fit on a screen beside the rest


@dataclass(frozen=True)
class Standing:
    """A method's place, and what it rests on.

    Parameters
    ----------
    method, rival : str
        The method, and the one that it is compared with; the rival is empty where the method stands alone.
    ranking : pandas.DataFrame
        `method`, `score` (higher is better), `rank` (1 is best): of the two.
    of : int
        Methods that have a place.
    datasets : pandas.DataFrame
        A row a scored dataset, where the method gained most first: `dataset`, `property`, `score`, `rival`,
        `difference` (positive: the method is ahead), and the aspect that decides: `aspect`, `value`, `rival_value`,
        `aspect_rank`, `rival_rank` (higher is better). The aspect is missing where no rank differs.
    left_out : pandas.DataFrame
        Lines of the ledger about the method, counted: `code`, `level`, `action`, `n`.
    gains : Improvements
        The smallest improvements of the method that gain a place.
    """

    method: str
    rival: str
    ranking: pd.DataFrame
    of: int
    datasets: pd.DataFrame
    left_out: pd.DataFrame
    gains: Improvements


def standing(judgement: Judgement, method: str, rival: str = "") -> Standing:
    """Compare a method with another one, the winner where none is named; the winner with the second.

    Raises
    ------
    InputError
        When one of them is not judged, or the method has no usable run.
    """
    places: Any = judgement.ranking.set_index("method")
    for name in filter(None, (method, rival)):
        if name not in places.index:
            judged = ", ".join(sorted(places.index))
            raise InputError(f"method {name!r} is not judged; judged: {judged}")
        if pd.isna(places.loc[name, "rank"]):
            raise InputError(f"method {name!r} has no usable run, so there is no score to explain")
    if rival == method:
        raise InputError(f"method {method!r} cannot be compared with itself")
    placed = judgement.ranking[judgement.ranking["rank"].notna()]
    others = [name for name in placed["method"] if name != method]
    rival = rival or next(iter(others), "")
    ledger = judgement.ledger[judgement.ledger["method"] == method]
    counted = ledger.groupby(["code", "level", "action"], sort=False).size().rename("n")
    return Standing(
        method=method,
        rival=rival,
        ranking=placed[placed["method"].isin([method, rival])].reset_index(drop=True),
        of=len(placed),
        datasets=_compared(judgement, method, rival),
        left_out=counted.reset_index(),
        gains=improvements(judgement, method),
    )


def _compared(judgement: Judgement, method: str, rival: str) -> pd.DataFrame:
    """Scores on each dataset, and the aspect that moves the score most in the direction of their difference."""
    scores = judgement.datasets.pivot_table("score", ["dataset"], "method", sort=False)
    kinds = judgement.datasets.drop_duplicates("dataset").set_index("dataset")["property"]
    table: Any = pd.DataFrame(
        {"score": scores.get(method), "rival": scores.get(rival)}, scores.index
    )
    table = table.astype(float)
    table["difference"] = table["score"] - table["rival"]
    both = _cells(judgement, method).join(_cells(judgement, rival).add_suffix(" of the rival"))
    weighs = WEIGHED.get(judgement.rules.judge.combine, float)
    ours, theirs = both["aspect_rank"].map(weighs), both["aspect_rank of the rival"].map(weighs)
    apart = (ours - theirs).fillna(0)
    said = np.sign(both.index.get_level_values("dataset").map(table["difference"]))
    decides = (apart * said)[apart != 0].groupby("dataset").idxmax()
    chosen = both.loc[list(decides)].reset_index("aspect")
    chosen = chosen.rename(
        columns={"value of the rival": "rival_value", "aspect_rank of the rival": "rival_rank"}
    )
    table = table.join(chosen).join(kinds)
    order = ["dataset", "property", *table.columns.drop("property")]
    ordered = table.sort_values("difference", ascending=False, kind="stable", na_position="last")
    return ordered.reset_index()[order]


def _harmonic(rank: float) -> float:
    """Give what a rank counts in a harmonic mean, but for the sign: the lowest ranks count most."""
    return -1 / max(rank, 1e-3)


WEIGHED: dict[str, Callable[[float], float]] = dict.fromkeys(
    ("harmonic_then_mean", "one_harmonic"), _harmonic
)


def _cells(judgement: Judgement, method: str) -> pd.DataFrame:
    of = judgement.aspects[judgement.aspects["method"] == method]
    return of.set_index(["dataset", "aspect"])[["value", "aspect_rank"]]


def on_a_screen(standing: Standing) -> list[str]:
    """Say it all in a screen of text: place, datasets won and lost, what did not count, what would gain a place."""
    places: Any = standing.ranking.set_index("method")
    method, score = standing.method, places.loc[standing.method, "score"]
    said = [
        f"{method}: place {places.loc[method, 'rank']} of {standing.of} with {score:.3f} (higher is better)"
    ]
    if standing.rival:
        theirs = places.loc[standing.rival]
        apart = "as much as"
        if f"{score:.3f}" != f"{theirs['score']:.3f}":
            word = "more" if score > theirs["score"] else "less"
            apart = f"{abs(score - theirs['score']):.3f} {word} than"
        said[0] += (
            f", {apart} {standing.rival} (place {int(theirs['rank'])}, {theirs['score']:.3f})."
        )
        said += ["", *_beside(standing)]
    said += ["", *_lost(standing), *(would_gain(standing.gains.table) or [_nothing(standing)])]
    return [*said, standing.gains.note] if standing.gains.note else said


def _beside(standing: Standing) -> list[str]:
    table, rival = standing.datasets, standing.rival
    ahead, behind = (table["difference"] > 0).sum(), (table["difference"] < 0).sum()
    said = f"Beside {rival}: ahead on {ahead} of {len(table)} dataset{'s' * (len(table) > 1)}, behind on {behind}."
    shown: Any = table
    if len(table) > MOST:
        shown = pd.concat([table.head(MOST // 2), table.tail(MOST // 2)])
        said += f" The {MOST // 2} at either end:"
    numbers = ["score", "rival", "difference"]
    text = shown[["dataset", *numbers]].copy()
    text[numbers] = text[numbers].map("{:.2f}".format)
    text["difference"] = text["difference"].where(
        shown["difference"] <= 0, "+" + text["difference"]
    )
    text["most by"] = [
        ""
        if not isinstance(row.aspect, str)
        else f"{row.aspect}: {row.aspect_rank:.3g} against {row.rival_rank:.3g} points "
        f"(value {row.value:.3g} against {row.rival_value:.3g})"
        for row in shown.itertuples()
    ]
    text = text.rename(columns={"score": "its score", "rival": "the other's"})
    for name in ("dataset", "most by"):  # words are read from the left
        width = max(len(name), *text[name].str.len())
        text[name] = text[name].str.ljust(width)
        text = text.rename(columns={name: name.ljust(width)})
    lines = text.to_string(index=False).split("\n")
    return [said, *(f"  {line.strip()}" for line in lines)]


def _lost(standing: Standing) -> list[str]:
    if not len(standing.left_out):
        return ["All of its runs count as they stand."]
    lines = ["What did not count as it stands:"]
    for row in standing.left_out.itertuples():
        plural = "s" * (int(str(row.n)) > 1)
        lines.append(
            f"  {row.n} {row.level}{plural} {row.action}: {MEANINGS[str(row.code)]} ({row.code})"
        )
    return lines


def _nothing(standing: Standing) -> str:
    if standing.ranking.set_index("method").loc[standing.method, "rank"] == 1:
        return "There is no place above it."
    return "No better value in one aspect on one dataset alone would gain a place."
