"""Rules of sympy's trigsimp that find nothing to do where trigonometric functions are not related.

Each `no_*` answers whether a rule would give back the very object that it takes; it may say no where the rule would,
never yes where it would not. The reasons are those of the rules' code in `sympy.simplify.fu`.
"""

from collections import defaultdict
from typing import Any

Powers = dict[Any, Any]


def no_sums(node: Any, known: dict[Any, Any]) -> bool:
    """TR10i combines two addends that differ in numbers, square roots and a sine or cosine each, or two each.

    So any two with other powers of symbols and sums stay two, and only those that are equal but for that are compared.
    """
    if not node.is_Add:
        return True
    alike: dict[Any, list[Powers]] = defaultdict(list)
    for addend in node.args:
        split = split_powers(addend, known)
        if split is None:
            return False
        alike[split[0]].append(split[1])
    return all(
        no_pair(one, other)
        for group in alike.values()
        for i, one in enumerate(group)
        for other in group[:i]
    )


def split_powers(addend: Any, known: dict[Any, Any]) -> tuple[Any, Powers] | None:
    """Take a product apart: whole powers of symbols, sums and the like, and those of sines and cosines.

    Numbers and their roots are left out. None: there are other factors, of which no more is said.
    """
    if addend not in known:
        known[addend] = _split(addend)
    return known[addend]


def _split(addend: Any) -> tuple[Any, Powers] | None:
    from sympy import Mul, S, Symbol, cos, log, sin, tan

    plain, waves = [], {}
    for factor in Mul.make_args(addend):
        base, exponent = factor.as_base_exp()
        if base.is_Number and exponent.is_Rational:
            continue
        if isinstance(base, (sin, cos)) and exponent.is_Rational:
            waves[base] = exponent
        elif (
            base.is_Add or base is S.Exp1 or isinstance(base, (Symbol, log, tan))
        ) and not exponent.has(log):
            plain.append((base, exponent))
        else:
            return None
    return frozenset(plain), waves


def no_pair(one: Powers, other: Powers) -> bool:
    """Say that two products do not differ in one sine or cosine each, or two each, of the same arguments."""
    left: tuple[list[Any], list[Any]] = ([], [])
    for wave in {**one, **other}:
        if wave in one and wave in other:
            power = one[wave] - other[wave]
            side, power = (0, power) if power > 0 else (1, -power)
        elif wave in one:
            side, power = 0, one[wave]
        else:
            side, power = 1, other[wave]
        if power == 0:
            continue
        if power != 1:
            return True
        left[side].append(wave.args[0])
    return not 0 < len(left[0]) == len(left[1]) < 3 or set(left[0]) != set(left[1])


def no_products(expression: Any) -> bool:
    """TR8 wants two sines or cosines, or a power of one, in some product of the expanded numerator or denominator."""
    return degrees(expression) is not None


def degrees(node: Any) -> tuple[Any, Any] | None:
    """Bounds of the number of sines and cosines in a product of a node's numerator, and denominator, once expanded.

    None: there is a product or power somewhere within for which one of them may be two.
    """
    from sympy import Function, cos, sin

    if not node.args:
        return 0, 0
    inner = [degrees(argument) for argument in node.args]
    if None in inner:
        return None
    known: Any = inner
    above, below = [n for n, _ in known], [d for _, d in known]
    if node.is_Add:
        found = max(n - d for n, d in known) + sum(below), sum(below)
    elif node.is_Mul:
        found = sum(above), sum(below)
    elif node.is_Pow and node.exp.is_Rational and not node.base.is_Rational:
        power = abs(node.exp)
        found = (power * above[0], power * below[0])[:: 1 if node.exp > 0 else -1]
    elif isinstance(node, (sin, cos)):
        found = 1, 0
    elif node.is_number or isinstance(node, Function):
        found = 0, 0
    else:
        return None
    return found if max(found) < 2 else None
