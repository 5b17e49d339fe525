"""What plain feature selection reaches on a dataset: a baseline for methods that select features by their models.

Source: results paper of the 2022 competition, table of feature-selection baselines. Each selector is told how many
features matter, which no competitor is, and keeps that many.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.feature_selection import RFE, f_regression
from sklearn.tree import DecisionTreeRegressor

from srlib.errors import InputError
from srlib.problems import Problem, partitions

SELECTORS: dict[str, Callable[[np.ndarray, np.ndarray, int, int], Any]] = {
    # from training rows, how many to keep and a seed to the importance of each feature
    "gradient boosting": lambda X, y, keep, seed: _trees(seed).fit(X, y).feature_importances_,
    "k best": lambda X, y, keep, seed: f_regression(X, y)[0],
    "recursive elimination": lambda X, y, keep, seed: (
        -RFE(_tree(seed), n_features_to_select=keep).fit(X, y).ranking_
    ),
    "variance": lambda X, y, keep, seed: X.var(axis=0),
}


def selection_baseline(problem: Problem, seeds: int = 2) -> pd.DataFrame:
    """Select features by each of `SELECTORS` on the training rows of some seeds.

    Parameters
    ----------
    problem : Problem
        With data, and with relevant and irrelevant features stated.
    seeds : int
        How many of its data seeds are taken.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `selector`, `data_seed`, `selected` (names), `S1` (share of the irrelevant features that are absent),
        `r2_test` of gradient-boosted trees on what was selected; for comparison all features and the relevant ones.
        Higher is better. Empty where the problem states too little.
    """
    if seeds < 0:
        raise InputError(f"baseline_seeds must be 0 or more, got {seeds}")
    rows, relevant, irrelevant = [], problem.relevant or (), set(problem.irrelevant or ())
    for seed in problem.data_seeds[:seeds] if relevant and irrelevant else ():
        data = partitions(problem, seed)
        if data is None or data.train is None:
            continue
        X, y, names, keep = data.train.X, data.train.y, np.array(data.features), len(relevant)
        found = {
            name: np.argsort(-select(X, y, keep, seed), kind="stable")[:keep]
            for name, select in SELECTORS.items()
        }
        found |= {
            "(all features)": np.arange(len(names)),
            "(the relevant ones)": np.flatnonzero(np.isin(names, relevant)),
        }
        for name, columns in found.items():
            columns = np.sort(columns)
            share = 1 - len(irrelevant & set(names[columns])) / len(irrelevant)
            r2 = _trees(seed).fit(X[:, columns], y).score(data.test.X[:, columns], data.test.y)
            rows.append([problem.dataset, name, seed, ", ".join(names[columns]), share, r2])
    return pd.DataFrame(
        rows, columns=["dataset", "selector", "data_seed", "selected", "S1", "r2_test"]
    )


def _trees(seed: int) -> GradientBoostingRegressor:
    return GradientBoostingRegressor(n_estimators=50, random_state=seed)


def _tree(seed: int) -> DecisionTreeRegressor:
    return DecisionTreeRegressor(max_depth=6, random_state=seed)
