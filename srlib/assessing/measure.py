"""Measurements of one model; each runs in a separate process that is killed at its limits.

    measure_data         R2 and other metrics on each partition, computed from the text; dust
    measure_predictions  whether the text agrees with the predictions that the run stored
    measure_size         text, components and features of the simplified model
    measure_change       whether simplification changed the model
    compare_with_truth   whether the model is a solution, with evidence
    count_tree           components of sympy's tree of the text, not simplified
    measure_shown        the text that reports show

Each answers a `Question`. The answer holds columns of the assessments table; it is cached under `Question.key`, which
contains everything that determines it.
"""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from srlib.assessing.forms import (
    choose_text,
    describe_change,
    rows_by_partition,
    simplify_by,
    split_dust,
)
from srlib.assessing.names import match_predictions, parse_once
from srlib.expressions import (
    Expression,
    compare,
    count_sympy,
    evaluate,
    r2_score,
    to_sympy,
    to_text,
    tree_distance,
)
from srlib.expressions.evidence import DEFAULT_READING, SOLUTIONS
from srlib.expressions.simplify import OutOfWorkError, limited_work
from srlib.expressions.sympy_trees import sympy_errors
from srlib.metrics import METRIC_COLUMNS
from srlib.problems import Problem, partitions
from srlib.problems.data import Partitions
from srlib.workers import ENVIRONMENT

SYMPY_VERSION = version("sympy")
# version of the answers; stored answers and assessments of another version are not used
ANSWERS_VERSION = 12
# what answers need, so that no process imports it again
PRELOAD = ("srlib.assessing.measure", "srlib.expressions.warm", "scipy.optimize")
Settings = dict[str, Any]  # values that JSON can hold
Answer = Settings  # mostly columns of the assessments table
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
    predictions : Path
        The run's stored predictions.
    other_model : Expression or None
        The model that this one is compared with: the simplified model, or the truth. Settings have its text.
    """

    part: str
    model: Expression
    settings: Settings
    problem: Problem | None = None
    data_seed: int | None = None
    predictions: Path = Path()
    other_model: Any = None

    @property
    def key(self) -> Settings:
        """Key of the answer in the cache: everything that determines it."""
        return {
            "measure": ANSWERS_VERSION,
            "sympy": SYMPY_VERSION,
            "ground_types": ENVIRONMENT["SYMPY_GROUND_TYPES"],
            "part": self.measurement,
            "tree": self.model.model_id,
            "settings": self.settings,
        }

    @property
    def measurement(self) -> str:
        """What is measured: the comparison with the truth is the same whichever model of a run is compared."""
        return self.part.rpartition("_")[2]

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
        return FUNCTIONS[question.measurement](question)
    except OutOfWorkError as error:
        return {"beyond": str(error)}


def measure_data(question: Question) -> Answer:
    """Compute R2 on every partition from the text, and what else the settings ask for: dust, and columns of metrics.

    Returns
    -------
    dict
        `r2_train`, `r2_test` and `r2_extrapolation` of the partitions that exist, and the metrics of these partitions,
        None if not finite; `bad_predictions`, the number of predictions that are not finite; if there is dust, its
        terms as `dust` and the model without them as `remaining`.
    """
    rows = rows_by_partition(question.data)
    answer = Answer(bad_predictions=0)
    for name, (columns, y) in rows.items():
        prediction = evaluate(question.model, columns, len(y))
        answer["bad_predictions"] += int((~np.isfinite(prediction)).sum())
        for column in (f"r2_{name}", *question.settings["metrics"]):
            if column.endswith(f"_{name}"):
                metric = METRIC_COLUMNS.get(column)
                compute = (metric and metric.compute) or r2_score
                with np.errstate(all="ignore"):
                    value = compute(y, prediction)
                answer[column] = value if np.isfinite(value) else None
    if question.settings["sweep"]:
        remaining, dust = split_dust(question.model, rows.values())
        if dust:
            answer["dust"] = tuple(map(to_text, dust))
            answer["remaining"] = to_text(remaining)
    return answer


def measure_predictions(question: Question) -> Answer:
    """Return, as `text_matches_predictions`, whether the text gives the stored predictions (`match_predictions`)."""
    matches = match_predictions(question.model, question.data, question.predictions)
    return {"text_matches_predictions": matches}


def measure_size(question: Question) -> Answer:
    """Simplify a model as the rules say (see `simplify_by`); return its text, its components and its features."""
    simplified = simplify_by(question.settings, question.model)
    return {
        "simplified_model": simplified.text,
        "complexity": simplified.complexity,
        "features_used": simplified.features_used,
    }


def measure_change(question: Question) -> Answer:
    """Return, as `changed`, a sentence if the simplified model differs from the model (see `describe_change`)."""
    return {"changed": describe_change(question.model, question.other_model, question.data)}


def measure_shown(question: Question) -> Answer:
    """Choose the text of a model that reports show; return `shown_model` and `shown_form` (see `choose_text`)."""
    domain, exact = question.settings["domain"], question.settings["exact"]
    text, form = choose_text(question.model, question.other_model, question.data, domain, exact)
    return {"shown_model": text, "shown_form": form}


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
    settings = {name: question.settings[name] for name in ("free", "domain", "constants")}
    verdict = compare(question.other_model, question.model, **settings)
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
    "predictions": measure_predictions,
    "size": measure_size,
    "change": measure_change,
    "shown": measure_shown,
    "count": count_tree,
    "solution": compare_with_truth,
}


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
