"""Shorter ways to what sympy computes anyway: each gives the very same object, and says why.

- What is computed again is remembered for the time of one model: these functions depend on nothing but their
  arguments, and equal arguments have equal trees, as in sympy's own cache. Most of their calls are repetitions.
- A factorization over the integers is unique but for the order and the signs of its factors, which sympy settles
  itself: so any way to it will do, python-flint's in several variables. No way to it constructs an object that counts.
- Rules of trigsimp are not tried where they would give back what they take (`unrelated`).
- Of equal results the first is taken, whatever their measure.
"""

import contextlib
import importlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from srlib.expressions.algebra.unrelated import no_pair, no_products, no_sums, split_powers

MERSENNE = (521, 607, 1279, 2203, 3217, 4423, 9689, 19937, 44497, 110503, 216091, 756839)
# part of the cache's key: other ways may end within less work, or refuse what lost a term
EDITION = 4
SMALL_BITS = 256  # of a bound above which the next prime takes long


@contextlib.contextmanager
def shortcuts() -> Iterator[None]:
    """Let sympy take them in this block."""
    with contextlib.ExitStack() as stack:
        for (module, name), way in PLACES.items():
            place = importlib.import_module(f"sympy.{module}")
            stack.callback(setattr, place, name, getattr(place, name))
            setattr(place, name, way(getattr(place, name)))
        yield


def _remembered(function: Any) -> Any:
    """Remember what a function of expressions and lists of them gave."""
    known: dict[Hashable, Any] = {}

    def remembered(*arguments: Any, **options: Any) -> Any:
        try:
            key = (*map(_frozen, arguments), *((k, _frozen(options[k])) for k in sorted(options)))
            if key in known:
                return known[key]
        except TypeError:
            return function(*arguments, **options)
        found = known[key] = function(*arguments, **options)
        return found

    return remembered


def _frozen(value: Any) -> Hashable:
    """Make a key, in which 1, True and 1.0 differ."""
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_frozen, value))
    if isinstance(value, dict):
        return dict, tuple((key, _frozen(value[key])) for key in sorted(value))
    return type(value), value


def _irreducible_first(factor: Any) -> Any:
    """See whether a polynomial is irreducible before the prime is sought that only a reducible one needs.

    sympy's own first step, taken twice where it does not settle it: the image at 0 has one factor.
    """
    from sympy.polys import factortools as tools

    def wang(f: Any, u: int, K: Any, mod: Any = None, seed: Any = None) -> Any:
        content, factors = tools.dmp_zz_factor(tools.dmp_LC(f, K), u - 1, K)
        with contextlib.suppress(tools.EvaluationFailed):
            zeros = [K.zero] * u
            image = tools.dmp_zz_wang_test_points(f, factors, content, zeros, u, K)[1]
            if len(tools.dup_zz_factor_sqf(image, K)[1]) == 1:
                return [f]
        return factor(f, u, K, mod, seed)

    return wang


def _some_prime(nextprime: Any) -> Any:
    """Take a prime that is known, where one beyond a huge bound is wanted: any will do for lifting factors."""

    def prime(n: Any, ith: int = 1) -> Any:
        bits = int(n).bit_length()
        known = next((power for power in MERSENNE if power > bits), None)
        if ith != 1 or bits <= SMALL_BITS or known is None:
            return nextprime(n, ith)
        return 2**known - 1

    return prime


def _by_flint(factor: Any) -> Any:
    """Let python-flint factor."""
    from flint import Ordering, fmpz_mpoly_ctx
    from sympy.polys import densebasic as dense
    from sympy.polys.factortools import _sort_factors

    def found(f: Any, u: int, K: Any) -> Any:
        if not u or dense.dmp_ground_p(f, None, u):
            return factor(f, u, K)
        context = fmpz_mpoly_ctx.get([f"x{i}" for i in range(u + 1)], Ordering.lex)
        terms = {powers: int(number) for powers, number in dense.dmp_to_dict(f, u).items()}
        content, factors = context.from_dict(terms).factor()
        sign, parts = 1, []
        for part, times in factors:
            if part.leading_coefficient() < 0:
                part, sign = -part, sign * (-1) ** int(times)
            rows = {powers: K(int(number)) for powers, number in part.to_dict().items()}
            parts.append((dense.dmp_from_dict(rows, u, K), int(times)))
        return K(sign * int(content)), _sort_factors(parts)

    return found


def _where_sums_may_join(combine: Any) -> Any:
    """Skip TR10i where no two addends of any sum can be combined."""
    known: dict[Any, Any] = {}

    def combined(expression: Any) -> Any:
        if all(no_sums(node, known) for node in _nodes(expression)):
            return expression
        return combine(expression)

    return combined


def _only_what_may_join(split: Any) -> Any:
    """Answer at once for two addends that can not be combined."""
    known: dict[Any, Any] = {}

    def chosen(one: Any, other: Any, two: bool = False) -> Any:
        if two:
            left, right = split_powers(one, known), split_powers(other, known)
            if left and right and (left[0] != right[0] or no_pair(left[1], right[1])):
                return None
        return split(one, other, two)

    return chosen


def _where_products_are(rule: Any) -> Any:
    """Skip TR8 where no two sines or cosines can meet in a product, and remember what it gave elsewhere."""

    def changed(expression: Any, first: bool = True) -> Any:
        if no_products(expression):
            return expression
        return rule(expression, first)

    return _remembered(changed)


def _unless_equal(minimize: Any) -> Any:
    """Measure results only where they differ."""

    def chosen(*rules: Any, objective: Any) -> Any:
        def least(expression: Any) -> Any:
            found = [rule(expression) for rule in rules]
            if all(other == found[0] for other in found[1:]):
                return found[0]
            return min(found, key=objective)

        return least

    return chosen


def _nodes(expression: Any) -> Iterator[Any]:
    """Every node once."""
    waiting, seen = [expression], {expression}
    while waiting:
        node = waiting.pop()
        yield node
        for argument in node.args:
            if argument not in seen:
                seen.add(argument)
                waiting.append(argument)


PLACES: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("simplify.trigsimp", "_futrig"): _remembered,
    ("simplify.fu", "TR10i"): _where_sums_may_join,
    ("simplify.fu", "trig_split"): _only_what_may_join,
    ("simplify.fu", "TR8"): _where_products_are,
    ("strategies.tree", "minimize"): _unless_equal,
    ("polys.polytools", "_generic_factor"): _remembered,
    ("polys.polytools", "cancel"): _remembered,
    ("simplify.simplify", "cancel"): _remembered,
    ("core.exprtools", "_gcd_terms"): _remembered,
    ("polys.factortools", "dmp_zz_wang"): _irreducible_first,
    ("polys.factortools", "dmp_zz_factor"): _by_flint,
    ("ntheory", "nextprime"): _some_prime,
}
