"""Small tables of measures."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare
from srlib.comparing.metrics import problem_of


def benchmark_of(
    values: Any,
    datasets: Iterable[str] | None = None,
    sources: Iterable[str] | None = None,
    aspect: str = "r2_test",
) -> Benchmark:
    """Benchmark of an array, datasets x methods (m0, m1, ...) or datasets x methods x repetitions; NaN = missing."""
    array = np.asarray(values, float)
    array = array if array.ndim == 3 else array[:, :, None]
    names = list(datasets) if datasets is not None else [f"d{i:03}" for i in range(len(array))]
    units = list(sources) if sources is not None else [""] * len(names)
    units = [source or problem_of(name) for source, name in zip(units, names, strict=True)]
    dataset, method, repetition = np.indices(array.shape).reshape(3, -1)
    table = pd.DataFrame(
        {
            "method": [f"m{i}" for i in method],
            "dataset": np.array(names)[dataset],
            "repetition": repetition,
            "aspect": aspect,
            "value": array.ravel(),
            "group": "",
            "source": np.array(units)[dataset],
        }
    )
    return Benchmark(table)


def comparison_of(values: pd.DataFrame, aspect: str = "score") -> Comparison:
    """Compare datasets x methods; each dataset is a unit."""
    benchmark = benchmark_of(values, aspect=aspect)
    names = {f"m{i}": str(name) for i, name in enumerate(values)}
    measures = benchmark.measures.assign(method=benchmark.measures["method"].map(names))
    return compare(replace(benchmark, measures=measures), aspect)
