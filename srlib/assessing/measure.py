"""All that is measured of one model, in a process of its own that is killed at its limits.

    measure_data         R2 on each partition, from the text; terms that are dust
    measure_predictions  do the text and the predictions that the run stored agree
    measure_size         simplified: text, components, features
    count_tree           components of sympy's tree of the text, not simplified
    choose_shown_text    the text that reports show
    compare_with_truth   solution or not, with evidence

Each is a `Question`; its answer holds columns of the assessments table and is stored under all that it depends on
(`Question.key`).
"""

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from srlib.assessing.dust import split_dust
from srlib.assessing.showing import shown
from srlib.expressions import (
    Expression,
    compare,
    count_sympy,
    evaluate,
    parse,
    r2_score,
    simplify,
    to_sympy,
    to_text,
)
from srlib.expressions.evidence import DECIMALS, SOLUTIONS
from srlib.expressions.shortest import shortest
from srlib.expressions.simplify import OutOfWorkError, limited_work, round_model
from srlib.expressions.sympy_trees import sympy_errors
from srlib.files import digest
from srlib.problems import Problem, partitions
from srlib.problems.data import Partition, Partitions

VERSION = 9  # of the answers; a stored answer of another version is not read
PRELOAD = ("srlib.assessing.measure", "srlib.expressions.warm")
PARTITIONS = ("train", "test", "extrapolation")
HALF_ROUNDING = 0.0005  # of R2, which rules round to 3 decimals
SAME_PREDICTIONS = 1e-6  # relative to the largest
EVIDENCE = ("proof", "points", "digits", "witness", "everywhere", "moved", "deviation")


@dataclass(frozen=True)
class Question:
    """One thing to measure of one model.

    Parameters
    ----------
    part : {'data', 'predictions', 'count', 'size', 'shown', 'solution', 'simplified_solution'}
        What is measured.
    model : Expression
        The model.
    settings : dict
        JSON; with part and model all that the answer depends on, data by their hashes.
    problem : Problem, optional
        Where the data are.
    data_seed : int, optional
        Which of them.
    predictions : str
        Path of the run's stored predictions.
    """

    part: str
    model: Expression
    settings: dict[str, Any] = field(default_factory=dict)
    problem: Problem | None = None
    data_seed: int | None = None
    predictions: str = ""

    @property
    def key(self) -> dict[str, Any]:
        """All that the answer depends on, as the cache's key."""
        numbers = os.environ["SYMPY_GROUND_TYPES"]
        made_by = {"measure": VERSION, "sympy": version("sympy"), "ground_types": numbers}
        part = self.part.removeprefix("simplified_")  # the same comparison, of another model
        return made_by | {"part": part, "tree": self.model.model_id, "settings": self.settings}

    @cached_property
    def name(self) -> str:
        """Hash of the key; equal questions have the same."""
        return digest(self.key)


def measure_model(question: Question) -> dict[str, Any]:
    """Answer a question; called in a worker."""
    match question.part:
        case "data":
            return measure_data(question)
        case "predictions":
            return measure_predictions(question)
        case "size":
            return measure_size(question.model, **question.settings)
        case "count":
            return count_tree(question.model, **question.settings)
        case "shown":
            return choose_shown_text(question)
        case _:
            return compare_with_truth(question.model, **question.settings)


def measure_data(question: Question) -> dict[str, Any]:
    """Compute R2 on every partition from the text.

    Returns
    -------
    dict
        `r2_train`, `r2_test`, `r2_extrapolation`, None where it is not finite; `bad_predictions`: how many are not
        finite; where there is `dust`, its terms and `remaining`, the model without them.
    """
    data = load_data(question)
    answer: dict[str, Any] = {"bad_predictions": 0}
    parts = []
    for name in PARTITIONS:
        if (part := getattr(data, name)) is not None:
            parts.append((columns_of(data, part), len(part.y)))
            prediction = evaluate(question.model, *parts[-1])
            answer["bad_predictions"] += int((~np.isfinite(prediction)).sum())
            answer[f"r2_{name}"] = finite_or_none(r2_score(part.y, prediction))
    if question.settings["sweep"]:
        remaining, dust = split_dust(question.model, parts)
        if dust:
            answer["dust"] = as_json([to_text(term) for term in dust])
            answer["remaining"] = to_text(remaining)
    return answer


def measure_predictions(question: Question) -> dict[str, Any]:
    """Compare the text's predictions with those that the run stored.

    Returns
    -------
    dict
        `text_matches_predictions`: whether they agree to 1e-6 of the largest, None where the run stored none; `stored`
        has the columns `r2_...` of those stored.
    """
    data = load_data(question)
    matches, r2 = None, {}
    with np.load(Path(question.predictions), allow_pickle=False) as stored:
        for name in PARTITIONS:
            part = getattr(data, name)
            if name not in stored or part is None or not stored[name].size:
                continue
            prediction = evaluate(question.model, columns_of(data, part), len(part.y))
            expected = np.asarray(stored[name], dtype=float)
            if prediction.shape != expected.shape:
                return {"text_matches_predictions": False, "stored": {}}
            r2[f"r2_{name}"] = finite_or_none(r2_score(part.y, expected))
            largest = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
            limits = {"rtol": SAME_PREDICTIONS, "atol": SAME_PREDICTIONS * largest}
            close = np.isclose(prediction, expected, equal_nan=True, **limits)
            matches = matches is not False and bool(close.all())
    return {"text_matches_predictions": matches, "stored": r2}


