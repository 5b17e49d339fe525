"""Models as text and arrays: parse, print, evaluate, count, simplify, compare with the truth.

The light tree (`Expression`) is what everything works on; sympy is imported only inside the functions that
need it.
"""

from srlib.expressions.algebra.complexity import count_sympy, count_text
from srlib.expressions.algebra.simplify import Simplified, features_used, simplify
from srlib.expressions.algebra.sympy_bridge import from_sympy, to_sympy
from srlib.expressions.evaluate import evaluate, r2_score
from srlib.expressions.expression import Expression, to_text
from srlib.expressions.latex import to_latex
from srlib.expressions.reading.names import positions
from srlib.expressions.reading.parse import parse
from srlib.expressions.truth.distance import Closeness, distance
from srlib.expressions.truth.equivalence import Equivalence, compare

__all__ = [
    "Closeness",
    "Equivalence",
    "Expression",
    "Simplified",
    "compare",
    "count_sympy",
    "count_text",
    "distance",
    "evaluate",
    "features_used",
    "from_sympy",
    "parse",
    "positions",
    "r2_score",
    "simplify",
    "to_latex",
    "to_sympy",
    "to_text",
]
