"""Partial derivatives of operators: ``(arguments, result) -> tuple``; absent where they are zero almost everywhere."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from srlib.expressions.operators import OPERATORS, SYMPY_CALLS


def _power_partials(x: Any, y: Any, out: Any) -> tuple[Any, Any]:
    return y * x ** (y - 1.0), np.where(x > 0, out * np.log(np.abs(x)), 0.0)


# fmt: off
PARTIALS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "add": lambda a, b, o: (1.0, 1.0),
    "sub": lambda a, b, o: (1.0, -1.0),
    "mul": lambda a, b, o: (b, a),
    "div": lambda a, b, o: (1.0 / b, -o / b),
    "neg": lambda a, o: (-1.0,),
    "pow": _power_partials,
    "exp": lambda a, o: (o,),
    "log": lambda a, o: (1.0 / a,),
    "log2": lambda a, o: (1.0 / (a * np.log(2)),),
    "log10": lambda a, o: (1.0 / (a * np.log(10)),),
    "log1p": lambda a, o: (1.0 / (1.0 + a),),
    "expm1": lambda a, o: (o + 1.0,),
    "sqrt": lambda a, o: (0.5 / o,),
    "cbrt": lambda a, o: (1.0 / (3.0 * o * o),),
    "square": lambda a, o: (2.0 * a,),
    "cube": lambda a, o: (3.0 * a * a,),
    "inv": lambda a, o: (-o * o,),
    "abs": lambda a, o: (np.sign(a),),
    "mod": lambda a, b, o: (1.0, -np.floor(a / b)),
    "sin": lambda a, o: (np.cos(a),),
    "cos": lambda a, o: (-np.sin(a),),
    "tan": lambda a, o: (1.0 + o * o,),
    "cot": lambda a, o: (-1.0 - o * o,),
    "sec": lambda a, o: (o * np.tan(a),),
    "csc": lambda a, o: (-o / np.tan(a),),
    "asin": lambda a, o: (1.0 / np.sqrt(1.0 - a * a),),
    "acos": lambda a, o: (-1.0 / np.sqrt(1.0 - a * a),),
    "atan": lambda a, o: (1.0 / (1.0 + a * a),),
    "atan2": lambda a, b, o: (b / (a * a + b * b), -a / (a * a + b * b)),
    "sinh": lambda a, o: (np.cosh(a),),
    "cosh": lambda a, o: (np.sinh(a),),
    "tanh": lambda a, o: (1.0 - o * o,),
    "asinh": lambda a, o: (1.0 / np.sqrt(a * a + 1.0),),
    "acosh": lambda a, o: (1.0 / np.sqrt(a * a - 1.0),),
    "atanh": lambda a, o: (1.0 / (1.0 - a * a),),
    "erf": lambda a, o: (2.0 / np.sqrt(np.pi) * np.exp(-a * a),),
    "erfc": lambda a, o: (-2.0 / np.sqrt(np.pi) * np.exp(-a * a),),
    "gamma": lambda a, o: (o * import_module("scipy.special").digamma(a),),
    "sigmoid": lambda a, o: (o * (1.0 - o),),
    "gauss": lambda a, o: (-2.0 * a * o,),
    "max": lambda a, b, o: (np.where(a >= b, 1.0, 0.0), np.where(a >= b, 0.0, 1.0)),
    "min": lambda a, b, o: (np.where(a <= b, 1.0, 0.0), np.where(a <= b, 0.0, 1.0)),
    "where": lambda v, c, e, o: (np.where(c != 0, 1.0, 0.0), 0.0, np.where(c != 0, 0.0, 1.0)),
    "only": lambda v, c, o: (np.where(c != 0, 1.0, 0.0), 0.0),
    "cond": lambda x, y, o: (0.0, np.where(x > 0, 1.0, 0.0)),
    "aq": lambda a, b, o: (1.0 / np.sqrt(1.0 + b * b), -o * b / (1.0 + b * b)),
    "sqrtabs": lambda a, o: (0.5 * np.sign(a) / o,),
    "gplearn_div": lambda a, b, o: (
        np.where(np.abs(b) > 0.001, 1.0 / b, 0.0), np.where(np.abs(b) > 0.001, -o / b, 0.0)),
    "gplearn_log": lambda a, o: (np.where(np.abs(a) > 0.001, 1.0 / a, 0.0),),
    "gplearn_inv": lambda a, o: (np.where(np.abs(a) > 0.001, -o * o, 0.0),),
    "gomea_div": lambda a, b, o: (
        OPERATORS["gomea_div"].numpy(1.0, b), -OPERATORS["gomea_div"].numpy(a, b) / (b + 1e-3)),
    "gomea_log": lambda a, o: (np.where(a != 0, 1.0 / a, 0.0),),
    "deap_div": lambda a, b, o: (np.where(b != 0, 1.0 / b, 0.0), np.where(b != 0, -o / b, 0.0)),
} | dict.fromkeys(SYMPY_CALLS, lambda a, o: (1.0,))
# fmt: on
