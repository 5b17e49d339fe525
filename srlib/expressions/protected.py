"""Protected operators as opaque functions of sympy, rewritten only where that is exact.

So nothing blows up into Piecewise: ``gplearn_div(x, x)`` is 1, ``gplearn_div(x, 2)`` is ``x/2``, numbers are
evaluated, all else stays one node with its arguments.
"""

from functools import lru_cache
from typing import Any

from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.tree import number


@lru_cache(maxsize=1)
def opaque_functions() -> dict[str, Any]:
    """Sympy function class of each protected operator, by name."""
    import sympy

    def make(operator: Operator) -> Any:
        members = {
            "nargs": operator.arity,
            "one": sympy.Integer(1),
            "float": staticmethod(sympy_number),
            "eval": classmethod(operator.rewrite),  # type: ignore[arg-type]
            "_eval_is_extended_real": lambda self: True,
        }
        return type(operator.name, (sympy.Function,), members)

    return {o.name: make(o) for o in OPERATORS.values() if o.sympy is None}


def sympy_number(value: int | float) -> Any:
    """Constant as sympy's Integer or Float."""
    import sympy

    value = number(value)
    if isinstance(value, int):
        return sympy.Integer(value)
    return sympy.Float(value)
