"""A test that draws the signs of differences by chance: exact, of a mean.

Source: R. Fisher, The Design of Experiments (1935), section 21.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from srlib.comparing.statistics import DIGITS, FEWEST_DATASETS, chances_of_sums

FINEST = 400_000  # cells of the distribution of a permuted sum


def sign_flips(
    difference: ArrayLike, resolution: float, fewest: int = FEWEST_DATASETS
) -> tuple[float, float]:
    """Permutation test of a mean difference: how often signs drawn by chance give one as far from 0.

    Parameters
    ----------
    difference : array, shape (datasets,)
        NaN left out.
    resolution : float
        They are multiples of it.
    fewest : int
        Fewer give NaN.

    Returns
    -------
    statistic, p_value : float
        The smaller of the sums above and below 0, and the two-sided p-value.

    Examples
    --------
    >>> sign_flips([0.1, 0.2, 0.1, 0.3, 0.1, 0.1], 0.1)
    (0.0, 0.03125)
    """
    known = np.asarray(difference, float)
    known = known[~np.isnan(known)]
    if len(known) < fewest:
        return math.nan, math.nan
    smaller = abs(min(known[known > 0].sum(), -known[known < 0].sum()))
    return float(round(smaller, DIGITS)), flip_p(known / resolution)


def flip_p(sums: ArrayLike) -> float:
    """Two-sided p-value of a sum of whole numbers whose signs are drawn by chance; exact up to 1,000 of them.

    Examples
    --------
    >>> flip_p([3, 2, 2, -1]), flip_p([0, 0])
    (0.25, 1.0)
    """
    whole = np.rint(np.asarray(sums, float))
    whole = whole[whole != 0].astype("int64")
    if not len(whole):
        return 1.0
    if len(whole) > 1000:
        return float(2 * stats.norm.sf(abs(whole.sum()) / math.sqrt(float(whole @ whole))))
    whole //= np.gcd.reduce(whole)
    total = int(np.abs(whole).sum())
    if total > FINEST:
        whole = np.rint(whole * (FINEST / total)).astype("int64")
    least = int(min(whole[whole > 0].sum(), -whole[whole < 0].sum()))
    return float(min(1.0, 2 * chances_of_sums(np.abs(whole))[: least + 1].sum()))
