"""The generator `formula`: a new task from a few lines of YAML (formulas are parsed, never executed).

    truth: "0.5*x1*x2 + sin(x3)"
    noise_level: 0.05
    data_seeds: [1, 2]
    data:
      generator: formula
      arguments:
        features: {x1..x20: [uniform, -5, 5]}          # those that the formula does not name are irrelevant
        surrogates: {s1: "0.5*x1*x2"}                  # columns that approximate a part of the formula
        surrogate_ratio: 0.1                           # share of a surrogate's variance that is noise
        surrogate_means: {s1: 0.5}                     # mean of that noise; 0 where none is stated
        test: {x3: [normal, 0, 1]}                     # what is drawn in another way than for training
        extrapolation: {x1: [uniform, 5, 8]}           # likewise; at least one range outside the training range
        rows: {train: 500, test: 500, extrapolation: 200}
        noise_scale: train                             # whose variance the noise is a share of: train | both

A feature is drawn by `[uniform, low, high]`, `[loguniform, low, high]`, `[integers, low, high]`, `[normal, mean,
deviation]`, or stands on a `[grid, low, high]`. The formula is the truth and the noise the noise level, unless
`formula` or `ratio` say otherwise. Features, relevant features and surrogates of the problem follow from the
recipe where the problem does not state them.
"""

import re
from collections.abc import Callable
from typing import Annotated, Literal, Self

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field, model_validator

from srlib import limits
from srlib.errors import InputError, ModelTextError
from srlib.expressions import evaluate, parse
from srlib.yaml_files import Strict

Finite = Annotated[float, Field(ge=-limits.RANGE, le=limits.RANGE)]
Draw = tuple[Literal["uniform", "loguniform", "integers", "grid", "normal"], Finite, Finite]
Ratio = Annotated[float, Field(ge=0, lt=1)]
PARTITIONS = ("train", "test", "extrapolation")
ROWS = 500

DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, float, float, int], np.ndarray]] = {
    "uniform": lambda random, low, high, rows: random.uniform(low, high, rows),
    "loguniform": lambda random, low, high, rows: np.exp(
        random.uniform(np.log(low), np.log(high), rows)
    ),
    "integers": lambda random, low, high, rows: random.integers(
        int(low), int(high), rows, endpoint=True
    ).astype(float),
    "grid": lambda random, low, high, rows: np.linspace(low, high, rows),
    "normal": lambda random, mean, deviation, rows: random.normal(mean, deviation, rows),
}


def spread(stated: dict[str, Draw]) -> dict[str, Draw]:
    """Give each feature of a run `x1..x3` its own entry.

    Examples
    --------
    >>> list(spread({"t": ("normal", 0, 1), "x1..x3": ("uniform", -1, 1)}))
    ['t', 'x1', 'x2', 'x3']
    """
    result: dict[str, Draw] = {}
    for key, (kind, low, high) in stated.items():
        if (
            (high < 0)
            if kind == "normal"
            else not low < high or (kind == "loguniform" and low <= 0)
        ):
            raise ValueError(
                f"{key}: {kind} needs low < high (normal: deviation >= 0; loguniform: low > 0)"
            )
        run = re.fullmatch(r"(.*?)([0-9]+)\.\.\1([0-9]+)", key)
        numbers = range(int(run[2]), int(run[3]) + 1) if run else range(1)
        if len(result) + numbers.stop - numbers.start > limits.FEATURES:
            raise ValueError(f"{key}: at most {limits.FEATURES} features were expected")
        names = [f"{run[1]}{i}" for i in numbers] if run else [key]
        result.update(dict.fromkeys(names, (kind, low, high)))
    return result


Draws = Annotated[dict[str, Draw], AfterValidator(spread)]


