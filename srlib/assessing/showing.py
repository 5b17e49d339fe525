"""Text of a model for displays, and the check that its simplified form is still the same model.

The numbers that reports show beside a model belong to the model as it was written. A simplified text is therefore
evaluated on the same rows, and shown only if it has the same R2.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from srlib.errors import SrlibError
from srlib.expressions import Expression, evaluate, r2_score, simplify, to_text
from srlib.expressions.normal_form import shortest
from srlib.expressions.points import DEFAULT_RANGE
from srlib.expressions.simplify import Simplified, round_model
from srlib.problems.data import Partitions

R2_DECIMALS = 3  # decimals to which R2 must not change; fewest decimals of a constant
MOST_DECIMALS = 15  # decimals of a constant; with more it stays unchanged
R2_TOLERANCE = 0.5 * 10.0**-R2_DECIMALS  # largest change of R2 that counts as none
ROUNDING_NOISE = 1e-9  # differences of R2 due to the order of operations
N_POINTS = 256
PARTITIONS = ("train", "test", "extrapolation")

Domain = Mapping[str, tuple[float, float]]
Rows = dict[str, tuple[dict[str, np.ndarray], np.ndarray]]


def choose_text(
    model: Expression,
    simplified: Expression | None,
    data: Partitions | None,
    domain: Domain,
    exact: Mapping[str, Any],
) -> tuple[str, str]:
    """Return the text of a model that displays show, and the form of that text.

    Three forms are tried in order: simplified with constants rounded as the rules say, simplified without rounding, as
    written. The first form is shown that has the model's R2 (to 3 decimals) on every partition and is defined wherever
    the model is, at points of the domain and the range of the data. Its constants get the fewest decimals (at least 3)
    that keep this true.

    Parameters
    ----------
    model : Expression
        The model that is judged.
    simplified : Expression or None
        The model simplified as the rules say; None if that failed, and then the form is 'written'.
    data : Partitions or None
        The rows on which the model is judged; without data, points of the domain are used.
    domain : mapping of str to (low, high)
        Range of each feature.
    exact : mapping
        Settings of `simplify_by` for simplifying without rounding.

    Returns
    -------
    text : str
        Text in the project's notation, with the feature names of the data.
    form : str
        'rounded', 'exact' or 'written'.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> domain, exact = {"x": (1, 2), "y": (1, 2)}, {"round_constants": "never"}
    >>> choose_text(parse("1.23456*x + y - y"), parse("1.235*x"), None, domain, exact)
    ('1.235*x', 'rounded')
    >>> choose_text(parse("(1000.00049*x - 1000*x)*y/y"), parse("0"), None, domain, exact)
    ('0.00049*x', 'exact')
    """
    is_alike = likeness_test(model, data, domain)
    text, form = model, "written"
    if simplified and is_alike(simplified):
        text, form = simplified, "rounded"
    elif simplified:
        with suppress(SrlibError):  # too large for exact arithmetic without rounding
            unrounded = simplify_by(exact, model).expression
            if is_alike(unrounded):
                text, form = unrounded, "exact"
    shorter = (round_model(text, decimals) for decimals in range(R2_DECIMALS, MOST_DECIMALS + 1))
    return to_text(next(filter(is_alike, shorter), text)), form


def simplify_by(settings: Mapping[str, Any], model: Expression) -> Simplified:
    """Return a model simplified with these settings of `simplify`.

    With `rewrites` among them, the version of the exact rewrites, it is the shortest form that these find.
    """
    if "rewrites" not in settings:
        return simplify(model, **settings)
    simplified = shortest(model)
    if settings["round_constants"] == "after":
        digits = settings["decimals"], settings["zero_below"]
        simplified = shortest(round_model(simplified.expression, *digits))
    return simplified


def likeness_test(
    model: Expression, data: Partitions | None, domain: Domain
) -> Callable[[Expression], bool]:
    """Return a function that checks whether a form has the model's R2, and is finite wherever the model is."""
    rows = rows_by_partition(data).values()
    generator = np.random.default_rng(0)
    points = {}
    for name in sorted(model.features):
        data_values = [columns[name] for columns, _ in rows]
        values = np.hstack([domain.get(name, DEFAULT_RANGE), *data_values])
        points[name] = generator.uniform(values.min(), values.max(), N_POINTS)
    values = evaluate(model, points, N_POINTS)
    defined = np.isfinite(values)
    scores = [r2_on(model, *part) for part in rows]

    def is_alike(form: Expression) -> bool:
        form_values = evaluate(form, points, N_POINTS)[defined]
        if not np.isfinite(form_values).all():
            return False
        if not rows:
            return r2_score(values[defined], form_values) >= 1 - R2_TOLERANCE
        form_scores = (r2_on(form, *part) for part in rows)
        return all(
            round(a, R2_DECIMALS) == round(b, R2_DECIMALS)
            or np.isclose(a, b, rtol=ROUNDING_NOISE, atol=ROUNDING_NOISE, equal_nan=True)
            for a, b in zip(scores, form_scores, strict=True)
        )

    return is_alike


def describe_change(model: Expression, simplified: Expression, data: Partitions | None) -> str:
    """Return a sentence on how a simplified model differs from the model on the data; empty if it does not.

    It differs if its R2 is lower by more than 0.0005 on a partition, or if it lacks a feature that matters: with this
    feature fixed at its median, the model's predictions have an R2 below 0.9995 with respect to its original
    predictions.

    Returns
    -------
    str
        One sentence; empty if there is no such difference or there are no data.
    """
    for name, (columns, y) in rows_by_partition(data).items():
        predictions = evaluate(model, columns, len(y))
        before = r2_score(y, predictions)
        after = r2_on(simplified, columns, y)
        if np.isfinite(before) and not after >= before - R2_TOLERANCE:
            return f"its R2 on the {name} rows becomes {after:.6g} from {before:.6g}"
        for feature in sorted(model.features - simplified.features):
            fixed_columns = columns | {feature: np.full(len(y), np.median(columns[feature]))}
            if r2_on(model, fixed_columns, predictions) < 1 - R2_TOLERANCE:
                return f"feature {feature} is gone, which changes its predictions"
    return ""


def rows_by_partition(data: Partitions | None) -> Rows:
    """Return, by name of the partition, the columns by feature and the target; empty without data."""
    return {
        name: (dict(zip(data.features, part.X.T, strict=True)), part.y)
        for name in PARTITIONS
        if data is not None and (part := getattr(data, name)) is not None
    }


def r2_on(model: Expression, columns: dict[str, np.ndarray], y: np.ndarray) -> float:
    """Return the R2 of a model on the rows of one partition."""
    return r2_score(y, evaluate(model, columns, len(y)))
