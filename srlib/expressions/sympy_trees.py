"""Conversion of models to and from sympy; sympy is imported only inside the functions that need it."""

import contextlib
from collections.abc import Iterator, Mapping
from functools import cache, partial
from operator import neg, truediv
from typing import TYPE_CHECKING, Any

from srlib.errors import ModelTextError, SrlibError
from srlib.expressions.operators import OPERATORS, Function, Operator, Tape
from srlib.expressions.parse import parse, tape_of
from srlib.expressions.tree import Expression, number, run_tape

if TYPE_CHECKING:
    import sympy

LARGEST_EXPONENT = 10_000  # limit of the exponent of a power of numbers
# operands that are conditions, by place
CONDITION_PLACES = {"or": (0, 1), "and": (0, 1), "not": (0,), "where": (1,), "only": (1,)}


def to_sympy(
    expression: Expression, *, apply_calls: tuple[str, ...] = (), real: bool | None = True
) -> "sympy.Expr":
    """Return a model as a sympy object: features are symbols, protected operators opaque functions.

    Parameters
    ----------
    expression : Expression
        The model.
    apply_calls : tuple of str
        Names of sympy functions that are applied where the text calls them; other calls stand for their argument.
    real : bool or None
        Whether features are real symbols; None makes symbols without assumptions as `sympy.sympify` does, so that
        ``sqrt(x**2)`` stays unchanged.

    Raises
    ------
    SrlibError
        When sympy cannot represent the model (nested too deeply, or a number like ``9**9**9``).

    Examples
    --------
    >>> to_sympy(parse("x1*x1 - 2.0*`cell size`"))
    -2*cell size + x1**2
    >>> [to_sympy(parse("factor(x*y + x)"), apply_calls=names) for names in ((), ("factor",))]
    [x*y + x, x*(y + 1)]
    """
    import sympy

    symbols = {name: sympy.Symbol(name, real=real) for name in expression.features}
    with sympy_errors():
        return _build(expression.tape, symbols, frozenset(apply_calls))


def from_sympy(expression: "sympy.Basic") -> Expression:
    """Return a sympy object as a model, by parsing its printed form.

    Raises
    ------
    ModelTextError
        When the object is not a finite real model (``zoo``, ``nan``, ``I``) or uses a function unknown to srlib.

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
    """Return the number of nodes of a sympy tree, as the competitions count complexity.

    ``a - b`` is ``a + (-1)*b`` in sympy and has 5 nodes; ``x/y`` is ``x*y**-1`` and has 5 nodes. Protected operators
    count as their plain form, but at least one node plus those of their arguments: ``x/y - protected_div(x, y)`` is
    not nothing.

    Examples
    --------
    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> count_sympy(a - b), count_sympy(a / b), count_sympy(2.5 * a)
    (5, 5, 3)
    >>> [count_sympy(to_sympy(parse(text))) for text in ("protected_div(a, b + 1.5)", "a/(b + 1.5)")]
    [7, 7]
    """
    import sympy

    plain = expression
    for operator in OPERATORS.values():
        if operator.plain:
            form = partial(_build_formula, operator.plain)
            plain = plain.replace(_opaque_function(operator), form)
    return max(sum(1 for _ in sympy.preorder_traversal(tree)) for tree in (expression, plain))


@contextlib.contextmanager
def sympy_errors() -> Iterator[None]:
    """Convert exceptions of sympy, such as ``ZeroDivisionError: Modulo by zero``, to `SrlibError` with a sentence."""
    try:
        yield
    except (SrlibError, MemoryError):
        raise
    except RecursionError:
        raise SrlibError("the model is nested too deeply for sympy") from None
    except Exception as error:
        message = f"sympy cannot compute the model ({type(error).__name__}: {error})"
        raise SrlibError(message) from error


def sympy_number(value: int | float) -> Any:
    """Return a constant as sympy's Integer or Float."""
    import sympy

    return sympy.sympify(number(value))


