"""Generators of tasks: the synthetic ones of 2022, datasets of scikit-learn, and tasks from a formula.

A generator takes a seed and named arguments and returns the partitions as tables: 'train', 'test', and for some
generators 'extrapolation'. The last column is the target, usually `y`. With the arguments in the problem file
synthetic-2022 the tables equal the released files of that competition.

`seed` is the seed of the random numbers, `ratio` the share of the target's variance that is noise, in [0, 1).

The generator `formula` makes a new task from a few lines of YAML (formulas are parsed, never executed).

    truth: "0.5*x1*x2 + sin(x3)"
    noise_level: 0.05
    data_seeds: [1, 2]
    data:
      generator: formula
      arguments:
        features: {x1..x20: [uniform, -5, 5]}          # features that are not in the formula are irrelevant
        surrogates: {s1: "0.5*x1*x2"}                  # columns that approximate a part of the formula
        surrogate_ratio: 0.1                           # share of a surrogate's variance that is noise
        test: {x3: [normal, 0, 1]}                     # features drawn differently from the training rows
        extrapolation: {x1: [uniform, 5, 8]}           # the same for rows outside the training range
        rows: {train: 500, test: 500, extrapolation: 200}

A feature is drawn by `[uniform, low, high]`, `[loguniform, low, high]`, `[integers, low, high]`, `[normal, mean,
deviation]`, or equally spaced with `[grid, low, high]`. The formula is the problem's truth and the noise its noise
level, unless `formula` or `ratio` are given. Features, relevant features and surrogates of the problem are taken from
the recipe if the problem does not state them; surrogates stand among the features in an order that the first data seed
draws. A problem with a noise reference has rows of its own, so that those of the reference do not tell its noise.
"""

import re
from collections.abc import Callable
from typing import Annotated, Literal, Self

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field, model_validator

from srlib import limits
from srlib.expressions import evaluate, parse
from srlib.yaml_files import Strict

End = Annotated[float, Field(ge=-limits.RANGE, le=limits.RANGE)]
Draw = tuple[Literal["uniform", "loguniform", "integers", "grid", "normal"], End, End]
Ratio = Annotated[float, Field(ge=0, lt=1)]
Share = Annotated[float, Field(gt=0, lt=1)]
Rows = Annotated[int, Field(ge=2, le=limits.DATA_ROWS)]
Tables = dict[str, pd.DataFrame]
# By level: formula and number of features.
FORMULAS = {
    "easier": ("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1", 10),
    "easy": ("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1 + log(30*x3^2)", 10),
    "medium": ("(0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1)/(1 + 0.2*(x1^2 + x2^2))", 5),
    "hard": ("(0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1 + 5.5*sin(x1 + x2))/(1 + 0.2*(x1^2 + x2^2))", 2),
}
PRODUCT_FORMULAS = ("0.77*x1*x2", "1.52*x2*x3", "1.2*x4^2", "0.31*x1*x4*x5", "0.23*x3*x4*x5")


def draw_feature(
    rng: np.random.Generator, rows: int, kind: str, low: float, high: float
) -> np.ndarray:
    """Return values of a feature of the distribution `kind`; for 'normal', `low` and `high` are mean and deviation."""
    if kind == "grid":
        return np.linspace(low, high, rows)
    if kind == "integers":
        return rng.integers(int(low), int(high), rows, endpoint=True).astype(float)
    if kind == "loguniform":
        return np.exp(rng.uniform(np.log(low), np.log(high), rows))
    return getattr(rng, kind)(low, high, rows)


def expand_names(draws: dict[str, Draw]) -> dict[str, Draw]:
    """Return the draws with an entry for each feature of a range such as `x1..x3`.

    Raises
    ------
    ValueError
        When the ends of a distribution are invalid, or there are more features than `limits.FEATURES`.

    Examples
    --------
    >>> list(expand_names({"t": ("normal", 0, 1), "x1..x3": ("uniform", -1, 1)}))
    ['t', 'x1', 'x2', 'x3']
    """
    expanded = {}
    for key, draw in draws.items():
        kind, low, high = draw
        if kind != "normal" and (low >= high or (kind == "loguniform" and low <= 0)):
            raise ValueError(
                f"{key}: {kind} needs low < high (loguniform: low > 0), got {low:g} and {high:g}"
            )
        names = [key]
        if match := re.fullmatch(r"(.*?)([0-9]+)\.\.\1([0-9]+)", key):
            # no more names than needed to exceed the limit
            numbers = range(int(match[2]), int(match[3]) + 1)[: limits.FEATURES + 1]
            names = [f"{match[1]}{number}" for number in numbers]
        expanded.update(dict.fromkeys(names, draw))
        if len(expanded) > limits.FEATURES:
            raise ValueError(f"{key}: at most {limits.FEATURES} features were expected")
    return expanded


Draws = Annotated[dict[str, Draw], AfterValidator(expand_names)]


