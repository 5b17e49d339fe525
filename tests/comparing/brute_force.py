"""The test of pairs once more, by its definition: one flip at a time, and t itself."""

import itertools

import numpy as np


def t_of(differences):
    """Return |mean| over its standard error for each pair (column); infinite for equal differences, 0 for none."""
    mean, spread = np.abs(differences.mean(axis=0)), differences.std(axis=0, ddof=1)
    spread = np.where(spread <= 1e-9 * np.abs(differences).max(axis=0), 0, spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean > 0, mean / spread * np.sqrt(len(differences)), 0)


def brute_force_p(differences, n_drawn=0):
    """Return the p-value of each pair (column) by step-down over all flips of the units' signs, or some drawn ones."""
    n_units, n_pairs = differences.shape
    flips = itertools.product([1, -1], repeat=n_units)
    if n_drawn:
        flips = np.random.default_rng(7).choice([1, -1], (n_drawn, n_units))
    flipped = np.array([t_of(differences * np.reshape(flip, (-1, 1))) for flip in flips])
    observed, p_values = t_of(differences), np.zeros(n_pairs)
    remaining, largest = list(range(n_pairs)), 0.0
    while remaining:
        pair = max(remaining, key=observed.__getitem__)
        reached = flipped[:, remaining].max(axis=1) >= observed[pair] * (1 - 1e-9)
        p_values[pair] = largest = max(largest, reached.mean())
        remaining.remove(pair)
    return p_values
