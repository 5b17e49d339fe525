"""SRBench's way to submit a method: a file regressor.py with `est`, `model(est, X)` and perhaps `eval_kwargs`."""

import inspect
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

LIMITS = ("max_time", "timeout", "time_limit", "max_seconds")  # seconds, in SRBench's files
SUPPORTED = {"test_params", "use_dataframe", "pre_train", "max_train_samples", "skip_tuning"}


class Regressor:
    """The estimator of a regressor.py, which is code that is run: only ever in a process of a run.

    It is fitted as it stands: nothing is tuned, `hyper_params` and `complexity` are not used.

    Parameters
    ----------
    path : str
        The file; modules beside it can be imported.
    parameters : mapping
        Parameters or attributes of the estimator that a method file sets.
    features : sequence of str
        Names of the columns.
    seed : int
        Handed on where the estimator has a parameter or an attribute `random_state`.
    time_limit : float
        Seconds of the run; an estimator with a limit of its own gets a tenth (at most a minute) less, whatever the
        file's `pre_train` sets.

    Raises
    ------
    ValueError
        When the file asks for scaled data: a model has to be one of the data as they are.
    """

    def __init__(
        self,
        path: str,
        parameters: Mapping[str, Any],
        features: Sequence[str],
        seed: int,
        time_limit: float,
    ) -> None:
        sys.path.insert(0, str(Path(path).parent))
        self.names = runpy.run_path(path, run_name="regressor")
        self.settings: dict[str, Any] = dict(self.names.get("eval_kwargs", {}))
        for name, value in self.settings.items():
            if value and name not in SUPPORTED:
                raise ValueError(
                    f"regressor.py: eval_kwargs[{name!r}] = {value!r} is not supported"
                )
        self.estimator, self.features = self.names["est"], list(features)
        seconds = int(max(1.0, time_limit - min(60.0, time_limit / 10)))
        self.values = {**dict.fromkeys(LIMITS, seconds), **parameters, "random_state": seed}
        self._set_values()

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit as SRBench does: `pre_train` first, then at most `max_train_samples` rows, drawn with seed 0."""
        most_rows = self.settings.get("max_train_samples") or len(y)
        if most_rows < len(y):
            rows = np.random.default_rng(0).choice(len(y), most_rows, replace=False)
            X, y = X[rows], y[rows]
        self.table = pd.DataFrame(X, columns=self.features)
        if self.settings.get("pre_train"):
            self.settings["pre_train"](self.estimator, self._input(X), y)
            self._set_values()  # it may have set a longer time than the run has
        self.estimator.fit(self._input(X), y)
        return self

    def predict(self, X: np.ndarray) -> Any:
        """Give the estimator's predictions, unchecked."""
        return self.estimator.predict(self._input(X))

    @property
    def model(self) -> Any:
        """What the file's `model` gives for the fitted estimator and the data with their names; None without it."""
        model = self.names["model"]
        if model is None:
            return None
        n_arguments = len(inspect.signature(model).parameters)
        return model(*[self.estimator, self.table][:n_arguments])

    def _input(self, X: np.ndarray) -> Any:
        """Give the rows as the file wants them: a table with names, or an array."""
        if self.settings.get("use_dataframe", True):
            return pd.DataFrame(X, columns=self.features)
        return X

    def _set_values(self) -> None:
        """Set parameters, or attributes where the estimator has no such parameter; nothing where it has neither."""
        for name, value in self.values.items():
            if name in getattr(self.estimator, "get_params", dict)():
                self.estimator.set_params(**{name: value})
            elif hasattr(self.estimator, name):
                setattr(self.estimator, name, value)
