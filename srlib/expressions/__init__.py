"""Models as text and arrays: parse, print, evaluate, count, simplify, compare with the truth.

The light tree (`Expression`) is what everything works on; sympy is imported only inside the functions that
need it.
"""

from srlib.expressions.complexity import count_sympy
from srlib.expressions.distance import Closeness, distance
from srlib.expressions.equivalence import Equivalence, compare
from srlib.expressions.evaluate import evaluate, r2_score
from srlib.expressions.latex import to_latex
from srlib.expressions.names import positional_bases
from srlib.expressions.parse import parse
from srlib.expressions.simplify import Simplified, features_used, simplify
from srlib.expressions.sympy_bridge import from_sympy, to_sympy
from srlib.expressions.tree import Expression, count_text, to_text

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
    "positional_bases",
    "r2_score",
    "simplify",
    "to_latex",
    "to_sympy",
    "to_text",
]
