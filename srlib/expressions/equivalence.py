"""Is a model the truth, up to an additive or a multiplicative constant? A verdict with evidence.

The definition is that of the SRBench protocol (Definition 4.1): the model is no constant, and either the
difference or the ratio of model and truth is one. Constants of models are fitted, so the question that is
decided here is: *are there constants, each within half a unit of the rules' last decimal of the model's own,
with which the model equals the truth on the domain?* Rounding each constant where it stands would miss
``2.0003*x*0.49992``; this does not.

- Integral constants do not move. A constant that would round to zero moves by half a unit of its third
  significant digit only, so it cannot vanish, unless all it contributes is less than half a unit of the last
  decimal, relative to the model's spread on the domain.
- The truth may itself be given with few digits (``12.6`` for 4*pi): its decimals may move instead of the
  model's, by half a unit of the last digit of a constant given with `decimals` digits, at most by 5%.

Refutation is numerical and has a witness; confirmation is tried by sympy (`proof`), else stands on points and
digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from srlib.expressions.expression import Expression
from srlib.expressions.matching import Match, Side, closest, holds
from srlib.expressions.proof import proves
from srlib.expressions.sampling import Ranges, Sample, draw, point
from srlib.expressions.sensitivity import movable

POINTS = 96
MOST_POINTS = 1500
FEWEST = 12
DEFAULT_RANGE = (1.0, 5.0)
SOLUTIONS = ("identical", "offset", "scale")


@dataclass(frozen=True)
class Equivalence:
    """A verdict and its evidence.

    Parameters
    ----------
    kind : {'identical', 'offset', 'scale', 'different', 'constant', 'unknown'}
        The first three are solutions.
    constant : float or None
        The additive (offset) or multiplicative (scale) constant: model = truth + constant, model = constant *
        truth.
    proof : {'symbolic', 'numerical', 'witness'} or None
        sympy reduced the difference; agreement at points; a point that refutes.
    points, digits : int
        Number of points at which both were compared, and significant digits to which they agree (solutions).
    witness : dict or None
        ``{"point": {feature: value}, "truth": value, "model": value}`` where they differ most.
    detail : str
        For the reader: whose constants moved, where the model is undefined, and whether the equality holds on
        the domain only.
    """

    kind: str
    constant: float | None
    proof: str | None
    points: int
    digits: int
    witness: dict[str, Any] | None
    detail: str


def compare(
    truth: Expression,
    model: Expression,
    domain: Mapping[str, tuple[float, float]],
    *,
    decimals: int = 3,
    seed: int = 0,
) -> Equivalence:
    """Decide whether a model equals the truth up to a constant, on the problem's domain.

    Parameters
    ----------
    truth, model : Expression
        Both in the problem's feature names.
    domain : mapping of str to (low, high)
        Range of each feature; features without one range over [1, 5].
    decimals : int
        Decimals of the rules: constants of the model may move by half a unit of the last.
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
    names = sorted(truth.features | model.features)
    ranges = {name: domain.get(name, DEFAULT_RANGE) for name in names}
    rng = np.random.default_rng(seed)
    wanted = min(max(POINTS, 3 * max(len(movable(truth.tape)), len(movable(model.tape)))), MOST_POINTS)
    sample = draw(truth.tape, model.tape, ranges, wanted, rng)
    if not model.features:
        return Equivalence("constant", None, None, sample.count, 0, None, "the model is a constant")
    if sample.count < FEWEST:
        return _undefined(sample)
    left, right = (Side(e, sample.columns, sample.count) for e in (truth, model))
    spread = float(np.ptp(right.start.value))
    if spread <= 32 * float(np.max(right.start.noise)) or spread <= 1e-13 * float(
        np.max(np.abs(right.start.value))
    ):
        return Equivalence(
            "constant", None, None, sample.count, 0, None, "the model is constant on the domain"
        )
    matches: list[Match] = []
    for kind in SOLUTIONS:
        match = closest(left, right, kind, decimals)
        if match.equal and holds(left, right, match, draw(truth.tape, model.tape, ranges, POINTS, rng)):
            return _solution(left, right, match, ranges, sample, rng)
        matches.append(match)
    witness = _witness(left, right, matches[1], sample)
    if any(match.doubtful for match in matches):
        detail = "model and truth differ by less than the arithmetic can tell apart from equality"
        return Equivalence("unknown", None, None, sample.count, 0, witness, detail)
    return Equivalence("different", None, "witness", sample.count, 0, witness, _how_far(left, right))


def _undefined(sample: Sample) -> Equivalence:
    if sample.outside is not None and sample.count == 0:
        detail = "the model is undefined wherever the truth was evaluated"
        return Equivalence("different", None, "witness", 0, 0, sample.outside, detail)
    detail = f"both are defined at only {sample.count} of the points that were tried"
    return Equivalence("unknown", None, None, sample.count, 0, sample.outside, detail)


_MOVED = {
    "model": "equal with constants of the model within their last decimal",
    "truth": "equal with constants of the truth within their last digit",
    "": "equal with the constants as they stand",
}


def _solution(
    left: Side, right: Side, match: Match, ranges: Ranges, sample: Sample, rng: np.random.Generator
) -> Equivalence:
    proof = "symbolic" if proves(left, right, match, ranges) else "numerical"
    digits = int(min(15, max(0, -np.log10(max(match.error, 1e-16)))))
    detail = _MOVED[match.moved]
    if sample.skipped:
        detail += f"; the model is undefined at {sample.skipped} of the points that were tried"
    wide = {
        n: (-2 * max(abs(low), abs(high)), 2 * max(abs(low), abs(high))) for n, (low, high) in ranges.items()
    }
    beyond = draw(left.expression.tape, right.expression.tape, wide, POINTS, rng)
    if beyond.count >= FEWEST and not holds(left, right, match, beyond):
        detail += "; on the domain only"
    return Equivalence(match.kind, match.constant, proof, sample.count, digits, None, detail)


def _witness(left: Side, right: Side, match: Match, sample: Sample) -> dict[str, Any]:
    i = int(np.argmax(match.residual))
    truth, model = float(left.start.value[i]), float(right.start.value[i])
    return {"point": point(sample.columns, i), "truth": truth, "model": model}


def _how_far(left: Side, right: Side) -> str:
    difference = right.start.value - left.start.value
    with np.errstate(all="ignore"):
        ratio = right.start.value / left.start.value
    ratio = ratio[np.isfinite(ratio)]
    ends = f"{ratio.min():.6g} to {ratio.max():.6g}" if len(ratio) else "undefined"
    return (
        f"on the domain the difference runs from {difference.min():.6g} to {difference.max():.6g} "
        f"and the ratio from {ends}"
    )
