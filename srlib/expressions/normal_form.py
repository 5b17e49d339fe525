"""The normal form of a model: an exact sum of products in which constants are gathered and have names.

``0.0005*(80*1000*x*y)`` becomes ``40*x*y`` and ``exp(x + log(3))`` becomes ``3*exp(x)``: numbers in products are
multiplied, like terms added, factors inside functions combined, powers of the same base joined. Different texts of a
function get the same form, so that tolerances of constants depend on the function and not on its text, and equal forms
prove that two models are equal.

`shortest` writes the normal form as short as possible, which measures the size of a model without sympy.
"""

import re
from collections import defaultdict
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import chain
from typing import NamedTuple

from srlib.expressions.algebra import (
    NO_FORM_ERRORS,
    UNIT,
    Algebra,
    Atom,
    Factors,
    NoNormalFormError,
    Sum,
    add_up,
    compute,
    constant_sum,
    make_atom,
    product_key,
    scale,
    sorted_terms,
    unit_product,
)
from srlib.expressions.operators import OPERATORS, Tape
from srlib.expressions.simplify import Simplified
from srlib.expressions.tree import Expression, Item, count_text, number, to_text

MOST_TERMS = 80  # limit of terms of a product of sums that is multiplied out
MOST_PROOF_TERMS = 5000  # the same limit when only terms are compared
MOST_CONSTANTS = 500
ROUNDING = 1e-9  # relative difference of two constants that counts as rounding
LONGEST_NAME = 60  # limit of characters of a product in the name of its coefficient
REWRITES = 5  # version; raised when a count can change, so that no old count is taken from a cache
MOST_ROUNDS = 4
ONE_HALF = Fraction(1, 2)
POWERS = {2: "square", 3: "cube", ONE_HALF: "sqrt"}

Role = tuple[str, Tape, str]


class NormalForm(NamedTuple):
    """A model in normal form.

    Parameters
    ----------
    tape : tuple of Operator, str, int or float
        The form as a tape. Constants that may move are floats; ints are exact.
    places : tuple of tuple of int
        Positions of each constant on the tape; several if a factor occurs more than once.
    roles : tuple of (str, tuple of Item, str)
        Role, product and location of each constant, from which `describe_constant` makes a name.
    outer : tuple of bool
        Whether each constant is a coefficient of the outermost sum.
    """

    tape: Tape
    places: tuple[tuple[int, ...], ...] = ()
    roles: tuple[Role, ...] = ()
    outer: tuple[bool, ...] = ()

    @property
    def names(self) -> tuple[Role, ...]:
        """Role, product and location of each constant, with numbers masked, so that other constants do not matter."""
        return tuple(
            (role, tuple("#" if isinstance(item, int | float) else item for item in subject), place)
            for role, subject, place in self.roles
        )

    def describe_constant(self, i: int) -> str:
        """Return a name in words for constant number `i`, such as 'the coefficient of x*y'."""
        role, subject, place = self.roles[i]
        return f"{role}{describe_product(subject)}{place}" if subject else f"{role}{place}"


@lru_cache(maxsize=512)
def normal_form(
    expression: Expression,
    positive: frozenset[str] = frozenset(),
    *,
    expand: bool = True,
) -> NormalForm:
    """Return the normal form of a model; if that exceeds the limits, its unchanged tape without movable constants.

    The caller has to check at points that the form has the values of the text in float64.

    Parameters
    ----------
    expression : Expression
        Truth or model.
    positive : frozenset of str
        Features that are positive on the domain; only their powers and logarithms are split.
    expand : bool
        Whether to multiply out products of sums (up to `MOST_TERMS` terms), and to factor the leading coefficient out
        of the remaining sums. Otherwise the products of sums are kept as in the text.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> form = normal_form(parse("0.5*(80*x*y) + 2*exp(x + 1)*0 - x*y"))
    >>> form.tape, form.places, form.describe_constant(0)
    ((39.0, 'x', 'y', mul, mul), ((0,),), 'the coefficient of x*y')
    """
    try:
        algebra = Algebra(positive, MOST_TERMS if expand else 1)
        return FormWriter().write(algebra.read(expression))
    except NO_FORM_ERRORS:
        return NormalForm(expression.tape)


def same_normal_form(
    truth: Expression,
    model: Expression,
    positive: frozenset[str],
    factor: float = 1.0,
    offset: float = 0.0,
) -> bool:
    """Return whether equal normal forms prove that a model equals factor * truth + offset.

    Every step is exact on the domain; constants are compared up to a relative difference of `ROUNDING`. False only
    means that the forms differ or cannot be computed.

    Parameters
    ----------
    truth, model : Expression
        The two functions.
    positive : frozenset of str
        Features that are positive on the domain.
    factor, offset : float
        Numbers in model = factor * truth + offset.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> same_normal_form(parse("(x + 1)*(y - 1)"), parse("x*y - x + y"), frozenset(), offset=1.0)
    True
    """
    try:
        algebra = Algebra(positive, MOST_PROOF_TERMS)
        left, right = (algebra.read(e) for e in (truth, model))
        left = add_up([scale(left, Fraction(factor)), constant_sum(Fraction(offset))])
    except NO_FORM_ERRORS:
        return False
    return left.keys() == right.keys() and all(
        abs(left[factors] - coefficient) <= ROUNDING * abs(coefficient)
        for factors, coefficient in right.items()
    )


