"""What the official scorer needs of a competition, arranged once and scored many times."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from srlib.judging.judgement import Judgement
from srlib.judging.run_values import arrange
from srlib.judging.scoring import ScoreSteps, places, score
from srlib.judging.screening import Screened
from srlib.judging.values import Array, ScoringPlan
from srlib.prose import SHARED, TIED
from srlib.rules import Judge


@dataclass(frozen=True)
class Competition:
    """A competition as the scorer's input.

    Parameters
    ----------
    screened : Screened
        Methods, datasets and usable runs.
    judge : Judge
        The rules' judge block.
    measured : array, aspects x usable runs, optional
        What `measure_aspects` returns, where it is known.
    """

    screened: Screened
    judge: Judge
    measured: Array | None = None

    @classmethod
    def from_judgement(cls, judgement: Judgement) -> "Competition":
        """Take the competition that a judgement is about."""
        return cls(judgement.screened, judgement.rules.judge)

    @cached_property
    def arranged(self) -> tuple[Array, ScoringPlan]:
        """The scorer's array (aspects x datasets x methods x repetitions) and plan."""
        return arrange(self.screened, self.judge, self.measured)

    @cached_property
    def steps(self) -> ScoreSteps:
        """All steps of the scorer; `final` has one score a method of `screened.methods`, higher is better."""
        return score(*self.arranged, self.judge)

    def read_as(self, judge: Judge) -> "Competition":
        """Judge the same runs by other rules of the same tracks."""
        return Competition(self.screened, judge)


def winners(final: Array, methods: tuple[str, ...]) -> NDArray[np.object_]:
    """Name the winner of each competition; several that share the first place are joined by ' = '.

    Examples
    --------
    >>> winners(np.array([[2.0, 3.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), ("A", "B", "C")).tolist()
    ['B', 'A = B', 'all tied']
    """
    rows, which = np.unique(
        (places(final) == 1).reshape(-1, len(methods)), axis=0, return_inverse=True
    )
    names = [
        SHARED.join(name for name, first in zip(methods, row, strict=True) if first) for row in rows
    ]
    names = [
        TIED if len(row) > 1 and row.all() else name for name, row in zip(names, rows, strict=True)
    ]
    return np.array(names, dtype=object)[which].reshape(final.shape[:-1])
