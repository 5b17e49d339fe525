"""What a verdict stands on: which constants moved, how far model and truth are apart, a point that shows it."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from srlib.expressions.evaluate import DIGITS
from srlib.expressions.evaluate import arithmetic as context
from srlib.expressions.evaluate import evaluate_precisely as precise
from srlib.expressions.matching import Match, Side
from srlib.expressions.tolerance import admitted
from srlib.expressions.tree import Expression
from srlib.rules.constants import Constants

AS_IT_STANDS = 1e-9  # relative difference of constants that is none
MOST_NAMED = 3


def moves(
    match: Match,
    constants: np.ndarray,
    rounded: Iterable[float] = (),
    changed: Iterable[tuple[str, float, float]] = (),
) -> list[dict[str, Any]]:
    """List the constants in which model and truth differ, the largest share first.

    Each has its name, its value in the truth, its value in the model, and the difference in percent of the
    truth's; None where the truth has none.
    """
    side, found = match.mover, []
    for name, before, after in zip(side.form.names, side.constants, constants, strict=True):
        if before != 0.0 and abs(after - before) > AS_IT_STANDS * abs(before):
            truth, model = (before, after) if match.moved == "truth" else (after, before)
            found.append(_move(name, float(truth), float(model)))
    found += [_move("an exponent", float(round(value)), value) for value in rounded]
    found += [_move(f"{name}, rounded,", to, given) for name, to, given in changed if to]
    found.sort(key=lambda move: -abs(move["percent"]))
    return found + [
        {"constant": name, "truth": 0.0, "model": value * match.model.by, "percent": None}
        for name, value in match.model.left_out
    ]


def _move(name: str, truth: float, model: float) -> dict[str, Any]:
    percent = 100.0 * (model - truth) / abs(truth)
    return {"constant": name, "truth": truth, "model": model, "percent": float(f"{percent:.3g}")}


def deviation(truth: Side, model: Side, kind: str, constant: float | None) -> float:
    """Largest deviation of the model, as it stands, from what it is said to be, in shares of the truth's range."""
    factor = constant if kind == "scale" and constant is not None else 1.0
    offset = constant if kind == "offset" and constant is not None else 0.0
    with np.errstate(all="ignore"):
        expected = factor * truth.start.value
        apart = np.abs(model.start.value - expected - offset)
        apart = np.where(
            apart <= 16 * (model.start.noise + abs(factor) * truth.start.noise), 0.0, apart
        )
        share = np.max(apart) / np.ptp(expected)
    if np.isfinite(share):
        return float(f"{share:.3g}")
    return 0.0


def said(moved: list[dict[str, Any]], apart: float, by: Constants) -> str:
    """Say how equal the two are.

    Examples
    --------
    >>> said([{"constant": "the exponent of x", "truth": 2.0, "model": 2.0003, "percent": 0.015}], 4e-4, Constants())
    "equal within the tolerance: the exponent of x is 2.0003 for 2 (+0.015%); the largest deviation on the domain is \
0.04% of the truth's range, admitted as a constant may differ by half a unit of decimal 3 (in the unit of the truth as \
it is stated) and by 0.49% of itself"
    """
    apart_said = f"the largest deviation on the domain is {100 * apart:.2g}% of the truth's range"
    if not moved:
        return f"equal with the constants as they stand; {apart_said}"
    return f"equal within the tolerance: {named(moved)}; {apart_said}, admitted {admitted(by)}"


def named(moved: list[dict[str, Any]]) -> str:
    """Name the constants in which two differ, and by how many percent."""
    shown = [
        f"{m['constant']} is {m['model']:.7g} for {m['truth']:.7g} ({m['percent']:+.2g}%)"
        if m["percent"] is not None
        else f"{m['constant']}, {m['model']:.3g}, is left out"
        for m in moved[:MOST_NAMED]
    ]
    more = ""
    if len(moved) > MOST_NAMED:
        more = f", and {len(moved) - MOST_NAMED} more"
    return ", ".join(shown) + more


def witnessed(
    truth: Expression, model: Expression, points: Iterable[dict[str, float]]
) -> dict[str, Any] | None:
    """Return the first point at which high precision confirms that the two differ; None: there is none.

    Beside the values, `difference` is model - truth, which may be less than the values' digits show, and `digits`
    says how many digits of the values are certain.
    """
    numbers = context(DIGITS)
    for at in points:
        columns = {name: np.array([value]) for name, value in at.items()}
        rough, fine = (
            [precise(e.tape, columns, 1, digits)[0] for e in (truth, model)]
            for digits in (DIGITS // 2, DIGITS)
        )
        if not numbers.isfinite(fine[0]):
            continue
        unsure = [abs(a - numbers.mpf(b)) for a, b in zip(fine, rough, strict=True)]
        shares = [float(e / (abs(a) or 1)) for e, a in zip(unsure, fine, strict=True)]
        worst = max((share for share in shares if np.isfinite(share)), default=0.0)
        digits = 15 if worst < 1e-15 else max(0, int(-np.log10(worst)))
        if not numbers.isfinite(fine[1]):
            return {"point": at, "truth": float(fine[0]), "model": None, "digits": digits}
        # certain where it is far above what 60 digits, not 30, leave open
        difference = fine[1] - fine[0]
        if abs(difference) > 1e-20 * sum(unsure) + 1e-45 * abs(fine[0]):
            both = {
                "truth": float(fine[0]),
                "model": float(fine[1]),
                "difference": float(difference),
            }
            return {"point": at, **both, "digits": digits}
    return None
