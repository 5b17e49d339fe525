"""What is compared over datasets: metrics with their direction, and the groups and noise levels of datasets."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from srlib.comparing.statistics import Direction
from srlib.problems import Problems

ACCURATE = (
    0.999  # an accuracy solution has a test R2 above this; source: SRBench's ground-truth results
)


@dataclass(frozen=True)
class Metric:
    """What is compared.

    Parameters
    ----------
    label : str
        Its name on axes.
    direction : {'higher', 'lower'}
        Which values are better.
    rate : bool
        A share of the repetitions, to which a failed run counts 0; else the median over the usable repetitions.
    lowest : float
        Smaller values are impossible and taken for missing.
    floor : float
        What a run that returned nothing is worth: the worst value seen on the dataset, and no better than this; NaN:
        the worst value seen, whatever it is.
    best : float
        The best value that there can be; NaN: there is no limit.
    columns : tuple of str
        Columns of a run table that hold it; the first one there is taken.
    resolution : float
        Values are compared in multiples of it; 0: up to rounding errors.
    margin : float, optional
        Differences up to this size are of no practical weight; without one nothing is called equivalent.
    centre : {'median', 'mean'}
        Over the datasets.
    """

    label: str
    direction: Direction = "higher"
    rate: bool = False
    lowest: float = -np.inf
    floor: float = np.nan
    best: float = np.nan
    columns: tuple[str, ...] = ()
    resolution: float = 0.0
    margin: float | None = None
    centre: Literal["median", "mean"] = "median"


# Shares of at most some hundred runs differ by more than a ten-thousandth or not at all.
RATE: Any = {
    "rate": True,
    "floor": 0,
    "best": 1,
    "resolution": 1e-4,
    "margin": 0.05,
    "centre": "mean",
}
METRICS = {
    "r2_test": Metric("test R²", floor=0, best=1, columns=("r2_test",), margin=0.01),
    "accuracy_solution": Metric(f"test R² > {ACCURATE}", columns=("r2_test",), **RATE),
    "solution": Metric("symbolic solutions", columns=("solution", "symbolic_solution"), **RATE),
    "complexity": Metric(
        "simplified model size",
        "lower",
        lowest=1,
        best=1,
        columns=("complexity", "simplified_complexity"),
    ),
    "complexity_raw": Metric("model size", "lower", lowest=0, best=1, columns=("complexity_raw",)),
    "training_time_s": Metric(
        "training time (s)", "lower", lowest=0, best=0, columns=("training_time_s",)
    ),
    "rmse_test": Metric("test RMSE", "lower", lowest=0, best=0),
    # of a competition: harmonic means of ranks, of which the final score is the mean; a tenth of a rank is nothing;
    # the worst rank is 1 (0 by some rules: then it is seen), and the best as high as there are methods
    "dataset_score": Metric("dataset score", floor=1, margin=0.1, centre="mean"),
    # made from assessments where it is asked for (srlib.assessing.extras)
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


def metric_of(aspect: str) -> Metric:
    """Look up a metric; of an aspect that is not among them higher values are better, as of all scores."""
    return METRICS.get(aspect, Metric(aspect))


def worst_of(values: NDArray[np.float64], metric: Metric, axis: int | None) -> NDArray[np.float64]:
    """Find what a run that returned nothing counts as: the worst of these values, no better than the metric's floor.

    Examples
    --------
    >>> worst_of(np.array([0.9, np.nan, 0.4]), METRICS["r2_test"], 0).item()
    0.0
    >>> worst_of(np.array([7.0, np.nan, 21.0]), METRICS["complexity"], 0).item()
    21.0
    """
    if metric.direction == "higher":
        return np.fmin(np.fmin.reduce(values, axis=axis), metric.floor)
    return np.fmax(np.fmax.reduce(values, axis=axis), metric.floor)


# Collections of problems that have no more in common than any others; every other group is a family.
COLLECTIONS = ("black-box", "Feynman", "Strogatz", "all datasets", "")


def group_of(dataset: str, problems: Problems | None = None) -> str:
    """Group of a dataset: the family that its problem states, else what SRBench's names tell.

    Examples
    --------
    >>> group_of("feynman_I_6_2@0.01"), group_of("strogatz_vdp1"), group_of("579_fri_c0_250_5"), group_of("1027_ESL")
    ('Feynman', 'Strogatz', 'Friedman', 'black-box')
    """
    problem = problems.find(dataset) if problems is not None else None
    known = {"feynman": "Feynman", "strogatz": "Strogatz"}
    if problem is not None and problem.family:
        return known.get(problem.family, problem.family)
    return known.get(dataset.split("_")[0], "Friedman" if "_fri_" in dataset else "black-box")


def level_of(dataset: str) -> float:
    """Noise level of a dataset `NAME@LEVEL`; NaN when its name states none.

    Examples
    --------
    >>> level_of("feynman_I_6_2@0.01")
    0.01
    """
    try:
        if "@" in dataset:
            return float(dataset.rpartition("@")[2])
        return np.nan
    except ValueError:
        return np.nan


def problem_of(dataset: str) -> str:
    """Name of a dataset without its noise level.

    Examples
    --------
    >>> problem_of("feynman_I_6_2@0.01"), problem_of("a@home")
    ('feynman_I_6_2', 'a@home')
    """
    if np.isnan(level_of(dataset)):
        return dataset
    return dataset.rpartition("@")[0]
