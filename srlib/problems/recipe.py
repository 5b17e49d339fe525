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
        test: {x3: [normal, 0, 1]}                     # what is drawn in another way than for training
        extrapolation: {x1: [uniform, 5, 8]}           # likewise, for rows outside the training range (see audit)
        rows: {train: 500, test: 500, extrapolation: 200}
        noise_scale: train                             # whose variance the noise is a share of: train | both

A feature is drawn by `[uniform, low, high]`, `[loguniform, low, high]`, `[integers, low, high]`, `[normal, mean,
deviation]`, or stands on a `[grid, low, high]`. The formula is the truth and the noise the noise level, unless
`formula` or `ratio` say otherwise. Features, relevant features and surrogates of the problem follow from the
recipe where the problem does not state them.
"""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field, model_validator

from srlib import limits
from srlib.errors import ModelTextError
from srlib.expressions import evaluate, parse
from srlib.yaml_files import Strict

End = Annotated[float, Field(ge=-limits.RANGE, le=limits.RANGE)]
Draw = tuple[Literal["uniform", "loguniform", "integers", "grid", "normal"], End, End]
Ratio = Annotated[float, Field(ge=0, lt=1)]
PARTITIONS = ("train", "test", "extrapolation")
ROWS = 500  # of a partition, where the recipe does not say

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


def expand_names(draws: dict[str, Draw]) -> dict[str, Draw]:
    """Give each feature of a range such as `x1..x3` an entry of its own.

    Raises
    ------
    ValueError
        When a distribution has no such ends, or there are more features than `limits.FEATURES`.

    Examples
    --------
    >>> list(expand_names({"t": ("normal", 0, 1), "x1..x3": ("uniform", -1, 1)}))
    ['t', 'x1', 'x2', 'x3']
    """
    expanded: dict[str, Draw] = {}
    for key, (kind, low, high) in draws.items():
        valid = high >= 0 if kind == "normal" else low < high
        if not valid or (kind == "loguniform" and low <= 0):
            raise ValueError(
                f"{key}: {kind} needs low < high (normal: deviation >= 0; loguniform: low > 0)"
            )
        names = [key]
        if match := re.fullmatch(r"(.*?)([0-9]+)\.\.\1([0-9]+)", key):
            prefix, first, last = match[1], int(match[2]), int(match[3])
            # one more than allowed is enough to be refused
            names = [f"{prefix}{i}" for i in range(first, last + 1)[: limits.FEATURES + 1]]
        expanded.update(dict.fromkeys(names, (kind, low, high)))
        if len(expanded) > limits.FEATURES:
            raise ValueError(f"{key}: at most {limits.FEATURES} features were expected")
    return expanded


Draws = Annotated[dict[str, Draw], AfterValidator(expand_names)]


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
    ratio: Ratio = 0.0
    """noise level; else that of the problem"""
    test: Draws = {}
    """what is drawn in another way than for training"""
    extrapolation: Draws = {}
    """likewise for the extrapolation rows, which should lie outside the training range"""
    rows: dict[str, Annotated[int, Field(ge=2, le=limits.DATA_ROWS)]] = {}
    """how many: {train: 500, test: 500, extrapolation: 200}"""
    noise_scale: Literal["train", "both"] = "train"
    """whether the noise is scaled by the training rows, or by training and test rows together"""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        columns = [*self.features, *self.surrogates, "y"]
        if len(set(columns)) < len(columns):
            raise ValueError("features, surrogates and the target y need different names")
        allowed = {"test": self.features, "extrapolation": self.features, "rows": PARTITIONS}
        for key, names in allowed.items():
            for name in getattr(self, key):
                if name not in names:
                    raise ValueError(f"{key} names {name!r}, which is none of {', '.join(names)}")
        cells = sum(self.rows.get(part, ROWS) for part in PARTITIONS) * len(columns)
        if cells > limits.DATA_CELLS:
            raise ValueError(
                f"at most {limits.DATA_CELLS} cells were expected, got {cells} (rows times columns)"
            )
        return self

    @model_validator(mode="after")
    def _check_formulas(self) -> Self:
        for name, text in {"formula": self.formula, **self.surrogates}.items():
            try:
                parse(text, tuple(self.features), names="features")
            except ModelTextError as error:
                raise ValueError(f"{name} cannot be read: {error}") from error
        return self

    def derive_entries(self) -> dict[str, Any]:
        """Values of a problem that follow from its recipe."""
        used = parse(self.formula, tuple(self.features)).features
        return {
            "truth": self.formula,
            "noise_level": self.ratio,
            "target": "y",
            "features": (*self.features, *self.surrogates),
            "surrogates": tuple(self.surrogates) or None,
            "relevant": tuple(name for name in self.features if name in used),
        }


def make_tables(seed: int, **arguments: object) -> dict[str, pd.DataFrame]:
    """Make the partitions of a recipe; the last column is the target `y`.

    Features are drawn partition by partition; then come the noise of each surrogate and the noise of the target,
    for all rows together.

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
    recipe, random = Recipe.model_validate(arguments), np.random.default_rng(seed)
    draws = {"train": recipe.features, "test": recipe.features | recipe.test}
    if recipe.extrapolation:
        draws["extrapolation"] = recipe.features | recipe.extrapolation
    frames = {}
    for part, features in draws.items():
        rows = recipe.rows.get(part, ROWS)
        frames[part] = pd.DataFrame(
            {
                name: DISTRIBUTIONS[kind](random, a, b, rows)
                for name, (kind, a, b) in features.items()
            }
        )
    table = pd.concat(frames)
    scaling_rows = len(frames["train"]) + len(frames["test"]) * (recipe.noise_scale == "both")
    columns = table.copy()
    noisy = {name: (text, recipe.surrogate_ratio) for name, text in recipe.surrogates.items()}
    for name, (text, ratio) in {**noisy, "y": (recipe.formula, recipe.ratio)}.items():
        values = evaluate_formula(text, columns)
        deviation = noise_deviation(values[:scaling_rows], ratio)
        table[name] = values + random.normal(0, deviation, len(values))
    return {part: table.loc[part] for part in frames}


def evaluate_formula(text: str, features: pd.DataFrame) -> np.ndarray:
    """Values of a formula on a table of features.

    Raises
    ------
    ValueError
        When they are not finite on all rows.
    """
    model = parse(text, tuple(map(str, features)), names="features")
    columns = {name: features[name].to_numpy() for name in model.features}
    values = evaluate(model, columns, len(features))
    if not (finite := np.isfinite(values)).all():
        raise ValueError(f"{text} is not finite on {(~finite).sum()} of {len(values)} rows")
    return values


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

    Examples
    --------
    >>> float(round(noise_deviation(np.array([-1.0, 0.0, 1.0]), 0.2), 12))
    0.5
    """
    return float(np.std(y, ddof=ddof) * np.sqrt(ratio / (1 - ratio)))
