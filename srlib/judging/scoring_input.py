"""The values and the plan that the scorer reads, made from screened runs, also without a part of the competition."""

from dataclasses import dataclass, replace
from typing import Literal, Self

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


@dataclass(frozen=True)
class ScoringInput:
    """All that the scorer reads besides the rules, and the runs behind it.

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
    stated_runs : array of int, datasets
        Number of runs that the problems and rules expect of a method; `plan.expected` is larger where more were made.
    runs : pandas.DataFrame
        A row for each run that was made: `method`, `dataset`, `repetition`, whether it `is_usable`, and the `property`
        that its dataset tests: 'none' if it tests none, empty if it is not scored.
    run_values : array, aspects x usable runs
        Values in the order of the runs, from `measure_aspects`.
    rank_per : str
        Switch of the rules by which the repetitions are numbered.
    """

    values: Array
    plan: ScoringPlan
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    stated_runs: NDArray[np.int_]
    runs: pd.DataFrame
    run_values: Array
    rank_per: str

    def score(self, judge_rules: JudgeRules) -> ScoreSteps:
        """Return every step from the values to the scores."""
        return score(self.values, self.plan, judge_rules)

    def parts(self, kind: Kind) -> list[str]:
        """Return the names of the parts of a kind that have a run on a scored dataset."""
        names = self.runs.loc[self.runs["property"] != "", kind].unique()
        return [str(name) for name in sorted(names)]

    def without(self, kind: Kind, *names: str) -> Self:
        """Return the input as if the runs of some parts of one kind had not been made.

        Methods without a run on a scored dataset and datasets without any run are left out, too. Without a repetition,
        one run fewer is expected on the datasets that have it, but at least one.

        Parameters
        ----------
        kind : {'dataset', 'property', 'method', 'repetition'}
            Kind of the parts.
        *names : str
            Some of `parts(kind)`.
        """
        all_runs, plan, datasets = self.runs, self.plan, pd.Index(self.datasets)
        is_kept = ~all_runs[kind].astype("str").isin(names)
        stated_runs = self.stated_runs
        if kind == "repetition":
            stated_runs = np.maximum(stated_runs - datasets.isin(all_runs["dataset"][~is_kept]), 1)
        positions = np.flatnonzero(datasets.isin(all_runs["dataset"][is_kept]))
        methods = all_runs["method"][is_kept & (all_runs["property"] != "")].unique()
        is_kept &= all_runs["method"].isin(methods)
        reference = plan.reference[positions]
        has_reference = np.isin(reference, positions)
        plan = replace(
            plan,
            sign=plan.sign[:, positions],
            scored=plan.scored[positions],
            reference=np.where(has_reference, np.searchsorted(positions, reference), -1),
            gap=np.where(has_reference, plan.gap[positions], np.nan),
            floor=plan.floor[:, positions],
            weight=plan.weight[positions],
        )
        reduced = replace(
            self,
            plan=plan,
            methods=tuple(sorted(methods)),
            datasets=tuple(datasets[positions]),
            stated_runs=stated_runs[positions],
            runs=all_runs[is_kept],
            run_values=self.run_values[:, is_kept[all_runs["is_usable"]]],
        )
        return reduced._arrange()

    def _arrange(self) -> Self:
        """Return the input with the array and the expected numbers of runs that follow from its runs."""
        runs, is_usable = self.runs, self.runs["is_usable"].to_numpy()
        dataset = pd.Index(self.datasets).get_indexer(pd.Index(runs["dataset"]))
        method = pd.Index(self.methods).get_indexer(pd.Index(runs["method"]))
        counts = np.zeros((len(self.datasets), len(self.methods)), dtype=int)
        np.add.at(counts, (dataset, method), 1)
        plan = replace(self.plan, expected=np.maximum(counts, self.stated_runs[:, None]))
        number, repetitions = pd.factorize(runs["repetition"][is_usable], sort=True)
        if np.ptp(self.stated_runs) > 0 or len(repetitions) > self.stated_runs.max():
            numbered_within = {"repetition": ["dataset"]}.get(self.rank_per, ["dataset", "method"])
            groups = runs[is_usable].groupby(numbered_within)["repetition"]
            number = groups.rank("dense").to_numpy(int) - 1
        shape = (len(self.run_values), *counts.shape, int(number.max(initial=0)) + 1)
        values = np.full(shape, np.nan)
        values[:, dataset[is_usable], method[is_usable], number] = self.run_values
        return replace(self, values=values, plan=plan)


def arrange(screened: Screened, judge_rules: JudgeRules) -> ScoringInput:
    """Return what the scorer reads of screened runs.

    Raises
    ------
    InputError
        When a property needs an aspect that the rules do not have, or an aspect's column is absent or has no numbers.
    """
    properties = dict.fromkeys(screened.datasets, "")
    properties |= {name: screened.problems[name].property or "none" for name in screened.scored}
    runs = screened.attempts[screened.is_judged(screened.attempts)]
    run_values = measure_aspects(screened, judge_rules)
    stated_runs = np.array([screened.expected[name] for name in screened.datasets])
    return ScoringInput(
        values=np.empty(0),
        plan=_make_plan(screened, judge_rules, stated_runs),
        methods=screened.methods,
        datasets=screened.datasets,
        stated_runs=stated_runs,
        runs=runs.assign(property=runs["dataset"].map(properties)),
        run_values=run_values[:, screened.is_judged(screened.usable)],
        rank_per=judge_rules.rank_per,
    )._arrange()


def _make_plan(
    screened: Screened, judge_rules: JudgeRules, stated_runs: NDArray[np.int_]
) -> ScoringPlan:
    """Return directions, rounding and references of screened runs, and as many expected runs as are stated."""
    aspects, datasets = list(judge_rules.aspects.values()), screened.datasets
    problems = [screened.problems[name] for name in datasets]
    sources = [aspect.from_ for aspect in aspects]
    accuracy, prop = (
        sources.index(name) if name in sources else -1 for name in ("r2_test", "property")
    )
    signs = [-1.0 if aspect.direction == "lower" else 1.0 for aspect in aspects]
    floors = [
        np.nan if aspect.transform else metric_of(aspect.from_, aspect.direction).floor
        for aspect in aspects
    ]
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
        expected=stated_runs[:, None],
        weight=np.array([problem.weight for problem in problems]),
    )
