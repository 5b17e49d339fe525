"""From a fitted estimator to its model's text, precise enough to reproduce its predictions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srlib.recording.methods import Method

LENGTH_LIMIT = 1_000_000
OPERON_DECIMALS = 17


def model_text(estimator: Any, method: Method, features: Sequence[str]) -> str:
    """Get the model's text in the way that the method file states.

    Raises
    ------
    ValueError
        When what comes back is not a text, is empty, or longer than a million characters.
    """
    spec = method.model
    if spec.text is not None:
        text = TEXTS[spec.text](estimator, features)
    elif spec.attribute is not None:
        text = str(getattr(estimator, spec.attribute))
    else:
        text = getattr(estimator, str(spec.method))(**spec.arguments)
    if not isinstance(text, str):
        raise ValueError(f"the model must be a text, got {type(text).__name__}")
    if not text.strip() or len(text) > LENGTH_LIMIT:
        raise ValueError(f"the model's text has {len(text.strip())} characters; 1 to {LENGTH_LIMIT} were expected")
    return text


def linear(estimator: Any, features: Sequence[str]) -> str:
    """Write a linear model, terms in the features' order.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> linear(SimpleNamespace(coef_=np.array([2.0, 0.0, -0.5]), intercept_=1.0), ["a", "b", "c"])
    '1.0 + 2.0*a - 0.5*c'
    """
    return _sum(float(estimator.intercept_), np.ravel(estimator.coef_), list(features))


def polynomial(estimator: Any, features: Sequence[str]) -> str:
    """Write a pipeline of PolynomialFeatures, StandardScaler and a linear model, with the scaling undone."""
    expand, scale, fitted = (step for _, step in estimator.steps)
    coefficients = np.ravel(fitted.coef_) / scale.scale_
    intercept = float(fitted.intercept_) - float(np.sum(coefficients * scale.mean_))
    return _sum(intercept, coefficients, [_monomial(powers, features) for powers in expand.powers_])


def gplearn(estimator: Any, features: Sequence[str]) -> str:
    """Write a gplearn program in prefix form with all digits of its constants (its own text has three).

    The names in `features` stand for the columns that the estimator was fitted on, in that order.
    """
    pieces: list[str] = []
    open_arguments: list[int] = []
    for node in estimator._program.program:
        if hasattr(node, "arity"):
            pieces.append(f"{node.name}(")
            open_arguments.append(node.arity)
            continue
        pieces.append(features[int(node)] if isinstance(node, (int, np.integer)) else repr(float(node)))
        while open_arguments:
            open_arguments[-1] -= 1
            if open_arguments[-1]:
                pieces.append(", ")
                break
            pieces.append(")")
            open_arguments.pop()
    return "".join(pieces)


def operon(estimator: Any, features: Sequence[str]) -> str:
    """Write a pyoperon model in infix form with all digits of its constants, which are single precision."""
    return estimator.get_model_string(estimator.model_, OPERON_DECIMALS, list(features))


TEXTS: dict[str, Callable[[Any, Sequence[str]], str]] = {
    "linear": linear,
    "polynomial": polynomial,
    "gplearn": gplearn,
    "operon": operon,
}


def _monomial(powers: Sequence[int], features: Sequence[str]) -> str:
    factors = [name if power == 1 else f"{name}^{power}" for name, power in zip(features, powers, strict=True) if power]
    return "*".join(factors)


def _sum(intercept: float, coefficients: np.ndarray, terms: Sequence[str]) -> str:
    """Write intercept and non-zero terms with the shortest digits that restore each number."""
    pieces = [repr(float(intercept))]
    for coefficient, term in zip(coefficients, terms, strict=True):
        if coefficient != 0:
            pieces.append(f"{'-' if coefficient < 0 else '+'} {abs(float(coefficient))!r}*{term}")
    return " ".join(pieces)
