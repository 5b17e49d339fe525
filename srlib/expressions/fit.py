"""How well a model fits rows, beside R2: errors, ranks, and what its constants and its form cost."""

import math

import numpy as np

from srlib.expressions.evaluate import evaluate
from srlib.expressions.expression import Expression
from srlib.expressions.operators import Operator
from srlib.expressions.truth.sensitivity import movable, sensitivity

TOLERANCE = 0.1
Columns = dict[str, np.ndarray]


def on_test(expression: Expression, columns: Columns, y: np.ndarray) -> dict[str, float]:
    """Measure predictions on test rows; NaN where one is not finite.

    `nmse_test` is the mean squared error over the variance of the target (1 - R2); `within_10_test` the share of the
    rows on which the prediction is at most 10% of the target's size from it (the accuracy to a tolerance of Biggio et
    al., 2021); `kendall_test` Kendall's tau-b of prediction and target.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> on_test(parse("1.05*x"), {"x": x}, x)["within_10_test"]
    1.0
    """
    from scipy.stats import kendalltau

    found = evaluate(expression, columns, len(y))
    if not np.isfinite(found).all() or not len(y):
        return dict.fromkeys(("nmse_test", "within_10_test", "kendall_test"), math.nan)
    with np.errstate(all="ignore"):
        return {
            "nmse_test": float(np.mean((found - y) ** 2) / np.var(y)),
            "within_10_test": float(np.mean(np.abs(found - y) <= TOLERANCE * np.abs(y))),
            "kendall_test": float(kendalltau(found, y)[0]),  # type: ignore[arg-type]
        }


def on_training(expression: Expression, columns: Columns, y: np.ndarray) -> dict[str, float]:
    """Weigh the errors on the rows that a model was fitted to against what it takes to write it down.

    `bic` is n*ln(mean squared error) + p*ln(n) with p fitted constants (those that are not whole), and the noise
    (Schwarz, 1978). `description_length`, in nats, is that of Exhaustive Symbolic Regression (Bartlett, Desmond and
    Ferreira, 2023, IEEE Transactions on Evolutionary Computation): the negative logarithm of the likelihood, of normal
    errors whose size is estimated; k*ln(m) for k nodes of m kinds; for each fitted constant c, with Fisher information
    I, ln(abs(c)*sqrt(I/3)), or nothing where it is not told from zero; and ln(abs(c)) of each whole one.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> x = np.linspace(1, 2, 50)
    >>> y = 2.5 * x + 0.01 * np.sin(99 * x)
    >>> plain, more = (on_training(parse(t), {"x": x}, y) for t in ("2.5*x", "2.5*x + 0.00001*x**2"))
    >>> all(plain[name] < more[name] for name in plain)
    True
    """
    nothing: dict[str, float] = {"bic": math.nan, "description_length": math.nan}
    places = movable(expression.tape)
    value, jacobian, _ = sensitivity(expression.tape, columns, places, len(y))
    if not np.isfinite(value).all() or not len(y):
        return nothing
    n, tape = len(y), expression.tape
    # an exact model has the error of the arithmetic
    error = max(float(np.mean((value - y) ** 2)), float(np.finfo(float).eps ** 2 * np.mean(y**2)))
    if not error > 0:
        return nothing
    information = np.sum(jacobian**2, axis=0) / error
    fitted = np.abs(np.array([float(tape[i]) for i in places]))  # type: ignore[arg-type]
    with np.errstate(all="ignore"):
        told = fitted * np.sqrt(information / 12) >= 1
        cost = np.where(told, np.log(fitted * np.sqrt(information / 3)), 0.0)
    whole = [abs(item) for item in tape if isinstance(item, int) and item]
    kinds = {item for item in tape if isinstance(item, Operator | str)}
    symbols = len(kinds) + any(isinstance(item, int | float) for item in tape)
    length = 0.5 * n * (math.log(2 * math.pi * error) + 1) + len(tape) * math.log(symbols)
    length += float(np.sum(np.nan_to_num(cost, posinf=0.0, neginf=0.0)))
    return {
        "bic": n * math.log(error) + (len(places) + 1) * math.log(n),
        "description_length": length + sum(math.log(size) for size in whole),
    }
