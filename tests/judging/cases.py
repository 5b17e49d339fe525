"""Tiny competitions that a reader can judge by hand."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from srlib.judging import Judgement, judge
from tests.judging.small import DTYPES, problems, read_cells, row, rules, verdict

MANY = """
defaults: {track: synthetic, target: y, property: solution, features: [a], truth: a}
problems:
  - {dataset: clean, property: null, noise_level: 0.0, scored: false}
  - {dataset: noisy, property: noise_sensitivity, noise_level: 0.1, noise_reference: clean}
  - {dataset: features, property: relevant_features, features: [a, b, c, d], relevant: [a, b]}
  - {dataset: d1}
  - {dataset: d2}
  - {dataset: d3}
  - {dataset: d4}
  - {dataset: d5}
  - {dataset: d6}
  - {dataset: d7}
  - {dataset: d8}
  - {dataset: d9}
"""


def judged(accuracies: str | Mapping[Any, Any], **changes: Any) -> Judgement:
    """Judge runs that differ in accuracy alone: R2 of each repetition by method and dataset, also as YAML."""
    table = {cell: {"r2_test": r2} for cell, r2 in read_cells(accuracies).items()}
    repetitions = max(len(cell["r2_test"]) for cell in table.values())
    return verdict(table, rules(repetitions=repetitions, **changes), problems(MANY))


def varied_runs() -> pd.DataFrame:
    """Three methods, six datasets of three properties and a reference, three repetitions; some runs are absent."""
    rng, datasets = np.random.default_rng(28), ("d1", "d2", "d3", "features", "noisy", "clean")
    runs = pd.DataFrame([row(*key) for key in product("ABC", datasets, (1, 2, 3))]).astype(DTYPES)
    runs["r2_test"] = rng.uniform(0.2, 1, len(runs))
    runs["complexity"], runs["complexity_raw"] = rng.integers(3, 60, (2, len(runs)))
    runs["solution"] = rng.random(len(runs)) < 0.4
    choices = [("a",), ("a", "c"), ("b", "c", "d")]
    runs["features_used"] = [choices[index] for index in rng.choice(3, len(runs))]
    cells = runs["method"] + runs["dataset"]
    absent = (cells + runs["repetition"].astype(str)).isin(["Bd12", "Cnoisy3"]) | (cells == "Cd2")
    return runs[~absent].astype(DTYPES)


def varied() -> Judgement:
    """Judge the varied runs."""
    return judge(varied_runs(), problems(MANY), rules(repetitions=3))
