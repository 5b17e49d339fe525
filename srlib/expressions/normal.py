"""Normal forms on our own tree: sums and products flattened, like terms and equal bases collected, exact rationals.

A value is a rational coefficient times a *unit*, an entry of a table in which equal units have one number; units
stand behind what they are made of. Each rule keeps the value wherever the text has one; the result may have more
(``x/x`` is 1). No rule looks at a name.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from srlib.errors import SrlibError
from srlib.expressions.evaluate import arithmetic as context
from srlib.expressions.evaluate import evaluate_precisely as precise
from srlib.expressions.operators import OPERATORS

ONE = 0
DIGITS = 40
BITS = 400  # of numerator and denominator; beyond, a number has DIGITS digits
SPREAD = 64  # denominators that are summed exactly
PARITY = {"gplearn_log": 1, "gomea_log": 1, "gplearn_inv": -1, "abs": 1}  # beside the table's
NONNEGATIVE = frozenset(["exp", "abs", "cosh"])


class Value(NamedTuple):
    """A coefficient times a unit."""

    coef: Fraction
    unit: int


def shortened(value: Fraction) -> Fraction:
    """Cut a number that has grown too long to `DIGITS` digits."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= BITS:
        return value
    size = math.floor(
        (abs(value.numerator).bit_length() - value.denominator.bit_length()) * 0.30103
    )
    unit = Fraction(10) ** (size - DIGITS)
    return round(value / unit) * unit


def folded(name: str, *arguments: Fraction) -> Fraction | None:
    """Value of an operator of numbers; None where it is not finite. What is short to 25 digits is that short number."""
    if name == "pow" and arguments[1].denominator == 1 and arguments[0]:
        base, times = arguments[0], abs(int(arguments[1]))
        if times * max(base.numerator.bit_length(), base.denominator.bit_length()) <= BITS:
            return base ** int(arguments[1])
    n = context(DIGITS)
    tape: list[Any] = [n.mpf(a.numerator) / a.denominator for a in arguments]
    found = precise((*tape, OPERATORS[name]), {}, 1, DIGITS)[0]
    if not n.isfinite(found) or found and not -900 < n.mag(found) < 900:
        return None
    large = all(abs(a) > 1e-10 for a in arguments)
    if not found or large and name in ("sin", "cos", "tan", "cot", "log") and abs(found) < 1e-25:
        return Fraction(0)
    value = Fraction(n.nstr(found, 30, min_fixed=0, max_fixed=0))
    short = Fraction(n.nstr(found, 14, min_fixed=0, max_fixed=0))
    if abs(short - value) < abs(value) * Fraction(1, 10**25):
        return short
    return value


