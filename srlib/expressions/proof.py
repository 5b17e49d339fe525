"""Symbolic proofs by sympy that a model, with the constants found, equals the truth up to a constant."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from srlib.errors import SrlibError
from srlib.expressions.expression import Expression, Item
from srlib.expressions.operators import Operator
from srlib.expressions.sympy_bridge import to_sympy

if TYPE_CHECKING:
    from srlib.expressions.matching import Match, Side

LONGEST = 120  # items of both tapes together beyond which no proof is tried
MOST_TERMS = 400  # of an expanded tape, estimated
VANISHING = 1e-6  # coefficients of the difference below this, relative to the largest, are rounding


def proves(truth: "Side", model: "Side", match: "Match", ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Try to expand the difference of model and truth to nothing; False: that did not succeed."""
    tapes = [truth.expression.tape, model.expression.tape]
    if match.moved:
        tapes[match.moved == "model"] = match.tape
    if sum(map(len, tapes)) > LONGEST or max(map(_terms, tapes)) > MOST_TERMS:
        return False
    try:
        return _vanishes(Expression(tuple(tapes[0])), Expression(tuple(tapes[1])), match, ranges)
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
    truth: Expression, model: Expression, match: "Match", ranges: Mapping[str, tuple[float, float]]
) -> bool:
    import sympy

    t, m = to_sympy(truth), to_sympy(model)
    positive = {name for name, (low, _) in ranges.items() if low > 0}
    symbols: set[Any] = t.free_symbols | m.free_symbols
    signs = {s: sympy.Symbol(s.name, positive=True) for s in symbols if s.name in positive}
    t, m = t.xreplace(signs), m.xreplace(signs)
    if match.kind == "offset":
        m = m - sympy.Float(match.constant)
    elif match.kind == "scale":
        t = sympy.Float(match.constant) * t
    if _small(sympy, sympy.expand(m), sympy.expand(t)):
        return True
    (a, b), (c, d) = (sympy.fraction(sympy.together(e)) for e in (m, t))
    return _small(sympy, sympy.expand(a * d), sympy.expand(c * b))


def _small(sympy: Any, a: Any, b: Any) -> bool:
    """Whether two expanded sums have the same terms and coefficients, up to rounding."""
    left, right = _coefficients(sympy, a), _coefficients(sympy, b)
    largest = max((abs(v) for v in (left | right).values()), default=0.0)
    return all(
        abs(left.get(k, 0.0) - right.get(k, 0.0)) <= VANISHING * largest for k in left.keys() | right.keys()
    )


def _coefficients(sympy: Any, expression: Any) -> dict[Any, float]:
    terms: dict[Any, float] = {}
    for term in sympy.Add.make_args(expression):
        number, rest = term.as_coeff_Mul()
        terms[rest] = terms.get(rest, 0.0) + float(number)
    return terms
