"""The normal form of a model: an exact sum of products in which constants are gathered and have names.

``0.0005*(80*1000*x*y)`` is ``40*x*y`` and ``exp(x + log(3))`` is ``3*exp(x)``: numbers in products are multiplied, like
terms added, scales inside functions put together, powers of one base joined. Texts of one function come to one form,
so that a tolerance belongs to the function and not to its text, and equal forms prove that two models are equal.
"""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from srlib.expressions.algebra import Algebra
from srlib.expressions.operators import OPERATORS
from srlib.expressions.sums_of_products import (
    FAILURES,
    Atom,
    Factors,
    NoNormalFormError,
    Number,
    Sum,
    add_term,
    product_key,
    scale,
    sorted_terms,
    unit_product,
)
from srlib.expressions.tree import Expression, Item

MOST_PROOF_TERMS = (
    5000  # of a product of sums that is multiplied out where only the terms are compared
)
MOST_CONSTANTS = 500
DEEPEST = 60  # functions within functions
ROUNDING = 1e-9  # relative difference of two constants that is rounding


class NormalForm(NamedTuple):
    """A model in normal form.

    Parameters
    ----------
    tape : tuple of Operator, str, int or float
        The form as a tape. Its constants are floats; ints are exact by agreement.
    places : tuple of tuple of int
        Places of each constant on the tape; a factor that occurs twice has its constants twice.
    names : tuple of str
        A name in words for each constant.
    outer : tuple of bool
        Whether a constant is a coefficient of the outermost sum.
    rounded : tuple of float
        Exponents that were rounded to whole numbers.
    """

    tape: tuple[Item, ...]
    places: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()
    outer: tuple[bool, ...] = ()
    rounded: tuple[float, ...] = ()


@lru_cache(maxsize=512)
def normal_form(
    expression: Expression,
    positive: frozenset[str] = frozenset(),
    *,
    expand: bool = True,
    whole: float = 0.0,
) -> NormalForm | None:
    """Return the normal form of a model; None beyond the limits.

    Whether its values are those of the text at float64's precision is for the caller to check at points.

    Parameters
    ----------
    expression : Expression
        Truth or model.
    positive : frozenset of str
        Features that are positive on the domain: only their powers and logarithms are split.
    expand : bool
        Multiply products of sums out (up to `MOST_TERMS` terms), and take the leading coefficient out of every sum
        that is left. Else the form keeps the products of sums that the text has.
    whole : float
        Round exponents that are this near to a whole number, where the base may be negative.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> form = normal_form(parse("0.5*(80*x*y) + 2*exp(x + 1)*0 - x*y"))
    >>> form.tape, form.places, form.names
    ((39.0, 'x', 'y', mul, mul), ((0,),), ('the coefficient of x*y',))
    """
    try:
        algebra = Algebra(positive, expand=expand, whole=whole)
        form = write_tape(algebra.read(expression.tape))
        return form._replace(rounded=tuple(algebra.rounded))
    except FAILURES:
        return None


def same_normal_form(
    truth: Expression,
    model: Expression,
    positive: frozenset[str],
    kind: str,
    constant: float | None,
) -> bool:
    """Whether a model is proved equal to the truth by equal normal forms.

    Every step is exact on the domain; only constants are compared as rounded numbers, to `ROUNDING`. False says no more
    than that the forms differ.

    Parameters
    ----------
    truth, model : Expression
    positive : frozenset of str
        Features that are positive on the domain.
    kind : {'identical', 'offset', 'scale'}
        With 'offset', `constant` is added to the truth; with 'scale', the truth is multiplied by it.
    constant : float or None

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> same_normal_form(parse("(x + 1)*(y - 1)"), parse("x*y - x + y"), frozenset(), "offset", 1.0)
    True
    >>> same_normal_form(parse("1/x + 1/(y + 1)"), parse("(x + y + 1)/(x*(y + 1))"), frozenset(), "identical", None)
    True
    """
    try:
        algebra = Algebra(positive, expand=True, most_terms=MOST_PROOF_TERMS)
        left, right = (algebra.read(e.tape) for e in (truth, model))
        if kind == "scale" and constant:
            left = scale(left, Fraction(repr(constant)))
        if kind == "offset" and constant:
            add_term(left, (), Fraction(repr(constant)))
        return _same_terms(left, right) or _same_terms(*algebra.clear_denominators(left, right))
    except FAILURES:
        return False


