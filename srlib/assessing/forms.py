"""Forms of a model: without dust, simplified, as displays show it; and whether a form is still the same model.

Dust are terms too small to change a prediction, such as the ``-3.54e-16*x1**2*x9`` that a linear fit leaves behind.

The numbers that reports show beside a model belong to the model as it was written. A simplified text is therefore
evaluated on the same rows, and shown only if it has the same R2.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from srlib.errors import SrlibError
from srlib.expressions import Expression, evaluate, r2_score, simplify, to_text
from srlib.expressions.evaluate import MOST_CELLS
from srlib.expressions.normal_form import shortest
from srlib.expressions.operators import OPERATORS, Operator, Tape
from srlib.expressions.points import DEFAULT_RANGE, Ranges
from srlib.expressions.simplify import Simplified, round_model
from srlib.expressions.tree import Columns, subtree_sizes
from srlib.problems.data import Partitions

SUM_OPERATORS = frozenset(OPERATORS[name] for name in ("add", "sub", "neg"))
DUST_SHARE = 1e-12  # share of a sum below which a term is dust: rounding noise of sums
PREDICTION_TOLERANCE = 1e-9  # tolerance of predictions without dust, as a share of the largest
R2_DECIMALS = 3  # decimals to which R2 must not change; fewest decimals of a constant
MOST_DECIMALS = 15  # decimals of a constant; with more it stays unchanged
R2_TOLERANCE = 0.5 * 10.0**-R2_DECIMALS  # largest change of R2 that counts as none
ROUNDING_NOISE = 1e-9  # differences of R2 due to the order of operations
N_POINTS = 256
PARTITIONS = ("train", "test", "extrapolation")

UNROUNDED: Mapping[str, Any] = {"round_constants": "never"}  # settings of `simplify_by`
Terms = list[tuple[int, Any]]  # the position where each ends, and its magnitude on each row


def split_dust(
    model: Expression, parts: Collection[tuple[Columns, np.ndarray]]
) -> tuple[Expression, list[Expression]]:
    """Return a model without its dust, and the terms left out.

    A term of a sum is dust if on every row its magnitude is at most 1e-12 of the summed magnitudes of all terms of
    that sum: a sum of rounded products has about 12 significant digits in double precision. Nothing is left out if
    the model without all dust predicts something else, as may happen when large terms cancel.

    Each term is compared with its own sum, row by row, and not with the largest prediction. So a term that matters on
    a few rows only, as y in ``x**10 + y``, is not dust. The result depends on how a model is written: the order and
    nesting of a sum, names and signs do not matter, but a term that is split into parts may become dust (all dust
    together changes predictions by less than 1e-9 of the largest). Outside sums, as in ``x*exp(1e-17*y)``, nothing is
    dust.

    Parameters
    ----------
    model : Expression
        The model.
    parts : collection of (columns, target)
        The rows on which the model is judged; only the length of the target is used.

    Returns
    -------
    model : Expression
        The model without dust.
    dust : list of Expression
        The terms left out, in the order of the text, including tiny terms nested within another.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> columns = {"x": np.array([1.0, 2.0]), "y": np.array([1.0, 3.0])}
    >>> split_dust(parse("x - 3e-17*y*x + 1e-17"), [(columns, np.array([1.0, 2.0]))])
    (Expression(x), [Expression(3e-17*y*x), Expression(1e-17)])
    """
    tape = model.tape
    tiny_terms = []
    # rows at a time, as all terms of a sum are in memory
    chunk_rows = max(256, MOST_CELLS // len(tape))
    for columns, target in parts:
        for start in range(0, len(target), chunk_rows):
            chunk = {name: columns[name][start : start + chunk_rows] for name in model.features}
            tiny_terms.append(find_tiny_terms(tape, chunk))
    dust = set.intersection(*tiny_terms)
    if not dust:
        return model, []
    remaining = Expression(drop_terms(tape, dust))
    for columns, target in parts:
        expected = evaluate(model, columns, len(target))
        if not predicts(remaining, columns, expected, PREDICTION_TOLERANCE):
            return model, []
    sizes = subtree_sizes(tape)
    return remaining, [Expression(tape[end + 1 - sizes[end] : end + 1]) for end in sorted(dust)]


def find_tiny_terms(tape: Tape, columns: Columns) -> set[int]:
    """Return the positions on the tape of the last item of each term that is tiny beside its sum on every row."""
    values: list[Any] = []
    groups: list[Terms] = []  # for each value on the stack, the terms whose sum it is
    sums: list[Terms] = []
    tiny_terms: set[int] = set()
    with np.errstate(all="ignore"):
        for end, item in enumerate(tape):
            operands: list[Terms] = []
            if isinstance(item, Operator):
                value = item.numpy(*pop_arguments(values, item))
                operands = pop_arguments(groups, item)
            else:
                value = columns[item] if isinstance(item, str) else np.float64(item)
            if item in SUM_OPERATORS:
                terms = operands[0]
                for operand in operands[1:]:
                    terms.extend(operand)  # in place, as a sum may have 100,000 terms
            else:
                terms = [(end, np.abs(value))]
                sums += operands
            values.append(value)
            groups.append(terms)
        for terms in (*sums, *groups):
            limit = DUST_SHARE * sum(size for _, size in terms)
            if len(terms) > 1:
                tiny_terms.update(end for end, size in terms if np.all(size <= limit))
    return tiny_terms


def drop_terms(tape: Tape, dust: set[int]) -> Tape:
    """Return a tape without the terms that end at these positions; an operator with one operand left is dropped."""
    stack: list[Tape] = []  # for each value its items; empty if it was dropped
    for end, item in enumerate(tape):
        items: Tape = (item,)
        if isinstance(item, Operator):
            arguments = pop_arguments(stack, item)
            items = (*chain.from_iterable(arguments), item)
            if not all(arguments):
                items = next(filter(None, arguments), (0,))
                if item is OPERATORS["sub"] and arguments[1]:
                    items = (*items, OPERATORS["neg"])
        stack.append(() if end in dust else items)
    return stack[0]


def pop_arguments(stack: list[Any], operator: Operator) -> list[Any]:
    """Remove the arguments of an operator from the end of a stack, and return them."""
    arguments = stack[len(stack) - operator.arity :]
    del stack[len(stack) - operator.arity :]
    return arguments


def predicts(
    model: Expression, columns: Columns, expected: np.ndarray, share: float, relative: float = 0.0
) -> bool:
    """Return whether a model predicts the expected values on every row, within tolerances.

    Parameters
    ----------
    model : Expression
        The model.
    columns : mapping of str to ndarray, shape (rows,)
        Features of the model.
    expected : ndarray, shape (rows,)
        Expected values; NaN equals NaN, and an infinite value equals itself.
    share : float
        Tolerance, as a share of the largest finite magnitude in `expected`.
    relative : float
        Tolerance that is added to it, as a share of the expected value of the row.
    """
    largest = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    prediction = evaluate(model, columns, len(expected))
    return np.allclose(prediction, expected, rtol=relative, atol=share * largest, equal_nan=True)


def choose_text(
    model: Expression,
    simplified: Expression | None,
    data: Partitions | None,
    domain: Ranges,
    exact: Mapping[str, Any] = UNROUNDED,
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
    >>> domain = {"x": (1, 2), "y": (1, 2)}
    >>> choose_text(parse("1.23456*x + y - y"), parse("1.235*x"), None, domain)
    ('1.235*x', 'rounded')
    >>> choose_text(parse("(1000.00049*x - 1000*x)*y/y"), parse("0"), None, domain)
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
    model: Expression, data: Partitions | None, domain: Ranges
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
            fixed_columns = {**columns, feature: np.full(len(y), np.median(columns[feature]))}
            if r2_on(model, fixed_columns, predictions) < 1 - R2_TOLERANCE:
                return f"feature {feature} is gone, which changes its predictions"
    return ""


def rows_by_partition(data: Partitions | None) -> dict[str, tuple[Columns, np.ndarray]]:
    """Return, by name of the partition, the columns by feature and the target; empty without data."""
    return {
        name: (dict(zip(data.features, part.X.T, strict=True)), part.y)
        for name in PARTITIONS
        if data is not None and (part := getattr(data, name)) is not None
    }


def r2_on(model: Expression, columns: Columns, y: np.ndarray) -> float:
    """Return the R2 of a model on the rows of one partition."""
    return r2_score(y, evaluate(model, columns, len(y)))