class Counts(Strict):
    """Numbers of rows that a recipe makes of each partition."""

    train: Rows = 500
    """rows for training"""
    test: Rows = 500
    """rows on which accuracy is measured"""
    extrapolation: Rows = 500
    """rows outside the training range"""


class Recipe(Strict):
    """The arguments of the generator `formula`; the module's docstring explains them."""

    formula: str
    """the formula, in the features' names; else the truth of the problem"""
    features: Draws
    """how each is drawn: {x1..x20: [uniform, low, high]}, or loguniform, integers, grid, [normal, mean, deviation]"""
    surrogates: dict[str, str] = {}
    """columns that approximate a part of the formula: {s1: 0.5*x1*x2}"""
    surrogate_ratio: Ratio = 0.1
    """share of a surrogate's variance that is noise"""
    ratio: Ratio = 0.0
    """noise level; else that of the problem"""
    test: Draws = {}
    """what is drawn in another way than for training"""
    extrapolation: Draws = {}
    """likewise for the extrapolation rows, which should lie outside the training range"""
    rows: Counts = Counts()
    """how many: {train: 500, test: 500, extrapolation: 200}"""

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        """Return the recipe; raise ValueError for names that are no features, or too many cells."""
        for name in {**self.test, **self.extrapolation}:
            if name not in self.features:
                raise ValueError(f"test and extrapolation: {name!r} is not in features")
        columns = [*self.features, *self.surrogates, "y"]
        cells = sum(vars(self.rows).values()) * len(columns)
        if cells > limits.DATA_CELLS:
            raise ValueError(
                f"at most {limits.DATA_CELLS} cells were expected, got {cells} (rows times columns)"
            )
        return self


def make_tables(seed: int, **arguments: object) -> Tables:
    """Return the partitions of a recipe as tables; the last column is the target `y`.

    `arguments` are the fields of `Recipe`. Features are drawn partition by partition, then the noise of each surrogate
    and the noise of the target, for all rows together.

    Raises
    ------
    ValueError
        When a formula is not finite on all rows.

    Examples
    --------
    >>> tables = make_tables(1, formula="2*a", features={"a": ["grid", 0, 1]}, rows={"train": 3})
    >>> tables["train"]["y"].tolist(), len(tables["test"])
    ([0.0, 1.0, 2.0], 500)
    """
    recipe = Recipe.model_validate(arguments)
    rng = np.random.default_rng(seed)
    parts = {}
    for part, rows in recipe.rows:
        # no such field for the training rows
        partition_draws: dict[str, Draw] = getattr(recipe, part, {})
        if partition_draws or part != "extrapolation":
            draws = (recipe.features | partition_draws).items()
            parts[part] = pd.DataFrame(
                {name: draw_feature(rng, rows, *draw) for name, draw in draws}
            )
    features = pd.concat(parts)
    table = features.copy()
    for name, text in {**recipe.surrogates, "y": recipe.formula}.items():
        ratio = recipe.ratio if name == "y" else recipe.surrogate_ratio
        values = evaluate_formula(text, features)
        table[name] = add_noise(values, ratio, rng, recipe.rows.train)
    return {part: pd.DataFrame(table.loc[part]) for part in parts}


def make_exact_formula(seed: int, level: str) -> Tables:
    """Return a re-discovery task without noise: 2000 rows, the first 1000 for training, features U(-5, 5)."""
    formula, features = FORMULAS[level]
    X = _draw_uniform(seed, 5, (2000, features))
    return _add_target_and_split(X, formula, seed, n_train=1000)


def make_feature_selection(seed: int, ratio: float) -> Tables:
    """Return a task with irrelevant features: 1000 rows, the first 500 for training; x1 to x10 of 20 are relevant.

    Features are drawn from U(-10, 10).
    """
    X = _draw_uniform(seed, 10, (1000, 20))
    formula = "0.11*x1^3 + 0.91*x2*x3 + 0.68*x4*x5 + 0.26*x6^2*x7 + 0.13*x8*x9*x10"
    return _add_target_and_split(X, formula, seed, n_train=500, ratio=ratio)


def make_local_optima(seed: int, terms: int) -> Tables:
    """Return a task with surrogates: 1000 rows, the first 100 for training, five features U(-5, 5).

    The target is the sum of `terms` products. Each column after the features is a surrogate, which approximates one
    product: a tenth of its variance is noise.
    """
    rng = np.random.default_rng(seed)
    X = _draw_uniform(rng, 5, (1000, 5))
    for number, formula in enumerate(PRODUCT_FORMULAS[:terms], start=6):
        X[f"x{number}"] = add_noise(evaluate_formula(formula, X), 0.1, rng, ddof=0)
    return _add_target_and_split(X, " + ".join(PRODUCT_FORMULAS[:terms]), seed, n_train=100)


