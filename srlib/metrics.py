"""Metrics with direction, floor and, if srlib computes them, formula; groups, noise levels and sources of datasets.

A new metric is one row of `METRICS`: columns of assessments, tables, figures and comparisons follow from the row.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.errors import require
from srlib.files import PARAMETERS
from srlib.yaml_files import load_yaml

# An accuracy solution has a test R2 above this; source: SRBench's ground-truth results.
ACCURATE_R2 = 0.999
SIGNIFICANT_DIGITS = 12  # values are rounded to so many digits, against rounding errors
TIE_SHARE = 1e-12  # values that differ by this share of the largest are equal
LEVEL_PATTERN = re.compile(r"@([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\Z")  # NAME@0.01: noise
Values = NDArray[np.float64]


def mean_absolute_error(y: Values, prediction: Values) -> float:
    """Return the mean of the absolute errors."""
    return float(np.mean(np.abs(y - prediction)))


def root_mean_squared_error(y: Values, prediction: Values) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((y - prediction) ** 2)))


@dataclass(frozen=True)
class Metric:
    """A quantity that methods are compared in.

    Parameters
    ----------
    label : str
        Name on axes of figures.
    direction : {'higher', 'lower'}
        Which values are better.
    scale : {'difference', 'ratio', 'rate'}
        How two values are compared: by their difference, by their ratio (sizes, times and errors), or as rates, which
        are shares of the repetitions, where a failed run counts as 0.
    lowest : float
        Smaller values are impossible and count as missing.
    floor : float
        Best value that a run without a result can count as. In a score it counts as the method's own worst value on
        the dataset, or as the floor if that is worse. NaN: no limit.
    best : float
        The best possible value; NaN: no limit.
    columns : tuple of str
        Columns of a run table with its values; a later column is used if the earlier ones are empty.
    centre : {'median', 'mean'}
        Summary over datasets in tables and figures.
    compute : callable, optional
        Takes the target and the predictions of the model, two arrays, shape (rows,), and returns the value. It is
        measured where rules or a comparison ask for it, on the partition that the end of the first column's name
        states, as in `mae_test`.
    """

    label: str
    direction: Literal["higher", "lower"] = "higher"
    scale: Literal["difference", "ratio", "rate"] = "difference"
    lowest: float = -np.inf
    floor: float = np.nan
    best: float = np.nan
    columns: tuple[str, ...] = ()
    centre: Literal["median", "mean"] = "median"
    compute: Callable[[Values, Values], float] | None = None

    @property
    def rate(self) -> bool:
        """Whether values are shares of the repetitions."""
        return self.scale == "rate"

    @property
    def bounded(self) -> bool:
        """Whether values lie between floor and best; a test counts those below the floor as the floor."""
        return self.best > self.floor

    @property
    def sign(self) -> int:
        """1 where higher values are better, else -1."""
        return 1 if self.direction == "higher" else -1

    def find_impossible(self, values: Any) -> tuple[Any, str]:
        """Return a mask of the values that cannot be, and what they must be."""
        values = values.astype("float64")
        if self.direction == "lower":
            is_outside = (values < self.lowest) | (values == np.inf)
            return is_outside, f"must be finite and at least {self.lowest:g}"
        is_outside = (values < self.lowest) | (values > self.best + TIE_SHARE)
        lowest = f"at least {self.lowest:g} and " if np.isfinite(self.lowest) else ""
        return is_outside, f"must be {lowest}at most {self.best:g}"


SHARE: Any = {"scale": "rate", "lowest": 0, "floor": 0, "best": 1, "centre": "mean"}
METRICS = {
    "r2_test": Metric("test R²", floor=0, best=1, columns=("r2_test",)),
    "accuracy_solution": Metric(f"test R² > {ACCURATE_R2}", columns=("r2_test",), **SHARE),
    "solution": Metric("symbolic solutions", columns=("solution", "symbolic_solution"), **SHARE),
    "complexity": Metric(
        "simplified model size",
        "lower",
        "ratio",
        lowest=1,
        best=1,
        columns=("complexity", "simplified_complexity"),
    ),
    "complexity_raw": Metric(
        "model size", "lower", "ratio", lowest=0, best=1, columns=("complexity_raw",)
    ),
    "training_time_s": Metric(
        "training time (s)", "lower", "ratio", lowest=0, best=0, columns=("training_time_s",)
    ),
    "mae_test": Metric(
        "test MAE",
        "lower",
        "ratio",
        lowest=0,
        best=0,
        columns=("mae_test",),
        compute=mean_absolute_error,
    ),
    "rmse_test": Metric(
        "test RMSE",
        "lower",
        "ratio",
        lowest=0,
        best=0,
        columns=("rmse_test",),
        compute=root_mean_squared_error,
    ),
    # The worst rank of a competition is 1 (by some rules 0, which is then seen); the best is the number of methods.
    "dataset_score": Metric("dataset score", floor=1, centre="mean"),
    # Computed from assessments on request (srlib.assessing.measure).
    "edit_distance": Metric(
        "edit distance to the truth",
        "lower",
        lowest=0,
        floor=1,
        best=0,
        columns=("edit_distance",),
    ),
    "r2_train": Metric("training R²", floor=0, best=1),
    "r2_extrapolation": Metric("extrapolation R²", floor=0, best=1),
}
# metrics of assessments that are measured on request, by the column that holds their values
METRIC_COLUMNS = {metric.columns[0]: metric for metric in METRICS.values() if metric.compute}
# metrics that assessing computes
COMPUTED_METRICS = {
    *("r2_test", "accuracy_solution", "solution", "complexity", "complexity_raw"),
    *(name for name, metric in METRICS.items() if metric.compute),
}


def metric_of(aspect: str, direction: str = "") -> Metric:
    """Return the metric of an aspect; one that is not in `METRICS` is named with its direction, as 'mape:lower'.

    Parameters
    ----------
    aspect : str
        Name of a metric or of a column.
    direction : {'', 'higher', 'lower', 'by_property'}
        Which values of an unknown metric are better, where the rules state it.

    Raises
    ------
    InputError
        When the direction is not known, or is stated for a metric that has one.

    Examples
    --------
    >>> metric_of("mape:lower").label, metric_of("mape:lower").sign
    ('mape', -1)
    """
    if aspect in METRICS:
        return METRICS[aspect]
    match = re.fullmatch("(.+):(higher|lower)", aspect)
    name, side = match.groups() if match else (aspect, direction)
    require(name not in METRICS, f"metric {aspect!r}: {name} was expected; its direction is known")
    require(
        side != "",
        f"metric {aspect!r}: which values are better is not known; {name}:lower or {name}:higher was expected",
    )
    return Metric(name, "lower" if side == "lower" else "higher")


# Families of problem files that only are collections: their datasets are not related to each other.
COLLECTIONS = {"feynman": "Feynman", "strogatz": "Strogatz"}


def group_of(dataset: str, family: str | None = None) -> str:
    """Return the group of a dataset in tables: the family of its problem, else the group by its name in SRBench.

    Examples
    --------
    >>> group_of("feynman_I_6_2@0.01"), group_of("strogatz_vdp1"), group_of("579_fri_c0_250_5"), group_of("1027_ESL")
    ('Feynman', 'Strogatz', 'Friedman', 'black-box')
    """
    group = COLLECTIONS.get(family or dataset.split("_")[0], family)
    if group:
        return group
    return "Friedman" if source_of(dataset) == "fri_*" else "black-box"


def source_of(dataset: str, family: str = "") -> str:
    """Return the source of a dataset: its family, else its source in the shipped table of PMLB, else its own name.

    Datasets of one source are one unit of a comparison. Noise levels of a dataset have the same source; for names
    without a level, pass the name of the dataset's `noise_reference`.

    Examples
    --------
    >>> source_of("579_fri_c0_250_5"), source_of("strogatz_vdp1"), source_of("feynman_I_6_2@0.01")
    ('fri_*', 'strogatz_vdp*', 'feynman_I_6_2')
    """
    if family and family not in COLLECTIONS:
        return family
    name = problem_of(dataset)
    for source, patterns in pmlb_sources().items():
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return source
    return name


@cache
def pmlb_sources() -> dict[str, list[str]]:
    """Return patterns of the names of related PMLB datasets, by source."""
    return load_yaml(PARAMETERS / "sources" / "pmlb.yaml")["sources"]


def problem_of(dataset: str) -> str:
    """Return the name of a dataset without its noise level.

    Examples
    --------
    >>> problem_of("feynman_I_6_2@0.01"), problem_of("a@home")
    ('feynman_I_6_2', 'a@home')
    """
    return LEVEL_PATTERN.sub("", dataset)


def average_levels(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each dataset (rows) over its noise levels."""
    return cells.groupby(cells.index.map(problem_of).rename("dataset")).mean()


