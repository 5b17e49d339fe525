"""Small tables of measures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare_methods
from srlib.metrics import problem_of


def benchmark_of(
    values: Any,
    datasets: Sequence[str] = (),
    sources: Sequence[str] = (),
    aspect: str = "r2_test",
) -> Benchmark:
    """Benchmark of an array, datasets x methods (m0, m1, ...) or datasets x methods x repetitions; NaN = missing."""
    array = np.asarray(values, float)
    array = array if array.ndim == 3 else array[:, :, None]
    names = list(datasets) or [f"d{i:03}" for i in range(len(array))]
    units = [source or problem_of(name) for source, name in zip(sources or names, names, strict=True)]  # fmt: skip
    dataset, method, repetition = np.indices(array.shape).reshape(3, -1)
    table = {
        "method": [f"m{i}" for i in method],
        "dataset": np.array(names)[dataset],
        "repetition": repetition,
        "value": array.ravel(),
        "source": np.array(units)[dataset],
    }
    return Benchmark(pd.DataFrame(table).assign(aspect=aspect, group=""))


def comparison_of(values: pd.DataFrame, aspect: str = "score:higher") -> Comparison:
    """Compare datasets x methods; each dataset is a unit."""
    measures = benchmark_of(values, aspect=aspect).measures
    names = {f"m{i}": str(name) for i, name in enumerate(values)}
    return compare_methods(Benchmark(measures.assign(method=measures["method"].map(names))), aspect)
