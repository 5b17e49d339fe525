"""Whether the verdict depends on one dataset, one property, one competitor or one repetition.

Each reduced competition is judged anew. One repetition fewer is also expected where a repetition is left out;
where the winner is left out, the next in the ranking is expected to win.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import pandas as pd

from srlib.judging.judgement import Judgement
from srlib.judging.robustness.competition import Competition
from srlib.judging.run_values import KEY, measure_aspects
from srlib.judging.scoring import places
from srlib.prose import SHARED, listed, winner_sentence


@dataclass(frozen=True)
class LeaveOneOut:
    """Rankings of the competition with one thing left out.

    Parameters
    ----------
    table : pandas.DataFrame
        `kind` (dataset, property, method, repetition; nothing), `left_out`, `method`, `score` (higher is better),
        `rank` (1 is best; ties share the best place).
    """

    table: pd.DataFrame

    @cached_property
    def summary(self) -> pd.DataFrame:
        """By what is left out: `winner`, who was `expected`, whether it `changed`, `lead` of the expected."""
        rows = []
        whole = self.table[self.table["kind"] == "nothing"].set_index("method")["rank"]
        for (kind, name), part in self.table.groupby(["kind", "left_out"], sort=False):
            before, now = whole.loc[part["method"]], part.set_index("method")
            expected, first = before[before == before.min()].index, now[now["rank"] == 1].index
            ahead = now["score"][expected[0]] - now["score"].drop(expected[0]).max()
            rows.append(
                (
                    kind,
                    name,
                    SHARED.join(first),
                    SHARED.join(expected),
                    set(first) != set(expected),
                    ahead,
                )
            )
        return pd.DataFrame(
            rows, columns=["kind", "left_out", "winner", "expected", "changed", "lead"]
        )

    @property
    def sentence(self) -> str:
        """Say which single things change the winner when they are left out."""
        cases = self.summary[self.summary["kind"] != "nothing"]
        changed = cases[cases["changed"]]
        if changed.empty:
            counted = ", ".join(
                f"{kind} ({n})" for kind, n in cases.groupby("kind", sort=False).size().items()
            )
            return f"Leaving out any one thing changes no winner: {counted or 'there is but one of each'}."
        parts = [
            f"{winner_sentence(str(row.winner))} without {row.kind} {row.left_out}"
            for row in changed.head(3).itertuples()
        ]
        more = []
        if len(changed) > 3:
            more = [f"{len(changed) - 3} more such cases"]
        return f"Leaving out one of {len(cases)} things changes the winner in {len(changed)}: {listed(parts + more)}."


def leave_one_out(judgement: Judgement) -> LeaveOneOut:
    """Judge the competition without each dataset, property, method and repetition."""
    whole = Competition.from_judgement(judgement)
    parts = []
    # one competition at a time: hundreds of large ones do not fit into memory
    for kind, name, part in chain([("nothing", "nothing", whole)], _reduced(judgement, whole)):
        final = part.steps.final
        columns = {"method": part.screened.methods, "score": final, "rank": places(final)}
        parts.append(pd.DataFrame({"kind": kind, "left_out": name} | columns))
    return LeaveOneOut(pd.concat(parts, ignore_index=True))


def _reduced(judgement: Judgement, whole: Competition) -> Iterator[tuple[str, str, Competition]]:
    judge, found = whole.judge, measure_aspects(whole.screened, whole.judge)
    screened = replace(
        whole.screened,
        usable=_keys(whole.screened.usable),
        attempts=_keys(whole.screened.attempts),
    )
    runs = judgement.assessments
    runs = runs[runs["dataset"].isin(screened.scored) & runs["method"].isin(screened.methods)]
    tested = {name: screened.problems[name].property or "none" for name in screened.scored}
    runs = _keys(runs).assign(property=runs["dataset"].map(tested))
    for kind in ("dataset", "property", "method", "repetition"):
        for name in sorted(runs[kind].unique()):
            left, fewer, kept, gone = runs[runs[kind] != name], judge, slice(None), set()
            tried = screened.attempts
            if kind in ("dataset", "property"):
                gone = set(runs.loc[runs[kind] == name, "dataset"])
            if kind == "repetition":
                kept = (screened.usable["repetition"] != name).to_numpy()
                tried = tried[tried["repetition"] != name]
                fewer = judge.model_copy(update={"repetitions": max(judge.repetitions - 1, 1)})
            smaller = replace(
                screened,
                usable=screened.usable[kept],
                methods=tuple(sorted(left["method"].unique())),
                datasets=tuple(name for name in screened.datasets if name not in gone),
                scored=frozenset(left["dataset"].unique()),
                attempts=tried,
            )
            if len(left):
                yield kind, str(name), Competition(smaller, fewer, found[:, kept])


def _keys(runs: pd.DataFrame) -> pd.DataFrame:
    """Which runs there are, each name held once: hundreds of competitions are made of them."""
    return runs[KEY].astype({"method": "category", "dataset": "category"})
