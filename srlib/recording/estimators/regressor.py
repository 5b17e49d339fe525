"""SRBench's way to submit a method: a file regressor.py with `est`, `model(est, X)` and perhaps `eval_kwargs`."""

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.files import sha256
from srlib.recording.methods import Method

LIMITS = ("max_time", "timeout", "time_limit", "max_seconds")  # seconds, in SRBench's files
KNOWN = {"test_params", "use_dataframe", "pre_train", "max_train_samples", "skip_tuning"}


class Table(pd.DataFrame):
    """A table whose arrays can be written into, as before pandas 3: compiled methods of strangers ask for it."""

    @property
    def _constructor(self) -> Any:
        return Table

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(super().__array__(dtype))

    def to_numpy(self, *how: Any, **more: Any) -> np.ndarray:
        """Give a copy."""
        return np.array(super().to_numpy(*how, **more))

    @property
    def values(self) -> np.ndarray:
        """A copy of the cells."""
        return self.to_numpy()


class Regressor:
    """The estimator of a regressor.py, which is code that is run: only ever in a process of a run.

    It is fitted as it stands: nothing is tuned, `hyper_params` and `complexity` are not used.

    Parameters
    ----------
    path : str
        The file; modules beside it can be imported.
    sha256 : str
        Hash of the file; only part of the run's name.
    random_state : int
        Handed on where the estimator has a parameter or an attribute of that name.
    features : list of str
        Names of the columns.

    Raises
    ------
    ValueError
        When the file lacks `est` or `model`, or asks for scaled data: a model has to be one of the data as they are.
    """

    def __init__(self, path: str, sha256: str, random_state: int, features: list[str]) -> None:
        sys.path.insert(0, str(Path(path).parent))
        spec = importlib.util.spec_from_file_location("regressor", path)
        assert spec is not None and spec.loader is not None
        self.module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        for name in ("est", "model"):
            if not hasattr(self.module, name):
                raise ValueError(f"regressor.py: {name} was expected and is missing")
        self.settings: dict[str, Any] = dict(getattr(self.module, "eval_kwargs", {}))
        for name, value in self.settings.items():
            if name not in KNOWN and value:
                raise ValueError(
                    f"regressor.py: eval_kwargs[{name!r}] = {value!r} cannot be carried out"
                )
        self.estimator, self.features, self.seconds = self.module.est, features, None
        self._set("random_state", random_state)

    def _given(self, X: np.ndarray) -> Any:
        if self.settings.get("use_dataframe", True):
            return Table(X, columns=self.features)
        return X

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit as SRBench does: `pre_train` first, then at most `max_train_samples` rows, drawn with seed 0."""
        most = self.settings.get("max_train_samples") or len(y)
        if most < len(y):
            rows = np.random.default_rng(0).choice(len(y), most, replace=False)
            X, y = X[rows], y[rows]
        self.named = Table(X, columns=self.features)
        seen = self._given(X)
        if self.settings.get("pre_train"):
            self.settings["pre_train"](self.estimator, seen, y)
        most_s = self.seconds or 0
        for name in LIMITS if most_s else ():  # what pre_train set may be longer than the run
            if not 0 < (getattr(self.estimator, name, None) or 0) <= most_s:
                self._set(name, most_s)
        self.estimator.fit(seen, y)
        return self

    def predict(self, X: np.ndarray) -> Any:
        """Give what the estimator gives, unchecked."""
        return self.estimator.predict(self._given(X))

    def limit(self, seconds: float) -> None:
        """Tell an estimator with a time limit of its own about the run's, a tenth (at most a minute) before it."""
        self.seconds = int(max(1.0, seconds - min(60.0, seconds / 10)))
        for name in LIMITS:
            self._set(name, self.seconds)

    def _set(self, name: str, value: int) -> None:
        """Set a parameter, or an attribute where the estimator has no parameters; nothing where it has neither."""
        if name in getattr(self.estimator, "get_params", dict)():
            self.estimator.set_params(**{name: value})
        elif hasattr(self.estimator, name):
            setattr(self.estimator, name, value)

    @property
    def text(self) -> Any:
        """What `model` gives for the fitted estimator and the data with their names; None where it is None."""
        if self.module.model is None:
            return None
        takes_data = len(inspect.signature(self.module.model).parameters) > 1
        return self.module.model(self.estimator, *([self.named] if takes_data else []))


def regressor(path: Path) -> Method:
    """Make the method of a regressor.py, named after its folder; the file is not run here.

    Raises
    ------
    InputError
        When the file is missing.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    path = path.resolve()
    entry = {
        "name": path.parent.name if path.stem == "regressor" else path.stem,
        "estimator": "srlib.recording.estimators.regressor:Regressor",
        "parameters": {"path": str(path), "sha256": sha256(path)},
        "seed_parameter": "random_state",
        "names_parameter": "features",
        "names": "auto",
        "model": {"text": "participant"},
    }
    return Method.model_validate(entry)
