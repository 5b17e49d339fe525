"""How far each constant may be off, under each reading of "the constants are equal" (`srlib.rules.Constants`).

- By decimals, a constant of the truth may differ by half a unit of the last decimal, and by at most `SHARE` = 0.49% of
  itself: half a unit of the third digit of 1.00, less a little, so that two constants that move against each other
  stay within 1% of their proportion. The decimals decide from 0.1 upwards, the share below; no constant can vanish,
  and a coefficient that is 1% off is always refused.
- The truth may itself be rounded (``12.6`` for 4*pi): a constant that is stated with exactly as many digits may
  differ by half a unit of its last digit, and by at most the share.
- By significant digits, half a unit of the last digit.
- As SRBench rounds, the constants of the model are rounded first and do not move.
"""

import math

import numpy as np

from srlib.expressions.normal_form import NormalForm
from srlib.rules.constants import Constants

SHARE = 0.0049  # of itself that a constant may move, at most
HALF = 0.499  # of a unit, so that a whole unit is not nothing where two constants can share it
PRINTED = 5e-15  # of itself that a constant loses where it is printed with 15 digits
SRBENCH_ZERO = 1e-4  # a constant below it is 0 in SRBench's code


def largest_share(reading: Constants) -> float:
    """Return the largest share of itself by which a constant may move."""
    return SHARE * 10.0 ** (3 - reading.digits) if reading.rule == "significant" else SHARE


def half_unit(reading: Constants) -> float:
    """Return half a unit of the last decimal; with significant digits that of a number from 1 to 10."""
    return HALF * 10.0 ** -(reading.digits - (reading.rule == "significant"))


def allowance(constants: np.ndarray, reading: Constants, *, of_truth: bool) -> np.ndarray:
    """Return how far each constant may move, shape (constants,).

    Parameters
    ----------
    constants : ndarray of shape (constants,)
        Gathered constants.
    reading : Constants
        Which constants are equal.
    of_truth : bool
        Whether these are the truth's constants, which may be rounded.
    """
    size = np.abs(constants)
    if reading.rule == "srbench":
        return np.full(len(constants), half_unit(reading) * of_truth)
    if reading.rule == "significant":
        units = np.array([10.0 ** math.floor(math.log10(v or 1)) for v in size.tolist()])
        return np.minimum(half_unit(reading) * units, largest_share(reading) * size)
    moves = np.full(len(constants), half_unit(reading))
    for i, value in enumerate(size.tolist() if of_truth else ()):
        digits = f"{value:.15g}".partition("e")[0].replace(".", "").strip("0")
        if len(digits) == reading.digits:
            unit = 10.0 ** (math.floor(math.log10(value)) + 1 - reading.digits)
            moves[i] = max(moves[i], HALF * unit)
    # not below the digits that a text has: 1.22143287602835e13 has no decimals
    return np.maximum(np.minimum(moves, SHARE * size), PRINTED * size)


def expanded_allowance(constants: np.ndarray, reading: Constants) -> np.ndarray:
    """Return how far constants may be off where all products are multiplied out and moves of factors add up."""
    shares = largest_share(reading) * np.abs(constants)
    return np.maximum(shares, half_unit(reading)) if reading.rule == "srbench" else shares


def rounds_to_zero(constants: np.ndarray, reading: Constants) -> np.ndarray:
    """Return which constants round to zero; to significant digits, beside the largest."""
    size = np.abs(constants)
    if reading.rule == "significant":
        return size < HALF * 10.0**-reading.digits * np.max(size, initial=0.0)
    return size < half_unit(reading)


def round_as_srbench(form: NormalForm) -> tuple[NormalForm, list[tuple[str, float, float]]]:
    """Round the constants as SRBench's code does: to 3 decimals, then to 3 digits; below 1e-4 they are 0.

    Also returns the name, the rounded and the original value of each constant that this changes.
    """
    items, changes = list(form.tape), []
    for i, places in enumerate(form.places):
        value = float(items[places[0]])  # type: ignore[arg-type]
        rounded = 0.0 if abs(value) < SRBENCH_ZERO else float(f"{round(value, 3):.3g}")
        if rounded != value:
            changes.append((form.describe_constant(i), rounded, value))
            for place in places:
                items[place] = rounded
    return form._replace(tape=tuple(items)), changes