class FormWriter:
    """Writer of a sum as a tape, with positions and role of each constant by the key of its product or power."""

    def __init__(self) -> None:
        self.tape: list[Item] = []
        self.places: dict[str, list[int]] = defaultdict(list)
        self.roles: dict[str, Role] = {}

    def write(self, terms: Sum) -> NormalForm:
        """Return the normal form of a sum."""
        self.write_sum(terms, "", "", None)
        places = tuple(map(tuple, self.places.values()))
        roles = tuple(self.roles[key] for key in self.places)
        outer = tuple(key.startswith("/") for key in self.places)
        return NormalForm(tuple(self.tape), places, roles, outer)

    def write_sum(self, terms: Sum, path: str, place: str, unit: Factors | None) -> None:
        """Write a sum to the tape.

        The coefficient of the product `unit` is fixed to 1 or -1 and cannot move, and neither can the coefficient of a
        product that contains a sum whose coefficients all move.
        """
        if not terms:
            self.tape.append(0)
        for i, (factors, coefficient) in enumerate(sorted_terms(terms)):
            key = f"{path}/{product_key(factors)}"
            sums = [atom.arguments[0] for atom, _ in factors if atom.name == "sum"]
            moves = factors != unit and None not in map(unit_product, sums)
            self.write_constant(coefficient, key if moves else "")
            start = len(self.tape)
            for atom, power in factors:
                self.write_power(atom, power)
            self.tape += [OPERATORS["mul"]] * (len(factors) - 1)
            role = "the coefficient of " if factors else "the constant term"
            self.roles.setdefault(key, (role, tuple(self.tape[start:]), place))
            if factors:
                self.tape.append(OPERATORS["mul"])
            if i:
                self.tape.append(OPERATORS["add"])

    def write_power(self, atom: Atom, exponent: Fraction) -> None:
        """Write an atom and its exponent to the tape; the exponent may move unless it has to be a whole number."""
        start = len(self.tape)
        if not atom.arguments:
            self.tape.append(atom.name)
        elif atom.name == "sum":
            (inner,) = atom.arguments
            self.write_sum(inner, atom.key, " in a factor", unit_product(inner))
        else:
            for i, inner in enumerate(atom.arguments):
                unit = unit_product(inner) if atom.name in ("log", "abs") else None
                self.write_sum(inner, f"{atom.key}{i}", f" in {atom.name}", unit)
            self.tape.append(OPERATORS[atom.name])
        if exponent != 1:
            key, base = f"{atom.key}^{exponent}", tuple(self.tape[start:])
            exact = exponent.denominator == 1 and (exponent == -1 or not atom.positive)
            self.write_constant(exponent, "" if exact else key)
            self.roles.setdefault(key, ("the exponent of ", base, ""))
            self.tape.append(OPERATORS["pow"])

    def write_constant(self, value: Fraction, key: str) -> None:
        """Write a constant to the tape; with a `key`, record its position, as a fit may adjust it."""
        if len(self.places) > MOST_CONSTANTS:
            raise NoNormalFormError
        if key:
            self.places[key].append(len(self.tape))
        self.tape.append(float(value) if key else number(float(value)))


def describe_product(tape: Tape) -> str:
    """Return the text of a product, in at most `LONGEST_NAME` characters."""
    items = (number(float(f"{item:.6g}")) if isinstance(item, float) else item for item in tape)
    text = to_text(Expression(tuple(items))).replace("+ -", "- ")
    text = re.sub(r"(?<![\w.])1\*(?!\*)", "", text)  # ones stand for fixed coefficients
    text = f"({text})" if tape[-1] is OPERATORS["add"] else text
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."


def shortest(expression: Expression) -> Simplified:
    """Return a model rewritten as short as its normal form allows, or unchanged if that is not shorter.

    The length is the number of operators, features and constants (`count_text`); ``x*x``, ``x**2`` and ``square(x)``
    all have length 2. Properties of the result:

    - it is never longer than the text;
    - names of features, the order of operands and brackets in sums and products do not change its length;
    - applying `shortest` again makes it no longer;
    - a text with the imaginary unit, with functions nested more than 60 deep, with values beyond floats or with
      fractions of thousands of digits is returned unchanged;
    - it has the value of the text, up to rounding of constants, wherever the text has one, and may be defined at more
      points (``x/x`` becomes 1);
    - it depends on the text alone, not on time, random numbers or the order of sets.

    Like terms and equal factors are collected. Nothing is multiplied out or factored: ``x*y + x*z`` stays.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> shortest(parse("x*y + y*x - 0*w"))
    Simplified(text='2*x*y', expression=Expression(2*x*y), complexity=5, features_used=('x', 'y'))
    >>> [shortest(parse(t)).complexity for t in ("x*x", "square(x)", "sqrt(x**4)", "exp(2*log(x))")]
    [2, 2, 2, 2]
    """
    for _ in range(MOST_ROUNDS):
        try:
            rewritten = Expression(write_sum(Algebra(short=True).read(expression)))
        except NO_FORM_ERRORS:
            break
        if count_text(rewritten) >= count_text(expression):
            break
        expression = rewritten
    features = tuple(sorted(expression.features))
    return Simplified(to_text(expression), expression, count_text(expression), features)


