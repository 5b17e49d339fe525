"""Beside the official scorer, too, no method gains by failing: benchmark, profiles, qualification, representatives.

Where the run that fails was the worst that anybody had, and worse than the floor, its absence is worth more than it
was: what it would have been is not in the table (tests/judging/test_floors.py). That case is left out here as well.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.metrics import METRICS
from srlib.comparing.profiles import profile, profile_area

pytestmark = pytest.mark.slow

METHODS, DATASETS, REPETITIONS = ("A", "B", "C"), ("d", "e"), (0, 1, 2)
CELLS = [(m, d, r) for m in METHODS for d in DATASETS for r in REPETITIONS]
R2 = [-2.0, -0.5, 0.0, 0.3, 0.6, 0.9, 1.0]
VALUES = {"r2_test": R2}


def choices(name: str) -> list[float]:
    """Values that a metric can have."""
    metric = METRICS[name]
    if name in VALUES:
        return VALUES[name]
    if metric.direction == "higher":
        return [0.0, 0.25, 1.0]
    return [1.0, 3.0, 8.0]


@st.composite
def failures(draw: st.DrawFn, name: str) -> tuple[dict, tuple]:
    """Draw a value a run, some of them failed (NaN), and a usable run that is to fail."""
    some = st.sampled_from([*choices(name), *choices(name), np.nan])
    values = {cell: draw(some) for cell in CELLS}
    usable = [cell for cell in CELLS if not np.isnan(values[cell])]
    assume(usable)
    gone = draw(st.sampled_from(usable))
    metric = METRICS[name]
    others = [v for cell, v in values.items() if cell[1] == gone[1] and cell != gone]
    worst = metric.sign * np.fmin.reduce(metric.sign * np.array([*others, metric.floor]))
    assume(metric.sign * values[gone] >= metric.sign * worst)
    return values, gone


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"dataset_score"}))
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_failing_never_pays_in_a_benchmark(name, data):
    """A cell gets no better, lost cells are losses in pairs and ranks, profiles rise nowhere."""
    values, gone = data.draw(failures(name))
    sign, tables = 1 if METRICS[name].direction == "higher" else -1, []
    for lost in (None, gone):
        keys = pd.DataFrame(CELLS, columns=["method", "dataset", "repetition"])
        value = [np.nan if cell == lost else v for cell, v in values.items()]
        measures = keys.assign(aspect=name, value=value, group="g")
        found = Benchmark(measures)
        if not found.aspects:
            return
        # who lost its last run anywhere is still compared
        tables.append(found.values(name).reindex(columns=METHODS))
    (method, dataset, _), (before, after) = gone, tables
    if dataset not in after.index or before[method].isna().all():
        return
    old, new = (sign * table.loc[dataset] for table in (before, after))
    if new[method] == new[method]:
        assert new[method] <= old[method] + 1e-9
        for other in set(METHODS) - {method}:
            assert (new[method] > new[other]) <= (old[method] > old[other])
    if sign == 1:
        grid = np.linspace(-1, 1, 9)
        assert (profile(after, grid)[method] <= profile(before, grid)[method]).all()
        assert profile_area(after)[method] <= profile_area(before)[method] + 1e-9
