"""From judged assessments to measures: one value a run and aspect, as a table and as the scorer's array."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.errors import InputError
from srlib.judging.design import Array, Design
from srlib.judging.properties import SCORERS
from srlib.judging.screening import Screened
from srlib.judging.values import significant
from srlib.rules import Aspect, Judge


def measured(screened: Screened, judge: Judge) -> pd.DataFrame:
    """Measure every usable run in every aspect.

    Returns
    -------
    pandas.DataFrame
        Columns of the measures contract; `value` is transformed and, if the rules round before aggregating,
        rounded; NaN where the property is not defined for a run. `group` is the problem's family.
    """
    runs = screened.usable
    parts = []
    for name, aspect in judge.aspects.items():
        value = _property(screened, judge) if aspect.from_ == "property" else _taken(runs, aspect)
        part = runs[["method", "dataset", "repetition"]].assign(aspect=name, value=value)
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    families = {name: problem.family for name, problem in screened.problems.items()}
    return table.assign(group=table["dataset"].map(families).astype("str"))


def _taken(runs: pd.DataFrame, aspect: Aspect) -> NDArray[np.float64]:
    value = runs[aspect.from_].to_numpy(dtype=float, na_value=np.nan)
    if aspect.transform == "neg_log":
        with np.errstate(divide="ignore", invalid="ignore"):
            value = -np.log(value) / np.log(aspect.base or np.e)
    return (
        value if aspect.digits is None or aspect.round == "after" else np.round(significant(value), aspect.digits) + 0.0
    )


def _property(screened: Screened, judge: Judge) -> NDArray[np.float64]:
    runs = screened.usable
    result = np.full(len(runs), np.nan)
    for dataset, positions in runs.groupby("dataset", sort=True).indices.items():
        problem = screened.problems.get(str(dataset))
        if problem is not None and problem.property is not None:
            scorer, _ = SCORERS[problem.property, getattr(judge.properties, problem.property)]
            result[positions] = scorer(runs.iloc[positions], problem)
    return result


def tensor(table: pd.DataFrame, screened: Screened, judge: Judge) -> tuple[Array, Design]:
    """Arrange measures as the scorer wants them.

    Parameters
    ----------
    table : pandas.DataFrame
        What `measured` returns; the order of its rows does not matter.

    Returns
    -------
    values : array, aspects x datasets x methods x repetitions
        NaN where there is no usable run. Ranked per repetition, equal repetitions of a dataset share a place
        on the last axis; else a cell's runs stand there one after the other.
    design : Design
        Directions, rounding and references.
    """
    aspects = list(judge.aspects)
    labels = {"aspect": aspects, "dataset": screened.datasets, "method": screened.methods}
    places = [pd.Index(names).get_indexer(pd.Index(table[column])) for column, names in labels.items()]
    inside = np.logical_and.reduce([place >= 0 for place in places])
    aspect, dataset, method = (place[inside] for place in places)
    group = aspect * len(screened.datasets) + dataset
    if judge.rank_per == "aggregate":
        group = group * len(screened.methods) + method
    slot = _slots(group, table["repetition"].to_numpy()[inside])
    values = np.full((*(len(names) for names in labels.values()), slot.max(initial=0) + 1), np.nan)
    values[aspect, dataset, method, slot] = table["value"].to_numpy()[inside]
    return values, _design(screened, judge, aspects)


def _slots(group: NDArray[np.int_], repetition: NDArray[np.int64]) -> NDArray[np.int_]:
    """Give the repetitions of each group places from 0; seeds may differ between methods and datasets."""
    order = np.lexsort((repetition, group))
    first = np.diff(group[order], prepend=-1) != 0
    step = np.cumsum(first | (np.diff(repetition[order], prepend=0) != 0))
    slot = np.empty_like(step)
    slot[order] = step - step[first][np.cumsum(first) - 1]
    return slot


def _design(screened: Screened, judge: Judge, aspects: list[str]) -> Design:
    position = {name: index for index, name in enumerate(screened.datasets)}
    prop = next((i for i, name in enumerate(aspects) if judge.aspects[name].from_ == "property"), -1)
    accuracy = next((i for i, name in enumerate(aspects) if judge.aspects[name].from_ == "r2_test"), -1)
    sign = np.ones((len(aspects), len(position)))
    reference = np.full(len(position), -1)
    gap = np.full(len(position), np.nan)
    for i, name in enumerate(aspects):
        sign[i] = -1 if judge.aspects[name].direction == "lower" else 1
    for name, column in position.items():
        problem = screened.problems[name]
        if problem.property is None or prop < 0:
            continue
        chosen = getattr(judge.properties, problem.property)
        sign[prop, column] = -1 if SCORERS[problem.property, chosen][1] == "lower" else 1
        if chosen == "ratio" and problem.noise_reference in position:
            if accuracy < 0:
                raise InputError("judge.aspects: noise sensitivity needs an aspect from r2_test, got none")
            base = screened.problems[problem.noise_reference]
            reference[column] = position[problem.noise_reference]
            gap[column] = abs((problem.noise_level or 0.0) - (base.noise_level or 0.0))
    digits = tuple(a.digits if a.round == "after" else None for a in judge.aspects.values())
    scored = np.array([name in screened.scored for name in screened.datasets])
    return Design(sign, digits, accuracy, prop, scored, reference, gap)
