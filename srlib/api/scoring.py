"""Scores of single models, as scikit-learn's scorers are called and as loops over trials need them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.api.models import Model, as_tuple, check_domain, check_numbers
from srlib.assessing import assess
from srlib.errors import InputError, ModelTextError, require
from srlib.expressions import parse
from srlib.problems import Problem, Problems
from srlib.recording.texts import TEXTS, check_steps
from srlib.rules import Rules, load_rules

DATASET = "scored"
# attributes and methods of fitted estimators that give their model's text; SRBench's wrappers have `model`
GIVING = (
    "model",
    "model_",
    "equation_",
    "expression_",
    "expr_",
    "sympy",
    "sympy_expr",
    "get_model",
)
BY_MODULE = {"gplearn": "gplearn", "pyoperon": "operon"}


def solution_rate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    truth: str,
    features: Sequence[str] | None = None,
    domain: Mapping[str, tuple[float, float]] | None = None,
    rules: str | Path | Rules = "judging-2022",
    timeout: float = 10.0,
) -> float:
    """Give the share of models that are the truth up to a constant; higher is better.

    As a scorer: ``cross_val_score(estimator, X, y, scoring=partial(srlib.solution_rate, truth="x0*x1"))``.

    Parameters
    ----------
    model : str, Model, fitted estimator, or a sequence of them
        A model text; of an estimator its text is found as `srlib run` finds it, or as its attribute or method `model`.
    X : DataFrame or array, optional
        Its columns name the features (x0, x1, ... of an array), and their ranges are the domain.
    y : ignored
        As scorers are called with it.
    truth : str
        The true formula, in the same features.
    features : sequence of str, optional
        Names of the features, instead of those of X.
    domain : mapping of str to (low, high), optional
        Range of each feature, instead of those of X; (1, 5) without either. It may name more features than are used.
    rules : str or Path
        Rules file or shipped name: how constants are compared.
    timeout : float
        Seconds that one comparison may take; beyond them a model counts as no solution, as in judging.

    Returns
    -------
    float
        0 or 1 for one model.

    Examples
    --------
    >>> import srlib
    >>> srlib.solution_rate(["2*a + 1", "2*a + b"], truth="2*a")
    0.5
    """
    table = assess_models(
        model, X, truth, features, domain, rules, timeout, frozenset({"solution"})
    )
    return float(table["solution"].eq(True).fillna(False).mean())


def complexity_score(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[str] | None = None,
    rules: str | Path | Rules = "judging-2022",
    timeout: float = 10.0,
) -> float:
    """Give the simplicity of a model as rules score it, or the mean of several; higher is better.

    By judging-2022: minus the logarithm to base 5 of the number of nodes after simplifying, rounded to one decimal.
    As a scorer: ``cross_val_score(estimator, X, y, scoring=srlib.complexity_score)``.

    Parameters
    ----------
    model, X, y, features
        See `solution_rate`.
    rules : str or Path
        Rules file or shipped name, with an aspect that is taken from the complexity.
    timeout : float
        Seconds that simplifying may take; beyond them the size as written counts, as in judging.

    Raises
    ------
    SrlibError
        When a text cannot be read, or the rules have no such aspect.

    Examples
    --------
    >>> import srlib
    >>> srlib.complexity_score("a + a + b*0"), srlib.complexity_score("sin(a)*b + 0.5")
    (-0.7, -1.1)
    """
    from srlib.judging.run_values import transform

    chosen = load_rules(rules)
    aspects = chosen.judge.aspects.values()
    sizes = [aspect for aspect in aspects if aspect.from_ in ("complexity", "complexity_raw")]
    require(
        bool(sizes), f"rules {chosen.name}: an aspect from complexity was expected, there is none"
    )
    allowed = frozenset({"count", "size"})
    table = assess_models(model, X, None, features, None, chosen, timeout, allowed)
    aspect = sizes[0]
    counts = table[aspect.from_].fillna(table["complexity_raw"])
    return float(np.mean(transform(counts.to_numpy(float), aspect)))


def assess_models(
    model: Any,
    X: Any,
    truth: str | None,
    features: Sequence[str] | None,
    domain: Mapping[str, tuple[float, float]] | None,
    rules: str | Path | Rules,
    timeout: float,
    only: frozenset[str],
) -> pd.DataFrame:
    """Assess models on a problem that is made for them, so that they are scored as in a competition."""
    several = isinstance(model, list | tuple | pd.Series | pd.Index | np.ndarray | Iterator)
    models = [
        str(item) if isinstance(item, Model) else item for item in (model if several else [model])
    ]
    require(bool(models), "a model was expected, got none")
    names = name_features(models, X, features, truth)
    texts = [item if isinstance(item, str) else find_text(item, names) for item in models]
    for text in texts:
        parse(text, names)  # says what cannot be read
    try:
        parse(truth or "0", names)
    except ModelTextError as error:
        raise InputError(f"the truth cannot be read: {error}") from error
    ranges = check_domain(domain) if domain is not None else measure_ranges(X, names)
    problem = Problem(
        dataset=DATASET,
        features=tuple(names),
        truth=truth,
        domain={name: ends for name, ends in ranges.items() if name in names} or None,
    )
    runs = pd.DataFrame({"method": "model", "dataset": DATASET, "repetition": range(len(texts)),
                         "model": texts, "status": "ok"})  # fmt: skip
    problems, measure = Problems(DATASET, Path(), (problem,)), load_rules(rules).measure
    jobs = None if len(texts) > 1 else 1
    return assess(runs, problems, measure, timeout=timeout, jobs=jobs, only=only)


def name_features(
    models: list[Any], X: Any, features: Sequence[str] | None, truth: str | None
) -> list[str]:
    """Name the features: as they are given, else the columns of X, else those of the models."""
    if X is not None:
        shape = np.shape(X)
        require(
            len(shape) == 2 and 0 not in shape,
            f"X: an array of shape (rows, features) was expected, got {shape}",
        )
        columns = getattr(X, "columns", [f"x{place}" for place in range(shape[1])])
        names = list(map(str, columns)) if features is None else list(as_tuple(features))
        require(
            len(names) == shape[1],
            f"X has {shape[1]} columns, but there are {len(names)} features",
        )
        return names
    if features is not None:
        return list(as_tuple(features))
    for model in models:
        if not isinstance(model, str):
            require(
                hasattr(model, "feature_names_in_"),
                f"{type(model).__name__}: a model's text or a fitted estimator that names its features was expected: "
                "give X or features",
            )
            return list(map(str, model.feature_names_in_))
    return sorted(set().union(*(parse(text).features for text in (*models, truth or "0")))) or ["x"]


def measure_ranges(X: Any, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Range of each column that has two different finite values."""
    columns = (values for _, values in pd.DataFrame(X).items()) if X is not None else ()
    ranges = {}
    for name, values in zip(names, columns, strict=X is not None):
        numbers = check_numbers(values, f"X: column {name!r}")
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers) and np.ptp(numbers) > 0:
            ranges[name] = (float(numbers.min()), float(numbers.max()))
    return ranges


def find_text(estimator: Any, features: Sequence[str]) -> str:
    """Find the text of a fitted estimator's model.

    Raises
    ------
    InputError
        When there is none.
    """
    estimator = getattr(estimator, "best_estimator_", estimator)
    package = type(estimator).__module__.partition(".")[0]
    if package in BY_MODULE:
        return TEXTS[BY_MODULE[package]](estimator, features)
    for name in GIVING:
        text = getattr(estimator, name, None)
        if callable(text) and not isinstance(text, type):
            text = text()
        if text is not None and str(text).strip():
            return str(text)
    try:
        check_steps(estimator)
        return TEXTS["polynomial"](estimator, features)
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{type(estimator).__name__}: a text of its model was expected in one of the attributes or methods "
            f"{', '.join(GIVING)}; a call of srlib takes the text itself, too"
        ) from error
