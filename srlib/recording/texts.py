"""From a fitted estimator to its model's text, precise enough to reproduce its predictions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from srlib.recording.methods import Method

LENGTH_LIMIT = 1_000_000
OPERON_DECIMALS = 17


def model_text(estimator: Any, method: Method, features: Sequence[str]) -> str | None:
    """Get the model's text in the way that the method file states; None where a participant's has none.

    Raises
    ------
    ValueError
        When the value is not a text, is empty, or longer than a million characters.
    """
    spec = method.model
    if method.estimator.endswith(".py"):
        text = estimator.model
    elif spec.text == "participant":
        text = getattr(estimator, "model", None)
        text = text if isinstance(text, str) and text.strip() else None
    elif spec.text is not None:
        text = TEXTS[spec.text](estimator, features)
    elif spec.attribute is not None:
        text = str(getattr(estimator, spec.attribute))
    else:
        text = getattr(estimator, str(spec.method))(**spec.arguments)
    if text is None and spec.text == "participant":
        return None
    if not isinstance(text, str):
        raise ValueError(f"the model must be a text, got {type(text).__name__}")
    if not text.strip() or len(text) > LENGTH_LIMIT:
        raise ValueError(
            f"the model's text has {len(text.strip())} characters; 1 to {LENGTH_LIMIT} were expected"
        )
    return text


def check_steps(estimator: Any) -> None:
    """Refuse, before anything is fitted, a pipeline whose model could not be written.

    Raises
    ------
    ValueError
        Names the step.
    """
    *steps, (_, last) = list_steps(estimator)
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


def list_steps(estimator: Any) -> list[tuple[str, Any]]:
    """List the steps of a pipeline that do something; another estimator is its own only step."""
    steps = getattr(estimator, "steps", [("model", estimator)])
    return [(name, step) for name, step in steps if step is not None and step != "passthrough"]


class Column(NamedTuple):
    """One column as ``slope*text + offset``; a constant has no text."""

    slope: float
    text: str
    offset: float


def write_linear(estimator: Any, features: Sequence[str]) -> str:
    """Write a fitted linear model, or a pipeline of scalers, polynomial features and selections that ends in one.

    Each column is kept as ``slope*text + offset``: a scaler changes slope and offset, an expansion multiplies columns,
    and the linear model gathers them, so that scaling is undone instead of written out.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> write_linear(SimpleNamespace(coef_=np.array([2.0, 0.0, -0.5]), intercept_=1.0), ["a", "b", "c"])
    '1.0 + 2.0*a - 0.5*c'
    """
    columns = [Column(1.0, name, 0.0) for name in features]
    *steps, (_, model) = list_steps(estimator)
    for _, step in steps:
        if hasattr(step, "powers_"):
            columns = [multiply(powers, columns) for powers in step.powers_]
        elif hasattr(step, "get_support"):
            columns = [columns[index] for index in np.flatnonzero(step.get_support())]
        else:
            columns = scale(step, columns)
    intercept = float(np.ravel(model.intercept_)[0])
    slopes = []
    for coefficient, column in zip(np.ravel(model.coef_).astype(float), columns, strict=True):
        intercept += coefficient * column.offset
        slopes.append(coefficient * column.slope if column.text else 0.0)
    return write_sum(intercept, slopes, [column.text for column in columns])


def scale(step: Any, columns: list[Column]) -> list[Column]:
    """Apply ``(x - mean)/scale`` to columns."""
    ones = np.ones(len(columns))
    slopes = ones if step.scale_ is None else ones / step.scale_
    offsets = -step.mean_ * slopes if step.with_mean and step.mean_ is not None else 0.0 * ones
    return [
        Column(float(column.slope * slope), column.text, float(column.offset * slope + offset))
        for column, slope, offset in zip(columns, slopes, offsets, strict=True)
    ]


def multiply(powers: Sequence[int], columns: list[Column]) -> Column:
    """Multiply powers of columns; factors without an offset give their slopes to the whole."""
    slope, factors = 1.0, []
    for power, column in zip(powers, columns, strict=True):
        text = column.text
        if power and not text:
            slope *= column.offset**power
        elif power:
            if column.offset:
                text = f"({write_sum(column.offset, [column.slope], [text])})"
            else:
                slope *= column.slope**power
                if power > 1 and not text.replace("_", "").isalnum():
                    text = f"({text})"
            factors.append(text if power == 1 else f"{text}^{power}")
    if not factors:
        return Column(0.0, "", float(slope))
    return Column(float(slope), "*".join(factors), 0.0)


def write_sum(intercept: float, coefficients: Iterable[float], terms: Sequence[str]) -> str:
    """Write intercept and non-zero terms with the shortest digits that restore each number."""
    pieces = [repr(float(intercept))]
    for coefficient, term in zip(coefficients, terms, strict=True):
        if coefficient != 0:
            pieces.append(f"{'-' if coefficient < 0 else '+'} {abs(float(coefficient))!r}*{term}")
    return " ".join(pieces)


def write_gplearn(estimator: Any, features: Sequence[str]) -> str:
    """Write a gplearn program in prefix form with all digits of its constants (its own text has three)."""
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
    """Write a pyoperon model in infix form with all digits of its constants, which are single precision."""
    return estimator.get_model_string(estimator.model_, OPERON_DECIMALS, list(features))


TEXTS: dict[str, Callable[[Any, Sequence[str]], str]] = {
    "linear": write_linear,
    "polynomial": write_linear,
    "gplearn": write_gplearn,
    "operon": write_operon,
}