def round_significant(values: Values) -> Values:
    """Return values rounded to 12 significant digits.

    Decimals are rounded after that: a rounding error does not decide whether 0.0005 becomes 0.001 or 0.
    """
    magnitude = np.where(np.isfinite(values) & (values != 0), np.abs(values), 1.0)
    exponent = np.floor(np.log10(magnitude)).astype(int)
    scale = np.power(10.0, np.clip(SIGNIFICANT_DIGITS - 1 - exponent, -290, 290))
    return np.round(values * scale) / scale


def merge_ties(values: Values, sizes: Values | None = None) -> Values:
    """Return values in which those that differ only by rounding errors are equal.

    Parameters
    ----------
    values : array, (..., n)
        Any numbers; those on the last axis are compared with each other. Those that are not finite stay as they are.
    sizes : array, broadcastable to the values, optional
        Largest absolute number that each value was computed from. None: for all values the largest one on the axis.

    Returns
    -------
    array
        Of the shape of `values`. In ascending order, a value that exceeds the result before it by at most `TIE_SHARE`
        of the larger of their sizes takes that result. With `sizes` a huge value does not make others equal.

    Examples
    --------
    >>> merge_ties(np.array([0.1 + 0.2, 0.3, 0.30001])).tolist()
    [0.3, 0.3, 0.30001]
    >>> merge_ties(np.array([-1e60, 0.2, 0.3]), sizes=np.array([1e60, 1, 1])).tolist()
    [-1e+60, 0.2, 0.3]
    """
    finite = np.where(np.isfinite(values), np.abs(values), 0)
    largest: Any = finite.max(-1, keepdims=True, initial=0) if sizes is None else sizes
    reach = TIE_SHARE * np.nan_to_num(np.broadcast_to(largest, values.shape), posinf=0)
    order = np.argsort(values)
    ordered, reach = (np.take_along_axis(array, order, -1) for array in (values, reach))
    for i in range(1, values.shape[-1]):
        lower, upper = ordered[..., i - 1], ordered[..., i]
        with np.errstate(invalid="ignore"):
            is_tied = upper - lower <= np.maximum(reach[..., i - 1], reach[..., i])
        ordered[..., i] = np.where(is_tied, lower, upper)
    merged = np.empty_like(values)  # in the same layout: sums over it add in the same order
    np.put_along_axis(merged, order, ordered, -1)
    return merged