def _same_terms(left: Sum, right: Sum) -> bool:
    return left.keys() == right.keys() and all(
        abs(left[factors] - c) <= ROUNDING * abs(c) for factors, c in right.items()
    )


def write_tape(terms: Sum) -> NormalForm:
    """Write a sum as a tape in which each constant has its places and its name."""
    tape: list[Item] = []
    places: dict[str, list[int]] = defaultdict(list)
    names: dict[str, str] = {}

    def write_constant(value: Number, key: str, name: str) -> None:
        if not float(value) or len(places) > MOST_CONSTANTS:  # below the range of floats
            raise NoNormalFormError
        if key:
            places[key].append(len(tape))
            names.setdefault(key, name)
        tape.append(float(value))

    def write_sum(terms: Sum, path: str, place: str, unit: Factors | None, depth: int) -> None:
        """Write a sum; the coefficient of the product `unit` is 1 or -1 by agreement and does not move."""
        if depth > DEEPEST:
            raise NoNormalFormError
        if not terms:
            tape.append(0)
        for i, (factors, c) in enumerate(sorted_terms(terms)):
            sums = [atom.arguments[0] for atom, _ in factors if atom.name == "sum"]
            if factors == unit:
                tape.append(int(c))
            elif any(unit_product(inner) is None for inner in sums):
                write_constant(c, "", "")  # all constants of that sum move already
            else:
                name = (
                    f"the coefficient of {describe_product(factors)}"
                    if factors
                    else "the constant term"
                )
                write_constant(c, f"{path}/{product_key(factors)}", name + place)
            for atom, p in factors:
                write_atom(atom, depth + 1)
                if p != 1:
                    write_exponent(atom, p)
            tape.extend([OPERATORS["mul"]] * len(factors))
            if i:
                tape.append(OPERATORS["add"])

    def write_atom(atom: Atom, depth: int) -> None:
        if not atom.arguments:
            tape.append(atom.name)
        elif atom.name == "sum":
            (inner,) = atom.arguments
            write_sum(inner, atom.key, " in a factor", unit_product(inner), depth)
        else:
            for i, inner in enumerate(atom.arguments):
                unit = (
                    unit_product(inner) if atom.name in ("log", "abs") and len(inner) == 1 else None
                )
                write_sum(inner, f"{atom.key}{i}", f" in {atom.name}", unit, depth)
            tape.append(OPERATORS[atom.name])

    def write_exponent(atom: Atom, p: Number) -> None:
        if p.denominator == 1 and (p == -1 or not atom.positive):
            tape.append(int(p))
        else:
            name = f"the exponent of {describe_product(((atom, 1),))}"
            write_constant(p, f"{atom.key}^{p}", name)
        tape.append(OPERATORS["pow"])

    write_sum(terms, "", "", None, 0)
    outer = tuple(key.startswith("/") for key in places)
    return NormalForm(tuple(tape), tuple(map(tuple, places.values())), tuple(names.values()), outer)


def describe_product(factors: Factors) -> str:
    """Describe a product for the reader, in at most 60 letters."""
    parts = []
    for atom, p in factors:
        text = atom.name
        if atom.arguments:
            inner = ", ".join(map(_describe_sum, atom.arguments))
            text = f"({inner})" if atom.name == "sum" else f"{atom.name}({inner})"
        parts.append(text if p == 1 else f"{text}**{float(p):.6g}")
    text = "*".join(parts)
    return text if len(text) <= 60 else text[:57] + "..."


def _describe_sum(terms: Sum) -> str:
    parts = []
    for factors, c in sorted_terms(terms)[:4]:
        number = "-" if c == -1 else "" if c == 1 else f"{float(c):.6g}*"
        parts.append(number + describe_product(factors) if factors else f"{float(c):.6g}")
    return " + ".join(parts).replace("+ -", "- ") + (" + ..." if len(terms) > 4 else "")
