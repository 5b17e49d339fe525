"""A pipeline of scalers, polynomial features and a linear model, written as one text that predicts the same.

Each column is kept as ``a*text + b``: a scaler changes a and b, an expansion multiplies columns, and the
linear model gathers what is left, so that scaling is undone instead of written out.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np


class Column(NamedTuple):
    """One column as ``slope*text + offset``."""

    slope: float
    text: str
    offset: float


SCALER, EXPANSION = "StandardScaler", "PolynomialFeatures"


def check_steps(estimator: Any) -> None:
    """Refuse, before anything is fitted, a pipeline whose model could not be written.

    Raises
    ------
    ValueError
        Names the step.
    """
    *steps, (_, last) = _steps(estimator)
    for name, step in steps:
        kind = type(step).__name__
        if kind not in (SCALER, EXPANSION) and not hasattr(step, "get_support"):
            raise ValueError(
                f"step {name}: {kind} cannot be written as a text; StandardScaler, PolynomialFeatures and "
                "selections of columns can"
            )
    if not type(last).__module__.startswith("sklearn.linear_model"):
        raise ValueError(
            f"the last step is {type(last).__name__}; a model of sklearn.linear_model was expected"
        )


def polynomial(estimator: Any, features: Sequence[str]) -> str:
    """Write a fitted pipeline of StandardScaler, polynomial features and a linear model, or that model alone.

    Raises
    ------
    ValueError
        When a step is of another kind.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> fitted = make_pipeline(StandardScaler(), LinearRegression()).fit([[0.0], [4.0]], [1.0, 3.0])
    >>> polynomial(fitted, ["a"]).endswith("*a")
    True
    """
    check_steps(estimator)
    columns = [Column(1.0, name, 0.0) for name in features]
    *steps, (_, fitted) = _steps(estimator)
    for _, step in steps:
        if type(step).__name__ == EXPANSION:
            columns = [_product(powers, columns) for powers in step.powers_]
        elif hasattr(step, "get_support"):
            columns = [columns[i] for i in np.flatnonzero(step.get_support())]
        else:
            columns = _scaled(step, columns)
    coefficients = np.ravel(fitted.coef_).astype(float)
    intercept = float(np.ravel(fitted.intercept_)[0])
    for coefficient, column in zip(coefficients, columns, strict=True):
        intercept += coefficient * column.offset
    slopes = [
        c * column.slope for c, column in zip(coefficients, columns, strict=True) if column.text
    ]
    return sum_of(intercept, slopes, [column.text for column in columns if column.text])


def sum_of(intercept: float, coefficients: Iterable[float], terms: Sequence[str]) -> str:
    """Write intercept and non-zero terms with the shortest digits that restore each number."""
    pieces = [repr(float(intercept))]
    for coefficient, term in zip(coefficients, terms, strict=True):
        if coefficient != 0:
            pieces.append(f"{'-' if coefficient < 0 else '+'} {abs(float(coefficient))!r}*{term}")
    return " ".join(pieces)


def _steps(estimator: Any) -> list[tuple[str, Any]]:
    """Take the steps of a pipeline that do something; another estimator is its own only step."""
    steps = getattr(estimator, "steps", [("model", estimator)])
    return [(name, step) for name, step in steps if step is not None and step != "passthrough"]


def _scaled(step: Any, columns: list[Column]) -> list[Column]:
    """Columns after ``(x - mean)/scale``."""
    slopes = np.ones(len(columns))
    if step.scale_ is not None:
        slopes = 1.0 / np.asarray(step.scale_, dtype=float)
    offsets = np.zeros(len(columns))
    if step.mean_ is not None and step.with_mean:
        offsets = -np.asarray(step.mean_, dtype=float) * slopes
    return [
        Column(float(column.slope * slope), column.text, float(column.offset * slope + offset))
        for column, slope, offset in zip(columns, slopes, offsets, strict=True)
    ]


def _product(powers: Sequence[int], columns: list[Column]) -> Column:
    """Product of powers of columns; factors without an offset give their slopes to the whole."""
    slope, factors = 1.0, []
    for power, column in zip(powers, columns, strict=True):
        if not power:
            continue
        text = column.text
        if not text:
            slope *= column.offset**power
        elif column.offset:
            text = f"({sum_of(column.offset, [column.slope], [column.text])})"
        else:
            slope *= column.slope**power
        if not text:
            continue
        simple = text.replace("_", "").isalnum() or column.offset
        text = text if power == 1 or simple else f"({text})"
        factors.append(text if power == 1 else f"{text}^{power}")
    if not factors:
        return Column(0.0, "", float(slope))
    return Column(float(slope), "*".join(factors), 0.0)
