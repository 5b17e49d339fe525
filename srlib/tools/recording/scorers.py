"""Scores of single models: functions with the signature of scikit-learn's scorers, which also take model texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing import assess
from srlib.errors import InputError, require
from srlib.expressions import parse
from srlib.expressions.model import Model, check_domain
from srlib.judging.properties import transform
from srlib.problems import Problem, Problems
from srlib.rules import Rules, load_rules
from srlib.tools.recording.texts import check_steps, write_text

DATASET_NAME = "scored"
# attributes and methods of fitted estimators that may hold the model's text; SRBench's wrappers have `model`
TEXT_ATTRIBUTES = (
    "model",
    "model_",
    "equation_",
    "expression_",
    "expr_",
    "sympy",
    "sympy_expr",
    "get_model",
)
WRITTEN_PACKAGES = ("gplearn", "pyoperon")  # whose own texts have fewer digits


def solution_rate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    truth: str,
    domain: Mapping[str, tuple[float, float]] | None = None,
    rules: str | Path | Rules = "judging-2022",
    timeout: float = 10.0,
) -> float:
    """Return the share of models that are the truth up to a constant; higher is better.

    As a scorer: ``cross_val_score(estimator, X, y, scoring=partial(srlib.solution_rate, truth="x0*x1"))``.

    Parameters
    ----------
    model : str, Model, fitted estimator, or a sequence of them
        Text of a model, or an estimator whose text srlib can write or an attribute or method such as `model` holds.
    X : DataFrame or array, optional
        Data whose columns name the features (x0, x1, ... for an array) and whose ranges are the domain. Estimators
        require it.
    y : ignored
        Accepted because scikit-learn passes it to scorers.
    truth : str
        The true formula, in the same features.
    domain : mapping of str to (low, high), optional
        Range of each feature, in place of the ranges of X; (1, 5) without either. Unused features are allowed.
    rules : str or Path
        Rules file or shipped name; states how constants are compared.
    timeout : float
        Seconds that one comparison may take; after that the model counts as no solution, as in judging.

    Returns
    -------
    float
        Share from 0 to 1; 0 or 1 for one model.

    Examples
    --------
    >>> import srlib
    >>> srlib.solution_rate(["2*a + 1", "2*a + b"], truth="2*a")
    0.5
    """
    table = assess_models(model, X, truth, domain, load_rules(rules), timeout, {"solution"})
    return float(table["solution"].eq(True).fillna(False).mean())


def complexity_score(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    rules: str | Path | Rules = "judging-2022",
    timeout: float = 10.0,
) -> float:
    """Return a model's simplicity as scored by rules, or the mean over several models; higher is better.

    For judging-2022: minus the logarithm to base 5 of the number of nodes after simplifying, rounded to one decimal.
    As a scorer: ``cross_val_score(estimator, X, y, scoring=srlib.complexity_score)``.

    Parameters
    ----------
    model, X, y
        See `solution_rate`.
    rules : str or Path
        Rules file or shipped name; the rules need an aspect that is taken from the complexity.
    timeout : float
        Seconds that simplifying may take; after that the size as written counts, as in judging.

    Raises
    ------
    SrlibError
        When a text cannot be parsed, or the rules have no such aspect.

    Examples
    --------
    >>> import srlib
    >>> srlib.complexity_score("a + a + b*0"), srlib.complexity_score("sin(a)*b + 0.5")
    (-0.7, -1.1)
    """
    rule_set = load_rules(rules)
    aspects = rule_set.judge.aspects.values()
    sizes = [aspect for aspect in aspects if aspect.from_ in ("complexity", "complexity_raw")]
    require(bool(sizes), f"rules {rule_set.name}: an aspect from complexity was expected, got none")
    table = assess_models(model, X, None, None, rule_set, timeout, {"count", "size"})
    counts = table[sizes[0].from_].fillna(table["complexity_raw"])
    return float(np.mean(transform(counts.to_numpy(float), sizes[0])))


def assess_models(
    model: Any,
    X: Any,
    truth: str | None,
    domain: Mapping[str, tuple[float, float]] | None,
    rules: Rules,
    timeout: float,
    only: set[str],
) -> pd.DataFrame:
    """Assess models on a problem made for them, as in a competition; return a row of assessments for each model."""
    is_single = isinstance(model, str | Model) or hasattr(model, "fit")
    models: Any = [model]
    models = models if is_single else list(models[0])
    require(bool(models), "a model was expected, got none")
    ranges = check_domain(domain)
    if X is None:
        require(
            all(isinstance(item, str | Model) for item in models),
            "a model's text was expected; an estimator needs X, too, whose columns name its features",
        )
        parsed = [parse(str(text)) for text in (*models, truth or "0")]
        names = sorted(set().union(*(expression.features for expression in parsed))) or ["x"]
    else:
        table = read_columns(X)
        names = [*table]
        ends: Any = zip(names, table.min(), table.max(), strict=True)
        ranges = ranges or {name: (low, high) for name, low, high in ends if low < high}
    texts = [find_text(item, names) for item in models]
    for text in (*texts, truth or "0"):
        parse(text, names)  # raises an error if the text cannot be parsed
    problem = Problem(
        dataset=DATASET_NAME,
        features=tuple(names),
        truth=truth,
        domain={name: ends for name, ends in ranges.items() if name in names} or None,
    )
    runs = pd.DataFrame({"model": texts, "repetition": range(len(texts))})
    runs = runs.assign(method="model", dataset=DATASET_NAME, status="ok")
    problems = Problems(DATASET_NAME, Path(), (problem,))
    jobs = None if len(texts) > 1 else 1
    return assess(runs, problems, rules.measure, timeout=timeout, jobs=jobs, only=only)


def read_columns(X: Any) -> pd.DataFrame:
    """Return X as a table of floats, with NaN for infinite values; columns of an array are named x0, x1, ..."""
    name = "{}" if isinstance(X, pd.DataFrame) else "x{}"
    try:
        table = pd.DataFrame(X).astype(float).rename(columns=name.format)
    except (TypeError, ValueError) as error:
        raise InputError(f"X: a table of numbers was expected ({error})") from error
    return table.replace([np.inf, -np.inf], np.nan)


def find_text(model: Any, features: Sequence[str]) -> str:
    """Return the text of a model, or of a fitted estimator's model.

    Raises
    ------
    InputError
        When no text is found.
    """
    if isinstance(model, str | Model):
        return str(model)
    estimator = getattr(model, "best_estimator_", model)
    package = type(estimator).__module__.partition(".")[0]
    if package in WRITTEN_PACKAGES:
        return write_text(estimator, features)
    for name in TEXT_ATTRIBUTES:
        text = getattr(estimator, name, None)
        text = text() if callable(text) else text
        if text is not None:
            return str(text)
    try:
        check_steps(estimator)
        return write_text(estimator, features)
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{type(estimator).__name__}: a text of its model was expected in one of the attributes or methods "
            f"{', '.join(TEXT_ATTRIBUTES)}; otherwise pass the text itself"
        ) from error
