"""The count of a sympy tree's nodes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy


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
