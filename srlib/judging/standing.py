"""Where one method stands in a judgement, why, and what would gain it a place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from srlib.judging.qualification import COUNT_COLUMNS
from srlib.judging.what_if import describe_gains, improvements, score_without_failures
from srlib.ledger import MEANINGS
from srlib.prose import (
    Fact,
    Statement,
    counted,
    join_statements,
    minus_signs,
    state,
)
from srlib.result import Result

if TYPE_CHECKING:
    from srlib.judging.judgement import Judgement

NO_GAIN = "No better value in one aspect on one dataset alone would gain a place: it takes several."
LOSS_COLUMNS = ["dataset", "property", "score", "rival", "difference", "decided by", "exceptions"]


@dataclass(frozen=True, repr=False, eq=False)
class Standing(Result):
    """Place of a method, its comparison with its rival, its runs that did not count, and what would gain a place.

    All but the names is computed when it is first asked for; `gains` take longest.

    Parameters
    ----------
    judgement : Judgement
        The judgement.
    method : str
        One of its methods.

    Examples
    --------
    >>> from srlib import Competition
    >>> Competition.read("demo", "synthetic-2022", qualified="demo").judge().standing("deap")
    Standing: deap: place 2 of 4 with ... sparse-polynomial has ...; deap is ahead on ...
    """

    judgement: Judgement
    method: str

    title = "Standing"

    @cached_property
    def _ranked(self) -> pd.DataFrame:
        """`score` and `rank` of the methods with a place, by method, best first."""
        return self.judgement.ranking.dropna(subset="rank").set_index("method")

    @property
    def place(self) -> int | None:
        """Place in the ranking, 1 is best; None without a place."""
        return int(self._ranked["rank"][self.method]) if self.method in self._ranked.index else None

    @property
    def score(self) -> float | None:
        """Final score, higher is better; None without a place."""
        return self.place and float(self._ranked["score"][self.method])

    @property
    def rival(self) -> str:
        """The method next above, for the first the second; empty without a place or another method."""
        names = self._ranked.index.tolist()
        if self.place is None or len(names) == 1:
            return ""
        return names[max(names.index(self.method) - 1, 0)] if names[0] != self.method else names[1]

    @cached_property
    def losses(self) -> pd.DataFrame:
        """Comparison with the rival on each scored dataset, from the largest loss to the largest gain.

        Columns `dataset`, `property`, `score`, score of the `rival`, `difference` (negative: the method is behind),
        `decided by` (the aspect with the largest difference of points in this direction, with points and values; empty
        if the scores are equal) and `exceptions` (the method's failed runs and others that do not count as handed in).
        It has no rows without a rival.
        """
        if not self.rival:
            return pd.DataFrame(columns=LOSS_COLUMNS).astype({"difference": "float64"})
        own, other = (
            self._rows(self.judgement.datasets, name) for name in (self.method, self.rival)
        )
        table = own.assign(rival=other["score"]).reindex(columns=LOSS_COLUMNS[1:], fill_value="")
        table["difference"] = (table["score"] - table["rival"]).round(12)
        own, other = (
            self._rows(self.judgement.aspects, name).set_index("aspect", append=True)
            for name in (self.method, self.rival)
        )
        sign = np.sign(table["difference"])
        gain = (own["aspect_rank"] - other["aspect_rank"]).mul(sign, level="dataset")
        for key in gain[gain > 0].groupby("dataset").idxmax():
            points, values = (
                f"{own[name][key]:.6g} against {other[name][key]:.6g}"
                for name in ("aspect_rank", "value")
            )
            reason = f"{key[1]}: {points} points (value {values.replace('nan', 'none')})"
            table.loc[key[0], "decided by"] = minus_signs(reason)
        lines = self._lines[self._lines["action"] != "noted"]
        counts = lines.groupby("dataset")["code"].agg(
            lambda codes: "; ".join(
                f"{n} x {MEANINGS[code]}" for code, n in Counter(codes).most_common()
            )
        )
        table["exceptions"] = counts.reindex(table.index, fill_value="")
        table = table.sort_values("difference", ascending=False, kind="stable")
        return table[::-1].reset_index()

    @property
    def worst_losses(self) -> list[str]:
        """Statements about the three worst losses, with the aspect that decided each."""
        worst = self.losses[self.losses["difference"] < 0].head(3)
        template = "Behind by {loss:.2f} on {dataset}: {reason}"
        return [
            state("loss", template, loss=-difference, dataset=dataset, reason=reason)
            for dataset, difference, reason in worst[
                ["dataset", "difference", "decided by"]
            ].to_numpy()
        ]

    def _rows(self, table: pd.DataFrame, method: str) -> pd.DataFrame:
        """Return the rows of a method by dataset."""
        return table[table["method"] == method].set_index("dataset")

    @property
    def _lines(self) -> pd.DataFrame:
        """Lines of the ledger about the method."""
        ledger = self.judgement.ledger
        return ledger[ledger["method"] == self.method]

    @property
    def sentences(self) -> list[str]:
        """The place beside the rival's, the cost of failed runs, and the runs that did not count."""
        return [self.summary, *self.failed_runs, *self.exceptions]

    @property
    def summary(self) -> Statement:
        """Statement of place and score, and of the comparison with the rival; or why there is no place."""
        if self.place is None:
            reason = "it has no usable run on a scored dataset"
            if self.method == self.judgement.rules.judge.qualification.baseline:
                reason = "it is the baseline, which others have to beat to qualify"
            elif self.method in self.judgement.screened.barred:
                reason = "it did not qualify"
            return state("place", f"{{method}} has no place: {reason}.", method=self.method)
        template = "{method}: place {place} of {methods} with {score:.3f}."
        facts: dict[str, Any] = {"methods": len(self._ranked), "score": self.score}
        if self.rival:
            template += (
                " {rival} has {rival_score:.3f}; {method} is ahead on {ahead} of {datasets} "
            )
            template += "and behind on {behind}."
            difference = self.losses["difference"]
            facts |= {
                "rival": self.rival,
                "rival_score": self._ranked["score"][self.rival],
                "ahead": int((difference > 0).sum()),
                "behind": int((difference < 0).sum()),
                "datasets": Fact(len(difference), counted(len(difference), "dataset")),
            }
        return state("place", template, method=self.method, place=self.place, **facts)

    @cached_property
    def failed_runs(self) -> list[Statement]:
        """A statement of what failed and absent runs cost, compared with the value of the usable ones; or none."""
        if self.place is None:
            return []
        other = score_without_failures(self.judgement, self.method)
        if not other.n_absent:
            return []
        change = "{dataset} would score {new_score:.2f} instead of {score:.2f}"
        rows: Any = other.changes.to_dict("records")
        changes = [state("change", change, **row) for row in rows]
        final = (
            "final score {new_score:.3f} instead of {score:.3f}"
            if changes
            else "no score would change"
        )
        changes.append(state("final", final, score=other.final, new_score=other.new_final))
        template = "With the value of its usable runs in place of its {runs}: {changes}."
        runs = counted(other.n_absent, "failed or absent run")
        return [state("failed_runs", template, runs=runs, changes=join_statements(changes, "; "))]

    @cached_property
    def exceptions(self) -> list[Statement]:
        """Statements that count the ledger's lines about the method by reason."""
        counts = self._lines.groupby(["action", "level", "code"]).size().reset_index(name="lines")
        counts = counts.sort_values(["action", "lines"], ascending=[True, False], kind="stable")
        return [
            state(
                "exception",
                f"{{lines}} {action}: {MEANINGS[code]} ({code})",
                lines=counted(count, level),
            )
            for action, level, code, count in counts.to_numpy()
        ] or [state("exception", "All of its runs count as they stand.")]

    @cached_property
    def gains(self) -> list[str]:
        """Sentences about the smallest improvements that would gain a place, or why none would."""
        if self.place == 1:
            return ["There is no place above it."]
        if self.place is None:
            reason = state("reason", "it needs a run that counts")
            if self.method in self.judgement.screened.barred:
                reason = describe_barred(self.judgement, self.method)
            return [
                state("gains", "No better value here gains it a place: {reason}.", reason=reason)
            ]
        tried = improvements(self.judgement, self.method)
        return [*(describe_gains(tried.table) or [NO_GAIN]), *filter(None, [tried.note])]


def describe_barred(judgement: Judgement, method: str) -> Statement:
    """Return why a method did not qualify, with its margin and the place that it would have among all methods."""
    if method == judgement.rules.judge.qualification.baseline:
        return state("barred", "{method} is the baseline of the qualification", method=method)
    parts, facts = [], dict[str, Any]()
    row = judgement.gate.margins.reindex([method]).iloc[0].dropna()
    if "margin" in row:
        parts.append("margin {margin}, which has to be positive")
        facts["margin"] = Fact(row["margin"], minus_signs(f"{row['margin']:.2f}"))
    if {*COUNT_COLUMNS} <= {*row.index}:
        counts = row[[*COUNT_COLUMNS]].astype(int)
        parts.append("better on {better} of {datasets} datasets")
        facts |= {"better": counts["better"], "datasets": counts.sum()}
    if judgement.of_all is not None and (place := Standing(judgement.of_all, method).place):
        parts.append("among all {methods} methods it would have place {place}")
        facts |= {"methods": len(Standing(judgement.of_all, method)._ranked), "place": place}
    template = f"{{method}} missed the qualification ({'; '.join(parts)})"
    return state("barred", template, method=method, **facts)
