"""Where a method stands: beside another one on each dataset, what did not count, and what would gain a place."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.judgement import Judgement
from srlib.judging.robustness.what_if import Improvements, describe_gains, improvements
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
        `aspect_rank`, `rival_rank` (higher is better). The aspect is missing where the scores are equal.
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


@dataclass(frozen=True)
class Cells:
    """What each method reached in each cell, arranged once for comparing many pairs.

    Parameters
    ----------
    scores : pandas.DataFrame
        Datasets x methods.
    kinds : pandas.Series
        The property of each dataset.
    aspects : list of str
        In alphabetical order.
    values, points : dict of str to ndarray, shape (datasets, aspects)
        By method: the value, and the aspect rank (higher is better).
    combine : str
        How the rules make a score of the ranks.
    """

    scores: pd.DataFrame
    kinds: pd.Series
    aspects: list[str]
    values: dict[str, np.ndarray]
    points: dict[str, np.ndarray]
    combine: str

    @classmethod
    def from_judgement(cls, judgement: Judgement) -> "Cells":
        """Arrange the cells of a judgement."""
        scores = judgement.datasets.pivot_table("score", ["dataset"], "method", sort=False)
        turn = {problem.dataset: place for place, problem in enumerate(judgement.problems.problems)}
        scores = scores.sort_index(key=lambda names: names.map(turn))
        kinds = judgement.datasets.drop_duplicates("dataset").set_index("dataset")["property"]
        aspects = sorted(judgement.aspects["aspect"].unique())
        found: list[dict[str, np.ndarray]] = []
        for name in ("value", "aspect_rank"):
            wide = judgement.aspects.pivot_table(name, ["method", "dataset"], "aspect")
            found.append(
                {
                    str(method): part.droplevel(0)
                    .reindex(scores.index, columns=aspects)
                    .to_numpy(float)
                    for method, part in wide.groupby(level="method")
                }
            )
        combine = judgement.rules.judge.combine
        return cls(scores, kinds, aspects, found[0], found[1], combine)

    def compared(self, method: str, rival: str) -> pd.DataFrame:
        """Compare two methods: scores, and the aspect that moves the score most towards their difference."""
        index, nothing = self.scores.index, np.full((len(self.scores), len(self.aspects)), np.nan)
        table: Any = pd.DataFrame({"property": self.kinds.reindex(index)}, index)
        for column, name in (("score", method), ("rival", rival)):
            table[column] = pd.Series(self.scores.get(name), index, dtype=float)
        apart = table["score"] - table["rival"]
        table["difference"] = apart.mask(apart.abs() < 1e-12, 0.0)
        weighs = WEIGHED.get(self.combine, np.asarray)
        ours, theirs = (self.points.get(name, nothing) for name in (method, rival))
        apart = np.nan_to_num(weighs(ours) - weighs(theirs))
        moves = apart * np.sign(table["difference"].to_numpy())[:, None]
        moves = np.where((moves != 0) & np.isfinite(moves), moves, -np.inf)
        at = np.arange(len(index)), moves.argmax(axis=1)
        tells = np.isfinite(moves).any(axis=1)
        names = np.array([*self.aspects, None], dtype=object)
        table["aspect"] = names[np.where(tells, at[1], len(self.aspects))]
        for column, of, name in (
            ("value", self.values, method),
            ("aspect_rank", self.points, method),
            ("rival_value", self.values, rival),
            ("rival_rank", self.points, rival),
        ):
            table[column] = np.where(tells, of.get(name, nothing)[at], np.nan)
        order = {"ascending": False, "kind": "stable", "na_position": "last"}
        return table.sort_values("difference", **order).rename_axis("dataset").reset_index()


def standing(
    judgement: Judgement,
    method: str,
    rival: str = "",
    cells: Cells | None = None,
    gains: Improvements | None = None,
) -> Standing:
    """Compare a method with another one, the winner where none is named; the winner with the second.

    `cells`, and the `gains` of all methods, may be given where many are asked for.

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
    if gains is None:
        gains = improvements(judgement, method)
    own = gains.table[gains.table["method"] == method].reset_index(drop=True)
    return Standing(
        method=method,
        rival=rival,
        ranking=placed[placed["method"].isin([method, rival])].reset_index(drop=True),
        of=len(placed),
        datasets=(cells or Cells.from_judgement(judgement)).compared(method, rival),
        left_out=left_out(judgement, method),
        gains=replace(gains, table=own),
    )


def left_out(judgement: Judgement, method: str) -> pd.DataFrame:
    """Count the lines of the ledger about a method: `code`, `level`, `action`, `n`."""
    ledger = judgement.ledger[judgement.ledger["method"] == method]
    counted = ledger.groupby(["code", "level", "action"], sort=False).size().rename("n")
    return counted.reset_index()


def _harmonic(ranks: np.ndarray) -> np.ndarray:
    """Give what ranks count in a harmonic mean, but for the sign: the lowest ranks count most."""
    return -1 / np.maximum(ranks, 1e-3)


WEIGHED: dict[str, Callable[[np.ndarray], np.ndarray]] = dict.fromkeys(
    ("harmonic_then_mean", "one_harmonic"), _harmonic
)


