"""Models in sympy: there and back, rounding of constants, simplifying within a limit of work.

sympy is imported only inside the functions that need it. It computes as published: this module counts the objects
that it constructs, and replaces nothing of what it finds.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from srlib.errors import ModelTextError, SrlibError
from srlib.expressions.operators import OPERATORS, SYMPY_CALLS, Operator
from srlib.expressions.parse import parse
from srlib.expressions.tree import Expression, number, to_text

if TYPE_CHECKING:
    import sympy

LARGEST_EXPONENT = 10_000  # of a power of numbers
CHAINS = {"add": "Add", "sub": "Add", "mul": "Mul", "div": "Mul"}
WARM_UP = (
    "sin(x)**2 + y*cos(x)**2 + tan(x + y) - 0.5*tanh(x)/cosh(y)",
    "exp(2*x)*exp(y) + log(x*y) - log(x) + sqrt(x**2*y) + abs(x*y)/y + 1.5/(x + y)",
    "max(x, 0.5) + where(x > 1, y*x + y, 2*y) + gamma(x + 1)/gamma(x)",
    "sign(x)*erf(y) + asin(x) + atan2(x, y) - floor(x) + gplearn_div(x, y)",
)


class OutOfWorkError(SrlibError):
    """Simplifying needs more work than the rules allow."""


@dataclass(frozen=True)
class Simplified:
    """A simplified model.

    Parameters
    ----------
    text : str
        The model in the project's notation; `parse` reads it back.
    expression : Expression
        The same as a light tree.
    complexity : int
        Number of nodes: of the sympy tree as the competitions count (`count_sympy`), or of the shortest writing.
    features_used : tuple of str
        Features that the simplified model depends on, sorted: ``x3/x3`` uses no feature.
    work : int
        Number of objects that sympy constructed, where it was limited.
    """

    text: str
    expression: Expression
    complexity: int
    features_used: tuple[str, ...]
    work: int = field(default=0, repr=False, compare=False)


def simplify(
    expression: Expression,
    *,
    decimals: int = 3,
    round_constants: str = "before",
    zero_below: float | None = None,
    ratio: float | None = None,
    apply_calls: tuple[str, ...] = (),
    work: int | None = None,
) -> Simplified:
    """Simplify a model with `sympy.simplify`; the caller limits time and memory by running it in a worker.

    Parameters
    ----------
    expression : Expression
        The model.
    decimals : int
        Decimals to which constants are rounded.
    round_constants : {'before', 'after', 'never'}
        When constants are rounded, relative to the simplification.
    zero_below : float, optional
        Constants smaller in magnitude become zero; None: rounding never makes a constant zero.
    ratio : float, optional
        sympy's `ratio` (1: the result is never longer than the input); None: sympy's default.
    apply_calls : tuple of str
        Sympy functions that calls in the text carry out.
    work : int, optional
        Number of objects that sympy may construct.

    Raises
    ------
    SrlibError
        When the model is nested too deeply for sympy, or its result has a constant beyond the range of a float;
        `OutOfWorkError` when it takes more work; `ModelTextError` when the result is not real and finite.

    Examples
    --------
    >>> simplify(parse("x3/x3 + 0.99999*x1*x1/x1"))
    Simplified(text='x1 + 1', expression=Expression(x1 + 1), complexity=3, features_used=('x1',))
    """
    import sympy

    if round_constants not in ("before", "after", "never"):
        raise ValueError(f"round_constants={round_constants!r}, allowed: before, after, never")
    if round_constants == "before":
        expression = round_model(expression, decimals, zero_below)
    options = {} if ratio is None else {"ratio": ratio}
    with sympy_errors(), limited_work(work) as counter:
        result = sympy.simplify(to_sympy(expression, apply_calls=apply_calls), **options)
        result = result.replace(lambda node: isinstance(node, sympy.Abs), _root_of_magnitudes)
        if round_constants == "after":
            result = _change_floats(
                result, lambda value: round_constant(value, decimals, zero_below)
            )
        result = _change_floats(result, number)
        tree = from_sympy(result)
    features = tuple(sorted(symbol.name for symbol in result.free_symbols))
    return Simplified(to_text(tree), tree, count_sympy(result), features, counter.objects)


def round_constant(
    value: int | float, decimals: int = 3, zero_below: float | None = None
) -> int | float:
    """Round one constant; a constant that is not zero becomes zero only below `zero_below`.

    A constant that would round to zero keeps `decimals` significant digits instead.

    Examples
    --------
    >>> round_constant(1.23456), round_constant(0.00012345), round_constant(0.00012345, zero_below=1e-3)
    (1.235, 0.000123, 0)
    """
    if isinstance(value, int):
        return value
    if zero_below is not None and abs(value) < zero_below:
        return 0
    result = round(value, decimals)
    if result == 0 and value != 0:
        result = round(value, decimals - 1 - math.floor(math.log10(abs(value))))
    return number(float(result))


def round_model(
    expression: Expression, decimals: int = 3, zero_below: float | None = None
) -> Expression:
    """Round every constant of a model (see `round_constant`).

    Examples
    --------
    >>> round_model(parse("0.3999999*x + 1e-9*y"))
    Expression(0.4*x + 1e-09*y)
    """
    return Expression(
        tuple(
            round_constant(item, decimals, zero_below) if isinstance(item, float) else item
            for item in expression.tape
        )
    )


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
                stack.append(symbols[item] if isinstance(item, str) else _constant(item))
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
        names = {symbol.name for symbol in expression.free_symbols}
        if tree.features <= names and not expression.has(sympy.I):
            return tree
    message = f"the simplified model is {text[:60]}, which is no real finite expression"
    raise ModelTextError(message, kind="nonfinite")


def warm_sympy() -> None:
    """Bring sympy into one state in every process, and load the modules and caches that simplifying needs.

    sympy numbers its dummies from a random number and asks for assumptions in a random order. With both fixed, and
    sets in one order (PYTHONHASHSEED), a fork of a process that called this does with a model what any other does.
    """
    import sympy.core.random

    sympy.core.random.seed(0)
    sympy.Dummy._base_dummy_index = 10**7  # type: ignore[attr-defined]
    for text in WARM_UP:
        simplify(parse(text), round_constants="never")


@dataclass
class Work:
    """Number of objects that sympy constructed."""

    objects: int = 0


class _WorkEnds(BaseException):
    """Passes through all of sympy's own `except Exception`."""


