"""How far each constant may be off, under each reading of "the constants are equal" (`srlib.rules.Constants`)."""

import math
from collections.abc import Sequence

import numpy as np

from srlib.expressions.normal_form import NormalForm as Gathered
from srlib.rules.constants import Constants

SHARE = 0.0049  # of itself that a constant may move, at most (see `equivalence`)
HALF = 0.499  # of a unit, so that a whole unit is not nothing where two constants can share it
PRINTED = 5e-15  # of itself that a constant loses where it is printed with 15 digits
NOTHING = 1e-4  # a constant below it is 0 in SRBench's code


def share(by: Constants) -> float:
    """Most of itself that a constant may move: a little less than half a unit of the last digit of 1.00."""
    if by.rule == "significant":
        return SHARE * 10.0 ** (3 - by.digits)
    return SHARE


def half(by: Constants) -> float:
    """Half a unit of the last decimal; with significant digits that of a number from 1 to 10."""
    if by.rule == "significant":
        return HALF * 10.0 ** (1 - by.digits)
    return HALF * 10.0**-by.digits


def room(constants: np.ndarray, by: Constants, *, stated: bool) -> np.ndarray:
    """How far each constant may move.

    By decimals, one of the truth that is `stated` with just as many digits may be rounded (12.6 for 4*pi): half a unit
    of its last digit, and `SHARE` of itself. As SRBench rounds, the model's do not move, and a difference that
    rounds to nothing is none.
    """
    size = np.abs(constants)
    if by.rule == "srbench":
        return np.full(len(constants), half(by) * stated)
    if by.rule == "significant":
        units = [10.0 ** math.floor(math.log10(v or 1)) for v in size.tolist()]
        return np.minimum(half(by) * np.array(units), share(by) * size)
    found = np.full(len(constants), half(by))
    for i, value in enumerate(size.tolist() if stated else ()):
        digits = f"{value:.15g}".partition("e")[0].replace(".", "").strip("0")
        if len(digits) == by.digits:
            found[i] = max(found[i], HALF * 10.0 ** (math.floor(math.log10(value)) + 1 - by.digits))
    # not below the digits that a text has: 1.22143287602835e13 has no decimals
    return np.maximum(np.minimum(found, SHARE * size), PRINTED * size)


def strict(constants: np.ndarray, by: Constants) -> np.ndarray:
    """How far the constants may be in the form in which all products are multiplied out."""
    shares = share(by) * np.abs(constants)
    if by.rule == "srbench":
        return np.maximum(shares, half(by))
    return shares


def vanishing(constants: np.ndarray, by: Constants) -> np.ndarray:
    """Which constants round to zero; to digits none does, but beside the largest."""
    size = np.abs(constants)
    if by.rule == "significant":
        return size < HALF * 10.0**-by.digits * np.max(size, initial=0.0)
    return size < half(by)


def admitted(by: Constants) -> str:
    """Say how far a constant may be off."""
    if by.rule == "srbench":
        return (
            "as SRBench's code rounds the constants of a model to 3 decimals and then to 3 digits"
        )
    if by.rule == "significant":
        return f"as a constant may differ by half a unit of digit {by.digits} and by {share(by):.2g} of itself"
    return (
        f"as a constant may differ by half a unit of decimal {by.digits} (in the unit of the truth as it is stated) "
        f"and by {SHARE:.2%} of itself"
    )


def as_srbench(form: Gathered) -> tuple[Gathered, list[tuple[str, float, float]]]:
    """Round the constants as SRBench's code does: to 3 decimals, then to 3 digits; below 1e-4 they are 0.

    Also returns name, rounded and given value of each constant that this changes.
    """
    items, changed = list(form.tape), []
    for name, places in zip(form.names, form.places, strict=True):
        value = float(items[places[0]])  # type: ignore[arg-type]
        rounded = _rounded(value)
        if rounded != value:
            changed.append((name, rounded, value))
            _put(items, places, rounded)
    return form._replace(tape=tuple(items)), changed


def _rounded(value: float) -> float:
    if abs(value) < NOTHING:
        return 0.0
    return float(f"{round(value, 3):.3g}")


def _put(items: list, places: Sequence[int], value: float) -> None:
    for place in places:
        items[place] = value
