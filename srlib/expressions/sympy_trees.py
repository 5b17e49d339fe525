"""Models in sympy, there and back; sympy is imported only inside the functions that need it."""

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from srlib.errors import ModelTextError, SrlibError
from srlib.expressions.operators import OPERATORS, SYMPY_CALLS, Operator
from srlib.expressions.parse import parse
from srlib.expressions.tree import Expression, number

if TYPE_CHECKING:
    import sympy

LARGEST_EXPONENT = 10_000  # of a power of numbers
CHAINS = {"add": "Add", "sub": "Add", "mul": "Mul", "div": "Mul"}


def to_sympy(
    expression: Expression, *, apply_calls: tuple[str, ...] = (), real: bool | None = True
) -> "sympy.Expr":
    """Build the sympy object of a model: features are real symbols, protected operators opaque functions.

    Parameters
    ----------
    expression : Expression
        The model.
    apply_calls : tuple of str
        Sympy functions that a call in the text carries out; other calls stand for their argument.
    real : bool or None
        Whether features are real symbols; None makes plain symbols as `sympy.sympify` does, of which sympy knows less
        (``sqrt(x**2)`` stays as it is).

    Raises
    ------
    SrlibError
        When sympy cannot hold the model (nested too deeply, or a number like ``9**9**9``).

    Examples
    --------
    >>> to_sympy(parse("x1*x1 - 2.0*`cell size`"))
    -2*cell size + x1**2
    """
    import sympy

    symbols = {name: sympy.Symbol(name, real=real) for name in expression.features}
    applied = frozenset(apply_calls) & frozenset(SYMPY_CALLS) - {"collect_const"}
    stack: list[Any] = []
    with sympy_errors():
        for item in expression.tape:
            if not isinstance(item, Operator):
                stack.append(symbols[item] if isinstance(item, str) else sympy_number(item))
            elif item.name in CHAINS:
                right = stack.pop()
                stack[-1] = _extend_chain(item, stack[-1], right)
            else:
                first = len(stack) - item.arity
                arguments = [_close_chain(operand) for operand in stack[first:]]
                stack[first:] = [_apply(item, arguments, applied)]
        return _as_number(_close_chain(stack[0]))


def from_sympy(expression: "sympy.Basic") -> Expression:
    """Read sympy's own print of an object.

    Raises
    ------
    ModelTextError
        When the object is no finite real model (``zoo``, ``nan``, ``I``) or uses a function unknown to the table.

    Examples
    --------
    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> from_sympy(x / y - 2 * sympy.sqrt(x) + sympy.Rational(1, 3))
    Expression(-2*sqrt(x) + x/y + 1/3)
    """
    import sympy

    with sympy_errors():
        text = _printer().doprint(expression)
    with contextlib.suppress(ModelTextError):
        tree = parse(text)
        names = set(map(str, expression.free_symbols))
        if tree.features <= names and not expression.has(sympy.I):
            return tree
    message = f"the simplified model is {text[:60]}, which is no real finite expression"
    raise ModelTextError(message, kind="nonfinite")


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
    count, waiting = 0, [expression]
    while waiting:
        node: Any = waiting.pop()
        count += 1
        waiting.extend(node.args)
    return count


@contextlib.contextmanager
def sympy_errors() -> Iterator[None]:
    """Raise sympy's errors, such as ``ZeroDivisionError: Modulo by zero``, as an `SrlibError` with a sentence."""
    try:
        yield
    except (SrlibError, MemoryError):
        raise
    except RecursionError:
        raise SrlibError("the model is nested too deeply for sympy") from None
    except Exception as error:
        raise SrlibError(f"sympy fails at it ({type(error).__name__}: {error})") from error


