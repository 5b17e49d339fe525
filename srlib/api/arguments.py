"""Arguments of the public functions: the ways in which each may be written, and a sentence for anything else."""

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from srlib.errors import InputError


def listed(given: str | Iterable[str]) -> tuple[str, ...]:
    """Take one text for a sequence of one.

    Examples
    --------
    >>> listed("c0"), listed(["c0", "c1"])
    (('c0',), ('c0', 'c1'))
    """
    return (given,) if isinstance(given, str) else tuple(given)


def allowed(given: Any, what: str, known: Iterable[str]) -> None:
    """Check a choice.

    Raises
    ------
    InputError
        Lists what there is to choose from.
    """
    if given not in tuple(known):
        raise InputError(f"{what}: one of {', '.join(known)} was expected, got {given!r}")


def whole(given: Any, what: str, least: int, most: int | None = None) -> int:
    """Check a whole number.

    Raises
    ------
    InputError
        When it is none, or out of range.
    """
    if isinstance(given, Integral) and least <= int(given) <= (math.inf if most is None else most):
        return int(given)
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise InputError(f"{what}: a whole number {bounds} was expected, got {given!r}")


def seconds(given: Any, what: str = "timeout") -> float:
    """Check a time limit; `InputError` when it is not a positive number."""
    if isinstance(given, Real) and float(given) > 0:
        return float(given)
    raise InputError(f"{what}: a positive number of seconds was expected, got {given!r}")


def limited(timeout: Any, jobs: Any) -> dict[str, Any]:
    """Check the limits of workers, and give them as arguments."""
    checked = None if jobs is None else whole(jobs, "jobs", 1)
    return {"timeout": seconds(timeout), "jobs": checked}


def ranges(domain: Any) -> dict[str, tuple[float, float]]:
    """Check the range of each feature.

    Raises
    ------
    InputError
        Names the feature, what was expected and what came.
    """
    if domain is not None and not isinstance(domain, Mapping):
        raise InputError(f"domain: {{NAME: (LOW, HIGH)}} was expected, got {type(domain).__name__}")
    return {str(name): _range(str(name), ends) for name, ends in (domain or {}).items()}


def _range(name: str, ends: Any) -> tuple[float, float]:
    try:
        low, high = map(float, ends)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not (np.isfinite(high - low) and low < high):
        raise InputError(f"domain: {name}: (LOW, HIGH) with LOW < HIGH was expected, got {ends!r}")
    return low, high


def numbers(values: Any, what: str) -> np.ndarray:
    """Get a column of numbers; what is missing is NaN.

    Raises
    ------
    InputError
        When it holds anything else, or is not one column.
    """
    try:
        found = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: numbers were expected ({error})") from error
    if found.ndim != 1:
        raise InputError(f"{what}: one column was expected, got an array of shape {found.shape}")
    return found
