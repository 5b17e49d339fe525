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

from srlib.expressions.evaluate import run_tape
from srlib.expressions.expression import Expression
from srlib.expressions.matching import Match, Side, closest
from srlib.expressions.proof import proves
from srlib.expressions.sensitivity import movable, sensitivity

POINTS = 96
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
        A sentence for the reader.
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
    columns, outside = _points(truth, model, ranges, np.random.default_rng(seed))
    count = len(next(iter(columns.values()))) if names else 1
    if not model.features:
        return Equivalence("constant", None, None, count, 0, None, "the model is a constant")
    if count < FEWEST:
        return _undefined(truth, model, outside, count)
    left, right = Side(truth, columns, count), Side(model, columns, count)
    spread = float(np.ptp(right.start.value))
    if spread <= 32 * float(np.max(right.start.noise)) or spread <= 1e-13 * float(
        np.max(np.abs(right.start.value))
    ):
        return Equivalence("constant", None, None, count, 0, None, "the model is constant on the domain")
    best: list[Match] = []
    for kind in SOLUTIONS:
        match = closest(left, right, kind, decimals)
        if match.equal:
            return _solution(left, right, match, ranges, count)
        best.append(match)
    witness = _witness(left, right, best[1], columns)
    doubtful = [match for match in best if match.doubtful]
    if doubtful:
        return Equivalence(
            "unknown",
            None,
            None,
            count,
            0,
            witness,
            "model and truth differ by less than the arithmetic can tell apart from equality",
        )
    return Equivalence("different", None, "witness", count, 0, witness, _how_far(left, right))


def _points(
    truth: Expression, model: Expression, ranges: Mapping[str, tuple[float, float]], rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, Any] | None]:
    """Random points of the domain at which both are finite, and one at which only the truth is."""
    kept: list[np.ndarray] = []
    outside: dict[str, Any] | None = None
    names, found = list(ranges), 0
    low = np.array([ranges[name][0] for name in names], dtype=float)
    high = np.array([ranges[name][1] for name in names], dtype=float)
    for size in (POINTS, 4 * POINTS, 40 * POINTS):
        x = low + (high - low) * rng.random((size, len(names)))
        columns = {name: x[:, i] for i, name in enumerate(names)}
        with np.errstate(all="ignore"):
            t = np.broadcast_to(np.asarray(run_tape(truth.tape, columns), dtype=float), size)
            m = np.broadcast_to(np.asarray(run_tape(model.tape, columns), dtype=float), size)
        only_truth = np.flatnonzero(np.isfinite(t) & ~np.isfinite(m))
        if outside is None and len(only_truth):
            i = int(only_truth[0])
            outside = {"point": _point(columns, i), "truth": float(t[i]), "model": None}
        x = x[np.isfinite(t) & np.isfinite(m)][: POINTS - found]
        kept.append(x)
        found += len(x)
        if found >= min(POINTS, size) * 3 // 4 or not names:
            break
    x = np.concatenate(kept)
    return {name: x[:, i] for i, name in enumerate(names)}, outside


def _point(columns: Mapping[str, np.ndarray], i: int) -> dict[str, float]:
    return {name: float(values[i]) for name, values in columns.items()}


def _undefined(
    truth: Expression, model: Expression, outside: dict[str, Any] | None, count: int
) -> Equivalence:
    if outside is not None and count == 0:
        return Equivalence(
            "different",
            None,
            "witness",
            count,
            0,
            outside,
            "the model is undefined wherever the truth was evaluated",
        )
    return Equivalence(
        "unknown",
        None,
        None,
        count,
        0,
        outside,
        f"both are defined at only {count} of the points that were tried",
    )


def _solution(
    left: Side, right: Side, match: Match, ranges: Mapping[str, tuple[float, float]], count: int
) -> Equivalence:
    symbolic = proves(left, right, match, ranges)
    digits = int(min(15, max(0, -np.log10(max(match.error, 1e-16)))))
    moved = {
        "model": "constants of the model within their last decimal",
        "truth": "constants of the truth within their last digit",
        "": "the constants as they stand",
    }[match.moved]
    return Equivalence(
        match.kind,
        match.constant,
        "symbolic" if symbolic else "numerical",
        count,
        digits,
        None,
        f"equal with {moved}",
    )


def _witness(left: Side, right: Side, match: Match, columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
    i = int(np.argmax(match.residual))
    return {
        "point": _point(columns, i),
        "truth": float(left.start.value[i]),
        "model": float(right.start.value[i]),
    }


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


__all__ = ["SOLUTIONS", "Equivalence", "compare", "movable", "sensitivity"]
