"""One run, inside a process of its own: fit a method on a problem, predict, and get the model's text."""

import contextlib
import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from srlib.errors import ModelTextError
from srlib.expressions import Expression, evaluate, parse
from srlib.problems import Partition, Partitions, Problem, partitions
from srlib.recording.estimators.regressor import Regressor
from srlib.recording.methods import Method, build, find
from srlib.recording.pipelines import check_steps
from srlib.recording.texts import TEXTS, model_text

FILE_BYTES = 2**30
TOLERANCE = 1e-6  # of the target's range
TOLERANCE_SINGLE = 1e-3  # where the method computes in single precision
WRITERS = frozenset(TEXTS)


@dataclass(frozen=True)
class Task:
    """What one run is made of: everything that its process needs."""

    method: Method
    problem: Problem
    repetition: int
    seed: int
    scratch: Path | None = None
    time_limit: float | None = None


@dataclass(frozen=True)
class Result:
    """What one run gave.

    Attributes
    ----------
    model : str or None
        The model's text; None where a participant's estimator has none.
    predictions : dict of str to ndarray, shape (rows,)
        By partition: train, test, and extrapolation where there is one; float32 where the method computes in
        single precision, so that a comparison can know.
    r2 : dict of str to float
        By partition, of these predictions.
    seconds : float
        Wall-clock time of fitting.
    differs : str
        How far the text is from the predictions on the training rows; empty where it gives them.
    """

    model: str | None
    predictions: dict[str, np.ndarray]
    r2: dict[str, float]
    seconds: float
    differs: str = ""


def execute(task: Task) -> Result:
    """Fit and predict; whatever a stranger's estimator raises is the run's failure.

    The process's generators of random numbers (Python's, NumPy's, and torch's where it is imported) start from
    the run's seed, as SRBench's do: a method without a seed of its own repeats, and differs between repetitions.

    Raises
    ------
    ValueError
        When predictions are not one finite real number per row, the model is not a text, or a text that srlib
        wrote does not give the predictions.
    """
    data = partitions(task.problem, task.seed)
    if data is None or data.train is None:
        raise ValueError(f"dataset {task.problem.dataset} has no training rows")
    method = task.method
    estimator = _built(task, data.features)
    if method.warm_up is not None:
        _warm_up(task, data)
    if task.scratch is not None:
        _confine(task.scratch)
    X, y = data.train.X.copy(), data.train.y.copy()  # a method may write into them
    _seed(task.seed)
    started = time.perf_counter()
    estimator.fit(X, y)
    seconds = time.perf_counter() - started
    parts = {"train": data.train, "test": data.test, "extrapolation": data.extrapolation}
    known = {name: part for name, part in parts.items() if part is not None}
    predictions = {name: _predict(estimator, part, name) for name, part in known.items()}
    model = model_text(estimator, method, data.features)
    differs = ""
    if model is not None:
        differs = _difference(model, method, data, predictions["train"])
    if differs and method.model.text in WRITERS and predictions["train"].dtype != np.float32:
        raise ValueError(f"text_differs: {differs}")
    return Result(
        model=model,
        differs=differs,
        predictions=predictions,
        r2={name: _r2(part.y, predictions[name]) for name, part in known.items()},
        seconds=seconds,
    )


def _built(task: Task, features: tuple[str, ...]) -> Any:
    """Build the estimator; what could not be written as a text is refused before it is fitted."""
    _seed(task.seed)
    estimator = build(task.method, features, task.seed)
    if task.method.model.text == "polynomial":
        check_steps(estimator)
    if isinstance(estimator, Regressor) and task.time_limit is not None:
        estimator.limit(task.time_limit)
    return estimator


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _warm_up(task: Task, data: Partitions) -> None:
    if task.method.warm_up == "fit":
        assert data.train is not None
        _built(task, data.features).fit(data.train.X[:10].copy(), data.train.y[:10].copy())
    else:
        find(str(task.method.warm_up))()


def _difference(text: str, method: Method, data: Partitions, predictions: np.ndarray) -> str:
    """Say how far a text is from predict() on the training rows; empty where both agree.

    Where a text may count features from 0 or from 1, the reading that agrees is the one that will be judged.
    """
    readings = ("auto", "auto-x1", "x0")
    if method.names != "auto":
        readings = (method.names,)
    said, unread = [], []
    for names in readings:
        try:
            expression = parse(text, data.features, names=names)
        except ModelTextError as error:
            unread.append(f"the text cannot be read: {error}")
        else:
            said.append(_apart(expression, data, predictions))
    return "" if "" in said else (said + unread)[0]


def _apart(expression: Expression, data: Partitions, predictions: np.ndarray) -> str:
    assert data.train is not None
    columns = dict(zip(data.features, data.train.X.T, strict=True))
    values = evaluate(expression, columns, len(predictions))
    scale = float(np.ptp(data.train.y)) or 1.0
    tolerance = TOLERANCE
    if predictions.dtype == np.float32:
        tolerance = TOLERANCE_SINGLE
    apart = np.abs(values - predictions.astype(float))
    wrong = ~(apart <= tolerance * scale)
    if not np.any(wrong):
        return ""
    row = int(np.flatnonzero(wrong)[np.argmax(np.nan_to_num(apart[wrong], nan=np.inf))])
    return (
        f"on {int(np.sum(wrong))} of {len(values)} training rows the text does not give what predict gives; "
        f"on row {row + 1} it gives {values[row]:.6g} for {float(predictions[row]):.6g}"
    )


def _confine(scratch: Path) -> None:
    """Work in a folder of the run's own, where no file grows beyond a gigabyte."""
    scratch.mkdir(parents=True, exist_ok=True)
    os.chdir(scratch)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))


def _predict(estimator: Any, part: Partition, name: str) -> np.ndarray:
    """Predict and refuse what is not one finite real number per row."""
    raw = np.asarray(estimator.predict(part.X.copy()))
    if raw.dtype.kind not in "fiub":
        raise ValueError(f"predict gave {raw.dtype} on the {name} rows; real numbers were expected")
    if raw.size != len(part.y):
        raise ValueError(f"predict gave {raw.size} values on {len(part.y)} {name} rows")
    values = raw.reshape(-1) if raw.dtype == np.float32 else raw.astype(float).reshape(-1)
    wrong = int(np.sum(~np.isfinite(values)))
    if wrong:
        raise ValueError(
            f"predict gave {wrong} values that are not finite on {len(part.y)} {name} rows"
        )
    return values


def _r2(y: np.ndarray, prediction: np.ndarray) -> float:
    from sklearn.metrics import r2_score

    return float(r2_score(y, prediction.astype(float)))
