"""What changes when one thing is left out, or one value is improved.

Each reduced competition is judged anew: without one dataset, property, method or repetition. One repetition fewer is
expected where a repetition is left out. An improvement moves a method's value in one aspect on one dataset to the value
of each method above it, and a step beyond, up to the best value that the aspect can take.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property

import numpy as np
import pandas as pd

from srlib.comparing.metrics import METRICS
from srlib.judging.judgement import Judgement
from srlib.judging.run_values import KEY, arrange, measure_aspects
from srlib.judging.scoring import places, score
from srlib.judging.screening import Screened
from srlib.judging.values import Array, Mask, ScoringPlan
from srlib.prose import SHARED, listed, winner_sentence
from srlib.rules import Aspect, Judge

SIZES = ("complexity", "complexity_raw")
MOST_VALUES = 2_000_000_000  # values scored again in all: some tens of seconds


@dataclass(frozen=True)
class LeaveOneOut:
    """Rankings of the competition with one thing left out.

    Parameters
    ----------
    table : pandas.DataFrame
        `kind` (nothing, dataset, property, method, repetition), `left_out`, `method`, `score` (higher is better),
        `rank` (1 is best; ties share the best place).
    """

    table: pd.DataFrame

    @cached_property
    def summary(self) -> pd.DataFrame:
        """By what is left out: `winner`, who was `expected`, whether it `changed`, `lead` of the expected winner.

        Where the winner is left out, the next in the ranking is expected to win.
        """
        rows = []
        ranks = self.table[self.table["kind"] == "nothing"].set_index("method")["rank"]
        for (kind, name), part in self.table.groupby(["kind", "left_out"], sort=False):
            before, ranking = ranks.loc[part["method"]], part.set_index("method")
            expected = before[before == before.min()].index
            first = ranking[ranking["rank"] == 1].index
            rivals = ranking["score"].drop(expected[0])
            row = {
                "kind": kind,
                "left_out": name,
                "winner": SHARED.join(first),
                "expected": SHARED.join(expected),
                "changed": set(first) != set(expected),
                "lead": ranking["score"][expected[0]] - rivals.max(),
            }
            rows.append(row)
        return pd.DataFrame(rows)

    @property
    def sentence(self) -> str:
        """Which single things change the winner when they are left out."""
        cases = self.summary[self.summary["kind"] != "nothing"]
        changed = cases[cases["changed"]]
        if changed.empty:
            counts = cases.groupby("kind", sort=False).size().items()
            counted = ", ".join(f"{kind} ({n})" for kind, n in counts)
            return f"Leaving out any one thing changes no winner: {counted or 'there is but one of each'}."
        parts = [
            f"{winner_sentence(str(row.winner))} without {row.kind} {row.left_out}"
            for row in changed.head(3).itertuples()
        ]
        if len(changed) > 3:
            parts.append(f"{len(changed) - 3} more such cases")
        return f"Leaving out one of {len(cases)} things changes the winner in {len(changed)}: {listed(parts)}."


@dataclass(frozen=True)
class Improvements:
    """What gains a place, and how many of the possible improvements were tried.

    Parameters
    ----------
    table : pandas.DataFrame
        `method`, `aspect`, `dataset`, `value` and `target`, `improvement` (their distance, whatever the direction),
        `rank` and `new_rank`; best methods first. No row where no value that was tried suffices.
    possible, tried : int
        Values, each of one method, aspect and dataset.
    """

    table: pd.DataFrame
    possible: int
    tried: int

    @property
    def note(self) -> str:
        """What was left out; empty where nothing was."""
        if self.tried == self.possible:
            return ""
        if not self.tried:
            return (
                f"None of {self.possible:,} improvements was tried, as each scores all runs once more and there are "
                "too many of them: what would gain a place is not known."
            )
        return (
            f"Only the {self.tried:,} smallest of {self.possible:,} improvements (of each method and aspect) were "
            "tried: a larger one, which is not listed, may gain a place, too."
        )


def leave_one_out(judgement: Judgement) -> LeaveOneOut:
    """Judge the competition without each dataset, property, method and repetition."""
    measured = measure_aspects(judgement.screened, judgement.rules.judge)
    tables = [_ranking("nothing", "nothing", judgement.screened.methods, judgement.steps.final)]
    for kind, name, screened, judge, rows in _reduced(judgement):
        final = score(*arrange(screened, judge, measured[:, rows]), judge).final
        tables.append(_ranking(kind, name, screened.methods, final))
    return LeaveOneOut(pd.concat(tables, ignore_index=True))


def _ranking(kind: str, name: str, methods: tuple[str, ...], final: Array) -> pd.DataFrame:
    columns = {"method": methods, "score": final, "rank": places(final)}
    return pd.DataFrame({"kind": kind, "left_out": name} | columns)


def _reduced(judgement: Judgement) -> Iterator[tuple[str, str, Screened, Judge, Mask]]:
    """Yield what is left out, the competition without it, its rules, and which usable rows it keeps."""
    screened, judge = judgement.screened, judgement.rules.judge
    usable, attempts = _keys(screened.usable), _keys(screened.attempts)
    runs = judgement.assessments
    runs = runs[runs["dataset"].isin(screened.scored) & runs["method"].isin(screened.methods)]
    properties = {name: screened.problems[name].property or "none" for name in screened.scored}
    runs = _keys(runs).assign(property=runs["dataset"].map(properties))
    for kind in ("dataset", "property", "method", "repetition"):
        for name in sorted(runs[kind].unique()):
            left, rules = runs[runs[kind] != name], judge
            if left.empty:
                continue
            datasets, rows, tries = screened.datasets, np.ones(len(usable), dtype=bool), attempts
            if kind in ("dataset", "property"):
                gone = set(runs.loc[runs[kind] == name, "dataset"])
                datasets = tuple(dataset for dataset in datasets if dataset not in gone)
            if kind == "repetition":
                rows = (usable["repetition"] != name).to_numpy()
                tries = attempts[attempts["repetition"] != name]
                rules = judge.model_copy(update={"repetitions": max(judge.repetitions - 1, 1)})
            smaller = replace(
                screened,
                usable=usable[rows],
                methods=tuple(sorted(left["method"].unique())),
                datasets=datasets,
                scored=frozenset(left["dataset"].unique()),
                attempts=tries,
            )
            yield kind, str(name), smaller, rules, rows


def _keys(runs: pd.DataFrame) -> pd.DataFrame:
    """Keys of runs with names as categories, so that hundreds of competitions are quickly made of them."""
    return runs[KEY].astype({"method": "category", "dataset": "category"})


def improvements(judgement: Judgement, method: str = "") -> Improvements:
    """Find, for each method and aspect, the smallest improvement that gains a place; `method`: for this one alone.

    All else stays. The property of a noisy dataset follows from accuracy and is not moved alone. In a large
    competition only the smallest improvements of each method and aspect are tried, as each scores all runs again.
    """
    screened, judge = judgement.screened, judgement.rules.judge
    values, plan = arrange(screened, judge)
    possible = list_improvements(judgement)
    if method:
        possible = possible[possible["m"] == screened.methods.index(method)]
    tried = _smallest(possible, MOST_VALUES // values.size)
    short = max(judge.repetitions - values.shape[-1], 0)
    values = np.pad(values, [(0, 0)] * 3 + [(0, short)], constant_values=np.nan)
    cells = tried[["a", "d", "m", "target"]].itertuples(index=False, name=None)
    tried = tried.assign(
        rank=places(judgement.steps.final)[tried["m"]],
        new_rank=np.array([place_after(values, plan, judge, *cell) for cell in cells], dtype=int),
    )
    gains = tried[tried["new_rank"] < tried["rank"]]
    table = gains.assign(
        method=np.array(screened.methods, dtype=object)[gains["m"]],
        aspect=np.array(list(judge.aspects), dtype=object)[gains["a"]],
        dataset=np.array(screened.datasets, dtype=object)[gains["d"]],
        improvement=(gains["target"] - gains["value"]).abs(),
    )
    columns = ["method", "aspect", "dataset", "value", "target", "improvement", "rank", "new_rank"]
    order = ["rank", "method", "aspect", "improvement", "dataset"]
    table = table[columns].sort_values(order).drop_duplicates(["method", "aspect"])
    return Improvements(table.reset_index(drop=True), len(possible), len(tried))


def place_after(
    values: Array,
    plan: ScoringPlan,
    judge: Judge,
    aspect: int,
    dataset: int,
    method: int,
    target: float,
) -> int:
    """Place of a method if its value in one aspect on one dataset were the target.

    Parameters
    ----------
    values : array, aspects x datasets x methods x repetitions
        At least the expected repetitions; NaN = no usable run.
    """
    changed, runs = values.copy(), np.ones(values.shape[-1], dtype=bool)
    if judge.rank_per == "repetition":  # only repetitions that exist are ranked
        runs = np.isfinite(values[:, dataset]).any(axis=(0, 1))
    changed[aspect, dataset, method] = np.where(runs, target, np.nan)
    return int(places(score(changed, plan, judge).final)[method])


def list_improvements(judgement: Judgement) -> pd.DataFrame:
    """List all improvements: positions of aspect `a`, dataset `d` and method `m`, the present `value` and a `target`.

    A target is a better value that another method has, or a step beyond it.
    """
    plan, rounded, judge = judgement.plan, judgement.steps.rounded, judgement.rules.judge
    behind = places(judgement.steps.final) > 1
    parts = [np.empty((5, 0))]
    for a, aspect in enumerate(judge.aspects.values()):
        for d in np.flatnonzero(plan.scored & ~((plan.reference >= 0) & (a == plan.prop))):
            sign, row = plan.sign[a, d], rounded[a, d]
            seen = np.unique(row[np.isfinite(row)] * sign)
            beyond = seen + _step(judgement, aspect, int(d))
            # a step that ends on another's value, but for the last digits, is that value
            new = ~np.isclose(beyond[:, None], seen, rtol=1e-9, atol=1e-9).any(axis=1)
            targets = np.unique(np.concatenate([seen, np.round(beyond[new], 12)]))
            better = (targets > row[:, None] * sign) & (targets <= _best(aspect, sign))
            m, which = np.nonzero(better & (np.isfinite(row) & behind)[:, None])
            positions = [np.full(len(m), a), np.full(len(m), d), m]
            parts.append(np.vstack([*positions, row[m], targets[which] * sign]))
    table = pd.DataFrame(np.hstack(parts).T, columns=["a", "d", "m", "value", "target"])
    return table.astype(dict.fromkeys("adm", np.int32))


def _step(judgement: Judgement, aspect: Aspect, dataset: int) -> float:
    """Smallest difference of an aspect's values that counts: of a whole number, that of one run."""
    judge, screened = judgement.rules.judge, judgement.screened
    digits = aspect.digits
    problem = screened.problems[screened.datasets[dataset]]
    shares = problem.property == "solution" and judge.properties.solution == "frequency"
    runs = 1
    if aspect.round == "before":
        runs = judge.repetitions
    elif digits is None and (aspect.from_ in SIZES or (aspect.from_ == "property" and shares)):
        runs, digits = judge.repetitions, 0
    return 10.0 ** -(3 if digits is None else digits) / runs


