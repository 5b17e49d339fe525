"""Measurements of one model; each runs in a separate process that is killed at its limits.

    measure_data         R2 on each partition, computed from the text; dust
    measure_metrics      other metrics that rules or a comparison ask for
    measure_predictions  whether the text agrees with the predictions that the run stored
    measure_size         text, components and features of the simplified model
    measure_shown        the text that reports show; whether simplification changed the model
    count_tree           components of sympy's tree of the text, not simplified
    compare_with_truth   whether the model is a solution, with evidence

Each answers a `Question`. The answer holds columns of the assessments table; it is cached under `Question.key`, which
contains everything that determines it.
"""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.dust import predicts, split_dust
from srlib.assessing.names import parse_once
from srlib.assessing.showing import choose_text, describe_change, rows_by_partition
from srlib.expressions import (
    Expression,
    compare,
    count_sympy,
    evaluate,
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
from srlib.metrics import METRIC_COLUMNS
from srlib.problems import Problem, Problems, partitions
from srlib.problems.data import Partitions
from srlib.workers.pool import ENVIRONMENT

SYMPY_VERSION = version("sympy")
# version of the answers; stored answers and assessments of another version are not used
ANSWERS_VERSION = 11
PRELOAD = ("srlib.assessing.measure", "srlib.expressions.warm")
SAME_PREDICTIONS = 1e-6  # tolerance relative to the largest prediction, and to each value
Settings = dict[str, Any]  # values that JSON can hold
Answer = dict[str, Any]  # mostly columns of the assessments table
EVIDENCE_FIELDS = ("proof", "points", "digits", "witness", "moved")


@dataclass(frozen=True)
class Question:
    """One measurement of one model, with its settings.

    Parameters
    ----------
    part : str
        Kind of measurement, one of `srlib.assessing.cases.PARTS`.
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
    other_model : Expression, optional
        The model that this one is compared with: the simplified model, or the truth. Settings have its text.
    """

    part: str
    model: Expression
    settings: Settings
    problem: Problem | None = None
    data_seed: int | None = None
    predictions: str = ""
    other_model: Expression | None = None

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
    try:
        return FUNCTIONS[question.part](question)
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
            answer["dust"] = tuple(map(to_text, dust))
            answer["remaining"] = to_text(remaining)
    return answer


def measure_metrics(question: Question) -> Answer:
    """Compute the metrics that the settings name, by column; None if a value is not finite."""
    rows = rows_by_partition(question.data)
    answer = Answer()
    for column in question.settings["metrics"]:
        compute, partition = METRIC_COLUMNS[column].compute, column.rpartition("_")[2]
        if compute is not None and partition in rows:
            columns, y = rows[partition]
            with np.errstate(all="ignore"):
                value = compute(y, evaluate(question.model, columns, len(y)))
            answer[column] = value if np.isfinite(value) else None
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


def measure_size(question: Question) -> Answer:
    """Simplify a model as the rules say, and count its components and features.

    The settings are those of `simplify`. With `rewrites`, the version of the exact rewrites, the shortest form that
    these find is the simplified model; other settings are then those of `round_model`, if the rules round afterwards.

    Returns
    -------
    dict
        `simplified_model`, `complexity` and `features_used`.
    """
    settings = dict(question.settings)
    if settings.pop("rewrites", None) is None:
        simplified = simplify(question.model, **settings)
    else:
        simplified = shortest(question.model)
        if settings:
            simplified = shortest(round_model(simplified.expression, **settings))
    return {
        "simplified_model": simplified.text,
        "complexity": simplified.complexity,
        "features_used": simplified.features_used,
    }


def measure_shown(question: Question) -> Answer:
    """Choose the text of a model that reports show, and check whether simplification changed the model.

    Returns
    -------
    dict
        `shown_model` and `shown_form` (see `choose_text`); also `changed`, a sentence, if the simplified model differs
        from the model on the data (see `describe_change`).
    """
    own_keys = ("data", "simplified", "domain")
    settings = {name: item for name, item in question.settings.items() if name not in own_keys}
    model, simplified, data = question.model, question.other_model, question.data
    change = describe_change(model, simplified, data) if simplified else ""
    text, form = choose_text(model, simplified, data, question.settings["domain"], **settings)
    answer = Answer(shown_model=text, shown_form=form)
    return answer | {"changed": change} if change else answer


def count_tree(question: Question) -> Answer:
    """Return, as `complexity`, the number of nodes of sympy's unsimplified tree; sympy evaluates `apply_calls`."""
    with sympy_errors(), limited_work(question.settings["work"]):
        tree = to_sympy(question.model, apply_calls=question.settings["apply_calls"], real=None)
        return {"complexity": count_sympy(tree)}


def compare_with_truth(question: Question) -> Answer:
    """Compare a model with the truth; the settings state `free`, `domain` and `constants` of `compare`.

    Returns
    -------
    dict
        `solution_kind`; `solution`, True, False or None (undecided); `solution_constant`; and `solution_evidence`,
        which also names the reading of constants if it is not the default.
    """
    truth = question.other_model
    assert truth is not None
    settings = {name: question.settings[name] for name in ("free", "domain", "constants")}
    verdict = compare(truth, question.model, **settings)
    evidence = {name: getattr(verdict, name) for name in EVIDENCE_FIELDS}
    if verdict.constants != DEFAULT_READING:
        evidence |= {"constants": verdict.constants, "free": verdict.free}
    return {
        "solution_kind": verdict.kind,
        "solution": None if verdict.kind == "unknown" else verdict.kind in SOLUTIONS,
        "solution_constant": verdict.constant,
        "solution_evidence": evidence,
    }


FUNCTIONS = {
    "data": measure_data,
    "metrics": measure_metrics,
    "predictions": measure_predictions,
    "size": measure_size,
    "shown": measure_shown,
    "count": count_tree,
    "solution": compare_with_truth,
    "simplified_solution": compare_with_truth,
}


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
        truth, model = read_truth(problem), parse_once(text, problem.features)
        # a model that overflows may simplify to `inf`, which cannot be read
        if truth and isinstance(model, Expression):
            return tree_distance(truth, model)
    return np.nan


def read_truth(problem: Problem) -> Expression | None:
    """Return the truth of a problem, in its features and constants; None if it is not stated."""
    names = *problem.features, *problem.constants
    truth = parse_once(problem.truth, names) if problem.truth else None
    return truth if isinstance(truth, Expression) else None
