"""From usable runs to one value a run and aspect, and to the scorer's array and plan."""

import numpy as np
import pandas as pd

from srlib import tables
from srlib.comparing.metrics import METRICS, metric_of
from srlib.errors import InputError
from srlib.judging.properties import READ, SCORERS
from srlib.judging.scoring import Array, ScoringPlan, round_significant
from srlib.judging.screening import Screened
from srlib.rules import Aspect, Judge

KEY = list(tables.KEY)


def measure_aspects(screened: Screened, judge: Judge) -> Array:
    """Measure every usable run in every aspect.

    Returns
    -------
    array, aspects x rows of `usable`
        Transformed and, if the rules round before aggregating, rounded; NaN where the property is not defined for a
        run.

    Raises
    ------
    InputError
        When an aspect is taken from a column that the runs do not have.
    """
    runs, rows = screened.usable, []
    for name, aspect in judge.aspects.items():
        if aspect.from_ == "property":
            values, facts = np.full(len(runs), np.nan), runs.filter(READ)
            for dataset, positions in runs.groupby("dataset").indices.items():
                problem = screened.problems.get(str(dataset))
                if problem is not None and problem.property is not None:
                    scorer, *_ = SCORERS[
                        problem.property, getattr(judge.properties, problem.property)
                    ]
                    values[positions] = scorer(facts.iloc[positions], problem)
            rows.append(values)
            continue
        try:
            numbers = pd.to_numeric(runs[aspect.from_]).to_numpy(float, na_value=np.nan)
        except (KeyError, ValueError, TypeError) as error:
            fault = "no numbers in it" if aspect.from_ in runs else "no such column"
            raise InputError(
                f"judge.aspects.{name}: from is {aspect.from_!r}, and the runs have {fault}; "
                f"columns of numbers are {', '.join(runs.select_dtypes('number').columns)}"
            ) from error
        rows.append(transform(numbers, aspect))
    return np.array(rows)


def transform(values: Array, aspect: Aspect) -> Array:
    """Values of runs as an aspect takes them: their logarithm where it says so, rounded where runs are."""
    if aspect.transform == "neg_log":
        with np.errstate(divide="ignore", invalid="ignore"):
            values = -np.log(values) / np.log(aspect.base or np.e)
    if aspect.digits is None or aspect.round == "after":
        return values
    return np.round(round_significant(values), aspect.digits) + 0.0


def arrange(
    screened: Screened, judge: Judge, measured: Array | None = None
) -> tuple[Array, ScoringPlan]:
    """Arrange the runs' values as the scorer reads them.

    Parameters
    ----------
    measured : array, aspects x usable runs, optional
        What `measure_aspects` returns, where it is known.

    Returns
    -------
    values : array, aspects x datasets x methods x repetitions
        NaN where there is no usable run. Where all datasets expect as many repetitions, and no more exist, each has the
        same position everywhere. Else seeds differ between methods or datasets: ranked per repetition, those of each
        dataset are numbered; otherwise those of each cell.
    plan : ScoringPlan
        Directions, rounding and references.

    Raises
    ------
    InputError
        When a property needs an aspect that the rules do not have.
    """
    if measured is None:
        measured = measure_aspects(screened, judge)
    runs, aspects, datasets = screened.usable, list(judge.aspects.values()), screened.datasets
    ranked, dataset, method = screened.cells_of(runs)
    position, distinct = pd.factorize(runs["repetition"][ranked], sort=True)
    expected = np.array([[screened.expected[name]] for name in datasets])
    numbered = np.ptp(expected) > 0 or len(distinct) > expected.max()
    if numbered:
        sharing = [dataset] if judge.rank_per == "repetition" else [dataset, method]
        position = pd.Series(position).groupby(sharing).rank("dense").to_numpy(int) - 1
    shape = len(aspects), len(datasets), len(screened.methods)
    values = np.full((*shape, int(position.max(initial=0)) + 1), np.nan)
    values[:, dataset, method, position] = measured[:, ranked]

    problems = [screened.problems[name] for name in datasets]
    sources = [aspect.from_ for aspect in aspects]
    accuracy, prop = (
        sources.index(name) if name in sources else -1 for name in ("r2_test", "property")
    )
    each = np.ones(len(problems))  # a row of datasets
    sign = np.array([each * (-1 if aspect.direction == "lower" else 1) for aspect in aspects])
    floors = [np.nan if aspect.transform else metric_of(aspect.from_).floor for aspect in aspects]
    floor, gap = np.outer(floors, each), each * np.nan
    reference = np.full(len(problems), -1)
    for d, problem in enumerate(problems):
        if problem.property is None or prop < 0:
            continue
        chosen = getattr(judge.properties, problem.property)
        _, direction, floor[prop, d] = SCORERS[problem.property, chosen]
        sign[prop, d] = -1 if direction == "lower" else 1
        if chosen == "ratio" and problem.noise_reference in datasets:
            if accuracy < 0:
                raise InputError(
                    "judge.aspects: noise sensitivity needs an aspect from r2_test, got none"
                )
            reference[d] = datasets.index(problem.noise_reference)
            clean = problems[reference[d]]
            gap[d] = abs((problem.noise_level or 0.0) - (clean.noise_level or 0.0))
    plan = ScoringPlan(
        sign=sign,
        digits=tuple(a.digits if a.round == "after" else None for a in aspects),
        accuracy=accuracy,
        prop=prop,
        scored=np.array([name in screened.scored for name in datasets]),
        reference=reference,
        gap=gap,
        floor=floor,
        best=METRICS["r2_test"].best,
        expected=np.maximum(screened.count(screened.attempts), expected),
        numbered=bool(numbered),
        weight=np.array([problem.weight for problem in problems]),
    )
    return values, plan
