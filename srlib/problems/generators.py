"""The synthetic tasks of the 2022 competition, made from their seeds (source: public generators of that year).

A generator takes a seed and named arguments and returns the partitions as tables: 'train', 'test', and where
it has one 'extrapolation'. The last column is the target, mostly `y`. With the arguments of the problem file
synthetic-2022 the tables equal the released files; every argument may be varied beyond them.

`seed` is the seed of the random numbers, `ratio` the share of the target's variance that is noise, in [0, 1);
`features` counts the columns before the target.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.special import erf

from srlib.errors import InputError
from srlib.problems.formula import formula, noise, noise_deviation

Partitions = dict[str, pd.DataFrame]


def exact_formula(
    seed: int, level: str, features: int | None = None, ratio: float = 0.0
) -> Partitions:
    """Make a re-discovery task: 2000 rows, of which the first 1000 train, features U(-5, 5).

    `level` is easier, easy, medium or hard: which formula, and 10, 10, 5 or 2 features by default.
    """
    if level not in FORMULAS:
        raise InputError(
            f"exact_formula: level must be one of {', '.join(FORMULAS)}, got {level!r}"
        )
    formula, usual = FORMULAS[level]
    X = np.random.default_rng(seed).uniform(-5, 5, (2000, features or usual))
    return _split(X, formula(X.T) + noise(formula(X.T), ratio, seed), train=1000)


def feature_selection(seed: int, ratio: float, features: int = 20) -> Partitions:
    """Make a task with irrelevant features: 1000 rows, the first 500 train, x1 to x10 of U(-10, 10) matter."""
    X = np.random.default_rng(seed).uniform(-10, 10, (1000, features))
    x = X.T
    y = 0.11 * x[0] ** 3 + 0.91 * x[1] * x[2] + 0.68 * x[3] * x[4]
    y = y + 0.26 * x[5] ** 2 * x[6] + 0.13 * x[7] * x[8] * x[9]
    return _split(X, y + noise(y, ratio, seed), train=500)


def local_optima(
    seed: int,
    terms: int,
    surrogates: int | None = None,
    surrogate_ratio: float = 0.1,
    features: int = 5,
    ratio: float = 0.0,
) -> Partitions:
    """Make a task with tempting surrogates: 1000 rows, the first 100 train, at least five features U(-5, 5).

    The target is the sum of the first `terms` of g1 to g5. The columns behind the features approximate g1, g2,
    ... with noise of `surrogate_ratio`: `surrogates` of them, by default one for each term; behind g5 they
    begin with g1 again.
    """
    random = np.random.default_rng(seed)
    X = random.uniform(-5, 5, (1000, features))
    x1, x2, x3, x4, x5 = X.T[:5]
    parts = [0.77 * x1 * x2, 1.52 * x2 * x3, 1.2 * x4**2, 0.31 * x1 * x4 * x5, 0.23 * x3 * x4 * x5]
    copied = [parts[i % len(parts)] for i in range(terms if surrogates is None else surrogates)]
    columns = [
        part + random.normal(0, noise_deviation(part, surrogate_ratio, ddof=0), part.size)
        for part in copied
    ]
    y = np.sum(parts[:terms], axis=0)
    return _split(np.column_stack([X, *columns]), y + noise(y, ratio, seed), train=100)


def extrapolation(seed: int, ratio: float) -> Partitions:
    """Make an extrapolation task: x from -15 to 40 in steps of 0.1; up to 15 trains, the rest tests."""
    x = np.arange(-15, 40.1, 0.1)
    y = erf(0.22 * x) + 0.17 * np.sin(5.5 * x)
    return _split(x[:, None], y + noise(y, ratio, seed), train=int(np.sum(x <= 15)), names=["x"])


def noise_task(seed: int, ratio: float) -> Partitions:
    """Make a noise task: x1 from -10 to 10 in steps of 0.4 trains (51 rows), 949 rows of U(-10, 10) test."""
    train = np.arange(-10, 10.4, 0.4)[:51]
    x = np.concatenate([train, np.random.default_rng(seed).uniform(-10, 10, 1000 - train.size)])
    y = (0.11 * x**4 - 1.4 * x**3) / (0.68 * x**2 + 1)
    return _split(x[:, None], y + noise(y, ratio, seed), train=train.size)


def bundled(seed: int, name: str, train_share: float = 0.75) -> Partitions:
    """Split a dataset that ships with scikit-learn, in the units that it was measured in.

    `name` is that of its loader without load_, such as diabetes; the target stands last.

    Examples
    --------
    >>> tables = bundled(1, "diabetes")
    >>> len(tables["train"]), tables["test"].columns[[0, 2, -1]].tolist()
    (331, ['age', 'bmi', 'target'])
    """
    from sklearn import datasets
    from sklearn.model_selection import train_test_split

    loader = getattr(datasets, f"load_{name}", None)
    if loader is None:
        raise InputError(f"no dataset {name!r} ships with scikit-learn")
    frame = loader(as_frame=True, **({"scaled": False} if name == "diabetes" else {})).frame
    train, test = train_test_split(frame, train_size=train_share, random_state=seed)
    return {"train": pd.DataFrame(train), "test": pd.DataFrame(test)}


def _base(x: np.ndarray) -> np.ndarray:
    return 0.4 * x[0] * x[1] - 1.5 * x[0] + 2.5 * x[1] + 1


FORMULAS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int]] = {
    "easier": (_base, 10),
    "easy": (lambda x: _base(x) + np.log(30 * x[2] ** 2), 10),
    "medium": (lambda x: _base(x) / (1 + 0.2 * (x[0] ** 2 + x[1] ** 2)), 5),
    "hard": (
        lambda x: (_base(x) + 5.5 * np.sin(x[0] + x[1])) / (1 + 0.2 * (x[0] ** 2 + x[1] ** 2)),
        2,
    ),
}

GENERATORS: dict[str, Callable[..., Partitions]] = {
    "exact_formula_2022": exact_formula,
    "feature_selection_2022": feature_selection,
    "local_optima_2022": local_optima,
    "extrapolation_2022": extrapolation,
    "noise_2022": noise_task,
    "formula": formula,
    "sklearn": bundled,
}


def _split(X: np.ndarray, y: np.ndarray, train: int, names: list[str] | None = None) -> Partitions:
    names = names or [f"x{i}" for i in range(1, X.shape[1] + 1)]
    frame = pd.DataFrame(X, columns=pd.Index(names)).assign(y=y)
    return {"train": frame.iloc[:train], "test": frame.iloc[train:].reset_index(drop=True)}
