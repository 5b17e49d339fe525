"""Writers of a fitted estimator's model as a text that is precise enough to reproduce its predictions."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from srlib.tools.recording.methods import Method

LENGTH_LIMIT = 1_000_000
WRITTEN_STEPS = (
    "StandardScaler",
    "RobustScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "PolynomialFeatures",
)
UNCHANGED = ("passthrough", None)  # steps of a pipeline that do nothing


def model_text(estimator: Any, method: Method, features: Sequence[str]) -> str | None:
    """Return the model's text, from the source that the method states; None if a participant's estimator has none.

    An expression of sympy is a text, too.

    Raises
    ------
    ValueError
        When the value is not a text, is empty, or has more than a million characters.
    """
    spec = method.model
    if spec.attribute is not None:
        text = getattr(estimator, spec.attribute)
        text = str(text()) if inspect.ismethod(text) else str(text)
    elif spec.text != "participant":
        text = write_text(estimator, features)
    else:
        text = getattr(estimator, "model", None)
        if hasattr(text, "free_symbols"):
            text = str(text)
        if text is None or not (method.estimator.endswith(".py") or isinstance(text, str)):
            return None
    if not isinstance(text, str) or not 0 < len(text.strip()) <= LENGTH_LIMIT:
        raise ValueError(
            f"a model text of 1 to {LENGTH_LIMIT} characters was expected, got {text!r:.60}"
        )
    return text


def check_steps(estimator: Any) -> None:
    """Check before fitting that the model of an estimator of scikit-learn can be written as a text.

    Raises
    ------
    ValueError
        When a step of a pipeline or the function of a target cannot be written; the message names it.
    """
    *steps, (_, last) = getattr(estimator, "steps", [("model", estimator)])
    if hasattr(last, "inverse_func"):  # of a TransformedTargetRegressor
        steps.append(("transformer", last.transformer or "passthrough"))
        if last.inverse_func is not None and not isinstance(last.inverse_func, np.ufunc):
            raise ValueError("inverse_func cannot be written as a text; a function of NumPy can")
        check_steps(last.regressor)
        last = None
    for name, step in steps:
        kind = type(step).__name__
        is_known = kind in WRITTEN_STEPS or step in UNCHANGED or hasattr(step, "get_support")
        if not is_known or getattr(step, "clip", False):
            raise ValueError(
                f"step {name}: {kind} cannot be written as a text; {', '.join(WRITTEN_STEPS)} (without clip) and "
                "selections of columns can"
            )
    module = type(last).__module__
    if module.startswith("sklearn.") and not module.startswith("sklearn.linear_model"):
        raise ValueError(
            f"the last step is {type(last).__name__}; a model of sklearn.linear_model, gplearn or pyoperon was "
            "expected"
        )


def write_text(estimator: Any, features: Sequence[str]) -> str:
    """Return the text of a fitted model of scikit-learn, gplearn or pyoperon, or of a pipeline that ends in one.

    Other steps of the pipeline may be scalers, polynomial features and selections of columns. Each column is kept as
    ``slope*term + offset``: scalers change slope and offset, polynomial features multiply columns. The coefficients of
    a linear model are multiplied by the slopes, so that the text has no scaling before it. A TransformedTargetRegressor
    is written with the inverse of its transformation.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> write_text(SimpleNamespace(coef_=np.array([2.0, 0.0, -0.5]), intercept_=1.0), ["a", "b", "c"])
    '1.0 + 2.0*a - 0.5*c'
    """
    if hasattr(estimator, "regressor_"):
        text, scaler = write_text(estimator.regressor_, features), estimator.transformer_
        if hasattr(scaler, "scale_"):
            offset = np.ravel(scaler.inverse_transform([[0.0]]))[0]
            return write_sum(offset, np.ravel(find_divisor(scaler)), [f"({text})"])
        return f"{scaler.inverse_func.__name__}({text})" if scaler.inverse_func else text
    if hasattr(estimator, "_program"):
        return write_gplearn(estimator, features)
    if hasattr(estimator, "get_model_string"):  # in single precision, with all digits
        return estimator.get_model_string(estimator.model_, 17, list(features))
    *steps, (_, model) = getattr(estimator, "steps", [("model", estimator)])
    columns = transform_terms(steps, features)
    if model is not estimator and not hasattr(model, "coef_"):
        return write_text(model, write_factors(columns, features))
    coefficients = np.ravel(model.coef_)
    intercept = np.ravel(model.intercept_)[0] + coefficients @ columns["offset"]
    return write_sum(intercept, coefficients * columns["slope"], columns.index)


def transform_terms(steps: Sequence[tuple[str, Any]], features: Sequence[str]) -> pd.DataFrame:
    """Return the columns after all steps: `slope` and `offset` of each; the index has the terms."""
    start = {"slope": 1.0, "offset": 0.0}
    columns = pd.DataFrame(start, index=pd.Index(features))
    for _, step in steps:
        if hasattr(step, "powers_"):
            factors = write_factors(columns, features)
            terms = [write_product(factors, powers) for powers in step.powers_]
            columns = pd.DataFrame(start, index=pd.Index(terms))
        elif hasattr(step, "get_support"):
            columns = columns[step.get_support()]
        elif step not in UNCHANGED:
            columns = columns.div(find_divisor(step), axis="index")
            columns["offset"] += np.ravel(step.transform(np.zeros((1, len(columns)))))
    return columns


def find_divisor(scaler: Any) -> Any:
    """Return the number by which a scaler divides each column."""
    if scaler.scale_ is None:
        return 1.0
    return 1 / scaler.scale_ if hasattr(scaler, "data_min_") else scaler.scale_


def write_factors(columns: pd.DataFrame, features: Sequence[str]) -> list[str]:
    """Return each column as a text that can be a factor: the name of a feature alone, else a sum in brackets."""
    return [
        term
        if (slope, offset) == (1, 0) and term in features
        else f"({write_sum(offset, [slope], [term])})"
        for term, slope, offset in columns.itertuples(name=None)
    ]


def write_product(factors: Iterable[str], powers: Iterable[int]) -> str:
    """Return the product of powers of factors as a text; '1' if all powers are 0."""
    used = [(factor, power) for factor, power in zip(factors, powers, strict=True) if power]
    return "*".join(factor if power == 1 else f"{factor}^{power}" for factor, power in used) or "1"


def write_sum(intercept: float, coefficients: Iterable[float], terms: Iterable[str]) -> str:
    """Return the sum of intercept and non-zero terms, with the fewest digits that reproduce each number."""
    pieces = [repr(float(intercept))]
    for coefficient, term in zip(coefficients, terms, strict=True):
        if coefficient != 0:
            pieces.append(f"{'-' if coefficient < 0 else '+'} {abs(float(coefficient))!r}*{term}")
    return " ".join(pieces)


def write_gplearn(estimator: Any, features: Sequence[str]) -> str:
    """Return a gplearn program in prefix form with all digits of its constants (gplearn's own text has three)."""
    texts: list[str] = []
    for node in reversed(estimator._program.program):
        if hasattr(node, "arity"):
            arguments = [texts.pop() for _ in range(node.arity)]
            texts.append(f"{node.name}({', '.join(arguments)})")
        elif isinstance(node, (int, np.integer)):
            texts.append(features[int(node)])
        else:
            texts.append(repr(float(node)))
    return texts.pop()
