"""What protected operators compute, and where one of them is exactly a plain expression.

A rewrite takes the operator's class in sympy (with `one` and `float`) and sympy's arguments. It returns what sympy
puts in the place of the call, or None where the call has to stay as it is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def where(condition: Any, a: Any, b: Any) -> np.ndarray:
    """Choose by a condition, row by row."""
    return np.where(condition, a, b)


def gplearn_div(a: Any, b: Any) -> np.ndarray:
    """Divide; 1 where the divisor is nearly 0."""
    return where(np.abs(b) > 0.001, np.divide(a, b), 1.0)


def gplearn_log(a: Any) -> np.ndarray:
    """Take the logarithm of the magnitude; 0 where that is nearly 0."""
    return where(np.abs(a) > 0.001, np.log(np.abs(a)), 0.0)


def gplearn_inv(a: Any) -> np.ndarray:
    """Invert; 0 where the divisor is nearly 0."""
    return where(np.abs(a) > 0.001, 1.0 / a, 0.0)


def gomea_div(a: Any, b: Any) -> np.ndarray:
    """Divide by the magnitude of a divisor moved off 0, with the divisor's sign."""
    return where(b < 0, -1.0, 1.0) * (a / np.abs(b + 1e-3))


def gomea_log(a: Any) -> np.ndarray:
    """Take the logarithm of the magnitude; 0 at 0."""
    return np.nan_to_num(np.log(np.abs(a)), nan=0.0, posinf=0.0, neginf=0.0)


def deap_div(a: Any, b: Any) -> np.ndarray:
    """Divide; 1 where the divisor is 0."""
    return where(b != 0, np.divide(a, b), 1.0)


def of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Rewrite a call whose arguments are numbers: as its value, where that is finite."""

    def rewrite(cls: Any, *arguments: Any) -> Any:
        if not all(map(_is_number, arguments)):
            return None
        with np.errstate(all="ignore"):
            value = float(function(*(np.float64(float(argument)) for argument in arguments)))
        if np.isfinite(value):
            return cls.float(value)
        return None

    return rewrite


def division(divides: Callable[[float], bool]) -> Callable[..., Any]:
    """Rewrite a division that gives 1 unless ``divides(divisor)``: of equals, or by a number."""

    def rewrite(cls: Any, a: Any, b: Any) -> Any:
        if a == b:
            return cls.one
        if _is_number(b):
            if divides(float(b)):
                return a / b
            return cls.one
        return None

    return rewrite


def gomea_division(cls: Any, a: Any, b: Any) -> Any:
    """Rewrite GP-GOMEA's division by a number: as a product."""
    factor = of_numbers(gomea_div)(cls, cls.one, b)
    return None if factor is None else a * factor


def _is_number(argument: Any) -> bool:
    return bool(argument.is_number and argument.is_real and argument.is_finite)
