"""One run, in a separate process: fit a method on a problem, predict, and write the model's text."""

import math
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from srlib.errors import InputError, ModelTextError
from srlib.expressions import evaluate, parse, r2_score
from srlib.expressions.names import NAMES
from srlib.expressions.tree import quoted
from srlib.problems import Partition, Partitions, Problem, partitions
from srlib.tools.recording.methods import Method, build_estimator
from srlib.tools.recording.texts import check_steps, model_text

SAME_R2 = 1e-9
NO_TEXT = "on which every aspect is measured, so that `srlib judge` leaves them out"
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
    time_limit, memory_bytes : float, int
        Limits in seconds and bytes, which the caller enforces; methods that take a time limit get it.
    scratch : Path
        Folder in which the run makes its working folder.
    """

    method: Method
    problem: Problem
    data_seed: int
    key: dict[str, Any]
    time_limit: float
    memory_bytes: int
    scratch: Path


class FitResult(NamedTuple):
    """Results of one run.

    Attributes
    ----------
    columns : dict
        Columns of the run table: `model` (None if a participant's estimator has no text), `names` (how the text names
        features), `r2_train` and `r2_test` of the predictions, and `training_time_s`, by the wall clock.
    predictions : dict of str to ndarray, shape (rows,)
        Predictions for the partitions train, test and, if there is one, extrapolation; float32 if the method computes
        in single precision, which makes comparisons more tolerant.
    notes : list of (str, str)
        What a judge has to know of the text: clauses about the run, each with an example, which may be empty.
    """

    columns: dict[str, Any]
    predictions: dict[str, np.ndarray]
    notes: list[tuple[str, str]]


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
    data = partitions(task.problem, task.data_seed)
    assert data is not None and data.train is not None  # checked before any run
    estimator = build_seeded(task)
    if task.method.warm_up:
        build_seeded(task).fit(data.train.X[:10].copy(), data.train.y[:10].copy())
    task.scratch.mkdir(parents=True, exist_ok=True)
    os.chdir(tempfile.mkdtemp(dir=task.scratch))
    X, y = data.train.X.copy(), data.train.y.copy()  # a method may modify them
    set_seeds(task.key["seed"])
    started = time.perf_counter()
    estimator.fit(X, y)
    columns: dict[str, Any] = {"training_time_s": time.perf_counter() - started}
    parts = {name: part for name, part in vars(data).items() if isinstance(part, Partition)}
    predictions = {name: predict(estimator, part, name) for name, part in parts.items()}
    for name in ("train", "test"):
        columns[f"r2_{name}"] = r2_score(parts[name].y, predictions[name])
    columns["model"] = model_text(estimator, task.method, [quoted(name) for name in data.features])
    columns["names"], notes = describe_text(columns, task.method, data, predictions)
    return FitResult(columns, predictions, notes)


def build_seeded(task: PlannedRun) -> Any:
    """Return the estimator, after seeding; raise ValueError for a pipeline that could not be written as a text."""
    set_seeds(task.key["seed"])
    estimator = build_estimator(
        task.method, task.problem.features, task.key["seed"], task.time_limit
    )
    if task.method.is_written:
        check_steps(estimator)
    return estimator


def try_build(task: PlannedRun) -> str:
    """Build the estimator of a run; return the reason why it cannot be imported, or an empty text."""
    try:
        build_seeded(task)
    except InputError as error:
        return str(error)
    return ""


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
    return raw.reshape(-1).astype(raw.dtype if raw.dtype == np.float32 else float)


def describe_text(
    columns: dict[str, Any], method: Method, data: Partitions, predictions: dict[str, np.ndarray]
) -> tuple[str | None, list[tuple[str, str]]]:
    """Return how a run's text names features, and the notes about it.

    Of the numbering that the method states and all others, the first counts that gives the predictions on all rows; if
    none does, the one that the method states (None where it states nothing).
    """
    own_names, text = None if method.names == "auto" else method.names, columns["model"]
    if text is None:
        return None, [(f"without a model text, {NO_TEXT}", "")]
    differences = []
    for names in dict.fromkeys(filter(None, (own_names, *NAMES))):
        difference, text_r2 = find_difference(text, names, data, predictions)
        if not difference:
            gap, notes = abs(text_r2 - columns["r2_test"]), []
            if gap > SAME_R2:
                example = f"differs by {gap:.1e}"
                notes.append(("whose text has another test R2 than predict", example))
            if names != (own_names or names):
                notes.append(
                    (f"whose text names features as names: {names}, not as {own_names}", "")
                )
            return names, notes
        differences.append(difference)
    if method.is_written and predictions["train"].dtype != np.float32:
        raise ValueError(f"text_differs: {differences[0]}")
    return own_names, [("whose text differs from predict", differences[0])]


def find_difference(
    text: str, names: str, data: Partitions, predictions: dict[str, np.ndarray]
) -> tuple[str, float]:
    """Return a sentence on how a text differs from the predictions, empty if they agree, and its test R2."""
    assert data.train is not None
    try:
        model = parse(text, data.features, names=names)
    except ModelTextError as error:
        return f"the text cannot be read: {error}", math.nan
    X = np.vstack([getattr(data, name).X for name in predictions])
    predicted, y = np.concatenate([*predictions.values()]), data.train.y
    values = evaluate(model, dict(zip(data.features, X.T, strict=True)), len(X))
    distances = np.abs(predicted - y.mean())  # large beyond the training range
    tolerance = TOLERANCES[predicted.dtype.name] * np.maximum(np.ptp(y) or 1.0, distances)
    wrong = np.flatnonzero(~(np.abs(values - predicted) <= tolerance))
    if len(wrong):
        return (
            f"on {len(wrong)} of {len(values)} rows the text does not give what predict gives; "
            f"on the first of them it gives {values[wrong[0]]:.6g} for {predicted[wrong[0]]:.6g}"
        ), math.nan
    return "", r2_score(data.test.y, values[len(y) :][: len(data.test.y)])
