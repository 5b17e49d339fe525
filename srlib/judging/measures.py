"""From judged assessments to measures: one value a run and aspect, as a table and as the scorer's array."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.metrics import METRICS, metric_of
from srlib.errors import InputError
from srlib.judging.design import Array, Design
from srlib.judging.properties import READS, SCORERS
from srlib.judging.screening import Screened
from srlib.judging.values import significant
from srlib.rules import Aspect, Judge

KEY = ["method", "dataset", "repetition"]


def measured(screened: Screened, judge: Judge) -> pd.DataFrame:
    """Measure every usable run in every aspect.

    Returns
    -------
    pandas.DataFrame
        Columns of the measures contract, names as categories; `value` is transformed and, if the rules round
        before aggregating, rounded; NaN where the property is not defined for a run. `group` is the problem's
        family.

    Raises
    ------
    InputError
        When an aspect is taken from a column that the runs do not have.
    """
    runs = screened.usable
    names = pd.Categorical(runs["dataset"])
    families = [
        p.family if (p := screened.problems.get(name)) is not None else None
        for name in names.categories
    ]
    keys = runs[KEY].assign(method=runs["method"].astype("category"), dataset=names)
    keys["group"] = pd.Categorical(families).take(names.codes)
    parts = []
    for position, value in enumerate(values_of(screened, judge)):
        which = pd.Categorical.from_codes(
            np.full(len(runs), position), pd.Index(list(judge.aspects))
        )
        parts.append(keys.assign(aspect=which, value=value))
    return pd.concat(parts, ignore_index=True)[[*KEY, "aspect", "value", "group"]]


def values_of(screened: Screened, judge: Judge) -> Array:
    """Measure the usable runs: aspects x rows of `usable`; see `measured`."""
    # kept with the runs, as a cached property is: other rules take most of it from the same columns
    known, rows = vars(screened).setdefault("measured", {}), []
    for name, aspect in judge.aspects.items():
        key = (name, repr(aspect))
        if aspect.from_ == "property":
            key = (repr(judge.properties), judge.quirks)
        if key not in known and aspect.from_ == "property":
            known[key] = _property(screened, judge)
        elif key not in known:
            known[key] = _taken(screened.usable, name, aspect)
        rows.append(known[key])
    return np.array(rows)


def _taken(runs: pd.DataFrame, name: str, aspect: Aspect) -> NDArray[np.float64]:
    value = _numbers(runs[aspect.from_]) if aspect.from_ in runs else None
    if value is None and runs.empty:  # which is said where nothing can be scored
        return np.zeros(0)
    if value is None:
        what = "no numbers in it"
        if aspect.from_ not in runs:
            what = "no such column"
        known = sorted(str(c) for c in runs if _numbers(runs[c].head(99)) is not None)
        raise InputError(
            f"judge.aspects.{name}: from is {aspect.from_!r}, and the runs have {what}; "
            f"columns of numbers are {', '.join(known)}"
        )
    return transformed(value, aspect)


def transformed(value: NDArray[np.float64], aspect: Aspect) -> NDArray[np.float64]:
    """Values of runs as an aspect takes them: their logarithm where it says so, rounded where runs are."""
    if aspect.transform == "neg_log":
        with np.errstate(divide="ignore", invalid="ignore"):
            value = -np.log(value) / np.log(aspect.base or np.e)
    if aspect.digits is None or aspect.round == "after":
        return value
    return np.round(significant(value), aspect.digits) + 0.0


def _numbers(column: pd.Series) -> NDArray[np.float64] | None:
    """Read a column as numbers, of which own columns of CSV files are texts; None where something else stands there."""
    if not pd.api.types.is_numeric_dtype(column):
        found = pd.to_numeric(column, errors="coerce")
        if found.isna().all() or (found.isna() & column.notna()).any():
            return None
        column = found
    return column.to_numpy(dtype=float, na_value=np.nan)


def _property(screened: Screened, judge: Judge) -> NDArray[np.float64]:
    """Score each dataset's runs by its property; text that scorers read is held once, whatever its runs."""
    runs = screened.usable[[name for name in READS if name in screened.usable]]
    runs = runs.astype(
        {name: "category" for name in runs if isinstance(runs[name].dtype, pd.StringDtype)}
    )
    result = np.full(len(runs), np.nan)
    codes, _ = screened.places
    order = np.argsort(codes, kind="stable")
    runs = runs.take(order)
    edges = np.searchsorted(codes[order], np.arange(len(screened.datasets) + 1))
    for name, first, last in zip(screened.datasets, edges[:-1], edges[1:], strict=True):
        problem = screened.problems[name]
        kind = problem.property
        if kind is not None:
            if kind == "relevant_features" and "even_features_irrelevant" in judge.quirks:
                stated = {"relevant": problem.features[::2], "irrelevant": problem.features[1::2]}
                problem = problem.model_copy(update=stated)
            scorer, *_ = SCORERS[kind, getattr(judge.properties, kind)]
            result[order[first:last]] = scorer(runs.iloc[first:last], problem)
    return result


