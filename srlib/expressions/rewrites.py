"""Exact rewrites of single operators: what each is in sums, products, powers and few functions."""

from collections.abc import Callable
from fractions import Fraction

from srlib.expressions.normal import ONE, Forms, Value
from srlib.expressions.operators import SYMPY_CALLS

HALF = Fraction(1, 2)
Rule = Callable[..., Value | None]


def _power(f: Forms, base: Value, exponent: Value) -> Value | None:
    if exponent.unit == ONE:
        return f.power(base, exponent.coef)
    if base == (1, ONE):
        return base
    argument = f.called(base.unit, "exp")
    if argument is not None and base.coef == 1:
        return f.call("exp", [f.multiply([argument, exponent])])
    return None


def _exp(f: Forms, argument: Value) -> Value | None:
    """Take logarithms out of the exponent."""
    terms = f.terms(argument)
    logs = [t for t in terms if f.called(t.unit, "log")]
    if not logs:
        return None
    rest = f.add([t for t in terms if not f.called(t.unit, "log")])
    powers = [f.power(f.units[unit][2][0], coef) for coef, unit in logs]
    return f.multiply([*powers, f.call("exp", [rest])])


def _log(f: Forms, argument: Value) -> Value | None:
    inner = f.called(argument.unit, "exp")
    if argument.coef == 1:
        return inner
    return None


def _abs(f: Forms, argument: Value) -> Value | None:
    coef, unit = argument
    if all(f._nonnegative(base, e) for base, e in f.factors(unit)) and unit != ONE:
        return Value(abs(coef), unit)
    if coef == 1:
        return None
    return f.times(f.call("abs", [Value(Fraction(1), unit)]), abs(coef))


def _sign(f: Forms, argument: Value) -> Value | None:
    coef, unit = argument
    if abs(coef) == 1 or unit == ONE:
        return None
    return f.call("sign", [Value(coef / abs(coef), unit)])


def _extreme(name: str) -> Rule:
    """Collect what the largest or smallest is taken of."""

    def extreme(f: Forms, *arguments: Value) -> Value | None:
        found: dict[Value, None] = {}
        for value in arguments:
            entry = f.units[value.unit]
            nested = value.coef == 1 and entry[0] == "call" and entry[1] == name
            inside = [value]
            if nested:
                inside = entry[2]
            found |= dict.fromkeys(inside)
        numbers = [v for v in found if v.unit == ONE]
        others = sorted((v for v in found if v.unit != ONE), key=lambda v: (v.unit, v.coef))
        if numbers:
            others.append({"max": max, "min": min}[name](numbers))
        if len(others) == 1:
            return others[0]
        return f._opaque(name, tuple(others))

    return extreme


def _division(f: Forms, a: Value, b: Value, most: float) -> Value | None:
    """Divide as gplearn and DEAP do, where it is clear which case it is."""
    if a == b:
        return Value(Fraction(1), ONE)
    if b.unit != ONE:
        return None
    if abs(b.coef) > Fraction(repr(most)):
        return f.times(a, 1 / b.coef)
    return Value(Fraction(1), ONE)


def _where(f: Forms, value: Value, condition: Value, other: Value) -> Value | None:
    if condition.unit == ONE:
        return (other, value)[bool(condition.coef)]
    if value == other:
        return value
    return None


def _swapped(name: str) -> Rule:
    return lambda f, a, b: f.call(name, [b, a])


def _ordered(name: str) -> Rule:
    return lambda f, a, b: f._opaque(name, tuple(sorted((a, b), key=lambda v: (v.unit, v.coef))))


def _plus(f: Forms, a: Value, constant: int) -> Value:
    return f.add([a, f.constant(Fraction(constant))])


def _squared(f: Forms, a: Value) -> Value:
    return f.power(a, Fraction(2))


def _quotient(above: str, below: str) -> Rule:
    def quotient(f: Forms, a: Value) -> Value:
        parts = [f.call(name, [a]) for name in (above,) if name]
        return f.multiply([*parts, f.power(f.call(below, [a]), Fraction(-1))])

    return quotient


MINUS = Fraction(-1)
RULES: dict[str, Rule] = {
    "add": lambda f, a, b: f.add([a, b]),
    "sub": lambda f, a, b: f.add([a, f.times(b, MINUS)]),
    "neg": lambda f, a: f.times(a, MINUS),
    "mul": lambda f, a, b: f.multiply([a, b]),
    "div": lambda f, a, b: f.multiply([a, f.power(b, MINUS)]),
    "pow": _power,
    "square": _squared,
    "cube": lambda f, a: f.power(a, Fraction(3)),
    "inv": lambda f, a: f.power(a, MINUS),
    "sqrt": lambda f, a: f.power(a, HALF),
    "sqrtabs": lambda f, a: f.power(f.call("abs", [a]), HALF),
    "exp": _exp,
    "log": _log,
    "log1p": lambda f, a: f.call("log", [_plus(f, a, 1)]),
    "expm1": lambda f, a: _plus(f, f.call("exp", [a]), -1),
    "sigmoid": lambda f, a: f.power(_plus(f, f.call("exp", [f.times(a, MINUS)]), 1), MINUS),
    "gauss": lambda f, a: f.call("exp", [f.times(_squared(f, a), MINUS)]),
    "aq": lambda f, a, b: f.multiply([a, f.power(_plus(f, _squared(f, b), 1), -HALF)]),
    "tan": _quotient("sin", "cos"),
    "cot": _quotient("cos", "sin"),
    "sec": _quotient("", "cos"),
    "csc": _quotient("", "sin"),
    "abs": _abs,
    "sign": _sign,
    "max": _extreme("max"),
    "min": _extreme("min"),
    "gt": _swapped("lt"),
    "ge": _swapped("le"),
    **{name: _ordered(name) for name in ("eq", "ne", "and", "or")},
    "where": _where,
    "cond": lambda f, x, y: f.call(
        "where", [y, f.call("lt", [f.constant(Fraction(0)), x]), f.constant(Fraction(0))]
    ),
    "gplearn_div": lambda f, a, b: _division(f, a, b, 0.001),
    "deap_div": lambda f, a, b: _division(f, a, b, 0.0),
    **dict.fromkeys(SYMPY_CALLS, lambda f, a: a),
}
