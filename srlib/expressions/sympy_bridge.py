"""Between the light tree and sympy; sympy is imported only when one of these functions is called."""

from typing import TYPE_CHECKING, Any

from srlib.errors import ModelTextError, SrlibError
from srlib.expressions.operators import OPERATORS, SYMPY_CALLS, Operator
from srlib.expressions.protected import opaque_functions, sympy_number
from srlib.expressions.spellings import FUNCTIONS
from srlib.expressions.tree import Expression, Item, number

if TYPE_CHECKING:
    import sympy

_ADD, _SUB, _MUL, _DIV, _NEG, _POW = (
    OPERATORS[n] for n in ("add", "sub", "mul", "div", "neg", "pow")
)
TOO_DEEP = "the model is nested too deeply for sympy"


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
        Whether features are real symbols; None makes them such as `sympy.sympify` does, of which less is known
        (``sqrt(x**2)`` stays what it is).

    Raises
    ------
    SrlibError
        When sympy cannot hold the model (nested too deeply, or a number like ``9**9**9``).

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> to_sympy(parse("x1*x1 - 2.0*`cell size`"))
    -2*cell size + x1**2
    """
    import sympy

    opaque = opaque_functions()
    symbols = {name: sympy.Symbol(name, real=real) for name in expression.features}
    stack: list[Any] = []
    try:
        for item in expression.tape:
            if isinstance(item, Operator):
                if item in _CHAINS:
                    right = stack.pop()
                    stack[-1] = _chained(sympy, item, stack[-1], right)
                    continue
                arguments = [_built(value) for value in stack[len(stack) - item.arity :]]
                if item is _POW:
                    _refuse_huge_power(*arguments)
                del stack[len(stack) - item.arity :]
                if item.sympy is None:
                    stack.append(opaque[item.name](*arguments))
                elif (
                    item.name in apply_calls
                    and item.name in SYMPY_CALLS
                    and item.name != "collect_const"
                ):
                    stack.append(getattr(sympy, item.name)(*arguments))
                else:
                    stack.append(
                        item.sympy(sympy, *[_as_number(sympy, item, a) for a in arguments])
                    )
            else:
                stack.append(symbols[item] if isinstance(item, str) else sympy_number(item))
        return _plain(sympy, _built(stack[0]))
    except RecursionError:
        raise SrlibError(TOO_DEEP) from None


_CHAINS = frozenset({_ADD, _SUB, _MUL, _DIV})


def _chained(s: Any, operator: Operator, left: Any, right: Any) -> Any:
    """Put a term or factor to a waiting chain, so that ``a + b + c`` is built once and not twice.

    A chain is a tuple of `Add` or `Mul` and the list of its arguments. It is left where sympy would do more
    on the way than collect: compute with numbers, open brackets, distribute a number over a sum.
    """
    right = _plain(s, _built(right))
    kind = s.Add if operator in (_ADD, _SUB) else s.Mul
    waiting = type(left) is tuple and left[0] is kind
    if not waiting:
        left = _plain(s, _built(left))
    if (
        isinstance(right, (s.Add, kind))
        or not waiting
        and (right.is_Number or isinstance(left, (s.Add, kind)))
    ):
        return operator.sympy(s, _built(left), right)  # type: ignore[misc]
    if operator is _SUB:
        right = -right
    elif operator is _DIV:
        right = s.Pow(right, -1)
    if waiting:
        left[1].append(right)
        return left
    return kind, [left, right]


def _built(value: Any) -> Any:
    if type(value) is tuple:
        return value[0](*value[1])
    return value


def _refuse_huge_power(base: Any, exponent: Any) -> None:
    """Refuse powers of numbers whose exact value would fill the memory (``9**9**9``)."""
    if (
        base.is_Rational
        and exponent.is_Integer
        and abs(exponent) > 10_000
        and abs(base) not in (0, 1)
    ):
        raise SrlibError(
            "the model holds a power of numbers that is too large for exact arithmetic"
        )


def _as_number(sympy: Any, operator: Operator, argument: Any) -> Any:
    """Comparisons that stand where a number is wanted become 1 or 0."""
    if operator.conditions:
        return argument
    return _plain(sympy, argument)


def _plain(sympy: Any, value: Any) -> Any:
    if isinstance(value, sympy.logic.boolalg.Boolean) and not isinstance(value, sympy.Symbol):
        return sympy.Piecewise((1, value), (0, True))
    return value


def from_sympy(expression: "sympy.Basic") -> Expression:
    """Read a sympy object back into the light tree, in the order in which sympy prints it.

    Raises
    ------
    ModelTextError
        When the object is no finite real model (``zoo``, ``nan``, ``I``) or uses a function unknown to the
        table.

    Examples
    --------
    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> from_sympy(x / y - 2 * sympy.sqrt(x) + sympy.Rational(1, 3))
    Expression(-2*sqrt(x) + x/y + 1/3)
    """
    import sympy

    tape: list[Item] = []
    work: list[Any] = [expression]
    try:
        while work:
            node = work.pop()
            if isinstance(node, tuple):
                tape.extend(node)
            elif not isinstance(node, sympy.Basic):
                tape.append(node)
            else:
                work.extend(reversed(_expand(sympy, node)))
    except RecursionError:
        raise SrlibError(TOO_DEEP) from None
    return Expression(tuple(tape))


def _expand(s: Any, node: Any) -> list[Any]:
    """One step: the node's arguments (sympy objects) and what follows them on the tape (tuples)."""
    if node.is_Symbol:
        return [(node.name,)]
    if node is s.true or node is s.false:
        return [(int(bool(node)),)]
    if node.is_Integer:
        return [(number(int(node)),)]
    if node.is_Rational and node.q != 0:
        return [(number(int(node.p)), number(int(node.q)), _DIV)]
    if node.is_Float and node.is_finite:
        return [(number(float(f"{float(node):.15g}")),)]
    if node is s.pi or node is s.E:
        return [(OPERATORS["pi" if node is s.pi else "E"],)]
    if node.is_Add:
        return _sum(s, node)
    if node.is_Mul:
        return _product(s, node)
    if node.is_Pow:
        return _power(s, node)
    if isinstance(node, s.Piecewise):
        return _piecewise(s, node)
    if isinstance(node, s.ITE):
        return [node.args[1], node.args[0], node.args[2], (OPERATORS["where"],)]
    call = FUNCTIONS.get(type(node).__name__.lower())
    if call is None or not call.after[-1] or not node.args:
        what = f"the simplified model holds {str(node)[:60]}, which is no real finite expression"
        raise ModelTextError(what, kind="nonfinite")
    parts: list[Any] = []
    for i, argument in enumerate(node.args):
        parts.append(argument)
        if call.folds and i:
            parts.append(call.after[-1])
    if call.folds:
        return parts
    return [*parts, call.after[call.fewest - 1]]