def arranged(screened: Screened, judge: Judge, found: Array | None = None) -> tuple[Array, Design]:
    """Arrange measured values as the scorer wants them.

    Parameters
    ----------
    found : array, aspects x usable runs, optional
        What `values_of` returns, where it is known.

    Returns
    -------
    values : array, aspects x datasets x methods x repetitions
        NaN where there is no usable run. Ranked per repetition, equal repetitions of a dataset share a place
        on the last axis; else a cell's runs stand there one after the other.
    design : Design
        Directions, rounding and references.

    Raises
    ------
    InputError
        When a property needs an aspect that the rules do not have.
    """
    found = values_of(screened, judge) if found is None else found
    cell, group, repetition, inside = _grouped(screened, judge)
    slot = _slots(group, repetition, judge.repetitions)
    width = slot.max(initial=0) + 1
    shape = (len(judge.aspects), len(screened.datasets), len(screened.methods), width)
    values = np.full(shape, np.nan)
    places = cell * shape[-1] + slot
    values.reshape(shape[0], -1)[:, places] = found[:, inside]
    return values, _design(screened, judge, list(judge.aspects))


def _grouped(screened: Screened, judge: Judge) -> tuple[NDArray[Any], ...]:
    """Cell, group and repetition of each usable row that is ranked, and which rows those are."""
    dataset, method = screened.places
    inside = (dataset >= 0) & (method >= 0)
    cell = (dataset * len(screened.methods) + method)[inside]
    group = cell if judge.rank_per == "aggregate" else dataset[inside]
    return cell, group, screened.usable["repetition"].to_numpy()[inside], inside


def _slots(
    group: NDArray[np.int_], repetition: NDArray[np.int64], expected: int
) -> NDArray[np.int_]:
    """Give the repetitions of each group places from 0; seeds may differ between methods and datasets.

    Where the runs know no more repetitions than are expected, each has the same place everywhere.
    """
    codes, unique = pd.factorize(repetition, sort=True)
    if len(unique) <= expected:
        return codes
    order = np.lexsort((codes, group))
    first = np.diff(group[order], prepend=-1) != 0
    step = np.cumsum(first | (np.diff(codes[order], prepend=0) != 0))
    slot = np.empty_like(step)
    slot[order] = step - step[first][np.cumsum(first) - 1]
    return slot


def _design(screened: Screened, judge: Judge, aspects: list[str]) -> Design:
    position = {name: index for index, name in enumerate(screened.datasets)}
    prop = next(
        (i for i, name in enumerate(aspects) if judge.aspects[name].from_ == "property"), -1
    )
    accuracy = next(
        (i for i, name in enumerate(aspects) if judge.aspects[name].from_ == "r2_test"), -1
    )
    sign = np.ones((len(aspects), len(position)))
    reference = np.full(len(position), -1)
    gap = np.full(len(position), np.nan)
    floor = np.full(sign.shape, np.nan)
    for i, name in enumerate(aspects):
        aspect = judge.aspects[name]
        sign[i] = -1 if aspect.direction == "lower" else 1
        floor[i] = metric_of(aspect.from_).floor if aspect.transform is None else np.nan
    for name, column in position.items():
        problem = screened.problems[name]
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
            base = screened.problems[problem.noise_reference]
            reference[column] = position[problem.noise_reference]
            gap[column] = abs((problem.noise_level or 0.0) - (base.noise_level or 0.0))
    digits = tuple(a.digits if a.round == "after" else None for a in judge.aspects.values())
    scored = np.array([name in screened.scored for name in screened.datasets])
    best = METRICS["r2_test"].best
    extra = np.maximum(screened.attempted - judge.repetitions, 0)
    weight = np.array([screened.problems[name].weight for name in screened.datasets])
    return Design(sign, digits, accuracy, prop, scored, reference, gap, floor, best, extra, weight)
