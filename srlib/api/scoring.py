"""Scores of single models, as scikit-learn's scorers are called and as loops over trials need them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.api.arguments import listed, numbers, ranges, seconds
from srlib.api.models import Model
from srlib.assessing import assess
from srlib.errors import InputError
from srlib.expressions import parse
from srlib.problems import Problem, Problems
from srlib.recording.pipelines import check_steps
from srlib.recording.texts import TEXTS
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
    table = _assessed(model, X, truth, features, domain, rules, timeout, frozenset({"solution"}))
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
    aspects = chosen.judge.aspects.items()
    sized = [(name, one) for name, one in aspects if one.from_ in ("complexity", "complexity_raw")]
    if not sized:
        raise InputError(
            f"rules {chosen.name}: an aspect from complexity was expected, there is none"
        )
    wanted = frozenset({"count", "size"})
    table = _assessed(model, X, None, features, None, chosen, timeout, wanted)
    aspect = sized[0][1]
    counts = table[aspect.from_].fillna(table["complexity_raw"])
    return float(np.mean(transform(counts.to_numpy(float), aspect)))


def _assessed(
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
    given = list(model) if several else [model]
    if not given:
        raise InputError("a model was expected, got none")
    models = [str(one) if isinstance(one, Model) else one for one in given]
    named = _features(models, X, features, truth)
    texts = [one if isinstance(one, str) else _text(one, named) for one in models]
    for text in texts:
        parse(text, named)  # says what cannot be read
    limits = ranges(domain) if domain is not None else _ranges(X, named)
    stated = {
        "dataset": DATASET,
        "features": tuple(named),
        "truth": truth,
        "domain": {name: ends for name, ends in limits.items() if name in named} or None,
    }
    problem = Problem.model_validate(stated)
    runs = pd.DataFrame({"method": "model", "dataset": DATASET, "repetition": range(len(texts)),
                         "model": texts, "status": "ok"})  # fmt: skip
    measure = load_rules(rules).measure
    jobs = None if len(texts) > 1 else 1
    problems = Problems(DATASET, Path(), (problem,))
    return assess(runs, problems, measure, timeout=seconds(timeout), jobs=jobs, only=only)


def _features(
    models: list[Any], X: Any, features: Sequence[str] | None, truth: str | None
) -> list[str]:
    """Names of the features: as stated, else the columns of X, else those that stand in the texts."""
    shape = None if X is None else np.shape(X)
    if shape is not None and (len(shape) != 2 or 0 in shape):
        raise InputError(f"X: an array of shape (rows, features) was expected, got {shape}")
    if features is not None:
        stated = list(listed(features))
        if shape is not None and shape[1] != len(stated):
            raise InputError(f"X has {shape[1]} columns, but there are {len(stated)} features")
        return stated
    if shape is not None:
        columns = getattr(X, "columns", None)
        if columns is not None:
            return [str(name) for name in columns]
        return [f"x{place}" for place in range(shape[1])]
    strange = [one for one in models if not isinstance(one, str) and not _gives(one)]
    if strange:
        kind = type(strange[0]).__name__
        raise InputError(f"a model's text or a fitted estimator was expected, got {kind}")
    fitted = [one for one in models if hasattr(one, "feature_names_in_")]
    if fitted:
        return [str(name) for name in fitted[0].feature_names_in_]
    if not all(isinstance(one, str) for one in models):
        raise InputError("a fitted estimator does not name its features: give X or features")
    used: set[str] = set()
    for text in [*models, *([truth] if truth is not None else [])]:
        used |= parse(text).features
    return sorted(used) or ["x"]


def _ranges(X: Any, features: Sequence[str]) -> dict[str, tuple[float, float]]:
    if X is None:
        return {}
    columns = (X[name] for name in X) if isinstance(X, pd.DataFrame) else np.asarray(X).T
    found = {}
    for name, values in zip(features, columns, strict=True):
        known = numbers(values, f"X: column {name!r}")
        known = known[np.isfinite(known)]
        if len(known) and known.min() < known.max():
            found[name] = (float(known.min()), float(known.max()))
    return found


def _gives(one: Any) -> bool:
    return hasattr(one, "fit") or any(hasattr(one, name) for name in GIVING)


def _text(estimator: Any, features: Sequence[str]) -> str:
    """Find the text of a fitted estimator's model."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    package = type(estimator).__module__.partition(".")[0]
    if package in BY_MODULE:
        return TEXTS[BY_MODULE[package]](estimator, features)
    for name in GIVING:
        found = getattr(estimator, name, None)
        if callable(found) and not isinstance(found, type):
            found = found()
        if found is not None and str(found).strip():
            return str(found)
    try:
        check_steps(estimator)
        return TEXTS["polynomial"](estimator, features)
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{type(estimator).__name__}: a text of its model was expected in one of the attributes or methods "
            f"{', '.join(GIVING)}; a call of srlib takes the text itself, too"
        ) from error
