"""Imported by a worker before its first model, so that sympy does the same in every process, and at once.

sympy numbers its dummies from a random number, and asks for assumptions in a random order; with these settled and
sets in one order (PYTHONHASHSEED), a fork of a process that has imported this does with a model what any other does.
Simplifying some models loads the modules that sympy loads late, and fills its caches for all forks.
"""

import sympy
import sympy.core.random
from sympy import Dummy

from srlib.expressions.parse import parse
from srlib.expressions.simplify import simplify

MODELS = (
    "sin(x)**2 + y*cos(x)**2 + tan(x + y) - 0.5*tanh(x)/cosh(y)",
    "exp(2*x)*exp(y) + log(x*y) - log(x) + sqrt(x**2*y) + abs(x*y)/y + 1.5/(x + y)",
    "max(x, 0.5) + where(x > 1, y*x + y, 2*y) + gamma(x + 1)/gamma(x)",
    "sign(x)*erf(y) + asin(x) + atan2(x, y) - floor(x) + gplearn_div(x, y)",
)

sympy.core.random.seed(0)
Dummy._base_dummy_index = 10**7  # type: ignore[attr-defined]
for model in MODELS:
    simplify(parse(model), round_constants="never")