@contextlib.contextmanager
def limited_work(limit: int | None) -> Iterator[Work]:
    """Let sympy construct at most `limit` objects in this block; None counts nothing and sets no limit.

    Every expression, number and symbol that sympy constructs passes `Basic.__new__`; answers from its caches do not,
    so the count is the same only where the caches are (`warm_sympy`). sympy has no hook for either: while the block
    runs, `Basic.__new__` counts before it constructs, and the table of multinomial coefficients, which fills the
    memory before the first of its objects, checks its size. Both compute what sympy's own do.

    Raises
    ------
    OutOfWorkError
        When it would construct more.

    Examples
    --------
    >>> import sympy
    >>> with limited_work(10):
    ...     sympy.expand((sympy.Symbol("q1") + 1) ** 20)
    Traceback (most recent call last):
    ...
    srlib.expressions.simplify.OutOfWorkError: sympy does not end within 10 objects
    """
    work = Work()
    if limit is None:
        yield work
        return
    from sympy.core.basic import Basic
    from sympy.ntheory import multinomial

    construct, expand = Basic.__new__, multinomial.multinomial_coefficients

    def count_and_construct(cls: Any, *args: Any) -> Any:
        work.objects += 1
        if work.objects > limit:
            raise _WorkEnds
        return construct(cls, *args)

    def check_and_expand(terms: int, power: int) -> Any:
        if terms and math.comb(terms + power - 1, power) > limit:
            raise _WorkEnds
        return expand(terms, power)

    basic: Any = Basic
    basic.__new__ = staticmethod(count_and_construct)
    multinomial.multinomial_coefficients = check_and_expand
    try:
        yield work
    except _WorkEnds:
        raise OutOfWorkError(f"sympy does not end within {limit} objects") from None
    finally:
        basic.__new__ = staticmethod(construct)
        multinomial.multinomial_coefficients = expand


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
            "float": staticmethod(_constant),
            "eval": classmethod(operator.rewrite),  # type: ignore[arg-type]
            "_eval_is_extended_real": lambda self: True,
        }
        return type(operator.name, (sympy.Function,), members)

    return {o.name: function_class(o) for o in OPERATORS.values() if o.sympy is None}


def _constant(value: int | float) -> Any:
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
        def _print_Symbol(self, symbol: Any) -> str:
            return "`" + symbol.name.replace("`", "``") + "`"

        def _print_Float(self, value: Any) -> str:
            return f"{float(value):.15g}"

        def _print_Exp1(self, constant: Any) -> str:
            return "E()"

        def _print_Pow(self, power: Any, rational: bool = False) -> str:
            if power.exp.is_Rational and power.exp.is_negative:
                return f"1/{self.parenthesize(1 / power, PRECEDENCE['Mul'], strict=False)}"
            return super()._print_Pow(power, rational)

    return ModelPrinter()


def _root_of_magnitudes(node: Any) -> Any:
    """Write ``Abs(x**(3/2))`` as ``Abs(x)**(3/2)``: the first takes the root of a negative x on the way."""
    import sympy

    bases: dict[Any, Any] = {}
    for factor in sympy.Mul.make_args(node.args[0]):
        base, exponent = factor.as_base_exp()
        if not factor.is_Pow or exponent.is_integer:
            base, exponent = factor, sympy.S.One
        bases[exponent] = bases.get(exponent, 1) * base
    return sympy.Mul(*(sympy.Abs(base) ** exponent for exponent, base in bases.items()))


def _change_floats(expression: Any, change: Callable[[float], int | float]) -> Any:
    """Replace the floats of a sympy object; integral ones become integers."""
    import sympy

    replacements = {}
    for old in expression.atoms(sympy.Float):
        if old.is_finite:
            if old and float(old) in (0, math.inf, -math.inf):  # a whole term would go with it
                raise SrlibError("sympy's result has a constant that is beyond a float's range")
            new = change(float(old))
            if isinstance(new, int) or new != float(old):
                replacements[old] = _constant(new)
    return expression.xreplace(replacements)
