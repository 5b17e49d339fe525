"""One form for all texts of a function: its constants gathered, so that a tolerance belongs to the function.

``0.0005*(80*1000*x*y)`` is ``40*x*y``, ``exp(x + log(3))`` is ``3*exp(x)``: numbers in products are multiplied,
like terms added, scales inside functions put together, powers of one base joined. There are two forms: one keeps
the products of sums that the text has, the other multiplies them out (up to `gathering.MOST_TERMS` terms) and takes
one coefficient (the constant, else the largest) out of every sum that is left. Every constant is a float, which may
move, and has a name for the reader. Whether the values are still those of the text is for the caller to check at
points.
"""

from functools import lru_cache
from typing import NamedTuple

from srlib.expressions import sums
from srlib.expressions.gathering import Gathering
from srlib.expressions.operators import OPERATORS
from srlib.expressions.sums import Atom, Factors, Number, Sum, TooMuchError
from srlib.expressions.tree import Expression, Item

MOST_LONG = 5000  # terms of a product of sums, where nothing but the terms is compared
SAME = 1e-12  # relative difference of coefficients that is rounding
MOST_CONSTANTS = 500


class Gathered(NamedTuple):
    """A function with its constants gathered.

    `places` are those of each constant on the tape (a factor that occurs twice has its constants twice), `names`
    say in words which it is, `outer` those of the outermost sum; `rounded` are the exponents that were rounded to
    whole ones.
    """

    tape: tuple[Item, ...]
    places: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()
    outer: tuple[bool, ...] = ()
    rounded: tuple[float, ...] = ()


@lru_cache(maxsize=512)
def gathered(
    expression: Expression,
    positive: frozenset[str] = frozenset(),
    *,
    expand: bool = True,
    whole: float = 0.0,
) -> Gathered | None:
    """Gather the constants of a function; None beyond the limits.

    Parameters
    ----------
    expression : Expression
        Truth or model.
    positive : frozenset of str
        Features that are positive on the domain: only their powers and logarithms are split.
    expand : bool
        Multiply products of sums out.
    whole : float
        Round exponents that are this near to a whole number, of what may be negative.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> found = gathered(parse("0.5*(80*x*y) + 2*exp(x + 1)*0 - x*y"))
    >>> found.tape, found.places, found.names
    ((39.0, 'x', 'y', mul, mul), ((0,),), ('the coefficient of x*y',))
    """
    try:
        work = Gathering(positive, expand, whole)
        return _written(work.of(expression.tape))._replace(rounded=tuple(work.rounded))
    except (TooMuchError, RecursionError, ArithmeticError, ValueError, TypeError):
        return None


def same_terms(
    truth: Expression,
    model: Expression,
    positive: frozenset[str],
    kind: str,
    constant: float | None,
) -> bool:
    """Whether both have the same terms when multiplied out further, to the digits of their constants.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> same_terms(parse("(x + 1)*(y - 1)"), parse("x*y - x + y"), frozenset(), "offset", 1.0)
    True
    """
    try:
        t, m = (Gathering(positive, True, most=MOST_LONG).of(e.tape) for e in (truth, model))
    except (TooMuchError, RecursionError, ArithmeticError, ValueError, TypeError):
        return False
    t = sums.scaled(t, constant) if kind == "scale" and constant else t
    if kind == "offset" and constant:
        sums.put(t, (), constant)
    least = SAME * min(max(map(abs, terms.values()), default=0) for terms in (t, m))
    return all(
        abs(t.get(f, 0) - m.get(f, 0)) <= SAME * abs(m.get(f, 0)) + 1e-3 * least
        for f in t.keys() | m.keys()
    )


def _written(terms: Sum) -> Gathered:
    """Write a sum as a tape; its constants are floats, but for what is 1 by agreement."""
    tape: list[Item] = []
    places: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    add, mul, power = (OPERATORS[name] for name in ("add", "mul", "pow"))

    def constant(value: Number, key: str, name: str) -> None:
        places.setdefault(key, []).append(len(tape))
        if len(places) > MOST_CONSTANTS:
            raise TooMuchError
        names.setdefault(key, name)
        tape.append(sums.as_float(value))

    def write(terms: Sum, path: str, inside: str, unit: bool) -> None:
        if not terms:
            tape.append(0)
        one = sums.unit(terms) if unit else None
        for i, (factors, c) in enumerate(sums.ordered(terms)):
            if factors == one:
                tape.append(int(c))
            elif any(
                atom.name == "sum" and sums.unit(atom.arguments[0]) is None for atom, _ in factors
            ):
                tape.append(sums.as_float(c))  # all constants of that sum move already
            else:
                what = "the constant term"
                if factors:
                    what = f"the coefficient of {_shown(factors)}"
                constant(c, f"{path}/{sums.key(factors)}", what + inside)
            for atom, p in factors:
                write_factor(atom, p)
            tape.extend([mul] * len(factors))
            if i:
                tape.append(add)

    def write_factor(atom: Atom, p: Number) -> None:
        if not atom.arguments:
            tape.append(atom.name)
        elif atom.name == "sum":
            write(atom.arguments[0], atom.key, " in a factor", True)
        else:
            for i, argument in enumerate(atom.arguments):
                unit = atom.name in ("log", "abs") and len(argument) == 1
                write(argument, f"{atom.key}{i}", f" in {atom.name}", unit)
            tape.append(OPERATORS[atom.name])
        if p != 1:
            if p == round(p) and (p == -1 or not atom.positive):
                tape.append(int(p))
            else:
                constant(p, f"{atom.key}^{p}", f"the exponent of {_shown(((atom, 1),))}")
            tape.append(power)

    write(terms, "", "", False)
    outer = tuple(key.startswith("/") for key in places)
    return Gathered(tuple(tape), tuple(map(tuple, places.values())), tuple(names.values()), outer)


def _shown(factors: Factors) -> str:
    """Name a product for the reader, shortened."""
    parts = []
    for atom, p in factors:
        text = atom.name
        if atom.arguments:
            inner = ", ".join(_sum_shown(argument) for argument in atom.arguments)
            text = f"({inner})" if atom.name == "sum" else f"{atom.name}({inner})"
        parts.append(text if p == 1 else f"{text}**{float(p):.6g}")
    text = "*".join(parts)
    if len(text) <= 60:
        return text
    return text[:57] + "..."


def _sum_shown(terms: Sum) -> str:
    shown = [
        (f"{float(c):.6g}*" if abs(c) != 1 else "-" if c < 0 else "") + _shown(f)
        if f
        else f"{float(c):.6g}"
        for f, c in sums.ordered(terms)[:4]
    ]
    return " + ".join(shown).replace("+ -", "- ") + (" + ..." if len(terms) > 4 else "")
