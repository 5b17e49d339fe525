"""Symbolic proofs by sympy that a model, with the constants found, equals the truth up to a constant."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from srlib.errors import SrlibError
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.sympy_trees import to_sympy
from srlib.expressions.tree import Expression, Item

LONGEST = 120  # items of both tapes together beyond which no proof is tried
MOST_TERMS = 400  # of an expanded tape, estimated
MOST_OPERATIONS = 150  # of sympy's tree, beyond which its functions are not rewritten
MOST_LEFT = 40  # terms that may be left over, if the points tell that they are rounding
LARGEST = 1e200  # value on the way beyond which no proof is tried
POWERS = (OPERATORS["exp"], OPERATORS["pow"])  # where they underflow, neither
VANISHING = 1e-9  # relative difference of coefficients, or size of the terms that are left, that is rounding
# results of sympy that are remembered: the truth is the same for many models
KEPT, MORE = 256, 4096


def proves(
    truth: tuple[Item, ...],
    model: tuple[Item, ...],
    kind: str,
    constant: float | None,
    ranges: Mapping[str, tuple[float, float]],
) -> bool:
    """Try to expand the difference of two tapes, but for the constant between them, to nothing.

    False says no more than that this did not succeed. What takes sympy values beyond float64's range is not tried.
    """
    tapes = (truth, model)
    if sum(map(len, tapes)) > LONGEST or max(map(_terms, tapes)) > MOST_TERMS:
        return False
    if not all(_moderate(tape, ranges) for tape in tapes):
        return False
    return _tried(Expression(truth), Expression(model), kind, constant, ranges)


def _tried(*arguments: Any) -> bool:
    try:
        return _vanishes(*arguments)
    except (
        SrlibError,
        RecursionError,
        NotImplementedError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
    ):
        return False


def _moderate(tape: tuple[Item, ...], ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Whether all values on the way are of moderate size at the corners of the domain."""
    ends = {name: np.array([low, (low + high) / 2, high]) for name, (low, high) in ranges.items()}
    stack: list[Any] = []
    arguments: list[Any] = []
    with np.errstate(all="ignore"):
        for item in tape:
            if isinstance(item, Operator):
                arguments = stack[len(stack) - item.arity :]
                del stack[len(stack) - item.arity :]
                stack.append(item.numpy(*(np.asarray(value, dtype=float) for value in arguments)))
            else:
                stack.append(ends[item] if isinstance(item, str) else float(item))
            gone = item in POWERS and np.all((stack[-1] == 0) & (arguments[0] != 0))
            if gone or np.any(np.abs(stack[-1]) > LARGEST):
                return False
    return True


def _terms(tape: tuple[Item, ...]) -> float:
    """Estimate the number of terms that expanding a tape may give."""
    stack: list[float] = []
    for i, item in enumerate(tape):
        if not isinstance(item, Operator):
            stack.append(1.0)
            continue
        arguments = stack[len(stack) - item.arity :]
        del stack[len(stack) - item.arity :]
        if item.name in ("add", "sub"):
            stack.append(arguments[0] + arguments[1])
        elif item.name in ("mul", "div"):
            stack.append(arguments[0] * arguments[1])
        elif item.name == "pow" and isinstance(tape[i - 1], int):
            stack.append(min(arguments[0], 1e6) ** min(abs(tape[i - 1]), 50))  # type: ignore[arg-type]
        else:
            stack.append(max(arguments, default=1.0))
    return stack[0]


