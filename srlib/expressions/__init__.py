"""Models as text and arrays: parse, print, evaluate, count, simplify, compare with the truth.

All functions work on a light tree (`Expression`); sympy is imported only inside the functions that need it. In workers
sympy uses gmpy's integers (`srlib.workers.ENVIRONMENT`), because simplified models depend on the type of integers.
"""

from srlib.expressions.equality import compare
from srlib.expressions.evaluate import evaluate, r2_score
from srlib.expressions.parse import parse
from srlib.expressions.simplify import simplify, tree_distance
from srlib.expressions.sympy_trees import count_sympy, from_sympy, to_sympy
from srlib.expressions.tree import Expression, count_text, to_latex, to_text

__all__ = [
    "Expression",
    "compare",
    "count_sympy",
    "count_text",
    "evaluate",
    "from_sympy",
    "parse",
    "r2_score",
    "simplify",
    "to_latex",
    "to_sympy",
    "to_text",
    "tree_distance",
]
