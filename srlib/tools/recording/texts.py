"""Writers of a fitted estimator's model as a text that is precise enough to reproduce its predictions."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from srlib.tools.recording.methods import Method

LENGTH_LIMIT = 1_000_000


def model_text(estimator: Any, method: Method, features: Sequence[str]) -> str | None:
    """Return the model's text, from the source that the method states; None if a participant's estimator has none.

    Raises
    ------
    ValueError
        When the value is not a text, is empty, or has more than a million characters.
    """
    spec = method.model
    if spec.attribute is not None:
        value = getattr(estimator, spec.attribute)
        text = value() if inspect.ismethod(value) else str(value)
    elif spec.text in TEXTS:
        text = TEXTS[spec.text](estimator, features)
    elif method.estimator.endswith(".py"):
        text = estimator.model
    else:
        model = getattr(estimator, "model", None)
        text = model if isinstance(model, str) and model.strip() else None
    if text is None and spec.text == "participant":
        return None
    if not isinstance(text, str) or not 0 < len(text.strip()) <= LENGTH_LIMIT:
        raise ValueError(
            f"a model text of 1 to {LENGTH_LIMIT} characters was expected, got {text!r:.60}"
        )
    return text


def check_steps(estimator: Any) -> None:
    """Check before fitting that the model of a pipeline can be written as a text.

    Raises
    ------
    ValueError
        When a step cannot be written; the message names the step.
    """
    *steps, (_, last) = getattr(estimator, "steps", [("model", estimator)])
    for name, step in steps:
        kind = type(step).__name__
        if kind not in ("StandardScaler", "PolynomialFeatures") and not hasattr(
            step, "get_support"
        ):
            raise ValueError(
                f"step {name}: {kind} cannot be written as a text; StandardScaler, PolynomialFeatures and "
                "selections of columns can"
            )
    if not type(last).__module__.startswith("sklearn.linear_model"):
        raise ValueError(
            f"the last step is {type(last).__name__}; a model of sklearn.linear_model was expected"
        )


def write_linear(estimator: Any, features: Sequence[str]) -> str:
    """Return the text of a fitted linear model, or of a pipeline that ends in one.

    Other steps of the pipeline may be scalers, polynomial features and selections of columns. Each column is kept as
    ``slope*term + offset``: scalers change slope and offset, polynomial features multiply columns. The linear model's
    coefficients are multiplied by the slopes, so that the text has no scaling before it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> write_linear(SimpleNamespace(coef_=np.array([2.0, 0.0, -0.5]), intercept_=1.0), ["a", "b", "c"])
    '1.0 + 2.0*a - 0.5*c'
    """
    start = {"slope": 1.0, "offset": 0.0}
    columns = pd.DataFrame(start, index=pd.Index(features))  # the index has the terms
    *steps, (_, model) = getattr(estimator, "steps", [("model", estimator)])
    for _, step in steps:
        if hasattr(step, "powers_"):
            factors = columns.index
            if step is not steps[0][1]:
                rows = columns.itertuples(name=None)
                factors = [
                    f"({write_sum(offset, [slope], [term])})" for term, slope, offset in rows
                ]
            terms = [write_product(factors, powers) for powers in step.powers_]
            columns = pd.DataFrame(start, index=pd.Index(terms))
        elif hasattr(step, "get_support"):
            columns = columns[step.get_support()]
        else:
            columns["offset"] -= step.mean_ if step.with_mean else 0.0
            columns = columns.div(step.scale_ if step.with_std else 1.0, axis="index")
    coefficients = np.ravel(model.coef_)
    intercept = np.ravel(model.intercept_)[0] + coefficients @ columns["offset"]
    return write_sum(intercept, coefficients * columns["slope"], columns.index)


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


def write_operon(estimator: Any, features: Sequence[str]) -> str:
    """Return a pyoperon model in infix form with all digits of its constants, which are in single precision."""
    return estimator.get_model_string(estimator.model_, 17, list(features))


TEXTS: dict[str, Callable[[Any, Sequence[str]], str]] = {
    "linear": write_linear,
    "polynomial": write_linear,
    "gplearn": write_gplearn,
    "operon": write_operon,
}
