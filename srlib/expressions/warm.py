"""Put sympy into the same state in every worker, with modules and caches loaded; imported before the first model.

sympy numbers its dummies from a random number and queries assumptions in a random order. With both fixed, and sets in
the same order (PYTHONHASHSEED), all forks of a process that imported this module simplify a model in the same way. The
module acts on import, because a server only imports modules.
"""

import sympy
import sympy.core.random

from srlib.expressions.parse import parse
from srlib.expressions.simplify import simplify

WARM_UP = (
    "sin(x)**2 + y*cos(x)**2 + tan(x + y) - 0.5*tanh(x)/cosh(y)",
    "exp(2*x)*exp(y) + log(x*y) - log(x) + sqrt(x**2*y) + abs(x*y)/y + 1.5/(x + y)",
    "max(x, 0.5) + where(x > 1, y*x + y, 2*y) + gamma(x + 1)/gamma(x)",
    "sign(x)*erf(y) + asin(x) + atan2(x, y) - floor(x) + gplearn_div(x, y)",
)

sympy.core.random.seed(0)
sympy.Dummy._base_dummy_index = 10**7  # type: ignore[attr-defined]
for _text in WARM_UP:
    simplify(parse(_text), round_constants="never")