def _vanishes(
    truth: Expression,
    model: Expression,
    kind: str,
    constant: float | None,
    ranges: Mapping[str, tuple[float, float]],
) -> bool:
    import sympy

    t, m = to_sympy(truth), to_sympy(model)
    signs = {
        sympy.Symbol(n, real=True): sympy.Symbol(n, positive=True)
        for n, (low, _) in ranges.items()
        if low > 0
    }
    t, m = t.xreplace(signs), m.xreplace(signs)
    if kind == "offset":
        m = m - sympy.Float(constant)
    elif kind == "scale":
        t = sympy.Float(constant) * t
    ends = {sympy.Symbol(name, real=True): both for name, both in ranges.items()}
    points = [
        tuple(
            (signs.get(s, s), sympy.Float(low + share * (high - low)))
            for s, (low, high) in ends.items()
        )
        for share in (0.001, 0.3183, 0.6931, 0.999)
    ]
    if _same(m, t, points):
        return True
    m, t = _elementary(m), _elementary(t)
    if max(e.count_ops() for e in (m, t)) > MOST_OPERATIONS:
        return False
    # the points tell the sign
    return _same(m, t, points) or _same(m**2, t**2, points)


@lru_cache(KEPT)
def _elementary(e: Any) -> Any:
    """Only exponentials, logarithms of single factors, and powers of single factors, where that is exact."""
    import sympy as imported

    sympy: Any = imported
    e = e.xreplace({number: _exact(sympy, number) for number in e.atoms(sympy.Float)})
    functions = sympy.functions.elementary
    e = e.rewrite([*functions.trigonometric.TrigonometricFunction.__subclasses__(),
                   functions.hyperbolic.HyperbolicFunction], sympy.exp)  # fmt: skip
    e = e.replace(
        lambda p: p.is_Pow and p.base.is_number, lambda p: sympy.exp(p.exp * sympy.log(p.base))
    )
    e = e.replace(
        lambda p: p.is_Pow and not p.exp.is_Integer or isinstance(p, sympy.log),
        lambda p: p.func(sympy.factor_terms(sympy.together(p.args[0])), *p.args[1:]),
    )
    return sympy.expand_log(sympy.expand_power_base(e))


def _exact(sympy: Any, number: Any) -> Any:
    """Recognise small fractions and quarters of turns, as rewrites split them off."""
    for unit in (sympy.Integer(1), sympy.pi):
        ratio = sympy.Rational(float(number / unit)).limit_denominator(12)
        if ratio and abs(float(number - ratio * unit)) <= 1e-11 * abs(float(number)):
            return ratio * unit
    return number


def _same(a: Any, b: Any, points: list[Any]) -> bool:
    """Whether two functions are equal when expanded, or when expanded without denominators."""
    if _small(_coefficients(a), _coefficients(b), points):
        return True
    (a, c), (b, d) = _fraction(a), _fraction(b)
    return _small(_coefficients(a * d), _coefficients(b * c), points)


def _small(left: dict[Any, float], right: dict[Any, float], points: list[Any]) -> bool:
    """Whether two expanded sums have the same terms and coefficients, up to rounding."""
    rest = {k: abs(left.get(k, 0.0) - right.get(k, 0.0)) for k in left.keys() | right.keys()}
    rest = {
        k: v
        for k, v in rest.items()
        if v > VANISHING * max(abs(left.get(k, 0.0)), abs(right.get(k, 0.0)))
    }
    if len(rest) > MOST_LEFT:
        return False
    for at in points if rest else ():
        size = {k: _size(k, at) for k in left.keys() | rest.keys()}
        if not all(size[k] for k in rest):  # what is nothing here may be much elsewhere
            return False
        left_over = sum(v * size[k] for k, v in rest.items())
        if not left_over <= VANISHING * sum(abs(v) * size[k] for k, v in left.items()):
            return False
    return True


@lru_cache(KEPT)
def _fraction(e: Any) -> Any:
    import sympy

    return sympy.fraction(sympy.together(e))


@lru_cache(MORE)
def _size(term: Any, at: tuple[tuple[Any, Any], ...]) -> float:
    """Size of a term at a point."""
    return abs(complex(term.xreplace(dict(at))))


@lru_cache(KEPT)
def _coefficients(expression: Any) -> dict[Any, float]:
    """Coefficients of the terms of an expanded function."""
    import sympy

    terms: dict[Any, float] = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        number, rest = term.as_coeff_Mul()
        if number and not float(number):
            raise ArithmeticError("a coefficient below the range of floats")
        terms[rest] = terms.get(rest, 0.0) + float(number)
    return terms