def place_said(standing: Standing) -> str:
    """Say place and score, and how far they are from the rival's."""
    places: Any = standing.ranking.set_index("method")
    score = places.loc[standing.method, "score"]
    said = f"place {places.loc[standing.method, 'rank']} of {standing.of} with {score:.3f} (higher is better)"
    if not standing.rival:
        return said
    theirs = places.loc[standing.rival]
    apart = "as much as"
    if f"{score:.3f}" != f"{theirs['score']:.3f}":
        word = "more" if score > theirs["score"] else "less"
        apart = f"{abs(score - theirs['score']):.3f} {word} than"
    return f"{said}, {apart} {standing.rival} (place {int(theirs['rank'])}, {theirs['score']:.3f})."


def counted(table: pd.DataFrame) -> str:
    """Say on how many datasets of `Cells.compared` a method is ahead, and on how many behind."""
    ahead, behind = (table["difference"] > 0).sum(), (table["difference"] < 0).sum()
    return f"ahead on {ahead} of {len(table)} dataset{'s' * (len(table) > 1)}, behind on {behind}"


def signed(difference: float, digits: int = 2) -> str:
    """Write a difference of scores with its sign.

    Examples
    --------
    >>> signed(1.294), signed(-2.8), signed(0.0), signed(float("nan"))
    ('+1.29', '-2.80', '0.00', 'nan')
    """
    return f"{'+' * (difference > 0)}{difference:.{digits}f}"


def decided(row: Any) -> str:
    """Say which aspect decided a dataset, from a row of `Cells.compared`; empty where none differs."""
    if not isinstance(row.aspect, str):
        return ""
    return (
        f"{row.aspect}: {row.aspect_rank:.3g} against {row.rival_rank:.3g} points "
        f"(value {_value(row.value)} against {_value(row.rival_value)})"
    )


def _value(value: float) -> str:
    if pd.isna(value):
        return "none"
    if 1e3 <= abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def on_a_screen(standing: Standing) -> list[str]:
    """Say it all in a screen of text: place, datasets won and lost, what did not count, what would gain a place."""
    said = [f"{standing.method}: {place_said(standing)}"]
    if standing.rival:
        said += ["", *_beside(standing)]
    return [*said, "", *_lost(standing.left_out), *gains_said(standing)]


def why_none(method: str, judgement: Judgement) -> str:
    """Say why a method has no place."""
    everyone = judgement.everyone
    if method in judgement.screened.idle or everyone is None:
        return "it has no usable run."
    row = everyone[everyone["method"] == method].iloc[0]
    if pd.isna(row["rank"]):
        return "it did not qualify."
    return f"it did not qualify; place {row['rank']} with {row['score']:.3f} if all had."


def without_place(judgement: Judgement, method: str) -> list[str]:
    """Say why a method has no place, and what of it did not count; empty where it has one, or is not known."""
    known = judgement.everyone
    if known is None:
        known = judgement.ranking
    placed = judgement.ranking.dropna(subset=["rank"])["method"]
    if method in set(placed) or method not in set(known["method"]):
        return []
    lines = _lost(left_out(judgement, method))
    return [f"{method}: no place: {why_none(method, judgement)}", "", *lines]


def gains_said(standing: Standing) -> list[str]:
    """Say what would gain a place, or that nothing would, and what was not tried."""
    said = describe_gains(standing.gains.table) or [_nothing(standing)]
    return [*said, standing.gains.note] if standing.gains.note else said


def _beside(standing: Standing) -> list[str]:
    table, rival = standing.datasets, standing.rival
    said = f"Beside {rival}: {counted(table)}."
    shown: Any = table
    if len(table) > MOST:
        shown = pd.concat([table.head(MOST // 2), table.tail(MOST // 2)])
        said += f" The {MOST // 2} at either end:"
    text = shown[["dataset"]].copy()
    text["its score"], text["the other's"] = (
        shown[name].map("{:.2f}".format) for name in ("score", "rival")
    )
    text["difference"] = shown["difference"].map(signed)
    text["most by"] = [decided(row) for row in shown.itertuples()]
    for name in ("dataset", "most by"):  # words are read from the left
        width = max(len(name), *text[name].str.len())
        text[name] = text[name].str.ljust(width)
        text = text.rename(columns={name: name.ljust(width)})
    lines = text.to_string(index=False).split("\n")
    return [said, *(f"  {line.strip()}" for line in lines)]


def _lost(lines_of: pd.DataFrame) -> list[str]:
    if not len(lines_of):
        return ["All of its runs count as they stand."]
    lines = ["What did not count as it stands:"]
    for row in lines_of.itertuples():
        plural = "s" * (int(str(row.n)) > 1)
        lines.append(
            f"  {row.n} {row.level}{plural} {row.action}: {MEANINGS[str(row.code)]} ({row.code})"
        )
    return lines


def _nothing(standing: Standing) -> str:
    if standing.ranking.set_index("method").loc[standing.method, "rank"] == 1:
        return "There is no place above it."
    return "No better value in one aspect on one dataset alone would gain a place."
