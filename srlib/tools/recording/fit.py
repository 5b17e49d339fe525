"""One run, in a separate process: fit a method on a problem, predict, and write the model's text."""

import contextlib
import math
import os
import random
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from srlib.errors import ModelTextError
from srlib.expressions import evaluate, parse, r2_score
from srlib.expressions.names import NAMES
from srlib.expressions.tree import quoted
from srlib.problems import Partition, Partitions, Problem, partitions
from srlib.tools.recording.methods import Method, build_estimator
from srlib.tools.recording.texts import check_steps, model_text

MOST_FILE_BYTES = 2**30
# as a share of the target's range, by the precision of the predictions
TOLERANCES = {"float64": 1e-6, "float32": 1e-3}


@dataclass(frozen=True)
class PlannedRun:
    """Arguments of a process that makes one run.

    Attributes
    ----------
    method, problem : Method, Problem
        The method and the problem on which it is run.
    data_seed : int
        Seed of the repetition's data.
    key : dict
        Everything on which the run depends: `method`, `dataset`, `repetition`, `data`, `entry` and `source` (hashes),
        `version`, and `seed` of the method's random numbers, which is never the seed of its data.
    scratch : Path
        Working folder of the run.
    time_limit, memory_bytes : float, int
        Limits in seconds and bytes, which the caller enforces; methods that take a time limit get it.
    """

    method: Method
    problem: Problem
    data_seed: int
    key: dict[str, Any]
    scratch: Path = Path()
    time_limit: float = 0.0
    memory_bytes: int = 0


class TextReading(NamedTuple):
    """How a model's text was compared with the predictions.

    Attributes
    ----------
    names : str or None
        How the text names features: as the first of the method's and all other numberings that gives the predictions;
        if none does, as the method states (None where it states nothing).
    difference : str
        How the text's values differ from the predictions, in words; empty if they agree on all rows.
    text_r2_test : float
        R2 of the text's values on the test rows; NaN if they differ from the predictions.
    """

    names: str | None = None
    difference: str = ""
    text_r2_test: float = math.nan


class FitResult(NamedTuple):
    """Results of one run.

    Attributes
    ----------
    model : str or None
        The model's text; None if a participant's estimator has none.
    predictions : dict of str to ndarray, shape (rows,)
        Predictions for the partitions train, test and, if there is one, extrapolation; float32 if the method computes
        in single precision, which makes comparisons more tolerant.
    r2_train, r2_test : float
        R2 of the predictions.
    training_time_s : float
        Wall-clock time of fitting.
    reading : TextReading
        How the text was compared with the predictions.
    """

    model: str | None
    predictions: dict[str, np.ndarray]
    r2_train: float
    r2_test: float
    training_time_s: float
    reading: TextReading


def fit(task: PlannedRun) -> FitResult:
    """Fit a method, predict and write its text; any exception of the estimator makes the run fail.

    The global random generators (Python's, NumPy's, and torch's if it is imported) start from the run's seed, as in
    SRBench, so that a method without a seed parameter is reproducible and differs between repetitions.

    Raises
    ------
    ValueError
        When predictions are not one finite real number per row, the model is not a text, or a text that srlib
        wrote does not give the predictions.
    """
    method = task.method
    data = partitions(task.problem, task.data_seed)
    assert data is not None and data.train is not None  # checked before any run
    estimator = build_seeded(task)
    if method.warm_up:
        build_seeded(task).fit(data.train.X[:10].copy(), data.train.y[:10].copy())
    task.scratch.mkdir(parents=True, exist_ok=True)
    os.chdir(task.scratch)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    X, y = data.train.X.copy(), data.train.y.copy()  # a method may modify them
    set_seeds(task.key["seed"])
    started = time.perf_counter()
    estimator.fit(X, y)
    seconds = time.perf_counter() - started
    parts = {name: part for name, part in vars(data).items() if isinstance(part, Partition)}
    predictions = {name: predict(estimator, part, name) for name, part in parts.items()}
    model = model_text(estimator, method, [quoted(name) for name in data.features])
    reading = read_text(model, method, data, predictions) if model else TextReading()
    is_ours = method.model.text not in (None, "participant")
    if reading.difference and is_ours and predictions["train"].dtype != np.float32:
        raise ValueError(f"text_differs: {reading.difference}")
    r2_train, r2_test = (r2_score(parts[name].y, predictions[name]) for name in ("train", "test"))
    return FitResult(model, predictions, r2_train, r2_test, seconds, reading)


def build_seeded(task: PlannedRun) -> Any:
    """Return the estimator, after seeding; raise ValueError for a pipeline that could not be written as a text."""
    set_seeds(task.key["seed"])
    estimator = build_estimator(
        task.method, task.problem.features, task.key["seed"], task.time_limit
    )
    if task.method.model.text not in (None, "participant"):
        check_steps(estimator)
    return estimator


def try_build(task: PlannedRun) -> None:
    """Build the estimator of a run and check it, to find what would fail in every run before its first fit."""
    build_seeded(task)


def set_seeds(seed: int) -> None:
    """Seed the global random generators of Python, NumPy and, if imported, torch."""
    random.seed(seed)
    np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def predict(estimator: Any, part: Partition, name: str) -> np.ndarray:
    """Return the predictions; raise ValueError unless they are one finite real number per row."""
    raw = np.asarray(estimator.predict(part.X.copy()))
    finite = np.isfinite(raw).sum() if raw.dtype.kind in "fiub" else 0
    if raw.size != len(part.y) or finite < raw.size:
        raise ValueError(
            f"predict gave {raw.size} values of type {raw.dtype}, {finite} of them finite numbers, "
            f"on {len(part.y)} {name} rows"
        )
    return raw.reshape(-1) if raw.dtype == np.float32 else raw.astype(float).reshape(-1)


def read_text(
    text: str, method: Method, data: Partitions, predictions: dict[str, np.ndarray]
) -> TextReading:
    """Compare a text with the predictions on all rows, under the numbering that the method states and all others."""
    own_names = None if method.names == "auto" else method.names
    readings = []
    for names in dict.fromkeys(filter(None, (own_names, *NAMES))):
        difference, r2_test = find_difference(text, names, data, predictions)
        if not difference:
            return TextReading(names, "", r2_test)
        readings.append(TextReading(own_names, difference))
    return readings[0]


def find_difference(
    text: str, names: str, data: Partitions, predictions: dict[str, np.ndarray]
) -> tuple[str, float]:
    """Return a sentence on how a text differs from the predictions, empty if they agree, and its test R2."""
    assert data.train is not None
    try:
        model = parse(text, data.features, names=names)
    except ModelTextError as error:
        return f"the text cannot be read: {error}", math.nan
    r2_test = math.nan
    for name, predicted in predictions.items():
        part: Partition = getattr(data, name)
        values = evaluate(model, dict(zip(data.features, part.X.T, strict=True)), len(predicted))
        spread = np.ptp(data.train.y) or 1.0
        distances = np.abs(predicted - data.train.y.mean())  # large beyond the training range
        tolerance = TOLERANCES[predicted.dtype.name] * np.maximum(spread, distances)
        is_wrong = ~(np.abs(values - predicted.astype(float)) <= tolerance)
        if np.any(is_wrong):
            row = int(np.argmax(is_wrong))
            rows = "training" if name == "train" else name
            return (
                f"on {int(np.sum(is_wrong))} of {len(values)} {rows} rows the text does not give what predict gives; "
                f"on row {row + 1} it gives {values[row]:.6g} for {float(predicted[row]):.6g}"
            ), r2_test
        if name == "test":
            r2_test = r2_score(part.y, values)
    return "", r2_test
