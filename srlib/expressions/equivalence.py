"""Is a model the truth, up to an additive or a multiplicative constant? A verdict with evidence.

The definition is that of the SRBench protocol (Definition 4.1): the model is no constant, and either the
difference or the ratio of model and truth is one. Constants of models are fitted, so the question that is
decided here is: *are there constants, each within its tolerance of the truth's own, with which the truth equals
the model on the domain?* It is a question about two functions. How the model is written does not matter: its
values are compared, and the tolerance is that of the truth's constants after they were `gathered`
(``0.0005*(80*1000*x)`` is ``40*x``), as they are written and with products of sums multiplied out.

- A constant of the truth may differ by half a unit of the rules' last decimal, and by at most `SHARE` = 0.49% of
  itself: half a unit of the third digit of the smallest number with three, less a little, so that two constants
  that move against each other stay within 1% of their proportion. So the decimals decide from 0.1 upwards, the
  share below; no constant can vanish, and a coefficient that is 1% off is always refused. Where the truth is
  taken as it is written and moves of factors add up, they are bounded by the same share multiplied out.
- A multiple of a solution is a solution: for a scale, the model is divided by it first. The decimals are those of
  the truth in the unit that it is stated in; in another unit their tolerance is another.
- The truth may itself be rounded (``12.6`` for 4*pi): a constant given with exactly `decimals` digits may
  differ by half a unit of its last digit, and by at most that share.
- Constants of the model that round to zero are left out, where all that they contribute together is less than
  half a unit of the last decimal, relative to the model's spread on the domain.
- A model with constants that the truth has no place for (``sin(x + 1.5708)`` for ``cos(x)``) may move its own,
  gathered, by as much; then the truth's constants that come nearest to the model must be within their tolerance too.
- On the domain means: wherever the truth is defined there. A model that is undefined on more than 1% of that
  is no solution, even if it agrees wherever both are defined; `everywhere` reports that other question.

- Equal at random points is not enough where a denominator, or what is compared, passes zero in between (`probing`).

float64 finds the constants, or refutes; what it cannot tell from equality `settling` decides with 60
digits. Refutation has a witness, which 60 digits confirm; confirmation is tried by sympy (`proof`), else it stands
on points and digits.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srlib.expressions.beyond import AS_PRINTED, Beyond, equal_beyond
from srlib.expressions.evaluate import DIGITS
from srlib.expressions.evaluate import LARGEST_EXPONENT as LARGEST
from srlib.expressions.evaluate import arithmetic as context
from srlib.expressions.evaluate import evaluate_precisely as precise
from srlib.expressions.evidence import deviation, moves, said, witnessed
from srlib.expressions.forms import (
    Forms,
    count_constants,
    rounded_as_srbench,
    whole_exponents,
)
from srlib.expressions.freeing import Fitted, nearest_form
from srlib.expressions.matching import Match, Side, worst
from srlib.expressions.narrow import departure
from srlib.expressions.proof import proves
from srlib.expressions.sampling import DEFAULT_RANGE, Ranges, Sample, draw, point, values
from srlib.expressions.settling import VANISHED, Settled, settle
from srlib.expressions.tree import Expression, Item
from srlib.expressions.verdict import DECIMALS, KINDS, Equivalence
from srlib.rules.constants import Constants

POINTS = 96
FRESH_POINTS = 512
MOST_POINTS = 1500
FEWEST = 12
WITNESSES = 6  # points that are tried
UNDEFINED = 0.01  # share of the truth's domain on which a solution may be undefined
DIGITS_OF_A_FORM = "3 significant digits"  # of constants that are part of it


def compare(
    truth: Expression,
    model: Expression,
    domain: Mapping[str, tuple[float, float]],
    *,
    constants: Constants | str = DECIMALS,
    free: Collection[str] = (),
    seed: int = 0,
) -> Equivalence:
    """Decide whether a model equals the truth up to a constant, on the problem's domain.

    Parameters
    ----------
    truth, model : Expression
        Both in the problem's feature names.
    domain : mapping of str to (low, high)
        Range of each feature; features without one range over [1, 5].
    constants : Constants or str
        How constants are compared: decimals:N (they may differ by half a unit of the last), significant:N, srbench or
        free.
    free : collection of str
        Names in the truth that are no features but constants of any value, under free.
    seed : int
        Of the generator that draws the points; the same call gives the same evidence.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> compare(parse("2*x*y"), parse("1.99996*y*x + 0.3"), {"x": (1, 2), "y": (0, 3)}).kind
    'offset'
    >>> compare(parse("sin(x)"), parse("x - x**3/6"), {"x": (-1, 1)}).proof
    'witness'
    """
    by = Constants.read(constants)
    if by.rule == "free":
        fitted = nearest_form(truth, model, domain, free, seed)
        found = compare(fitted.truth, model, domain, constants=DIGITS_OF_A_FORM, seed=seed)
        return as_form(found, fitted)
    return replace(_compared(truth, model, domain, by, seed), constants=str(by))


def _compared(
    truth: Expression,
    model: Expression,
    domain: Mapping[str, tuple[float, float]],
    by: Constants,
    seed: int,
) -> Equivalence:
    context(DIGITS).beyond = False
    names = sorted(truth.features | model.features)
    ranges = {name: domain.get(name, DEFAULT_RANGE) for name in names}
    rng = np.random.default_rng(seed)
    changed: list[tuple[str, float, float]] = []
    if by.rule == "srbench":
        model, changed = rounded_as_srbench(model, ranges)
    wanted = 3 * max(count_constants(side, ranges) for side in (truth, model))
    wanted = min(max(POINTS, wanted), MOST_POINTS)
    sample, rounded = draw(truth.tape, model.tape, ranges, wanted, rng), ()
    if not model.features:
        return _verdict("constant", sample, "the model is a constant")
    if sample.skipped:
        model, rounded = whole_exponents(model, ranges, by)
        sample = draw(truth.tape, model.tape, ranges, wanted, rng)
    if sample.count < FEWEST:
        if found := equal_beyond(truth.tape, model.tape, ranges, rng):
            return _beyond(truth, model, found, ranges)
        return _undefined(truth, model, sample)
    forms = Forms(truth, model, ranges, sample, by, (rounded, changed))
    if _is_constant(forms.plain):
        return _verdict("constant", sample, "the model is constant on the domain")
    doubt, near = "", ""
    # points at which the two may differ, the likeliest first
    candidates: list[tuple[Sample, int]] = []
    ranked = False
    for match in (found for kind in KINDS for found in forms.matches(kind)):
        if match.kind == "offset" and not ranked:
            candidates += [(sample, int(i)) for i in np.argsort(-match.residual)[:WITNESSES]]
            ranked = True
        if not (match.equal or match.doubtful):
            continue
        settled, alike = settle(match), match.equal and match.told
        if match.equal and not settled.error <= VANISHED and forms.same_terms(match):
            settled = settled._replace(error=np.nan)
        if settled.error <= VANISHED or (np.isnan(settled.error) and alike):
            fresh = draw(truth.tape, model.tape, ranges, FRESH_POINTS, rng, corners=True)
            failing = worst(match, fresh)
            if failing is not None:
                candidates, near = [(fresh, failing), *candidates], ""
            elif forms.allows(match):
                narrow = departure(match, settled, (truth, model), ranges, fresh, seed)
                if narrow is None:
                    return _solution(forms, match, settled, ranges, fresh, rng)
                candidates = [(narrow, 0), *candidates]
                near = "; they differ only where it is narrower than random points are apart"
                doubt = ""
                break
            else:
                near = "; they are equal only with constants beyond their tolerance"
        elif np.isnan(settled.error) or settled.improving:
            doubt = (
                "model and truth differ by less than the arithmetic can tell apart from equality"
            )
        else:
            near = f"; the closest constants leave a relative residual of {settled.error:.1g}"
    apart = np.abs(forms.plain.start.value - forms.still.start.value)
    # the others may be far from a shifted truth only
    candidates += [(sample, int(np.argmax(apart)))]
    witness = witnessed(truth, model, (point(s.columns, i) for s, i in candidates))
    if witness is None:
        doubt = "at no point do 60 digits confirm that model and truth differ"
    if doubt:
        return _verdict("unknown", sample, doubt, witness=witness)
    return _verdict("different", sample, _how_far(forms) + near, witness=witness)


def as_form(found: Equivalence, fitted: Fitted) -> Equivalence:
    """Turn the verdict on a truth with fitted constants into one on its form."""
    values = ", ".join(f"{name} = {value:.6g}" for name, value in fitted.values.items())
    same = {"constants": "free", "free": fitted.values}
    if found.kind in KINDS:
        kind = "form" if fitted.values else found.kind
        said = f"with {values}: " * bool(values)
        return replace(found, kind=kind, detail=f"{said}{found.kind}, {found.detail}", **same)
    said = f"of the values that were tried {values} come nearest: " * bool(values)
    if fitted.vanished:
        said += (
            f"without {' and '.join(fitted.vanished)} it would be another form; with 1 instead, "
        )
    proof = None if fitted.values else found.proof
    return replace(found, proof=proof, detail=said + found.detail, **same)


def _verdict(
    kind: str, sample: Sample, detail: str, witness: Any = None, **more: Any
) -> Equivalence:
    digits = witness.pop("digits") if witness else 0
    proof = "witness" if kind == "different" else None
    evidence = {"constant": None, "proof": proof, "digits": digits, "everywhere": None} | more
    return Equivalence(kind, points=sample.count, witness=witness, detail=detail, **evidence)


def _is_constant(side: Side) -> bool:
    value, size = float(np.ptp(side.start.value)), float(np.max(np.abs(side.start.value)))
    if value > 1e-13 * size and not value <= 32 * float(np.max(side.start.noise)):
        return False
    return not spread(side.tape, side.columns, side.count) > 1e-25 * size


def _beyond(truth: Expression, model: Expression, found: Beyond, ranges: Ranges) -> Equivalence:
    """Tell of two functions that are equal where float64 has no values of both."""
    symbolic = proves(truth.tape, model.tape, found.kind, found.constant, ranges)
    return Equivalence(
        found.kind,
        found.constant,
        proof="symbolic" if symbolic else "numerical",
        points=found.points,
        digits=int(-np.log10(AS_PRINTED)),
        witness=None,
        everywhere=None,
        detail="equal with the constants as they stand; read with 60 digits, as float64 has no values there",
    )


def _undefined(truth: Expression, model: Expression, sample: Sample) -> Equivalence:
    if sample.outside is not None and certain(model.tape, sample.outside["point"])[0] is None:
        return _verdict(
            "different",
            sample,
            f"the model is {_at(model, sample)} at {sample.skipped} of the points at which the truth is defined",
            witness=_outside(truth, sample),
        )
    return _verdict(
        "unknown", sample, f"both could be evaluated at only {sample.count} of the points tried"
    )


def _outside(truth: Expression, sample: Sample) -> dict[str, Any]:
    """Return a point at which only the truth is defined, as a witness."""
    outside = sample.outside or {}
    return {**outside, "digits": certain(truth.tape, outside["point"])[1]}


def _solution(
    forms: Forms,
    match: Match,
    settled: Settled,
    ranges: Ranges,
    fresh: Sample,
    rng: Any,
) -> Equivalence:
    wide = {n: (-2 * max(map(abs, ends)), 2 * max(map(abs, ends))) for n, ends in ranges.items()}
    truth, model = match.tapes
    beyond = draw(truth, model, wide, POINTS, rng)
    everywhere = worst(match, beyond) is None if beyond.count >= FEWEST else None
    precise = np.isfinite(settled.error)
    constant = settled.constant if precise else match.constant
    constant = None if constant is None else constant * match.model.by
    moved = moves(match, settled.constants if precise else match.constants, *forms.rounded)
    apart = deviation(forms.still, forms.plain, match.kind, constant)
    detail = said(moved, apart, forms.by)
    if fresh.outside is not None and certain(forms.model.tape, fresh.outside["point"])[0] is None:
        detail += f"; the model is {_at(forms.model, fresh)} at {fresh.skipped} of {fresh.skipped + fresh.count} points"
        if fresh.skipped > UNDEFINED * (fresh.skipped + fresh.count):
            witness = _outside(forms.truth, fresh)
            return _verdict(
                "different", fresh, detail, witness=witness, everywhere=everywhere or None
            )
    if everywhere is not None:
        detail += "; it holds wherever both are defined" if everywhere else "; on the domain only"
    if context(DIGITS).beyond:
        power = f"10**{LARGEST * np.log10(2):.0f}"
        detail += f"; values beyond {power} count as infinite, their inverses as zero"
    proof = "numerical"
    if not moved and proves(forms.truth.tape, forms.model.tape, match.kind, constant, ranges):
        proof = "symbolic"
    elif proves(truth, model, match.kind, match.constant, ranges):
        proof = "symbolic after moving constants" if moved else "symbolic"
    digits = int(-np.log10(VANISHED if precise else max(match.error, 1e-15)))
    points = forms.sample.count + fresh.count
    return Equivalence(
        match.kind, constant, proof, points, digits, None, everywhere, detail, moved, apart
    )


def _how_far(forms: Forms) -> str:
    model, truth = forms.plain.start.value, forms.still.start.value
    difference = model - truth
    with np.errstate(all="ignore"):
        ratio = model / truth
    ratio = ratio[np.isfinite(ratio)]
    ends = "undefined"
    if len(ratio):
        ends = f"{ratio.min():.6g} to {ratio.max():.6g}"
    differences = f"{difference.min():.6g} to {difference.max():.6g}"
    return f"on the domain the difference runs from {differences} and the ratio from {ends}"


def _at(model: Expression, sample: Sample) -> str:
    """Say what the model is where it is not a number: infinite, or undefined."""
    at = (sample.outside or {"point": {}})["point"]
    columns = {name: np.array([value]) for name, value in at.items()}
    infinite = np.isinf(values(model.tape, columns, 1)[0])
    if infinite:
        return "infinite (beyond the range of its numbers)"
    return "undefined"


def certain(tape: Sequence[Item], at: Mapping[str, float]) -> tuple[float | None, int]:
    """Value at one point, None where undefined, and how many of its digits are certain (at most 15).

    They are those to which the arithmetics with 30 and with 60 digits agree.
    """
    columns = {name: np.array([value]) for name, value in at.items()}
    rough, fine = (precise(tape, columns, 1, d)[0] for d in (DIGITS // 2, DIGITS))
    n = context(DIGITS)
    if not n.isfinite(fine):
        return None, 15
    error = abs(fine - n.mpf(rough)) / (abs(fine) or 1)
    if error < 1e-15:
        return float(fine), 15
    return float(fine), max(0, int(-n.log10(error))) if error < 1 else 0


def spread(tape: Sequence[Item], columns: Mapping[str, Any], count: int) -> float:
    """Largest value less the smallest, at up to 24 points."""
    first = {name: values[:24] for name, values in columns.items()}
    values = precise(tape, first, min(count, 24))
    return float(max(values) - min(values))