class Recipe(Strict):
    """The arguments of the generator `formula`; the module's docstring explains them."""

    formula: str
    """the formula, in the features' names; else the truth of the problem"""
    features: Draws
    """how each is drawn: {x1..x20: [uniform, low, high]}, or loguniform, integers, grid, [normal, mean, deviation]"""
    surrogates: Annotated[dict[str, str], Field(max_length=limits.FEATURES)] = {}
    """columns that approximate a part of the formula: {s1: 0.5*x1*x2}"""
    surrogate_ratio: Ratio = 0.1
    """share of a surrogate's variance that is noise"""
    surrogate_means: dict[str, float] = {}
    """mean of that noise, by surrogate; 0 where none is stated"""
    ratio: Ratio = 0.0
    """noise level; else that of the problem"""
    test: Draws = {}
    """what is drawn in another way than for training"""
    extrapolation: Draws = {}
    """likewise for the extrapolation rows; at least one range outside the training range"""
    rows: dict[str, Annotated[int, Field(ge=2, le=limits.DATA_ROWS)]] = {}
    """how many: {train: 500, test: 500, extrapolation: 200}"""
    noise_scale: Literal["train", "both"] = "train"
    """whether the noise is scaled by the training rows, or by each partition's own"""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if {"y", *self.surrogates} & {*self.features} or "y" in self.surrogates:
            raise ValueError("features, surrogates and the target y need different names")
        for key, known in (
            ("surrogate_means", self.surrogates),
            ("test", self.features),
            ("extrapolation", self.features),
            ("rows", PARTITIONS),
        ):
            for name in sorted({*getattr(self, key)} - {*known}):
                raise ValueError(f"{key} names {name!r}, which is none of {', '.join(known)}")
        rows = sum(self.rows.get(part, ROWS) for part in PARTITIONS)
        cells = rows * (len(self.features) + len(self.surrogates) + 1)
        if cells > limits.DATA_CELLS:
            raise ValueError(
                f"at most {limits.DATA_CELLS} cells were expected, got {cells} (rows times columns)"
            )
        for name, text in {"formula": self.formula, **self.surrogates}.items():
            try:
                parse(text, list(self.features), names="features")
            except ModelTextError as error:
                raise ValueError(f"{name} cannot be read: {error}") from error
        pairs = [(drawn, self.features[name]) for name, drawn in self.extrapolation.items()]
        if pairs and not any(
            "normal" not in (a[0], b[0]) and (a[1] >= b[2] or a[2] <= b[1]) for a, b in pairs
        ):
            raise ValueError(
                "extrapolation overlaps training: no feature has a range outside its training range"
            )
        return self

    @property
    def relevant(self) -> tuple[str, ...]:
        """Features that the formula names."""
        named = parse(self.formula, list(self.features)).features
        return tuple(name for name in self.features if name in named)


def formula(seed: int, **arguments: object) -> dict[str, pd.DataFrame]:
    """Make the partitions of a recipe; noise is scaled by the training rows, or by `both`, with the test rows.

    Examples
    --------
    >>> tables = formula(1, formula="2*a", features={"a": ["grid", 0, 1]}, rows={"train": 3})
    >>> tables["train"]["y"].tolist(), len(tables["test"])
    ([0.0, 1.0, 2.0], 500)
    """
    recipe, random = Recipe.model_validate(arguments), np.random.default_rng(seed)
    frames = {}
    for part, changed in zip(PARTITIONS, ({}, recipe.test, recipe.extrapolation), strict=True):
        if part != "extrapolation" or changed:
            drawn, rows = (recipe.features | changed).items(), recipe.rows.get(part, ROWS)
            frames[part] = pd.DataFrame(
                {name: DISTRIBUTIONS[kind](random, a, b, rows) for name, (kind, a, b) in drawn}
            )
    table, scaling = pd.concat(frames), len(frames["train"])
    if recipe.noise_scale == "both":
        scaling += len(frames["test"])
    columns = {name: table[name].to_numpy() for name in recipe.features}
    noisy = {name: (text, recipe.surrogate_ratio) for name, text in recipe.surrogates.items()}
    for name, (text, ratio) in {**noisy, "y": (recipe.formula, recipe.ratio)}.items():
        values = evaluate(parse(text, list(recipe.features), names="features"), columns, len(table))
        if not np.isfinite(values).all():
            raise InputError(
                f"{name} = {text} is not finite on {(~np.isfinite(values)).sum()} of {len(values)} rows"
            )
        table[name] = values + random.normal(
            recipe.surrogate_means.get(name, 0.0),
            noise_deviation(values[:scaling], ratio),
            len(values),
        )
    return {part: table.loc[part] for part in frames}


def noise_deviation(y: np.ndarray, ratio: float, ddof: int = 1) -> float:
    """Compute the standard deviation of noise that makes up a share of the noisy target's variance.

    Parameters
    ----------
    y : ndarray, shape (rows,)
        The target without noise.
    ratio : float
        Noise variance / (noise variance + variance of y), in [0, 1).
    ddof : int
        Of y's variance: 1, or 0 as for the surrogates of 2022.

    Raises
    ------
    InputError
        When the ratio is not in [0, 1).

    Examples
    --------
    >>> float(round(noise_deviation(np.array([-1.0, 0.0, 1.0]), 0.2), 12))
    0.5
    """
    if not 0 <= ratio < 1:
        raise InputError(f"noise: a ratio in [0, 1) was expected, got {ratio}")
    return float(np.std(y, ddof=ddof) * np.sqrt(ratio / (1 - ratio)))


def noise(y: np.ndarray, ratio: float, seed: int) -> np.ndarray:
    """Draw normal noise for a target (see `noise_deviation`) from a generator of its own.

    Examples
    --------
    >>> float(noise(np.arange(4.0), 0.0, seed=1).sum())
    0.0
    """
    return np.random.default_rng(seed).normal(0, noise_deviation(y, ratio), y.size)
