"""The values and the plan that the scorer reads, made from screened runs, also without a part of the competition."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.errors import InputError
from srlib.judging.properties import PROPERTY_SCORES, measure_aspects
from srlib.judging.scoring import Array, ScoreSteps, ScoringPlan, score
from srlib.judging.screening import Screened
from srlib.metrics import METRICS, metric_of
from srlib.rules import JudgeRules

Kind = Literal["dataset", "property", "method", "repetition"]
NO_PROPERTY = "none"


@dataclass(frozen=True)
class ScoringInput:
    """All that the scorer reads besides the rules, and the names of the parts of the competition.

    Parameters
    ----------
    values : array, aspects x datasets x methods x repetitions
        NaN if there is no usable run. A repetition has the same position everywhere if all datasets expect the same
        number of repetitions and no more exist. Otherwise repetitions are numbered within each dataset if the rules
        rank per repetition, else within each cell.
    plan : ScoringPlan
        Directions, rounding and references.
    methods, datasets : tuple of str
        Names on the axes of the values.
    properties : tuple of str
        The property that each dataset tests, 'none' if it tests none; empty for a dataset that is not scored.
    stated : array of int, datasets
        Number of runs that the problems and rules expect of a method; `plan.expected` is larger where more were made.
    runs : pandas.DataFrame
        A row for each run that was made: positions of its `dataset` and `method`, the number of its `repetition`, and
        its `position` on the last axis of the values, -1 if it is not usable.
    rank_per : str
        Switch of the rules by which the repetitions were numbered.
    """

    values: Array
    plan: ScoringPlan
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    properties: tuple[str, ...]
    stated: NDArray[np.int_]
    runs: pd.DataFrame
    rank_per: str

    def score(self, judge_rules: JudgeRules) -> ScoreSteps:
        """Return every step from the values to the scores."""
        return score(self.values, self.plan, judge_rules)

    def parts(self, kind: Kind) -> list[str]:
        """Return the names of the parts of a kind that have a run on a scored dataset."""
        runs = self.runs[self.plan.scored[self.runs["dataset"]]]
        if kind == "repetition":
            return [str(number) for number in sorted(runs["repetition"].unique())]
        return sorted(set(self._parts_of(runs, kind).tolist()))

    def without(self, kind: Kind, name: str) -> Self:
        """Return the input as if the runs of one part had not been made.

        Methods without a run on a scored dataset and datasets without any run are left out, too. Without a repetition,
        one run fewer is expected on the datasets that have it, but at least one.

        Parameters
        ----------
        kind : {'dataset', 'property', 'method', 'repetition'}
            Kind of the part.
        name : str
            One of `parts(kind)`.
        """
        is_removed = self._parts_of(self.runs, kind) == name
        runs, plan, stated = self.runs[~is_removed], self.plan, self.stated.copy()
        if kind == "repetition":
            shorter = self.runs["dataset"][is_removed].unique()
            stated[shorter] = np.maximum(stated[shorter] - 1, 1)
        datasets = np.unique(runs["dataset"])
        methods = np.unique(runs["method"][plan.scored[runs["dataset"]]])
        runs = runs[runs["method"].isin(methods)]
        usable = runs[runs["position"] >= 0]
        run_values = self.values[:, usable["dataset"], usable["method"], usable["position"]]
        runs = runs.assign(
            dataset=np.searchsorted(datasets, runs["dataset"]),
            method=np.searchsorted(methods, runs["method"]),
        )
        stated, reference = stated[datasets], plan.reference[datasets]
        has_reference = np.isin(reference, datasets)
        values, runs = _arrange_runs(runs, run_values, stated, len(methods), self.rank_per)
        return replace(
            self,
            values=values,
            plan=replace(
                plan,
                sign=plan.sign[:, datasets],
                scored=plan.scored[datasets],
                reference=np.where(has_reference, np.searchsorted(datasets, reference), -1),
                gap=np.where(has_reference, plan.gap[datasets], np.nan),
                floor=plan.floor[:, datasets],
                expected=_count_expected(runs, stated, len(methods)),
                weight=plan.weight[datasets],
            ),
            methods=tuple(self.methods[i] for i in methods),
            datasets=tuple(self.datasets[i] for i in datasets),
            properties=tuple(self.properties[i] for i in datasets),
            stated=stated,
            runs=runs,
        )

    def _parts_of(self, runs: pd.DataFrame, kind: Kind) -> NDArray[Any]:
        """Return for each run the name of the part of this kind that it belongs to."""
        if kind == "repetition":
            return runs["repetition"].to_numpy().astype("str")
        names = {"dataset": self.datasets, "property": self.properties, "method": self.methods}
        return np.array(names[kind], dtype=object)[
            runs["method" if kind == "method" else "dataset"]
        ]


def arrange(
    screened: Screened, judge_rules: JudgeRules, run_values: Array | None = None
) -> ScoringInput:
    """Return what the scorer reads of screened runs.

    Parameters
    ----------
    run_values : array, aspects x usable runs, optional
        Result of `measure_aspects`; None: it is computed here.

    Raises
    ------
    InputError
        When a property needs an aspect that the rules do not have.
    """
    if run_values is None:
        run_values = measure_aspects(screened, judge_rules)
    is_judged, dataset, method = screened.cells_of(screened.attempts)
    attempts = screened.attempts[is_judged]
    runs = pd.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "repetition": attempts["repetition"].to_numpy(),
            "position": np.where(attempts["is_usable"], 0, -1),
        }
    )
    run_values = run_values[:, screened.cells_of(screened.usable)[0]]
    stated = np.array([screened.expected[name] for name in screened.datasets])
    n_methods, rank_per = len(screened.methods), judge_rules.rank_per
    values, runs = _arrange_runs(runs, run_values, stated, n_methods, rank_per)
    return ScoringInput(
        values=values,
        plan=_make_plan(screened, judge_rules, _count_expected(runs, stated, n_methods)),
        methods=screened.methods,
        datasets=screened.datasets,
        properties=tuple(
            (screened.problems[name].property or NO_PROPERTY) if name in screened.scored else ""
            for name in screened.datasets
        ),
        stated=stated,
        runs=runs,
        rank_per=rank_per,
    )


def _arrange_runs(
    runs: pd.DataFrame,
    run_values: Array,
    stated: NDArray[np.int_],
    n_methods: int,
    rank_per: str,
) -> tuple[Array, pd.DataFrame]:
    """Return the values of usable runs as in `ScoringInput.values`, and all runs with their new positions.

    Parameters
    ----------
    runs : pandas.DataFrame
        As in `ScoringInput`; of `position` only the sign is read.
    run_values : array, aspects x usable runs
        Values in the order of the runs.
    stated, rank_per
        As in `ScoringInput`.
    """
    is_usable = (runs["position"] >= 0).to_numpy()
    usable = runs[is_usable]
    number, repetitions = pd.factorize(usable["repetition"], sort=True)
    if np.ptp(stated) > 0 or len(repetitions) > stated.max():
        within = ["dataset"] if rank_per == "repetition" else ["dataset", "method"]
        number = usable.groupby(within)["repetition"].rank("dense").to_numpy(int) - 1
    n_repetitions = int(number.max(initial=0)) + 1
    values = np.full((len(run_values), len(stated), n_methods, n_repetitions), np.nan)
    values[:, usable["dataset"], usable["method"], number] = run_values
    position = np.full(len(runs), -1)
    position[is_usable] = number
    return values, runs.assign(position=position)


def _count_expected(
    runs: pd.DataFrame, stated: NDArray[np.int_], n_methods: int
) -> NDArray[np.int_]:
    """Return the number of runs that each cell should have: as many as are expected, or as were made if more."""
    counts = np.zeros((len(stated), n_methods), dtype=int)
    np.add.at(counts, (runs["dataset"], runs["method"]), 1)
    return np.maximum(counts, stated[:, None])


def _make_plan(
    screened: Screened, judge_rules: JudgeRules, expected: NDArray[np.int_]
) -> ScoringPlan:
    """Return directions, rounding and references of screened runs."""
    aspects, datasets = list(judge_rules.aspects.values()), screened.datasets
    problems = [screened.problems[name] for name in datasets]
    sources = [aspect.from_ for aspect in aspects]
    accuracy, prop = (
        sources.index(name) if name in sources else -1 for name in ("r2_test", "property")
    )
    signs = [-1.0 if aspect.direction == "lower" else 1.0 for aspect in aspects]
    floors = [np.nan if aspect.transform else metric_of(aspect.from_).floor for aspect in aspects]
    sign, floor = (np.outer(column, np.ones(len(datasets))) for column in (signs, floors))
    reference, gap = np.full(len(datasets), -1), np.full(len(datasets), np.nan)
    for index, problem in enumerate(problems):
        if problem.property is None or prop < 0:
            continue
        score_name = getattr(judge_rules.properties, problem.property)
        property_score = PROPERTY_SCORES[problem.property, score_name]
        sign[prop, index] = -1 if property_score.direction == "lower" else 1
        floor[prop, index] = property_score.floor
        if score_name == "ratio" and problem.noise_reference in datasets:
            if accuracy < 0:
                raise InputError(
                    "judge.aspects: noise sensitivity needs an aspect from r2_test, got none"
                )
            reference[index] = datasets.index(problem.noise_reference)
            clean_level = problems[reference[index]].noise_level or 0.0
            gap[index] = abs((problem.noise_level or 0.0) - clean_level)
    return ScoringPlan(
        sign=sign,
        digits=tuple(aspect.digits if aspect.round == "after" else None for aspect in aspects),
        accuracy=accuracy,
        prop=prop,
        scored=np.array([name in screened.scored for name in datasets]),
        reference=reference,
        gap=gap,
        floor=floor,
        best=METRICS["r2_test"].best,
        expected=expected,
        weight=np.array([problem.weight for problem in problems]),
    )
