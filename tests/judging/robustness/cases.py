"""Tiny competitions that a reader can judge by hand."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.judging import Judgement, judge
from srlib.problems import Problems, load_problems
from srlib.rules import Rules, load_rules
from tests.judging.small import DTYPES, row

PROBLEMS = """
schema: 1
name: small
defaults: {track: synthetic, target: y}
problems:
  - {dataset: clean, features: [a], noise_level: 0.0, scored: false}
  - {dataset: noisy, property: noise_sensitivity, features: [a], noise_level: 0.1, noise_reference: clean}
  - {dataset: features, property: relevant_features, features: [a, b, c, d], relevant: [a, b]}
"""
DATASETS = tuple(f"d{i}" for i in range(1, 10))


def problems(folder: Path) -> Problems:
    path = folder / "small.yaml"
    lines = [
        f"  - {{dataset: {name}, property: solution, features: [a], truth: a}}\n"
        for name in DATASETS
    ]
    path.write_text(PROBLEMS + "".join(lines), encoding="utf-8")
    return load_problems(path)


def rules(repetitions: int, **changes: Any) -> Rules:
    found = load_rules("judging-2022")
    return found.model_copy(
        update={"judge": found.judge.model_copy(update={"repetitions": repetitions, **changes})}
    )


def table(accuracies: Mapping[tuple[str, str], Sequence[float]]) -> pd.DataFrame:
    """Runs that differ in accuracy alone: (method, dataset) -> R2 of each repetition."""
    rows = [
        row(m, d, i, r2_test=r2)
        for (m, d), values in accuracies.items()
        for i, r2 in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows).astype(DTYPES)


def judged(
    accuracies: Mapping[tuple[str, str], Sequence[float]], folder: Path, **changes: Any
) -> Judgement:
    repetitions = max(len(values) for values in accuracies.values())
    return judge(table(accuracies), problems(folder), rules(repetitions, **changes))


def varied(folder: Path, seed: int = 0) -> Judgement:
    """Three methods, six datasets of three properties and a reference, three repetitions; some runs are absent."""
    rng, rows = np.random.default_rng(seed), []
    absent = {
        ("B", "d1", 2),
        ("C", "noisy", 3),
        *(("C", "d2", repetition) for repetition in (1, 2, 3)),
    }
    for key in itertools.product(
        "ABC", ("d1", "d2", "d3", "features", "noisy", "clean"), (1, 2, 3)
    ):
        used = rng.choice(['["a"]', '["a", "c"]', '["b", "c", "d"]'])
        more = {
            "complexity_raw": int(rng.integers(3, 90)),
            "features_used": used,
            "solution": rng.random() < 0.4,
        }
        more |= {"r2_test": rng.uniform(0.2, 1), "complexity": int(rng.integers(3, 60))}
        rows.append(row(*key, **more))
    rows = [run for run in rows if (run["method"], run["dataset"], run["repetition"]) not in absent]
    return judge(pd.DataFrame(rows).astype(DTYPES), problems(folder), rules(3))
