"""Measurements of one model, in a process of its own that is killed at its limits.

    measure_data         R2 on each partition, from the text; terms that are dust
    measure_predictions  whether the text and the predictions that the run stored agree
    measure_size         simplified: text, components, features
    measure_shown        the text that reports show; whether the simplified model is still the model
    count_tree           components of sympy's tree of the text, not simplified
    compare_with_truth   solution or not, with evidence

Each is a `Question`; its answer holds columns of the assessments table and is stored under all that it depends on
(`Question.key`).
"""

import json
import os
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

SYMPY_VERSION = version("sympy")
ANSWERS_VERSION = 10  # of the answers; a stored answer of another version is not read
PRELOAD = ("srlib.assessing.measure", "srlib.expressions.warm")
SAME_PREDICTIONS = 1e-6  # relative to the largest
Settings = dict[str, Any]  # JSON
Answer = dict[str, Any]  # JSON: mostly columns of the assessments table
EVIDENCE_FIELDS = ("proof", "points", "digits", "witness", "moved")


@dataclass(frozen=True)
class Question:
    """One thing to measure of one model.

    Parameters
    ----------
    part : {'data', 'predictions', 'size', 'shown', 'count', 'solution', 'simplified_solution'}
        Kind of measurement.
    model : Expression
        The model.
    settings : dict
        JSON; with part and model all that the answer depends on, data by their hashes.
    problem : Problem, optional
        The problem that has the data.
    data_seed : int, optional
        Seed of these data.
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
        """All that the answer depends on, as the cache's key."""
        return {
            "measure": ANSWERS_VERSION,
            "sympy": SYMPY_VERSION,
            "ground_types": os.environ["SYMPY_GROUND_TYPES"],
            "part": self.part.removeprefix("simplified_"),  # the same comparison, of another model
            "tree": self.model.model_id,
            "settings": self.settings,
        }

    @property
    def data(self) -> Partitions | None:
        """Rows of the problem; None where it has none."""
        return self.problem and partitions(self.problem, self.data_seed)


def measure_model(question: Question) -> Answer:
    """Answer a question; called in a worker.

    Returns
    -------
    dict
        Columns; or `beyond`, a sentence, where measuring would take more work than the rules allow.
    """
    if question.part in DATA_FUNCTIONS:
        return DATA_FUNCTIONS[question.part](question)
    function = {"size": measure_size, "count": count_tree}.get(question.part, compare_with_truth)
    try:
        return function(question.model, **question.settings)
    except OutOfWorkError as error:
        return {"beyond": str(error)}


def measure_data(question: Question) -> Answer:
    """Compute R2 on every partition from the text.

    Returns
    -------
    dict
        `r2_train`, `r2_test`, `r2_extrapolation`, None where it is not finite; `bad_predictions`: how many are not
        finite; where there is `dust`, its terms and `remaining`, the model without them.
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
    """Compare the text's predictions with those that the run stored.

    Returns
    -------
    dict
        `text_matches_predictions`: whether they agree to 1e-6 of the largest, None where the run stored none.
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
    """Simplify as the rules say: text, components and features of the simplified model.

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
        `simplified_model`, `complexity`, `features_used`.
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
    """Choose the text that reports show of the model, and say whether simplification changed the model.

    Returns
    -------
    dict
        `shown_model`, and its `shown_form` (see `choose_text`); `changed`, a sentence, where the simplified model is
        another one on the data (see `describe_change`).
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
    """Count the nodes of the tree that `sympy.sympify` makes of the text, as `complexity`; calls are carried out."""
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
    """Compare with the truth; domain and reading of constants are settings of `compare`.

    Returns
    -------
    dict
        `solution_kind`, whether it is a `solution`, None where that could not be decided, `solution_constant`, and
        `solution_evidence`, which names the reading of constants where it is not that of 3 decimals.
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
    """Return JSON on one line, sorted, as it stands in the table."""
    return json.dumps(value, sort_keys=True, default=float)


def with_edit_distance(assessments: pd.DataFrame, problems: Problems) -> pd.DataFrame:
    """Return the assessments with `edit_distance`, of the simplified model's tree from the truth's.

    A column of this name that a team sent does not count. NaN where a run has no simplified model or a truth is not
    known.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract.
    problems : Problems
        Where truths are.
    """
    pairs = zip(assessments["dataset"], assessments["simplified_model"], strict=True)
    distances = [measure_edits(problems.find(dataset), text) for dataset, text in pairs]
    return assessments.assign(edit_distance=np.array(distances, dtype=float))


def measure_edits(problem: Problem | None, text: object) -> float:
    """Return the edit distance of a simplified model from the truth; NaN where one of them is not known."""
    if problem and problem.known_truth and isinstance(text, str):
        truth = parse(problem.known_truth, problem.features)
        with suppress(ModelTextError):  # what overflows simplifies to `inf`
            return tree_distance(truth, parse(text, problem.features, names="features"))
    return np.nan
