"""The two counts of a model's nodes; the rules choose."""

from typing import TYPE_CHECKING, Any

from srlib.expressions.operators import Operator
from srlib.expressions.tree import Expression

if TYPE_CHECKING:
    import sympy


def count_text(expression: Expression) -> int:
    """Count operators, features and constants as they are written.

    ``a - b`` is 3 and ``-0.5*x`` is 3: a minus before a number belongs to the number, before anything else it
    is an operator. Named constants count one, calls of sympy functions (``factor_terms``) nothing.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> [count_text(parse(t)) for t in ("a - b", "-0.5*x", "-x", "sin(x)**2", "x")]
    [3, 3, 2, 4, 1]
    """
    return sum(item.nodes if isinstance(item, Operator) else 1 for item in expression.tape)


def count_sympy(expression: "sympy.Basic") -> int:
    """Count the nodes of a sympy tree in preorder, as the competitions count.

    sympy writes ``a - b`` as ``a + (-1)*b``: 5 nodes; ``x/y`` as ``x*y**-1``: 5 nodes. A protected operator
    is one node plus its arguments.

    Examples
    --------
    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> count_sympy(a - b), count_sympy(a / b), count_sympy(2.5 * a)
    (5, 5, 3)
    """
    count, work = 0, [expression]
    while work:
        node: Any = work.pop()
        count += 1
        work.extend(node.args)
    return count
