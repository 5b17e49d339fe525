"""Estimators for the tests of recording: a good one, and one for each way to misbehave."""

import os
import time

import numpy as np


class Good:
    """The mean of the target; notes what it was given."""

    def __init__(self, seed=None, folder=None):
        self.seed, self.folder = seed, folder

    def fit(self, X, y):
        if self.folder:
            with open(f"{self.folder}/{os.getpid()}", "w") as stream:  # noqa: PTH123
                stream.write(str(self.seed))
        X[:] = 0  # it owns them
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)

    @property
    def text_(self):
        return repr(self.mean_)

    def longer_text(self):
        return f"0 + {self.mean_!r}"


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


class Raises(Good):
    def fit(self, X, y):
        raise RuntimeError("no idea")


class Prints(Good):
    def fit(self, X, y):
        print("x" * 10**6)
        return super().fit(X, y)


class Forks(Good):
    def fit(self, X, y):
        if os.fork() == 0:
            time.sleep(60)
        return super().fit(X, y)


class Exits(Good):
    def fit(self, X, y):
        os._exit(0)


class Eats(Good):
    def fit(self, X, y):
        return np.ones(10**12)


class Hangs(Good):
    def fit(self, X, y):
        super().fit(X, y)
        time.sleep(60)


class EmptyText(Good):
    text_ = "  "


class FailsOnMany(Good):
    def fit(self, X, y):
        if len(y) > 1000:
            raise RuntimeError("too many rows")
        return super().fit(X, y)


class Writes(Good):
    """Leaves a file where it stands."""

    def fit(self, X, y):
        with open("left-behind", "wb") as stream:  # noqa: PTH123
            stream.write(bytes(10**6))
        return super().fit(X, y)


class Draws(Good):
    """Takes no seed and draws from the process's own generators."""

    def fit(self, X, y):
        import random

        self.mean_ = float(np.random.normal()) + random.random()
        return self


class Terminated(Good):
    """Stopped from outside: somebody else ends its process."""

    def fit(self, X, y):
        os.kill(os.getpid(), 15)
        time.sleep(60)


class Leaves(Good):
    """Starts a process in a session of its own and goes on, or ends."""

    def __init__(self, note, crash=False):
        super().__init__()
        self.note, self.crash = note, crash

    def fit(self, X, y):
        child = os.fork()
        if child == 0:
            os.setsid()
            time.sleep(120)
            os._exit(0)
        with open(self.note, "w") as stream:  # noqa: PTH123
            stream.write(str(child))
        if self.crash:
            os._exit(3)
        return super().fit(X, y)


class Misspells(Good):
    """Its text is not what it predicts."""

    @property
    def text_(self):
        return repr(self.mean_ + 1)


class Starts(Good):
    """Slow the first time in a process."""

    started = False

    def fit(self, X, y):
        if not Starts.started:
            time.sleep(1.0)
            Starts.started = True
        return super().fit(X, y)


class Spreads(Good):
    """Takes 900 MB in three processes, none of which takes much."""

    def fit(self, X, y):
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                block = np.ones(300 * 2**17)
                time.sleep(2)
                os._exit(block is None)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        return super().fit(X, y)
