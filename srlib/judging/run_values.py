"""From usable runs to one value a run and aspect: as a table, and as the scorer's array and plan."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.metrics import METRICS, metric_of
from srlib.errors import InputError
from srlib.judging.properties import READS, SCORERS
from srlib.judging.screening import Screened
from srlib.judging.values import Array, ScoringPlan, round_significant
from srlib.rules import Aspect, Judge

KEY = ["method", "dataset", "repetition"]


def measures_table(screened: Screened, judge: Judge) -> pd.DataFrame:
    """Table of the usable runs' values, one row a run and aspect.

    Returns
    -------
    pandas.DataFrame
        Columns of the measures contract; `value` is transformed and, if the rules round before aggregating,
        rounded; NaN where the property is not defined for a run. `group` is the problem's family.

    Raises
    ------
    InputError
        When an aspect is taken from a column that the runs do not have.
    """
    keys = screened.usable[KEY]
    families = {name: problem.family for name, problem in screened.problems.items()}
    keys = keys.assign(group=keys["dataset"].map(families).astype("str"))
    parts = [
        keys.assign(aspect=aspect, value=values)
        for aspect, values in zip(judge.aspects, measure_aspects(screened, judge), strict=True)
    ]
    return pd.concat(parts, ignore_index=True)[[*KEY, "aspect", "value", "group"]]


def measure_aspects(screened: Screened, judge: Judge) -> Array:
    """Measure every usable run in every aspect: array, aspects x rows of `usable`; see `measures_table`."""
    return np.array(
        [
            _property_values(screened, judge)
            if aspect.from_ == "property"
            else _column_values(screened.usable, name, aspect)
            for name, aspect in judge.aspects.items()
        ]
    )


def _column_values(runs: pd.DataFrame, name: str, aspect: Aspect) -> Array:
    """Values of an aspect that stand in a column of the runs."""
    if runs.empty:  # the judgement says that nothing can be scored
        return np.zeros(0)
    values = _numbers(runs[aspect.from_]) if aspect.from_ in runs else None
    if values is None:
        fault = "no numbers in it" if aspect.from_ in runs else "no such column"
        numeric = sorted(str(column) for column in runs if _numbers(runs[column]) is not None)
        raise InputError(
            f"judge.aspects.{name}: from is {aspect.from_!r}, and the runs have {fault}; "
            f"columns of numbers are {', '.join(numeric)}"
        )
    return transform(values, aspect)


def transform(values: Array, aspect: Aspect) -> Array:
    """Values of runs as an aspect takes them: their logarithm where it says so, rounded where runs are."""
    if aspect.transform == "neg_log":
        with np.errstate(divide="ignore", invalid="ignore"):
            values = -np.log(values) / np.log(aspect.base or np.e)
    if aspect.digits is None or aspect.round == "after":
        return values
    return np.round(round_significant(values), aspect.digits) + 0.0


def _numbers(column: pd.Series) -> Array | None:
    """Numbers of a column, also where a CSV file holds them as text; None where anything else stands there."""
    if not pd.api.types.is_numeric_dtype(column):
        numbers = pd.to_numeric(column, errors="coerce")
        if numbers.isna().all() or (numbers.isna() & column.notna()).any():
            return None
        column = numbers
    return column.to_numpy(dtype=float, na_value=np.nan)


def _property_values(screened: Screened, judge: Judge) -> Array:
    """Score each dataset's runs by its property; NaN on datasets without one."""
    runs = screened.usable[[name for name in READS if name in screened.usable]]
    values = np.full(len(runs), np.nan)
    dataset, _ = screened.places
    for position, name in enumerate(screened.datasets):
        problem = screened.problems[name]
        if problem.property is not None:
            rows = np.flatnonzero(dataset == position)
            scorer, *_ = SCORERS[problem.property, getattr(judge.properties, problem.property)]
            values[rows] = scorer(runs.iloc[rows], problem)
    return values


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
        NaN where there is no usable run. Ranked per repetition, equal repetitions of a dataset share a position
        on the last axis; else a cell's runs stand there one after the other.
    plan : ScoringPlan
        Directions, rounding and references.

    Raises
    ------
    InputError
        When a property needs an aspect that the rules do not have.
    """
    if measured is None:
        measured = measure_aspects(screened, judge)
    dataset, method = screened.places
    ranked = (dataset >= 0) & (method >= 0)
    cell = (dataset * len(screened.methods) + method)[ranked]
    sharing = cell if judge.rank_per == "aggregate" else dataset[ranked]
    repetitions = screened.usable["repetition"].to_numpy()[ranked]
    position = repetition_positions(sharing, repetitions, judge.repetitions)
    width = int(position.max(initial=0)) + 1
    values = np.full(
        (len(judge.aspects), len(screened.datasets), len(screened.methods), width), np.nan
    )
    values[:, dataset[ranked], method[ranked], position] = measured[:, ranked]
    return values, scoring_plan(screened, judge)


def repetition_positions(
    groups: NDArray[np.int_], repetitions: NDArray[Any], expected: int
) -> NDArray[np.int_]:
    """Position of each run on the repetition axis, from 0.

    Where no more repetitions exist than are expected, each has the same position everywhere. Else seeds differ
    between methods or datasets, and the repetitions of each group are numbered.

    Examples
    --------
    >>> repetition_positions(np.array([0, 0, 1, 1]), np.array([7, 9, 3, 9]), expected=2).tolist()
    [0, 1, 0, 1]
    """
    codes, distinct = pd.factorize(repetitions, sort=True)
    if len(distinct) <= expected:
        return codes
    return pd.Series(codes).groupby(groups).rank(method="dense").to_numpy(int) - 1


def scoring_plan(screened: Screened, judge: Judge) -> ScoringPlan:
    """Directions, rounding and references of the datasets under the rules.

    Raises
    ------
    InputError
        When a noise sensitivity needs an accuracy, and no aspect is one.
    """
    sources = [aspect.from_ for aspect in judge.aspects.values()]
    accuracy, prop = (
        sources.index(name) if name in sources else -1 for name in ("r2_test", "property")
    )
    problems = [screened.problems[name] for name in screened.datasets]
    position = {name: index for index, name in enumerate(screened.datasets)}
    reference = np.full(len(problems), -1)
    gap = np.full(len(problems), np.nan)
    sign = np.ones((len(judge.aspects), len(problems)))
    floor = np.full(sign.shape, np.nan)
    for row, aspect in enumerate(judge.aspects.values()):
        sign[row] = -1 if aspect.direction == "lower" else 1
        floor[row] = np.nan if aspect.transform else metric_of(aspect.from_).floor
    for column, problem in enumerate(problems):
        if problem.property is None or prop < 0:
            continue
        chosen = getattr(judge.properties, problem.property)
        _, direction, floor[prop, column] = SCORERS[problem.property, chosen]
        sign[prop, column] = -1 if direction == "lower" else 1
        if chosen == "ratio" and problem.noise_reference in position:
            if accuracy < 0:
                raise InputError(
                    "judge.aspects: noise sensitivity needs an aspect from r2_test, got none"
                )
            clean = screened.problems[problem.noise_reference]
            reference[column] = position[problem.noise_reference]
            gap[column] = abs((problem.noise_level or 0.0) - (clean.noise_level or 0.0))
    return ScoringPlan(
        sign=sign,
        digits=tuple(a.digits if a.round == "after" else None for a in judge.aspects.values()),
        accuracy=accuracy,
        prop=prop,
        scored=np.array([name in screened.scored for name in screened.datasets]),
        reference=reference,
        gap=gap,
        floor=floor,
        best=METRICS["r2_test"].best,
        extra=np.maximum(screened.attempted - judge.repetitions, 0),
        weight=np.array([problem.weight for problem in problems]),
    )
