"""Estimators for the tests of recording: a good one, and one for each way to misbehave."""

import os
import random
import time
from pathlib import Path

import numpy as np


class Good:
    """The mean of the target."""

    def fit(self, X, y):
        X[:] = 0  # it owns them
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)

    @property
    def text_(self):
        return repr(self.mean_)


class WrongLength(Good):
    def predict(self, X):
        return np.zeros(len(X) + 1)


class GivesNaN(Good):
    def predict(self, X):
        return np.full(len(X), np.nan)


class GivesStrings(Good):
    def predict(self, X):
        return ["much"] * len(X)


class NoFit:
    pass


class EmptyText(Good):
    text_ = "  "


class Misspells(Good):
    """Its text is not what it predicts."""

    text_ = "-1"


class Raises(Good):
    def fit(self, X, y):
        print("x" * 10**6)
        raise RuntimeError("no idea")


class FailsOnMany(Good):
    def fit(self, X, y):
        if len(y) > 1000:
            raise RuntimeError("too many rows")
        return super().fit(X, y)


class Exits(Good):
    def fit(self, X, y):
        os._exit(0)


class Terminated(Good):
    """Stopped from outside: somebody else ends its process."""

    def fit(self, X, y):
        os.kill(os.getpid(), 15)
        time.sleep(60)


class Hangs(Good):
    def fit(self, X, y):
        time.sleep(60)


class Eats(Good):
    def fit(self, X, y):
        return np.ones(10**12)


class Spreads(Good):
    """Takes 900 MB in three processes, none of which takes much."""

    def fit(self, X, y):
        for _ in range(3):
            if os.fork() == 0:
                block = np.ones(300 * 2**17)
                time.sleep(2)
                os._exit(block is None)
        for _ in range(3):
            os.wait()
        return super().fit(X, y)


class Writes(Good):
    """Leaves a file where it stands."""

    def fit(self, X, y):
        Path("left-behind").write_bytes(bytes(10**6))
        return super().fit(X, y)


class Draws(Good):
    """Takes no seed and draws from the process's own generators."""

    def fit(self, X, y):
        self.mean_ = float(np.random.normal()) + random.random()
        return self


class Starts(Good):
    """Slow the first time in a process."""

    started = False

    def fit(self, X, y):
        if not Starts.started:
            time.sleep(1.0)
            Starts.started = True
        return super().fit(X, y)