def make_extrapolation(seed: int, ratio: float) -> Tables:
    """Return an extrapolation task: x from -15 to 40 in steps of 0.1; rows up to 15 for training, others for test."""
    X = pd.DataFrame({"x": np.arange(-15, 40.1, 0.1)})
    n_train = int(np.sum(X["x"] <= 15))
    return _add_target_and_split(X, "erf(0.22*x) + 0.17*sin(5.5*x)", seed, n_train, ratio)


def make_noise_task(seed: int, ratio: float) -> Tables:
    """Return a noise task: 51 training rows (x1 from -10 to 10 in steps of 0.4), 949 test rows of U(-10, 10)."""
    test = np.random.default_rng(seed).uniform(-10, 10, 949)
    X = pd.DataFrame({"x1": np.concatenate([np.arange(-10, 10.4, 0.4)[:51], test])})
    return _add_target_and_split(
        X, "(0.11*x1^4 - 1.4*x1^3)/(0.68*x1^2 + 1)", seed, n_train=51, ratio=ratio
    )


def split_bundled(seed: int, name: str, train_share: float = 0.75) -> Tables:
    """Return a dataset that is shipped with scikit-learn, split at random, with features in their original units.

    `name` is the name of the dataset's loader without `load_`, such as diabetes. The target is the last column.

    Examples
    --------
    >>> tables = split_bundled(1, "diabetes")
    >>> len(tables["train"]), tables["test"].columns[[0, 2, -1]].tolist()
    (331, ['age', 'bmi', 'target'])
    """
    from sklearn import datasets

    options = {"scaled": False} if name == "diabetes" else {}
    table = getattr(datasets, f"load_{name}")(as_frame=True, **options).frame
    return split_at_random(table, train_share, seed)


GENERATORS: dict[str, Callable[..., Tables]] = {
    "exact_formula_2022": make_exact_formula,
    "feature_selection_2022": make_feature_selection,
    "local_optima_2022": make_local_optima,
    "extrapolation_2022": make_extrapolation,
    "noise_2022": make_noise_task,
    "formula": make_tables,
    "sklearn": split_bundled,
}


def split_at_random(frame: pd.DataFrame, train_share: float, seed: int | None) -> Tables:
    """Return the same training and test rows as scikit-learn's train_test_split, whose import takes a second."""
    rows = frame.sample(frac=1, random_state=seed)
    n_test = len(frame) - int(train_share * len(frame))
    return {"train": rows[n_test:], "test": rows[:n_test]}


def _draw_uniform(
    seed: int | np.random.Generator, limit: float, shape: tuple[int, int]
) -> pd.DataFrame:
    """Return features x1, x2, ... drawn from U(-limit, limit); `shape` is (rows, features)."""
    values = np.random.default_rng(seed).uniform(-limit, limit, shape)
    return pd.DataFrame(values).rename(columns=lambda i: f"x{i + 1}")


def _add_target_and_split(
    X: pd.DataFrame, formula: str, seed: int, n_train: int, ratio: float = 0
) -> Tables:
    """Return training (the first `n_train`) and test rows with the noisy target y; `seed` seeds the noise."""
    rng = np.random.default_rng(seed)
    table = X.assign(y=add_noise(evaluate_formula(formula, X), ratio, rng))
    return {"train": table[:n_train], "test": table[n_train:]}


def evaluate_formula(text: str, features: pd.DataFrame) -> np.ndarray:
    """Return the values of a formula on a table of features.

    Raises
    ------
    ValueError
        When a value is not finite.
    ModelTextError
        When the formula cannot be read.
    """
    model = parse(text, tuple(map(str, features)), names="features")
    columns = {name: features[name].to_numpy() for name in model.features}
    values = evaluate(model, columns, len(features))
    if n_wrong := np.sum(~np.isfinite(values)):
        raise ValueError(f"{text} is not finite on {n_wrong} of {len(values)} rows")
    return values


def add_noise(
    values: np.ndarray,
    ratio: float,
    rng: np.random.Generator,
    rows: int | None = None,
    ddof: int = 1,
) -> np.ndarray:
    """Return the values with normal noise added that makes up a share of the variance.

    Parameters
    ----------
    values : ndarray, shape (rows,)
        Values without noise.
    ratio : float
        Noise variance / (noise variance + variance of the values), in [0, 1).
    rng : numpy.random.Generator
        Source of the noise.
    rows : int, optional
        Number of first rows from which the variance is computed; default: all rows.
    ddof : int
        Delta degrees of freedom of the variance: 1, or 0 for the surrogates of 2022.

    Examples
    --------
    >>> noisy = add_noise(np.tile([-1.0, 1.0], 5000), 0.2, np.random.default_rng(1))
    >>> float(noisy.var().round(2))
    1.25
    """
    deviation = np.std(values[:rows], ddof=ddof) * np.sqrt(ratio / (1 - ratio))
    return values + rng.normal(0, deviation, len(values))