def _extend_chain(operator: Operator, left: Any, right: Any) -> Any:
    """Add an operand to a sum or product that is not built yet, so that ``a + b + c`` is built once and not twice.

    A chain is a tuple of `Add` or `Mul` and the list of its arguments. An operand joins it only where sympy would do
    no more than collect; sympy's own operator acts where it computes with numbers, opens brackets, or distributes a
    number over a sum.
    """
    import sympy

    kind = getattr(sympy, CHAINS[operator.name])
    right = _as_number(_close_chain(right))
    extends = type(left) is tuple and left[0] is kind
    if not extends:
        left = _as_number(_close_chain(left))
    starts = extends or not (right.is_Number or isinstance(left, (sympy.Add, kind)))
    if not starts or isinstance(right, (sympy.Add, kind)):
        return operator.sympy(sympy, _close_chain(left), right)  # type: ignore[misc]
    if operator.name == "sub":
        right = -right
    elif operator.name == "div":
        right = sympy.Pow(right, -1)
    if not extends:
        return kind, [left, right]
    left[1].append(right)
    return left


def _close_chain(operand: Any) -> Any:
    return operand[0](*operand[1]) if type(operand) is tuple else operand


def _apply(operator: Operator, arguments: list[Any], applied: frozenset[str]) -> Any:
    """Apply an operator to sympy objects; comparisons in the place of numbers become 1 or 0."""
    import sympy

    if operator.name == "pow":
        _refuse_huge_power(*arguments)
    if operator.sympy is None:
        return _opaque_functions()[operator.name](*arguments)
    if operator.name in applied:
        return getattr(sympy, operator.name)(*arguments)
    if not operator.conditions:
        arguments = [_as_number(argument) for argument in arguments]
    return operator.sympy(sympy, *arguments)


def _refuse_huge_power(base: Any, exponent: Any) -> None:
    """Refuse powers of numbers whose exact value would fill the memory (``9**9**9``)."""
    numbers = base.is_Rational and exponent.is_Integer
    if numbers and abs(exponent) > LARGEST_EXPONENT and abs(base) not in (0, 1):
        raise SrlibError(
            "the model holds a power of numbers that is too large for exact arithmetic"
        )


def _as_number(operand: Any) -> Any:
    import sympy

    if isinstance(operand, sympy.logic.boolalg.Boolean) and not isinstance(operand, sympy.Symbol):
        return sympy.Piecewise((1, operand), (0, True))
    return operand


@lru_cache(maxsize=1)
def _opaque_functions() -> dict[str, Any]:
    """Sympy function class of each protected operator, by name.

    They are rewritten only where that is exact: ``gplearn_div(x, x)`` is 1, ``gplearn_div(x, 2)`` is ``x/2``, calls
    of numbers are evaluated; every other call stays one node with its arguments.
    """
    import sympy

    def function_class(operator: Operator) -> Any:
        members = {
            "nargs": operator.arity,
            "one": sympy.Integer(1),
            "float": staticmethod(sympy_number),
            "eval": classmethod(operator.rewrite),  # type: ignore[arg-type]
            "_eval_is_extended_real": lambda self: True,
        }
        return type(operator.name, (sympy.Function,), members)

    return {o.name: function_class(o) for o in OPERATORS.values() if o.sympy is None}


def sympy_number(value: int | float) -> Any:
    """Sympy's Integer or Float of a constant."""
    import sympy

    value = number(value)
    return sympy.Integer(value) if isinstance(value, int) else sympy.Float(value)


@lru_cache(maxsize=1)
def _printer() -> Any:
    """Return sympy's printer with names in backquotes, floats with 15 digits and negative powers as quotients."""
    from sympy.printing.precedence import PRECEDENCE
    from sympy.printing.str import StrPrinter

    class ModelPrinter(StrPrinter):
        def _print_Symbol(self, expr: Any) -> str:
            return "`" + expr.name.replace("`", "``") + "`"

        def _print_Float(self, expr: Any) -> str:
            return f"{float(expr):.15g}"

        def _print_Exp1(self, expr: Any) -> Any:
            return "E()"

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            if expr.exp.is_Rational and expr.exp.is_negative:
                return f"1/{self.parenthesize(1 / expr, PRECEDENCE['Mul'], strict=False)}"
            return super()._print_Pow(expr, rational)

    return ModelPrinter()