def _build(
    tape: Tape, values: Mapping[str, Any], applied_calls: frozenset[str] = frozenset()
) -> Any:
    """Return the sympy object of a tape, with `values` in place of its features."""
    return _as_number(run_tape(tape, values, partial(_function_of, applied_calls), sympy_number))


def _build_formula(formula: str, *arguments: Any) -> Any:
    """Return the sympy object of a formula of `a` and `b`, with `arguments` in their place."""
    return _build(tape_of(formula), dict(zip("ab", arguments, strict=False)))


@cache
def _function_of(applied_calls: frozenset[str], operator: Operator) -> Function:
    """Return the function that applies an operator to sympy objects; an incomplete sum is a list of terms."""
    import sympy

    functions: dict[str, Function] = {
        "div": truediv,
        "neg": neg,
        "pow": _power,
        "pi": lambda: sympy.pi,
        "E": lambda: sympy.E,
        "round": sympy.Function("round", real=True),
        "where": lambda v, c, e: sympy.Piecewise((v, c), (e, True)),
        "only": lambda v, c: sympy.Piecewise((v, c)),
    }
    name = operator.name
    if name in ("add", "sub"):
        return partial(_extend_sum, name == "sub")
    if operator.plain:
        function = _opaque_function(operator)
    elif name in functions:
        function = functions[name]
    elif name in applied_calls or operator.sympy.isidentifier():
        function = getattr(sympy, operator.sympy or name)
    else:
        function = partial(_build_formula, operator.sympy or operator.meaning)
    places = CONDITION_PLACES.get(name, ())

    def apply(*operands: Any) -> Any:
        pairs = enumerate(operands)
        return function(*((_as_condition if i in places else _as_number)(a) for i, a in pairs))

    return apply


@cache
def _opaque_function(operator: Operator) -> Any:
    """Return the sympy function class of a protected operator.

    A call is evaluated only if its meaning then needs no Piecewise: ``gplearn_div(x, x)`` is 1, ``gplearn_div(x, 2)``
    is ``x/2``, functions of numbers are numbers. Every other call stays a node with its arguments.
    """
    import sympy

    def rewrite(cls: Any, *arguments: Any) -> Any:
        last = arguments[-1]
        is_number = last.is_number and last.is_real and last.is_finite
        if not is_number and arguments != (last, last):
            return None
        value = _build_formula(operator.meaning, *arguments)
        if value.has(sympy.Piecewise):
            return None
        return sympy_number(float(value)) if len(arguments) == 1 else value

    members = {
        "nargs": operator.arity,
        "eval": classmethod(rewrite),
        "_eval_is_extended_real": lambda self: True,
    }
    return type(operator.name, (sympy.Function,), members)


def _extend_sum(subtract: bool, left: Any, right: Any) -> list[Any]:
    """Return the list of terms of a sum with one more term; the sum is built once, when all terms are there."""
    terms = left if isinstance(left, list) else [_as_number(left)]
    right = _as_number(right)
    terms.append(-right if subtract else right)
    return terms


def _power(base: Any, exponent: Any) -> Any:
    """Return a power; raise SrlibError if it is a number too large for exact arithmetic (``9**9**9``)."""
    numbers = base.is_Rational and exponent.is_Integer
    if numbers and abs(exponent) > LARGEST_EXPONENT and abs(base) not in (0, 1):
        raise SrlibError(
            "the model holds a power of numbers that is too large for exact arithmetic"
        )
    return base**exponent


def _is_condition(operand: Any) -> bool:
    import sympy

    return isinstance(operand, sympy.logic.boolalg.Boolean) and not operand.is_Symbol


def _as_number(operand: Any) -> Any:
    """Return an operand as a number: a list of terms becomes their sum, a condition 1 or 0."""
    import sympy

    if isinstance(operand, list):
        return sympy.Add(*operand)
    return sympy.Piecewise((1, operand), (0, True)) if _is_condition(operand) else operand


def _as_condition(operand: Any) -> Any:
    """Return an operand as a condition; a number is true if it is not 0."""
    import sympy

    return operand if _is_condition(operand) else sympy.Ne(_as_number(operand), 0)


@cache
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
