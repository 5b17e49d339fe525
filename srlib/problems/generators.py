"""The synthetic tasks of the 2022 competition, made from their seeds (source: public generators of that year).

A generator takes a seed and named arguments and returns the partitions as tables: 'train', 'test', and where
it has one 'extrapolation'. The last column is the target, mostly `y`. With the arguments of the problem file
synthetic-2022 the tables equal the released files.

`seed` is the seed of the random numbers, `ratio` the share of the target's variance that is noise, in [0, 1).
The annotations are what a problem file may state as arguments.
"""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field, create_model

from srlib.problems.recipe import Ratio, Recipe, evaluate_formula, make_tables, noise_deviation
from srlib.yaml_files import Strict

Tables = dict[str, pd.DataFrame]
# Of each level: the formula, and the number of features.
FORMULAS = {
    "easier": ("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1", 10),
    "easy": ("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1 + log(30*x3^2)", 10),
    "medium": ("(0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1)/(1 + 0.2*(x1^2 + x2^2))", 5),
    "hard": ("(0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1 + 5.5*sin(x1 + x2))/(1 + 0.2*(x1^2 + x2^2))", 2),
}
PRODUCTS = ("0.77*x1*x2", "1.52*x2*x3", "1.2*x4^2", "0.31*x1*x4*x5", "0.23*x3*x4*x5")
Share = Annotated[float, Field(gt=0, lt=1)]


def exact_formula(seed: int, level: Literal["easier", "easy", "medium", "hard"]) -> Tables:
    """Make a re-discovery task without noise: 2000 rows, of which the first 1000 train, features U(-5, 5)."""
    formula, features = FORMULAS[level]
    X = _draw_uniform(np.random.default_rng(seed), 5, (2000, features))
    return _add_target_and_split(X, evaluate_formula(formula, X), seed, ratio=0, train=1000)


def feature_selection(seed: int, ratio: Ratio) -> Tables:
    """Make a task with irrelevant features: 1000 rows, the first 500 train, x1 to x10 of 20 U(-10, 10) matter."""
    X = _draw_uniform(np.random.default_rng(seed), 10, (1000, 20))
    formula = "0.11*x1^3 + 0.91*x2*x3 + 0.68*x4*x5 + 0.26*x6^2*x7 + 0.13*x8*x9*x10"
    return _add_target_and_split(X, evaluate_formula(formula, X), seed, ratio, train=500)


def local_optima(seed: int, terms: Annotated[int, Field(ge=1, le=5)]) -> Tables:
    """Make a task with tempting surrogates: 1000 rows, the first 100 train, five features U(-5, 5).

    The target is the sum of `terms` products. The columns behind the features approximate one product each: a tenth
    of their variance is noise.
    """
    random = np.random.default_rng(seed)
    X = _draw_uniform(random, 5, (1000, 5))
    products = [evaluate_formula(formula, X) for formula in PRODUCTS[:terms]]
    for number, product in enumerate(products, start=6):
        deviation = noise_deviation(product, 0.1, ddof=0)
        X[f"x{number}"] = product + random.normal(0, deviation, product.size)
    return _add_target_and_split(X, np.sum(products, axis=0), seed, ratio=0, train=100)


def extrapolation(seed: int, ratio: Ratio) -> Tables:
    """Make an extrapolation task: x from -15 to 40 in steps of 0.1; up to 15 trains, the remaining rows test."""
    X = pd.DataFrame({"x": np.arange(-15, 40.1, 0.1)})
    y = evaluate_formula("erf(0.22*x) + 0.17*sin(5.5*x)", X)
    return _add_target_and_split(X, y, seed, ratio, train=int(np.sum(X["x"] <= 15)))


def noise_task(seed: int, ratio: Ratio) -> Tables:
    """Make a noise task: x1 from -10 to 10 in steps of 0.4 trains (51 rows), 949 rows of U(-10, 10) test."""
    test = np.random.default_rng(seed).uniform(-10, 10, 949)
    X = pd.DataFrame({"x1": np.concatenate([np.arange(-10, 10.4, 0.4)[:51], test])})
    y = evaluate_formula("(0.11*x1^4 - 1.4*x1^3)/(0.68*x1^2 + 1)", X)
    return _add_target_and_split(X, y, seed, ratio, train=51)


def bundled(seed: int, name: str, train_share: Share = 0.75) -> Tables:
    """Split a dataset that ships with scikit-learn, in the units that it was measured in.

    `name` is that of its loader without load_, such as diabetes; the target stands last.

    Examples
    --------
    >>> tables = bundled(1, "diabetes")
    >>> len(tables["train"]), tables["test"].columns[[0, 2, -1]].tolist()
    (331, ['age', 'bmi', 'target'])
    """
    from sklearn import datasets

    loader = getattr(datasets, f"load_{name}", None)
    if loader is None:
        raise ValueError(f"no dataset {name!r} ships with scikit-learn")
    options = {"scaled": False} if name == "diabetes" else {}
    return split_at_random(loader(as_frame=True, **options).frame, train_share, seed)


GENERATORS: dict[str, Callable[..., Tables]] = {
    "exact_formula_2022": exact_formula,
    "feature_selection_2022": feature_selection,
    "local_optima_2022": local_optima,
    "extrapolation_2022": extrapolation,
    "noise_2022": noise_task,
    "formula": make_tables,
    "sklearn": bundled,
}


def arguments_model(generator: str) -> type[Strict]:
    """Model of the arguments that a generator takes: those of its signature, without the seed."""
    if generator == "formula":
        return Recipe
    fields: dict[str, Any] = {
        name: (entry.annotation, ... if entry.default is Parameter.empty else entry.default)
        for name, entry in signature(GENERATORS[generator]).parameters.items()
        if name != "seed"
    }
    return create_model(generator, __base__=Strict, **fields)


def split_at_random(frame: pd.DataFrame, train_share: float, seed: int | None) -> Tables:
    """Split rows into training and test rows, as scikit-learn does with the seed."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(frame, train_size=train_share, random_state=seed)
    return {"train": pd.DataFrame(train), "test": pd.DataFrame(test)}


def _draw_uniform(
    random: np.random.Generator, limit: float, shape: tuple[int, int]
) -> pd.DataFrame:
    """Draw features x1, x2, ... of U(-limit, limit); `shape` is rows, features."""
    names = [f"x{i}" for i in range(1, shape[1] + 1)]
    return pd.DataFrame(random.uniform(-limit, limit, shape), columns=pd.Index(names))


def _add_target_and_split(
    X: pd.DataFrame, y: np.ndarray, seed: int, ratio: float, train: int
) -> Tables:
    """Add the column y with noise from a generator of its own; the first `train` rows train, the others test."""
    noise = np.random.default_rng(seed).normal(0, noise_deviation(y, ratio), y.size)
    table = X.assign(y=y + noise)
    return {"train": table.iloc[:train], "test": table.iloc[train:].reset_index(drop=True)}