class Forms:
    """The table of units, and the rules that make them.

    A unit is a tuple: ('feature', name), ('sum', ((unit, coefficient), ...)), ('product', ((unit, exponent), ...)),
    ('minus', unit) below a root, or ('call', operator's name, (value, ...)).
    """

    rules: Mapping[str, Callable[..., Value | None]] = {}

    def __init__(self) -> None:
        self.units: list[tuple[Any, ...]] = [("one",)]
        self.known: dict[tuple[Any, ...], int] = {("one",): ONE}

    def unit(self, *entry: Any) -> int:
        """Look a unit up, or enter it."""
        if entry not in self.known:
            self.known[entry] = len(self.units)
            self.units.append(entry)
            self.made(self.known[entry])
        return self.known[entry]

    def made(self, unit: int) -> None:
        """Take note of a new unit."""

    def called(self, unit: int, name: str) -> Value | None:
        """Argument of a call of that name; None for all else."""
        entry = self.units[unit]
        if entry[0] == "call" and entry[1] == name:
            return entry[2][0]
        return None

    def constant(self, value: Fraction | float) -> Value:
        """Make a number; floats are the decimal that is written."""
        if isinstance(value, float):
            value = Fraction(repr(value))
        return Value(shortened(Fraction(value)), ONE)

    def times(self, value: Value, factor: Fraction) -> Value:
        """Multiply by a number."""
        if not factor:
            return Value(factor, ONE)
        return Value(shortened(value.coef * factor), value.unit)

    def add(self, values: Iterable[Value]) -> Value:
        """Sum."""
        found: dict[int, list[Fraction]] = defaultdict(list)
        for coef, unit in values:
            entry = self.units[unit]
            items = ((unit, Fraction(1)),)
            if entry[0] == "sum":
                items = entry[1]
            for inner, factor in items:
                found[inner].append(coef * factor)
        total = {unit: _total(parts) for unit, parts in found.items()}
        self._logarithms(total)
        self._squares(total)
        items = sorted((unit, coef) for unit, coef in total.items() if coef)
        if not items:
            return Value(Fraction(0), ONE)
        if len(items) == 1:
            return Value(items[0][1], items[0][0])
        scale = max(abs(coef) for _, coef in items)
        if items[-1][1] < 0:
            scale = -scale
        scaled = tuple((unit, shortened(coef / scale)) for unit, coef in items)
        return Value(scale, self.unit("sum", scaled))

    def _logarithms(self, total: dict[int, Fraction]) -> None:
        """Make one logarithm of those that have one coefficient."""
        groups: dict[Fraction, list[int]] = defaultdict(list)
        for unit, coef in total.items():
            if coef and self.called(unit, "log"):
                groups[abs(coef)].append(unit)
        for size, units in groups.items():
            if len(units) > 1:
                inner = [
                    self.power(self.units[u][2][0], Fraction((-1) ** (total[u] < 0))) for u in units
                ]
                merged = self.times(self.call("log", [self.multiply(inner)]), size)
                total |= dict.fromkeys(units, Fraction(0))
                for value in self.terms(merged):
                    total[value.unit] = total.get(value.unit, Fraction(0)) + value.coef

    def _squares(self, total: dict[int, Fraction]) -> None:
        """Use that the squares of sine and cosine of one angle have the sum 1."""
        pairs: dict[Value, dict[str, int]] = defaultdict(dict)
        for unit, coef in total.items():
            entry = self.units[unit]
            if coef and entry[0] == "product" and len(entry[1]) == 1 and entry[1][0][1] == 2:
                base = self.units[entry[1][0][0]]
                if base[0] == "call" and base[1] in ("sin", "cos"):
                    pairs[base[2][0]][base[1]] = unit
        for both in pairs.values():
            if len(both) == 2:
                part = total.pop(both["sin"])
                total[both["cos"]] -= part
                total[ONE] = total.get(ONE, Fraction(0)) + part
        for angle, both in pairs.items():
            for name, other in (("sin", "cos"), ("cos", "sin")):
                size = total.get(both.get(name, -1), Fraction(0))
                if size and total.get(ONE) == -size:
                    new = self.power(self.call(other, [angle]), Fraction(2))
                    total |= {ONE: Fraction(0), both[name]: Fraction(0)}
                    total[new.unit] = total.get(new.unit, Fraction(0)) - size

    def terms(self, value: Value) -> list[Value]:
        """Terms of a sum; the value itself where it is none."""
        entry = self.units[value.unit]
        if entry[0] != "sum":
            return [value]
        return [Value(shortened(value.coef * coef), unit) for unit, coef in entry[1]]

    def factors(self, unit: int) -> Sequence[tuple[int, Fraction]]:
        """Bases and exponents of a unit."""
        if unit == ONE:
            return ()
        entry = self.units[unit]
        if entry[0] == "product":
            return entry[1]
        return ((unit, Fraction(1)),)

    def multiply(self, values: Iterable[Value]) -> Value:
        """Product."""
        above, below = 1, 1
        powers: dict[int, Fraction] = defaultdict(Fraction)
        for coef, unit in values:
            above, below = above * coef.numerator, below * coef.denominator
            for base, exponent in self.factors(unit):
                powers[base] += exponent
        return self._product(shortened(Fraction(above, below)), powers)

    def _product(self, coef: Fraction, powers: dict[int, Fraction]) -> Value:
        if not coef:
            return Value(coef, ONE)
        while opened := self._opened(powers):
            for value in opened:
                coef = shortened(coef * value.coef)
                for base, exponent in self.factors(value.unit):
                    powers[base] += exponent
        items = sorted((base, e) for base, e in powers.items() if e)
        if not items:
            return Value(coef, ONE)
        if len(items) > 1 or items[0][1] != 1:
            return Value(coef, self.unit("product", tuple(items)))
        return Value(coef, items[0][0])

    def _opened(self, powers: dict[int, Fraction]) -> list[Value]:
        """Take bases out that are better written otherwise, and return what they are."""
        opened = []
        exps = [base for base, e in powers.items() if e and self.called(base, "exp")]
        if len(exps) > 1 or any(powers[base] != 1 for base in exps):
            parts = [self.times(self.units[base][2][0], powers.pop(base)) for base in exps]
            opened.append(self.call("exp", [self.add(parts)]))
        for base, exponent in list(powers.items()):
            if not exponent or exponent.denominator != 1:
                continue
            kind, inner = self.units[base][0], self.called(base, "abs")
            if inner is not None and exponent % 2 == 0:
                opened.append(self.power(inner, powers.pop(base)))
            elif kind == "product":
                opened.append(self.power(Value(Fraction(1), base), powers.pop(base)))
            elif kind == "minus":
                inside = Value(Fraction(-1), self.units[base][1])
                opened.append(self.power(inside, powers.pop(base)))
        return opened

    def power(self, value: Value, exponent: Fraction) -> Value:
        """Raise to a constant power."""
        coef, unit = value
        if exponent == 1:
            return value
        if not exponent:
            return Value(Fraction(1), ONE)
        whole = exponent.denominator == 1
        size: Fraction | None = Fraction(1)
        if abs(coef) != 1:
            size = folded("pow", abs(coef), exponent)
        if unit == ONE or size is None:
            size = folded("pow", coef, exponent)
            if unit == ONE and size is not None:
                return self.constant(size)
            return self._opaque("pow", (value, Value(exponent, ONE)))
        if coef < 0 and not whole:
            return self._product(
                shortened(size), defaultdict(Fraction, {self.unit("minus", unit): exponent})
            )
        if coef < 0 and exponent % 2:
            size = -size
        return self._product(shortened(size), self._raised(unit, exponent))

    def _raised(self, unit: int, exponent: Fraction) -> dict[int, Fraction]:
        """Bases and exponents of the power of a unit."""
        powers: dict[int, Fraction] = defaultdict(Fraction)
        items = self.factors(unit)
        if exponent.denominator == 1:
            for base, e in items:
                powers[base] += e * exponent
        elif len(items) == 1 or all(self._nonnegative(base, e) for base, e in items):
            for base, e in items:
                even = e.denominator == 1 and e % 2 == 0
                if even and (e * exponent) % 2:
                    base = self.call("abs", [Value(Fraction(1), base)]).unit
                powers[base] += e * exponent
        else:
            powers[unit] = exponent
        return powers

    def _nonnegative(self, base: int, exponent: Fraction) -> bool:
        """Whether a power has no negative value."""
        if exponent.denominator > 1 or exponent % 2 == 0:
            return True
        entry = self.units[base]
        return entry[0] == "call" and entry[1] in NONNEGATIVE

    def call(self, name: str, arguments: Sequence[Value]) -> Value:
        """Apply an operator of the table."""
        if name == "imaginary":
            raise SrlibError("the rewrites hold for real numbers alone")
        if all(unit == ONE for _, unit in arguments):
            value = folded(name, *(coef for coef, _ in arguments))
            if value is not None:
                return self.constant(value)
        rule = self.rules.get(name)
        if rule is not None and (found := rule(self, *arguments)) is not None:
            return found
        operator = OPERATORS[name]
        parity = operator.parity or PARITY.get(name, 0)
        if parity and arguments[0].coef < 0:
            flipped = (Value(-arguments[0].coef, arguments[0].unit),)
            return self.times(self._opaque(name, flipped), Fraction(parity))
        return self._opaque(name, tuple(arguments))

    def _opaque(self, name: str, arguments: tuple[Value, ...]) -> Value:
        return Value(Fraction(1), self.unit("call", name, arguments))


def _total(parts: list[Fraction]) -> Fraction:
    """Sum of numbers, the same in any order."""
    below: dict[int, int] = defaultdict(int)
    for part in parts:
        below[part.denominator] += part.numerator
    if len(below) > SPREAD:
        n = Fraction(10) ** DIGITS
        return sum((Fraction(round(Fraction(a, b) * n)) for b, a in below.items()), Fraction(0)) / n
    return shortened(sum((Fraction(a, b) for b, a in below.items()), Fraction(0)))