def measure_size(
    model: Expression, *, rewrites: int | None = None, **settings: Any
) -> dict[str, Any]:
    """Simplify as the rules say: text, components and features of what is left.

    Parameters
    ----------
    model : Expression
        The model.
    rewrites : int, optional
        Version of the exact rewrites that write the model as short as they can; None: sympy simplifies.
    **settings
        Of `simplify`; with `rewrites` those of `round_model`, where the rules round last.

    Returns
    -------
    dict
        `simplified_model`, `complexity`, `features_used`; or `beyond`, a sentence: that would take more work than the
        rules allow.
    """
    if rewrites is not None:
        simple: Any = shortest(model)
        if settings:
            simple = shortest(round_model(simple.expression, **settings))
    else:
        try:
            simple = simplify(model, **settings)
        except OutOfWorkError as error:
            return {"beyond": str(error)}
    features = as_json(sorted(simple.features_used))
    return {
        "simplified_model": simple.text,
        "complexity": simple.complexity,
        "features_used": features,
    }


def count_tree(
    model: Expression, *, apply_calls: tuple[str, ...] = (), work: int | None = None
) -> dict[str, Any]:
    """Count the nodes of the tree that `sympy.sympify` makes of the text; calls are carried out.

    Returns
    -------
    dict
        `complexity`; or `beyond`, a sentence.
    """
    try:
        with sympy_errors(), limited_work(work):
            tree = to_sympy(model, apply_calls=apply_calls, real=None)
            return {"complexity": count_sympy(tree)}
    except OutOfWorkError as error:
        return {"beyond": str(error)}


def choose_shown_text(question: Question) -> dict[str, Any]:
    """Choose the text that reports show of the model, and say whether simplifying has made another model of it.

    Returns
    -------
    dict
        `shown_model`, and its `shown_form` (see `shown`); `changed`, a sentence, where the simplified model is another
        one on the data (see `describe_change`).
    """
    settings = dict(question.settings)
    settings.pop("data", None)
    simplified, problem = settings.pop("simplified"), question.problem
    assert problem is not None
    simple = None if simplified is None else parse(simplified, problem.features)
    data = partitions(problem, question.data_seed)
    text, form = shown(question.model, simple, data, settings.pop("domain"), **settings)
    change = ""
    if simple is not None and data is not None:
        change = describe_change(question.model, simple, data)
    return {"shown_model": text, "shown_form": form} | ({"changed": change} if change else {})


def describe_change(model: Expression, simplified: Expression, data: Partitions) -> str:
    """Say how a simplified model differs from the model on the data, so that it cannot be counted in its place.

    Its R2 is worse by more than half of the rules' rounding to 3 decimals; or a feature is gone that changes
    predictions: held at its median, it would take more than that from the R2 of predictions and predictions.

    Returns
    -------
    str
        One sentence; empty where it is the same model but for that.
    """
    for name in PARTITIONS:
        if (part := getattr(data, name)) is None:
            continue
        columns, rows = columns_of(data, part), len(part.y)
        predictions = evaluate(model, columns, rows)
        before = r2_score(part.y, predictions)
        after = r2_score(part.y, evaluate(simplified, columns, rows))
        if np.isfinite(before) and not after >= before - HALF_ROUNDING:
            return f"its R2 on the {name} rows becomes {after:.6g} from {before:.6g}"
        for feature in sorted(model.features - simplified.features):
            held = columns | {feature: np.full(rows, np.median(columns[feature]))}
            if r2_score(predictions, evaluate(model, held, rows)) < 1 - HALF_ROUNDING:
                return f"feature {feature} is gone, which changes its predictions"
    return ""


def compare_with_truth(
    model: Expression,
    *,
    truth: str,
    features: tuple[str, ...] | None,
    domain: dict[str, Any],
    constants: str = DECIMALS,
    free: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Compare with the truth.

    Returns
    -------
    dict
        `solution_kind`, whether it is a `solution`, None where that could not be decided, `solution_constant`, and
        `solution_evidence`, which names the reading of constants where it is not that of 3 decimals.
    """
    verdict = compare(
        parse(truth, features and (*features, *free)), model, domain, constants=constants, free=free
    )
    evidence = {name: getattr(verdict, name) for name in EVIDENCE}
    if verdict.constants != DECIMALS:
        evidence |= {"constants": verdict.constants, "free": verdict.free}
    return {
        "solution_kind": verdict.kind,
        "solution": None if verdict.kind == "unknown" else verdict.kind in SOLUTIONS,
        "solution_constant": verdict.constant,
        "solution_evidence": as_json(evidence),
    }


def load_data(question: Question) -> Partitions:
    """Load the data that a question is about."""
    assert question.problem is not None
    data = partitions(question.problem, question.data_seed)
    if data is None:
        raise ValueError(f"problem {question.problem.dataset} has no data")
    return data


def columns_of(data: Partitions, part: Partition) -> dict[str, np.ndarray]:
    """Return the columns of a partition by feature."""
    return dict(zip(data.features, part.X.T, strict=True))


def finite_or_none(value: float) -> float | None:
    """Return a number that JSON has, or None."""
    return value if np.isfinite(value) else None


def as_json(value: Any) -> str:
    """Return JSON on one line, sorted, as it stands in the table."""
    return json.dumps(value, sort_keys=True, default=float)
