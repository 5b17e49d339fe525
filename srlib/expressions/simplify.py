"""Simplification by sympy, with the rules' rounding of constants before or after it."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from srlib.errors import SrlibError
from srlib.expressions.complexity import count_sympy
from srlib.expressions.sympy_bridge import TOO_DEEP, from_sympy, to_sympy
from srlib.expressions.tree import Expression, number, to_text
from srlib.expressions.work import limited_work


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
        Nodes of the simplified sympy tree, as the competitions count (`count_sympy`).
    features_used : tuple of str
        Features that the simplified model depends on, sorted: ``x3/x3`` uses nothing.
    work : int
        Objects that sympy constructed on the way, where they were limited.
    """

    text: str
    expression: Expression
    complexity: int
    features_used: tuple[str, ...]
    work: int = field(default=0, repr=False, compare=False)


def rounded(value: int | float, decimals: int = 3, zero_below: float | None = None) -> int | float:
    """Round one constant; a constant that is not zero becomes zero only below `zero_below`.

    A constant that would round to zero keeps `decimals` significant digits instead.

    Examples
    --------
    >>> rounded(1.23456), rounded(0.00012345), rounded(0.00012345, zero_below=1e-3)
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


def round_constants(
    expression: Expression, decimals: int = 3, zero_below: float | None = None
) -> Expression:
    """Round every constant of a model (see `rounded`).

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> round_constants(parse("0.3999999*x + 1e-9*y"))
    Expression(0.4*x + 1e-09*y)
    """
    return Expression(
        tuple(
            rounded(item, decimals, zero_below) if isinstance(item, float) else item
            for item in expression.tape
        )
    )


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
    """Simplify a model with `sympy.simplify`; the caller puts it into a worker, which limits its time and memory.

    Parameters
    ----------
    expression : Expression
        The model.
    decimals : int
        Decimals to which constants are rounded.
    round_constants : {'before', 'after', 'never'}
        When they are rounded, relative to the simplification.
    zero_below : float, optional
        Constants smaller in magnitude become zero; None: rounding never makes a constant zero.
    ratio : float, optional
        sympy's `ratio` (1: the result is never longer than the input); None: sympy's default.
    apply_calls : tuple of str
        Sympy functions that calls in the text carry out.
    work : int, optional
        Objects that sympy may construct on the way.

    Raises
    ------
    SrlibError
        When the model is nested too deeply for sympy, or its result has a constant beyond the range of a float;
        `OutOfWorkError` when it takes more work; `ModelTextError` when it simplifies to nothing real and finite.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> simplify(parse("x3/x3 + 0.99999*x1*x1/x1"))
    Simplified(text='x1 + 1', expression=Expression(x1 + 1), complexity=3, features_used=('x1',))
    """
    import sympy

    if round_constants not in ("before", "after", "never"):
        raise ValueError(f"round_constants={round_constants!r}, allowed: before, after, never")
    if round_constants == "before":
        expression = _rounded_tree(expression, decimals, zero_below)
    options = {} if ratio is None else {"ratio": ratio}
    with in_a_sentence(), limited_work(work) as done:
        result = sympy.simplify(to_sympy(expression, apply_calls=tuple(apply_calls)), **options)
        result = _real_roots(result)
        if round_constants == "after":
            result = _replace_floats(result, lambda f: rounded(float(f), decimals, zero_below))
        result = _replace_floats(result, lambda f: number(float(f)))
        light = from_sympy(result)
    used = tuple(sorted(symbol.name for symbol in result.free_symbols))
    return Simplified(to_text(light), light, count_sympy(result), used, done.made)


@contextlib.contextmanager
def in_a_sentence() -> Iterator[None]:
    """Say in a sentence what sympy answers some texts with, such as `ZeroDivisionError: Modulo by zero`."""
    try:
        yield
    except (SrlibError, MemoryError):
        raise
    except RecursionError:
        raise SrlibError(TOO_DEEP) from None
    except Exception as error:
        raise SrlibError(f"sympy fails at it ({type(error).__name__}: {error})") from error


_rounded_tree = round_constants


def _real_roots(expression: Any) -> Any:
    """Write ``Abs(x**(3/2))`` as ``Abs(x)**(3/2)``: the first takes the root of a negative x on the way."""
    import sympy

    def split(node: Any) -> Any:
        bases: dict[Any, Any] = {}
        for factor in sympy.Mul.make_args(node.args[0]):
            base, exponent = factor.as_base_exp()
            if not factor.is_Pow or exponent.is_integer:
                base, exponent = factor, sympy.S.One
            bases[exponent] = bases.get(exponent, 1) * base
        return sympy.Mul(*(sympy.Abs(base) ** exponent for exponent, base in bases.items()))

    return expression.replace(lambda node: isinstance(node, sympy.Abs), split)


def _replace_floats(expression: Any, change: Any) -> Any:
    """Replace the floats of a sympy object; integral ones become integers."""
    import sympy

    replacements = {}
    for value in expression.atoms(sympy.Float):
        if value.is_finite:
            if value and float(value) in (0, math.inf, -math.inf):  # a whole term would go with it
                raise SrlibError("sympy's result has a constant that is beyond a float's range")
            new = change(value)
            if isinstance(new, int) or new != float(value):
                replacements[value] = (
                    sympy.Integer(new) if isinstance(new, int) else sympy.Float(new)
                )
    if replacements:
        return expression.xreplace(replacements)
    return expression


def features_used(expression: Expression, **rules: Any) -> tuple[str, ...]:
    """Features that a model depends on after simplification, sorted; options as in `simplify`.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> features_used(parse("x1 + x2 - x2"))
    ('x1',)
    """
    return simplify(expression, **rules).features_used
