"""What the scorer must know about a competition beside its values."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """Directions, rounding and references of a competition, as arrays.

    Parameters
    ----------
    sign : array, aspects x datasets
        1 where higher is better, -1 where lower is better.
    digits : tuple of int or None, one for each aspect; empty: none
        Decimals to which the aggregate is rounded before it is ranked; None leaves it as it is.
    accuracy, prop : int
        Positions of the aspects accuracy and property; -1 where there is none.
    scored : array of bool, datasets
        False for datasets that only serve as a reference.
    reference : array of int, datasets
        Position of the dataset that a noisy one is compared with; -1 where the property is measured per run.
    gap : array, datasets
        Difference of the two noise levels, |n1 - n2|.
    floor : array, aspects x datasets, or one number for all
        What an absent run is worth at most; NaN: the worst value seen, whatever it is.
    best : float
        The best accuracy that there can be; NaN: the best one seen.
    extra : array of int, datasets x methods, or one number for all
        Runs that a method made beyond those that the rules expect; all of them count.
    weight : array, datasets, or one number for all
        How often a dataset counts in the final score.
    """

    sign: Array
    digits: tuple[int | None, ...]
    accuracy: int
    prop: int
    scored: NDArray[np.bool_]
    reference: NDArray[np.int_]
    gap: Array
    floor: Array | float = np.nan
    best: float = np.nan
    extra: NDArray[np.int_] | int = 0
    weight: Array | float = 1.0

    def at(self, datasets: NDArray[np.int_]) -> "Design":
        """Take these datasets alone; references that are not among them are none."""
        position = np.full(len(self.scored) + 1, -1)
        position[datasets] = np.arange(len(datasets))
        floor = np.broadcast_to(self.floor, self.sign.shape)
        extra = np.asarray(self.extra)
        return replace(
            self,
            sign=self.sign[:, datasets],
            scored=self.scored[datasets],
            reference=position[self.reference[datasets]],
            gap=self.gap[datasets],
            floor=floor[:, datasets],
            extra=extra[datasets] if extra.ndim else extra,
            weight=np.broadcast_to(self.weight, self.scored.shape)[datasets],
        )
