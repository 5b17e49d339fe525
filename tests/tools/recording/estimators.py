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


class NoFit:
    pass


class WrongLength(Good):
    def predict(self, X):
        return np.zeros(len(X) + 1)


class GivesNaN(Good):
    def predict(self, X):
        return np.full(len(X), np.nan)


class GivesStrings(Good):
    def predict(self, X):
        return ["much"] * len(X)


class EmptyText(Good):
    text_ = "  "


class Misspells(Good):
    """Its text is not what it predicts."""

    text_ = "-1"


class Odd(Good):
    """Does something before it learns."""

    def fit(self, X, y):
        self.misbehave(y)
        return super().fit(X, y)


class Raises(Odd):
    def misbehave(self, y):
        print("x" * 10**6)
        raise RuntimeError("no idea")


class FailsOnMany(Odd):
    def misbehave(self, y):
        if len(y) > 1000:
            raise RuntimeError("too many rows")


class Exits(Odd):
    def misbehave(self, y):
        os._exit(0)


class Terminated(Odd):
    """Stopped from outside: somebody else ends its process."""

    def misbehave(self, y):
        os.kill(os.getpid(), 15)
        time.sleep(60)


class Hangs(Odd):
    def misbehave(self, y):
        time.sleep(60)


class Eats(Odd):
    def misbehave(self, y):
        np.ones(10**12)


class Spreads(Odd):
    """Takes 900 MB in three processes, none of which takes much."""

    def misbehave(self, y):
        for _ in range(3):
            if os.fork() == 0:
                block = np.ones(300 * 2**17)
                time.sleep(2)
                os._exit(block is None)
        for _ in range(3):
            os.wait()


class Writes(Odd):
    """Leaves a file where it stands."""

    def misbehave(self, y):
        Path("left-behind").write_bytes(bytes(10**6))


class Draws(Good):
    """Takes no seed and draws from the process's own generators."""

    def fit(self, X, y):
        self.mean_ = float(np.random.normal()) + random.random()
        return self


class Starts(Odd):
    """Slow the first time in a process."""

    started = False

    def misbehave(self, y):
        if not Starts.started:
            time.sleep(1.0)
            Starts.started = True