def write_sum(terms: Sum) -> Tape:
    """Return the tape of a sum; terms with coefficients of the same magnitude share it as a factor of a bracket."""
    groups: dict[Fraction, Sum] = defaultdict(dict)
    for factors, coefficient in sorted_terms(terms):
        size = abs(coefficient) if factors else Fraction(0)  # 0 marks the constant
        groups[size][factors] = coefficient
    added: list[Tape] = []
    subtracted: list[tuple[Tape, Tape]] = []  # negative terms, and their opposites
    for size, group in sorted(groups.items(), key=lambda pair: not pair[0]):  # the constant last
        write = write_product
        if size != 1 and len(group) > 1:
            common = size if max(group.values()) > 0 else -size
            bracket = make_atom("sum", scale(group, 1 / common))
            group, write = {((bracket, UNIT),): common}, write_factors
        for factors, coefficient in group.items():
            if coefficient > 0:
                added.append(write(factors, coefficient))
            else:
                subtracted.append((write(factors, coefficient), write(factors, -coefficient)))
    if subtracted and not added:
        first = min(subtracted, key=lambda pair: len(pair[0]) - len(pair[1]))
        subtracted.remove(first)
        added.append(first[0])
    return fold("sub", fold("add", *added or [(0,)]), *(tape for _, tape in subtracted))


def write_product(factors: Factors, coefficient: Fraction) -> Tape:
    """Return the shortest tape of a product, whose number may be multiplied into one of its sums."""
    options = [write_factors(factors, coefficient)]
    for i, (atom, power) in enumerate(factors):
        if atom.name == "sum" and abs(coefficient) != 1:
            inner = scale(atom.arguments[0], compute("pow", abs(coefficient), 1 / power))
            powers = (*factors[:i], (make_atom("sum", inner), power), *factors[i + 1 :])
            options.append(write_factors(powers, coefficient / abs(coefficient)))
    return min(options, key=len)


def write_factors(factors: Factors, coefficient: Fraction) -> Tape:
    """Return the tape of a product; a minus is put into the number, else into a factor if that is not longer."""
    above: list[Tape] = []
    below: list[Tape] = []
    if abs(coefficient) != 1:
        above.append((number(float(coefficient)),))
    negative = coefficient == -1
    for atom, power in factors:
        base, mirrored = write_atom(atom)
        if negative and power % 2 == 1 and len(mirrored) <= len(base):
            base, negative = mirrored, False
        (above if power > 0 else below).append(write_power(base, abs(power)))
    if not above and (negative or not below):
        above.append((-1 if negative else 1,))
        negative = False
    if not above:
        return (*fold("mul", *below), OPERATORS["inv"])
    quotient = fold("div", fold("mul", *above), *below)
    return (*quotient, OPERATORS["neg"]) if negative else quotient


def write_power(base: Tape, exponent: Fraction) -> Tape:
    """Return the tape of a power, with `sqrt`, `square` and the like where they apply."""
    if exponent == 1:
        return base
    if exponent == ONE_HALF and base[-1] == OPERATORS["abs"]:
        return (*base[:-1], OPERATORS["sqrtabs"])
    if exponent in POWERS:
        return (*base, OPERATORS[POWERS[exponent]])
    return fold("pow", base, (number(float(exponent)),))


@lru_cache(maxsize=4096)
def write_atom(atom: Atom) -> tuple[Tape, Tape]:
    """Return the tapes of an atom and of its negative."""
    if not atom.arguments:
        return (atom.name,), (atom.name, OPERATORS["neg"])
    tapes = [write_sum(argument) for argument in atom.arguments]
    mirrored = write_sum(scale(atom.arguments[0], -UNIT))
    if atom.name == "sum":
        return tapes[0], mirrored
    operator = OPERATORS[atom.name]
    plus: Tape = (*chain(*tapes), operator)
    minus = (*plus, OPERATORS["neg"])
    return plus, min((*mirrored, operator), minus, key=len) if operator.parity == -1 else minus


def fold(name: str, *tapes: Tape) -> Tape:
    """Return the tape that joins tapes from the left by an operator with two arguments."""
    return reduce(lambda left, right: (*left, *right, OPERATORS[name]), tapes)
