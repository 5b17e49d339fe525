"""Noise as a share of the target's variance."""

import numpy as np

from srlib.errors import InputError


def noise_deviation(y: np.ndarray, ratio: float, ddof: int = 1) -> float:
    """Compute the standard deviation of noise that makes up a share of the noisy target's variance.

    Parameters
    ----------
    y : ndarray, shape (rows,)
        The target without noise.
    ratio : float
        Noise variance / (noise variance + variance of y), in [0, 1).
    ddof : int
        Of y's variance: 1, or 0 as for the surrogates of 2022.

    Raises
    ------
    InputError
        When the ratio is not in [0, 1).

    Examples
    --------
    >>> float(round(noise_deviation(np.array([-1.0, 0.0, 1.0]), 0.2), 12))
    0.5
    """
    if not 0 <= ratio < 1:
        raise InputError(f"noise: a ratio in [0, 1) was expected, got {ratio}")
    return float(np.std(y, ddof=ddof) * np.sqrt(ratio / (1 - ratio)))


def noise(y: np.ndarray, ratio: float, seed: int) -> np.ndarray:
    """Draw normal noise for a target (see `noise_deviation`) from a generator of its own.

    Examples
    --------
    >>> float(noise(np.arange(4.0), 0.0, seed=1).sum())
    0.0
    """
    return np.random.default_rng(seed).normal(0, noise_deviation(y, ratio), y.size)
