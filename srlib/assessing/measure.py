"""Measurements of one model; each runs in a separate process that is killed at its limits.

    measure_data         R2 on each partition, computed from the text; dust
    measure_predictions  whether the text agrees with the predictions that the run stored
    measure_size         text, components and features of the simplified model
    measure_shown        the text that reports show; whether simplification changed the model
    count_tree           components of sympy's tree of the text, not simplified
    compare_with_truth   whether the model is a solution, with evidence

Each answers a `Question`. The answer holds columns of the assessments table; it is cached under `Question.key`, which
contains everything that determines it.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.dust import predicts, split_dust
from srlib.assessing.showing import choose_text, describe_change, rows_by_partition
from srlib.errors import ModelTextError
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
    tree_distance,
)
from srlib.expressions.evidence import DEFAULT_READING, SOLUTIONS
from srlib.expressions.normal_form import shortest
from srlib.expressions.simplify import OutOfWorkError, limited_work, round_model
from srlib.expressions.sympy_trees import sympy_errors
from srlib.problems import Problem, Problems, partitions
from srlib.problems.data import Partitions
from srlib.workers.pool import ENVIRONMENT

SYMPY_VERSION = version("sympy")
ANSWERS_VERSION = 10  # version of the answers; stored answers of another version are not used
PRELOAD = ("srlib.assessing.measure", "srlib.expressions.warm")
SAME_PREDICTIONS = 1e-6  # tolerance relative to the largest prediction, and to each value
Settings = dict[str, Any]  # values that JSON can hold
Answer = dict[str, Any]  # values that JSON can hold, mostly columns of the assessments table
EVIDENCE_FIELDS = ("proof", "points", "digits", "witness", "moved")


@dataclass(frozen=True)
class Question:
    """One measurement of one model, with its settings.

    Parameters
    ----------
    part : {'data', 'predictions', 'size', 'shown', 'count', 'solution', 'simplified_solution'}
        Kind of measurement.
    model : Expression
        The model.
    settings : dict
        Values that JSON can hold. Part, model and settings determine the answer; data are named by their hashes.
    problem : Problem, optional
        The problem that has the data.
    data_seed : int, optional
        Seed of the data.
    predictions : str
        Path of the run's stored predictions.
    """

    part: str
    model: Expression
    settings: Settings
    problem: Problem | None = None
    data_seed: int | None = None
    predictions: str = ""

    @property
    def key(self) -> Settings:
        """Key of the answer in the cache: everything that determines it."""
        return {
            "measure": ANSWERS_VERSION,
            "sympy": SYMPY_VERSION,
            "ground_types": ENVIRONMENT["SYMPY_GROUND_TYPES"],
            "part": self.part.removeprefix("simplified_"),  # the same comparison, of another model
            "tree": self.model.model_id,
            "settings": self.settings,
        }

    @property
    def data(self) -> Partitions | None:
        """Data of the problem for `data_seed`; None without a problem or if it has no data."""
        return self.problem and partitions(self.problem, self.data_seed)


def measure_model(question: Question) -> Answer:
    """Return the answer to a question; called in a worker process.

    Returns
    -------
    dict
        Columns of the assessments table; only `beyond`, a sentence, if the work exceeds the limit of the rules.
    """
    if question.part in DATA_FUNCTIONS:
        return DATA_FUNCTIONS[question.part](question)
    function = {"size": measure_size, "count": count_tree}.get(question.part, compare_with_truth)
    try:
        return function(question.model, **question.settings)
    except OutOfWorkError as error:
        return {"beyond": str(error)}


def measure_data(question: Question) -> Answer:
    """Compute R2 on every partition from the text, and find dust if the settings ask for it.

    Returns
    -------
    dict
        `r2_train`, `r2_test` and `r2_extrapolation` of the partitions that exist, None if not finite;
        `bad_predictions`, the number of predictions that are not finite; if there is dust, its terms as `dust` and the
        model without them as `remaining`.
    """
    rows = rows_by_partition(question.data)
    answer = Answer(bad_predictions=0)
    for name, (columns, y) in rows.items():
        prediction = evaluate(question.model, columns, len(y))
        answer["bad_predictions"] += int((~np.isfinite(prediction)).sum())
        r2 = r2_score(y, prediction)
        answer[f"r2_{name}"] = r2 if np.isfinite(r2) else None
    if question.settings["sweep"]:
        remaining, dust = split_dust(question.model, rows.values())
        if dust:
            answer["dust"] = as_json([to_text(term) for term in dust])
            answer["remaining"] = to_text(remaining)
    return answer


def measure_predictions(question: Question) -> Answer:
    """Compare the predictions of the text with those that the run stored.

    Returns
    -------
    dict
        `text_matches_predictions`: whether all agree within 1e-6 of the largest stored value plus 1e-6 of the value
        itself; None if the file holds no predictions.
    """
    rows = rows_by_partition(question.data)
    with np.load(question.predictions, allow_pickle=False) as arrays:
        stored_rows = [(arrays[name].astype(float), *rows[name]) for name in rows if name in arrays]
    matches = [
        values.shape == y.shape
        and predicts(question.model, columns, values, SAME_PREDICTIONS, SAME_PREDICTIONS)
        for values, columns, y in stored_rows
        if values.size
    ]
    return {"text_matches_predictions": all(matches) if matches else None}


def measure_size(model: Expression, *, rewrites: int | None = None, **settings: Any) -> Answer:
    """Simplify a model as the rules say, and count its components and features.

    Parameters
    ----------
    model : Expression
        The model.
    rewrites : int, optional
        Version of the exact rewrites, which give the shortest form they find; None lets sympy simplify.
    **settings
        Settings of `simplify`; with `rewrites`, settings of `round_model` if the rules round after simplifying.

    Returns
    -------
    dict
        `simplified_model`, `complexity` and `features_used`.
    """
    if rewrites is None:
        simplified = simplify(model, **settings)
    else:
        simplified = shortest(model)
        if settings:
            simplified = shortest(round_model(simplified.expression, **settings))
    return {
        "simplified_model": simplified.text,
        "complexity": simplified.complexity,
        "features_used": as_json(simplified.features_used),
    }


def measure_shown(question: Question) -> Answer:
    """Choose the text of a model that reports show, and check whether simplification changed the model.

    Returns
    -------
    dict
        `shown_model` and `shown_form` (see `choose_text`); also `changed`, a sentence, if the simplified model differs
        from the model on the data (see `describe_change`).
    """
    settings = dict(question.settings)
    settings.pop("data", None)
    text = settings.pop("simplified")
    domain = settings.pop("domain")
    answer = Answer()
    simplified = None
    if text:
        simplified = parse(text, question.problem and question.problem.features)
        if change := describe_change(question.model, simplified, question.data):
            answer["changed"] = change
    text, form = choose_text(question.model, simplified, question.data, domain, **settings)
    return answer | {"shown_model": text, "shown_form": form}


DATA_FUNCTIONS = {"data": measure_data, "predictions": measure_predictions, "shown": measure_shown}


def count_tree(model: Expression, *, apply_calls: tuple[str, ...], work: int | None) -> Answer:
    """Return, as `complexity`, the number of nodes of sympy's unsimplified tree; sympy evaluates `apply_calls`."""
    with sympy_errors(), limited_work(work):
        return {"complexity": count_sympy(to_sympy(model, apply_calls=apply_calls, real=None))}


