"""Shorter ways to what sympy computes anyway: each gives the very same object, and says why.

- What is computed again is remembered for the time of one model: these functions depend on nothing but their
  arguments, and equal arguments have equal trees, as in sympy's own cache. Most of their calls are repetitions.
- A factorization over the integers is unique but for the order and the signs of its factors, which sympy settles
  itself: so any way to it will do.
"""

import contextlib
import importlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any

MERSENNE = (521, 607, 1279, 2203, 3217, 4423, 9689, 19937, 44497, 110503, 216091, 756839)
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


PLACES: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("simplify.trigsimp", "_futrig"): _remembered,
    ("polys.polytools", "_generic_factor"): _remembered,
    ("polys.polytools", "cancel"): _remembered,
    ("simplify.simplify", "cancel"): _remembered,
    ("core.exprtools", "_gcd_terms"): _remembered,
    ("polys.factortools", "dmp_zz_wang"): _irreducible_first,
    ("ntheory", "nextprime"): _some_prime,
}
