"""From a fitted estimator to its model's text, precise enough to reproduce its predictions."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srlib.recording.methods import Method
from srlib.recording.pipelines import polynomial, sum_of

LENGTH_LIMIT = 1_000_000
OPERON_DECIMALS = 17


def model_text(estimator: Any, method: Method, features: Sequence[str]) -> str | None:
    """Get the model's text in the way that the method file states; None where a participant's has none.

    Raises
    ------
    ValueError
        When what comes back is not a text, is empty, or longer than a million characters.
    """
    spec = method.model
    if spec.text is not None:
        text = (
            TEXTS[spec.text](estimator, features) if spec.text != "participant" else estimator.text
        )
        if text is None:
            return None
    elif spec.attribute is not None:
        text = str(getattr(estimator, spec.attribute))
    else:
        text = getattr(estimator, str(spec.method))(**spec.arguments)
    if not isinstance(text, str):
        raise ValueError(f"the model must be a text, got {type(text).__name__}")
    if not text.strip() or len(text) > LENGTH_LIMIT:
        raise ValueError(
            f"the model's text has {len(text.strip())} characters; 1 to {LENGTH_LIMIT} were expected"
        )
    return text


def linear(estimator: Any, features: Sequence[str]) -> str:
    """Write a linear model, terms in the features' order.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> linear(SimpleNamespace(coef_=np.array([2.0, 0.0, -0.5]), intercept_=1.0), ["a", "b", "c"])
    '1.0 + 2.0*a - 0.5*c'
    """
    return sum_of(float(estimator.intercept_), np.ravel(estimator.coef_), list(features))


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
        pieces.append(
            features[int(node)] if isinstance(node, (int, np.integer)) else repr(float(node))
        )
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


def deap(estimator: Any, features: Sequence[str]) -> str:
    """Write the linear scaling and the tree of a `DeapRegressor`."""
    program = re.sub(r"ARG(\d+)", lambda match: features[int(match[1])], estimator.program_)
    scaled = f" + {estimator.slope_!r}*{program}" if estimator.slope_ else ""
    return f"{estimator.intercept_!r}{scaled}"


def ffx(estimator: Any, features: Sequence[str]) -> str:
    """Write a model of FFX with all digits of its thresholds (its own text has three)."""
    model = estimator.model_
    if not hasattr(model, "bases_n"):
        return repr(float(model.constant))
    above = sum_of(
        model.coefs_n[0], model.coefs_n[1:], [_base(base, features) for base in model.bases_n]
    )
    below = sum_of(1.0, model.coefs_d, [_base(base, features) for base in model.bases_d])
    if model.bases_d:
        return f"({above})/({below})"
    return above


TEXTS: dict[str, Callable[[Any, Sequence[str]], str]] = {
    "linear": linear,
    "polynomial": polynomial,
    "gplearn": gplearn,
    "operon": operon,
    "deap": deap,
    "ffx": ffx,
}


def _base(base: Any, features: Sequence[str]) -> str:
    """Write a basis function of FFX: a power of a feature, an operator on one, or the product of two such."""
    if hasattr(base, "base1"):
        return f"{_base(base.base1, features)}*{_base(base.base2, features)}"
    if hasattr(base, "simple_base"):
        inner, threshold = _base(base.simple_base, features), repr(float(base.thr or 0.0))
        forms = (f"abs({inner})", f"max(0, {inner})", f"min(0, {inner})", f"log10({inner})",
                 f"max(0, {threshold} - {inner})", f"max(0, {inner} - {threshold})")  # fmt: skip
        return forms[base.nonlin_op - 1]
    name = features[int(base.var)]
    if base.exponent == 1:
        return name
    return f"{name}^({base.exponent!r})"
