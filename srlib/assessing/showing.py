"""The text that displays show of a model: simplified, with as few digits as its R2 allows.

What stands beside a model was measured on the model as it was written. So a simplified text is computed on the same
rows, and may only stand there where it has the same R2.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from srlib.errors import SrlibError
from srlib.expressions import Expression, evaluate, r2_score, simplify, to_text
from srlib.expressions.shortest import shortest
from srlib.expressions.simplify import round_model
from srlib.problems.data import Partitions

DECIMALS = 3  # of the R2 that has to stay, and the fewest of a constant
MOST = 15  # decimals of a constant; beyond, it is left as it is
POINTS = 256
# R2 of what is shown as a prediction of the model, where no rows are known
CLOSE = 1 - 0.5 * 10.0**-DECIMALS
ARITHMETIC = 1e-9  # what is equal but for the order of operations

Domain = Mapping[str, tuple[float, float]]


def shown(
    model: Expression,
    simplified: Expression | None,
    data: Partitions | None,
    domain: Domain,
    **settings: Any,
) -> tuple[str, str]:
    """Choose what is shown of a model.

    Tried in this order: the simplified model with the constants that the rules round; simplified without rounding;
    as it was written. The first that has the model's R2 (to 3 decimals) on every partition, and a value wherever the
    model has one on the domain and the range of the data, is shown, with the fewest decimals for which that holds.

    Parameters
    ----------
    model : Expression
        What is judged.
    simplified : Expression or None
        By the rules; None where that did not succeed, and then nothing else is tried.
    data : Partitions or None
        The rows on which it is judged; without them points of the domain stand in.
    domain : mapping of str to (low, high)
        Range of each feature.
    **settings
        Of `simplify`, for simplifying without rounding; `rewrites` asks for `shortest` instead.

    Returns
    -------
    text : str
        In the project's notation and the data's feature names.
    form : str
        'rounded', 'exact' or 'written'.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> shown(parse("1.23456*x + y - y"), parse("1.235*x"), None, {"x": (1, 2), "y": (1, 2)})
    ('1.235*x', 'rounded')
    >>> shown(parse("(1000.00049*x - 1000*x)*y/y"), parse("0"), None, {"x": (1, 2), "y": (1, 2)})
    ('0.00049*x', 'exact')
    """
    same = Likeness(model, data, domain)
    for form, candidate in _forms(model, simplified, settings):
        if form != "written" and not same(candidate):
            continue
        for decimals in range(DECIMALS, MOST + 1):
            cut = round_model(candidate, decimals)
            if same(cut):
                return to_text(cut), form
        return to_text(candidate), form
    raise AssertionError("the model as it was written is always left")


def _forms(
    model: Expression, simplified: Expression | None, settings: Mapping[str, Any]
) -> Iterator[tuple[str, Expression]]:
    if simplified is not None:
        yield "rounded", simplified
        with suppress(SrlibError):  # too large for exact arithmetic; rounded it was not
            if "rewrites" in settings:
                yield "exact", shortest(model).expression
            else:
                yield "exact", simplify(model, round_constants="never", **settings).expression
    yield "written", model


class Likeness:
    """Says whether another form of a model has its R2 on all rows, and its values between them."""

    def __init__(self, model: Expression, data: Partitions | None, domain: Domain) -> None:
        parts = ()
        if data is not None:
            parts = (data.train, data.test, data.extrapolation)
        self.parts = [
            (dict(zip(data.features, part.X.T, strict=True)), part.y)
            for part in parts
            if data is not None and part is not None
        ]
        self.r2 = [r2_score(y, evaluate(model, rows, len(y))) for rows, y in self.parts]
        random = np.random.default_rng(0)
        self.points = {}
        for name in sorted(model.features):
            ends = [
                *domain.get(name, (1.0, 5.0)),
                *(f(r[name]) for r, _ in self.parts for f in (np.min, np.max)),
            ]
            self.points[name] = random.uniform(min(ends), max(ends), POINTS)
        value = evaluate(model, self.points, POINTS)
        self.defined = np.isfinite(value)
        self.value = value[self.defined]

    def __call__(self, other: Expression) -> bool:
        """Compare one other form."""
        if not other.features <= set(self.points):
            return False
        value = evaluate(other, self.points, POINTS)[self.defined]
        if not np.isfinite(value).all() or (not self.parts and r2_score(self.value, value) < CLOSE):
            return False
        return all(
            _same(wanted, r2_score(y, evaluate(other, rows, len(y))))
            for wanted, (rows, y) in zip(self.r2, self.parts, strict=True)
        )


def _same(one: float, other: float) -> bool:
    if np.isnan(one) or np.isnan(other):
        return bool(np.isnan(one) and np.isnan(other))
    return round(one, DECIMALS) == round(other, DECIMALS) or bool(
        np.isclose(one, other, rtol=ARITHMETIC, atol=ARITHMETIC)
    )