def _sum(s: Any, node: Any) -> list[Any]:
    first, *rest = node.as_ordered_terms()
    parts: list[Any] = [first]
    for term in rest:
        negative = term.as_coeff_Mul()[0].is_negative
        parts += [-term if negative else term, (_SUB,) if negative else (_ADD,)]
    return parts


def _product(s: Any, node: Any) -> list[Any]:
    coefficient, rest = node.as_coeff_Mul()
    above: list[Any] = []
    below: list[Any] = []
    for factor in rest.as_ordered_factors():
        if factor.is_Pow and factor.exp.is_Rational and factor.exp.is_negative:
            below.append(s.Pow(factor.base, -factor.exp))
        else:
            above.append(factor)
    negate: bool = coefficient is s.S.NegativeOne and bool(above)
    if coefficient.is_Rational and not negate:
        if coefficient.p != 1 or not above:
            above.insert(0, s.Integer(coefficient.p))
        if coefficient.q != 1:
            below.insert(0, s.Integer(coefficient.q))
    elif not negate and coefficient != 1:
        above.insert(0, coefficient)
    parts: list[Any] = [above[0], *([(_NEG,)] if negate else [])]
    for factor in above[1:]:
        parts += [factor, (_MUL,)]
    for i, factor in enumerate(below):
        parts += [factor, *([(_MUL,)] if i else [])]
    return [*parts, (_DIV,)] if below else parts


def _power(s: Any, node: Any) -> list[Any]:
    base, exponent = node.base, node.exp
    if exponent == s.Rational(1, 2):
        return [base, (OPERATORS["sqrt"],)]
    if exponent.is_Rational and exponent.is_negative:
        return [(1,), s.Pow(base, -exponent), (_DIV,)]
    return [base, exponent, (_POW,)]


def _piecewise(s: Any, node: Any) -> list[Any]:
    parts: list[Any] = []
    last = len(node.args) - 1
    for i, (value, condition) in enumerate(node.args):
        parts.append(value)
        if i < last or condition is not s.true:
            parts.append(condition)
        if i == last and condition is not s.true:
            parts.append((OPERATORS["only"],))
    return [*parts, (OPERATORS["where"],) * last]
