"""From a tape to a sum of products: one pass that puts constants together wherever that is exact."""

import hashlib
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

import numpy as np

from srlib.expressions import sums
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.parse import parse
from srlib.expressions.sums import Atom, Factors, Number, Sum, TooMuchError
from srlib.expressions.tree import Item

MOST_TERMS = 80  # of a product of sums that is multiplied out
MOST_WORK = 20_000  # products of two terms in all
DEEPEST = 60  # functions within functions
LARGEST_EXPONENT = 300.0  # whose exponential, and the product of two, is no infinity and no zero


class Gathering:
    """One pass over a tape with a stack of sums."""

    def __init__(
        self, positive: frozenset[str], expand: bool, whole: float = 0.0, most: int = MOST_TERMS
    ) -> None:
        self.positive, self.expand, self.whole, self.most, self.work = (
            positive,
            expand,
            whole,
            most,
            0,
        )
        self.rounded: list[float] = []

    def of(self, tape: tuple[Item, ...]) -> Sum:
        """Return the sum that a tape is."""
        return self.along(tape, {})

    def along(self, tape: tuple[Item, ...], known: Mapping[str, Sum]) -> Sum:
        """Return the sum that a tape is, where some names stand for sums."""
        stack: list[Sum] = []
        for item in tape:
            if isinstance(item, Operator):
                arguments = stack[len(stack) - item.arity :]
                del stack[len(stack) - item.arity :]
                stack.append(self.applied(item, arguments))
            elif item in known:
                stack.append(known[item])  # type: ignore[index]
            elif isinstance(item, str):
                stack.append(sums.single(Atom(f"`{item}`", item, (), item in self.positive)))
            else:
                stack.append(sums.constant(sums.exact(item)))
        return stack[0]

    def applied(self, operator: Operator, arguments: list[Sum]) -> Sum:
        """Apply an operator to sums."""
        name = operator.name
        if name in RULES:
            return RULES[name](self, *arguments)
        meaning = _meaning(operator)
        if meaning:
            return self.along(meaning, dict(zip("ab", arguments, strict=False)))
        values = [sums.number(argument) for argument in arguments]
        if None not in values:
            with np.errstate(all="ignore"):
                return sums.constant(float(operator.numpy(*(float(v) for v in values))))  # type: ignore[arg-type]
        sign = 1
        if operator.parity and sums.first(arguments[0])[1] < 0:
            arguments, sign = [sums.scaled(arguments[0], -1)], operator.parity
        return sums.scaled(self.function(name, *arguments), sign)

    def function(self, name: str, *arguments: Sum) -> Sum:
        """Return a function of sums as one term."""
        parts = (",".join(f"{sums.key(f)}:{c}" for f, c in sums.ordered(a)) for a in arguments)
        key = f"{name}({';'.join(parts)})"
        if len(key) > 200:
            key = name + hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
        depth = 1 + max((atom.depth for a in arguments for f in a for atom, _ in f), default=0)
        if depth > DEEPEST:
            raise TooMuchError
        positive = sums.is_positive(arguments[0]) if name == "sum" else OPERATORS[name].positive
        return sums.single(Atom(key, name, arguments, positive, depth))

    def plus(self, a: Sum, b: Sum) -> Sum:
        """Add two sums, into the longer one."""
        if len(a) < len(b):
            a, b = b, a
        for factors, value in b.items():
            sums.put(a, factors, value)
        return a

    def times(self, a: Sum, b: Sum) -> Sum:
        """Multiply two sums; what is too long to be multiplied out stays a factor."""
        for one, other in ((a, b), (b, a)):
            value = sums.number(one)
            if value is not None and (self.expand or len(other) < 2 or abs(value) in (0, 1)):
                return sums.scaled(other, value)
        if len(a) * len(b) > (self.most if self.expand else 1):
            a, b = self.as_factor(a, signed=True), self.as_factor(b, signed=True)
        self.work += len(a) * len(b)
        if self.work > MOST_WORK:
            raise TooMuchError
        product: Sum = {}
        for f, c in a.items():
            for g, d in b.items():
                for factors, value in self.joined((*f, *g), sums.times(c, d)).items():
                    sums.put(product, factors, value)
        return product

    def as_factor(self, a: Sum, *, signed: bool) -> Sum:
        """Return a sum as one term; where products are multiplied out it gives up a coefficient."""
        if len(a) < 2:
            return a
        content = sums.first(a)[1] if self.expand else 1
        content = content if signed else abs(content)
        shares = {f: c if content == 1 else sums.lean(sums.share(c, content)) for f, c in a.items()}
        return sums.scaled(self.function("sum", shares), content)

    def joined(self, factors: Factors, value: Number) -> Sum:
        """Return a product of factors: powers of one base joined, exponentials too."""
        exponent: Sum = {}
        for atom, power in factors:
            if atom.name == "exp":
                exponent = self.plus(exponent, sums.scaled(atom.arguments[0], power))
        rest = tuple(pair for pair in factors if pair[0].name != "exp")
        found: Sum = {}
        for others, c in (self.exp(exponent) if exponent else {(): 1}).items():
            powers: dict[Atom, Number] = {}
            for atom, power in (*rest, *others):
                powers[atom] = sums.plus(powers.get(atom, 0), power)
            kept = sorted(((a, p) for a, p in powers.items() if p), key=lambda pair: pair[0].key)
            sums.put(found, tuple(kept), sums.times(value, c))
        return found

    def power(self, base: Sum, n: Number) -> Sum:
        """Raise to a number, where that is exact on the whole domain."""
        whole = round(n)
        if (
            whole != n
            and abs(n - whole) <= min(self.whole, abs(whole) / 200)
            and not sums.is_positive(base)
        ):
            self.rounded.append(float(n))
            n = whole
        if not base:
            raise TooMuchError
        integral = n == round(n)
        if len(base) > 1:
            if (
                self.expand
                and integral
                and 2 <= n <= 12
                and math.comb(len(base) + int(n) - 1, int(n)) <= self.most
            ):
                found = dict(base)
                for _ in range(int(n) - 1):
                    found = self.times(found, base)
                return found
            base = self.as_factor(base, signed=integral)
        ((factors, c),) = base.items()
        if not integral and c < 0:
            base = self.function("sum", base)
            ((factors, c),) = base.items()
        if not integral and not all(atom.positive for atom, _ in factors) and factors:
            one = len(factors) == 1 and factors[0][1] == 1
            if not one:
                ((factors, _),) = self.function("sum", {factors: 1}).items()
        return self.joined(
            tuple((atom, sums.times(p, n)) for atom, p in factors), sums.raised(c, n)
        )

    def to_the(self, base: Sum, exponent: Sum) -> Sum:
        """Raise to a sum; a number to the power of a sum is an exponential."""
        n, c = sums.number(exponent), sums.number(base)
        if n is not None:
            if c is not None:
                return sums.constant(sums.raised(c, n))
            if n:
                return self.power(base, n)
            return sums.constant(1)
        if c is not None and c > 0:
            return self.exp(sums.scaled(exponent, math.log(c)))
        return self.function("pow", base, exponent)

    def exp(self, a: Sum) -> Sum:
        """Constants become factors, logarithms powers."""
        rest, found = dict(a), sums.constant(1)
        for factors, c in a.items():
            if (not factors and abs(c) < LARGEST_EXPONENT) or (
                len(factors) == 1 and factors[0][0].name == "log" and factors[0][1] == 1
            ):
                del rest[factors]
                by = (
                    self.power(factors[0][0].arguments[0], c)
                    if factors
                    else sums.constant(math.exp(c))
                )
                found = self.times(found, by)
        if not rest:
            return found
        ((alone, _),) = self.function("exp", rest).items()
        merged: Sum = {}
        for factors, c in found.items():
            sums.put(merged, tuple(sorted((*factors, *alone), key=lambda pair: pair[0].key)), c)
        return merged

    def log(self, a: Sum) -> Sum:
        """Factors become terms where all are positive; a number always does."""
        value = sums.number(a)
        if value is not None:
            return sums.constant(math.log(value))
        a = self.as_factor(a, signed=False)
        ((factors, c),) = a.items()
        found = sums.constant(math.log(abs(c)))
        if c > 0 and all(atom.positive for atom, _ in factors):
            for atom, p in factors:
                term = (
                    dict(atom.arguments[0])
                    if atom.name == "exp"
                    else self.function("log", sums.single(atom))
                )
                found = self.plus(found, sums.scaled(term, p))
            return found
        return self.plus(self.function("log", {factors: 1 if c > 0 else -1}), found)

    def abs(self, a: Sum) -> Sum:
        """Take numbers and what is positive out."""
        a = self.as_factor(a, signed=False)
        ((factors, c),) = a.items() or (((), 0),)
        if all(atom.positive for atom, _ in factors):
            if not factors:
                return sums.constant(abs(c))
            return {factors: abs(c)}
        return sums.scaled(self.function("abs", {factors: 1}), abs(c))

    def reciprocal(self, a: Sum) -> Sum:
        """Divide 1 by a sum."""
        return self.to_the(a, sums.constant(-1))


def _log_to(base: float) -> Callable[[Gathering, Sum], Sum]:
    return lambda g, a: sums.scaled(g.log(a), 1.0 / math.log(base))


@cache
def _meaning(operator: Operator) -> tuple[Item, ...]:
    """Tape of what an operator means, where that is a formula without cases."""
    tape = parse(operator.meaning).tape if operator.meaning else ()
    if OPERATORS["where"] in tape:
        return ()
    return tape


RULES: dict[str, Callable[..., Sum]] = {
    "add": lambda g, a, b: g.plus(a, b),
    "sub": lambda g, a, b: g.plus(a, sums.scaled(b, -1)),
    "neg": lambda g, a: sums.scaled(a, -1),
    "mul": Gathering.times,
    "div": lambda g, a, b: g.times(a, g.reciprocal(b)),
    "pow": Gathering.to_the,
    "exp": Gathering.exp,
    "log": Gathering.log,
    "log2": _log_to(2.0),
    "log10": _log_to(10.0),
    "abs": Gathering.abs,
    "sqrt": lambda g, a: g.to_the(a, sums.constant(Fraction(1, 2))),
}