def compare_with_truth(
    model: Expression,
    *,
    truth: str,
    features: tuple[str, ...],
    free: tuple[str, ...],
    **settings: Any,
) -> Answer:
    """Compare a model with the truth; `settings` are passed to `compare`: `domain` and `constants`.

    Returns
    -------
    dict
        `solution_kind`; `solution`, True, False or None (undecided); `solution_constant`; and `solution_evidence`,
        which also names the reading of constants if it is not the default.
    """
    formula = parse(truth, (*features, *free))
    verdict = compare(formula, model, free=free, **settings)
    evidence = {name: getattr(verdict, name) for name in EVIDENCE_FIELDS}
    if verdict.constants != DEFAULT_READING:
        evidence |= {"constants": verdict.constants, "free": verdict.free}
    return {
        "solution_kind": verdict.kind,
        "solution": None if verdict.kind == "unknown" else verdict.kind in SOLUTIONS,
        "solution_constant": verdict.constant,
        "solution_evidence": as_json(evidence),
    }


def as_json(value: Any) -> str:
    """Return a value as JSON on one line with sorted keys, the form that the assessments table holds."""
    return json.dumps(value, sort_keys=True, default=float)


def with_edit_distance(assessments: pd.DataFrame, problems: Problems) -> pd.DataFrame:
    """Return the assessments with `edit_distance`, the tree edit distance between simplified model and truth.

    NaN if a run has no simplified model or the truth is unknown. A column of this name in the input is replaced.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract.
    problems : Problems
        Problems with their truths.
    """
    pairs = zip(assessments["dataset"], assessments["simplified_model"], strict=True)
    distances = [measure_edits(problems.find(dataset), text) for dataset, text in pairs]
    return assessments.assign(edit_distance=np.array(distances, dtype=float))


def measure_edits(problem: Problem | None, text: object) -> float:
    """Return the tree edit distance between a simplified model and the truth; NaN if one of them is unknown."""
    if problem and problem.known_truth and isinstance(text, str):
        truth = parse(problem.known_truth, problem.features)
        with suppress(ModelTextError):  # a model that overflows may simplify to `inf`
            return tree_distance(truth, parse(text, problem.features, names="features"))
    return np.nan