def count_places(values: Values, ties: Any, sizes: Values | None = None) -> Values:
    """Return the place of each value on the last axis, 1 for the highest.

    Parameters
    ----------
    values : array, (..., n)
        Any numbers; -inf is the last place.
    ties : str
        `method` of `DataFrame.rank`.
    sizes : array, optional
        As in `merge_ties`, which decides what is equal.

    Examples
    --------
    >>> count_places(np.array([0.9, 0.9, 0.5, 0.1]), "dense").tolist()
    [1.0, 1.0, 2.0, 3.0]
    """
    rows = pd.DataFrame(merge_ties(values, sizes=sizes).reshape(-1, values.shape[-1]))
    places = rows.rank(axis=1, method=ties, ascending=False)
    return places.to_numpy().reshape(values.shape)


def apply_floor(worst: Values, sign: Any, floor: Any) -> Values:
    """Return what an absent run counts as: the worst value seen, or the floor if that is worse.

    Parameters
    ----------
    worst : array
        Worst value seen; NaN: there is none.
    sign : array or int
        1 where higher is better, -1 where lower is better.
    floor : array or float
        Best value that an absent run can count as; NaN: no limit.

    Examples
    --------
    >>> apply_floor(np.array([0.4, -2.0]), 1, 0.0).tolist(), apply_floor(np.array([0.4]), -1, 1.0).tolist()
    ([0.0, -2.0], [1.0])
    """
    return np.where(np.isnan(worst), np.nan, sign * np.fmin(sign * worst, sign * floor)) + 0.0