def _best(aspect: Aspect, sign: float) -> float:
    """Best possible value, its sign turned where lower is better; infinite where there is no limit."""
    if aspect.transform == "neg_log":
        return 0.0
    metric = METRICS.get("r2_test" if aspect.from_ == "property" else aspect.from_)
    if metric is None or np.isnan(metric.best) or (sign > 0) != (metric.direction == "higher"):
        return np.inf
    return sign * metric.best


def _smallest(possible: pd.DataFrame, most: int) -> pd.DataFrame:
    """Keep about so many, the smallest improvements of each method and aspect."""
    if len(possible) <= most:
        return possible
    pairs = (possible["target"] - possible["value"]).abs().groupby([possible["a"], possible["m"]])
    return possible[pairs.rank(method="first") <= most // pairs.ngroups]


def describe_gains(table: pd.DataFrame) -> list[str]:
    """Say for each method in `Improvements.table` what would gain it a place, aspect by aspect."""
    sentences = []
    for method, part in table.groupby("method", sort=False):
        ways = []
        for row in part.itertuples():
            value, target = float(row.value), float(row.target)  # pyright: ignore
            digits = next((n for n in range(4, 12) if f"{target:.{n}g}" != f"{value:.{n}g}"), 12)
            # what is written suffices: no digit is rounded to the side of the present value
            toward = [ROUND_FLOOR, ROUND_CEILING][target > value]
            target = float(Context(digits, toward).create_decimal(f"{target:.12g}"))
            values = f"{target:.{digits}g} instead of {value:.{digits}g}"
            ways.append(f"{row.aspect} {values} on {row.dataset} (place {row.new_rank})")
        place = part["rank"].iloc[0]
        sentences.append(f"{method}, place {place}, would gain with {' or '.join(ways)}.")
    return sentences
