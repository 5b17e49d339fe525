"""Cases: the questions about each model, and the columns of the assessments table that the answers give.

Runs with the same text, the same data and the same reading of names form one case and share their measured columns.
"""

from collections.abc import Collection, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.measure import Question, Settings, read_truth
from srlib.assessing.names import NameReading, find_predictions, parse_once, read_names
from srlib.errors import ModelTextError
from srlib.expressions import Expression, count_text, to_text
from srlib.expressions.normal_form import REWRITES
from srlib.expressions.simplify import round_model
from srlib.files import sha256
from srlib.problems import Problem, Problems, domain_of, partitions
from srlib.problems.repetitions import name_data, read_seeds
from srlib.rules import MeasureRules

# in the order of the questions of a case: a part may need the answers to earlier parts
PARTS = (
    *("data", "predictions", "size", "change", "solution", "simplified_solution", "count"),
    *("shown", "shown_solution"),
)
JUDGED_PARTS = PARTS[:-2]  # what judging needs; only displays need the text that they show
STATUS_COLUMNS = {"data": "data_status", "size": "simplify_status", "solution": "solution_status"}
UNSTATED = "unstated"  # data status of a run whose repetition has no data
# simplify status if the simplified model is another model, which is not counted
CHANGED = "changed"
VERDICTS = {True: "a solution", False: "no solution", None: "not decided"}
NO_VALUES_DETAIL = (
    "constants of the truth have no values, and the rules do not say solution_constants: free"
)

# generator that is sent a dict with status, value and detail of an `Outcome`
Questions = Generator[Question, dict[str, Any], Any]


def find_cases(
    runs: pd.DataFrame, problems: Problems, companions: pd.DataFrame | None, folder: Path | None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the distinct cases among the runs, and the case of each run.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0.
    problems : Problems
        Problems, which know the data of each repetition.
    companions : pandas.DataFrame or None
        See `read_names`.
    folder : Path or None
        Folder to which paths of predictions are relative; without it predictions do not distinguish cases.

    Returns
    -------
    cases : pandas.DataFrame
        One row per case, sorted so that cases on the same data are adjacent: `dataset`, `seed` of the data, `model`,
        `ended_well`, `predictions`, and the fields of `NameReading`.
    case_indices : ndarray of int, shape (runs,)
        Position in `cases` of each run's case.
    """
    columns = runs[["dataset"]].assign(
        seed=read_seeds(runs, problems),
        model=runs["model"],
        ended_well=runs["status"] == "ok",
        predictions=runs.get("predictions") if folder is not None else None,
    )
    columns = columns.join(read_names(runs, problems, companions, folder))
    case_indices = columns.groupby(list(columns), dropna=False).ngroup().to_numpy()
    _, first_rows = np.unique(case_indices, return_index=True)
    return columns.iloc[first_rows], case_indices


@dataclass
class Case:
    """A group of runs that get the same answers, with its questions and the columns answered so far.

    `questions` yields the questions about the model one by one and is sent each answer (see `answer_questions`). The
    answers fill `columns` of the assessments table; `details` gets a sentence for each part that failed.

    The simplified model is counted if it earns what the text earns: R2, features and verdict; else the text is. Pages
    show the model that is counted, in a form that is chosen last and only where it is asked for.
    """

    row: dict[Any, Any]  # a row of the cases of `find_cases`
    problem: Problem | None  # None if the problem file does not contain the dataset
    measure_rules: MeasureRules
    parts: Collection[str]  # the parts to ask about
    folder: Path | None  # to which paths of predictions are relative
    metrics: list[str]  # columns of further metrics
    columns: Settings = field(default_factory=dict)
    details: list[str] = field(default_factory=list)
    seed: int | None = None  # seed of the data
    data: dict[str, str] = field(default_factory=dict)  # hash of the data

    def questions(self) -> Questions:
        """Yield the questions about data, size, solution and shown text, if the text can be read."""
        row, problem, columns = self.row, self.problem, self.columns
        columns |= {name: row[name] for name in NameReading._fields}
        columns |= {"problem_digest": problem and problem.digest, "parse_status": "ok"}
        columns |= {"simplify_status": "skipped", "r2_source": "none"}
        model = parse_once(row["model"], problem and problem.features, row["names_read"])
        if isinstance(model, ModelTextError):
            columns["parse_status"] = model.kind
            self.details.append(str(model))
            return
        columns["complexity"] = columns["complexity_raw"] = count_text(model)
        columns["model_id"] = model.model_id
        self.show(model, "written")
        if problem is None or not row["ended_well"]:
            return
        if problem.data:
            if pd.isna(row["seed"]):
                columns["data_status"] = UNSTATED
                self.details.append(f"not measured: the repetition is none of {name_data(problem)}")
                return
            self.seed = int(row["seed"])
        dustless = yield from self.ask_data(problem, model)
        simplified = yield from self.ask_size(model, dustless)
        is_solution = None
        if problem.truth:
            is_solution = yield from self.ask_solution(problem, model, simplified)
        yield from self.ask_count(model)
        if columns["shown_model"] is None:
            yield from self.ask_shown(problem, dustless, simplified, is_solution)

    def ask(self, part: str, model: Expression, settings: Settings, **inputs: Any) -> Questions:
        """Yield the question about one part, add the answer and its status to `columns`, and return the value.

        The value is empty if the part is not among `parts`; if measuring failed, its key `failure` says why. Verdicts
        on other models than the text add their status alone. `inputs` are further fields of `Question`.
        """
        if part not in self.parts:
            return {}
        answer = yield Question(part, model, settings, self.problem, self.seed, **inputs)
        status, value = answer["status"], answer["value"] or {}
        if status != "ok":
            value = {"failure": answer["detail"] or status}
            self.details.append(f"{part.replace('_', ' ')}: {value['failure']}")
        elif "beyond" in value:
            status, value = "work", {"failure": value["beyond"]}
            self.details.append(value["failure"])
        if not part.endswith("_solution"):
            for name, item in value.items():  # stored answers have lists for tuples
                self.columns[name] = tuple(item) if isinstance(item, list) else item
        self.columns[STATUS_COLUMNS.get(part, part)] = status
        return value

    def ask_data(self, problem: Problem, model: Expression) -> Questions:
        """Measure R2 on the data, if the problem has data, else keep the reported R2; return the model without dust."""
        data = partitions(problem, self.seed)
        self.columns["r2_source"] = "recomputed" if data else "reported"
        if data is None:
            return model
        self.data = {"data": data.sha256}
        settings = self.data | {"sweep": self.is_guarded, "metrics": self.metrics}
        measured = yield from self.ask("data", model, settings)
        if path := find_predictions(self.row["predictions"], self.folder):
            settings = self.data | {"predictions": sha256(path)}
            yield from self.ask("predictions", model, settings, predictions=path)
        return self.read(measured.get("remaining")) or model

    def read(self, text: str | None) -> Expression | None:
        """Return the model of a text that srlib wrote; None if it has no finite value, as `inf`."""
        model = parse_once(text, self.problem and self.problem.features) if text else None
        return model if isinstance(model, Expression) else None

    def ask_size(self, model: Expression, dustless: Expression) -> Questions:
        """Simplify and count as the rules say; return the simplified model, None if the text is counted instead."""
        measure_rules, columns = self.measure_rules, self.columns
        rounding = {"decimals": measure_rules.decimals, "zero_below": measure_rules.zero_below}
        round_constants, rounded = measure_rules.round_constants, dustless
        # models that are equal after rounding share a question
        if round_constants == "before":
            round_constants, rounded = "never", round_model(dustless, **rounding)
        settings = self.exact_settings | {"round_constants": round_constants}
        if round_constants == "after":
            settings |= rounding
        value = yield from self.ask("size", rounded, settings)
        if value:
            columns |= {"shown_model": None, "shown_form": None}
        text = value.get("simplified_model")
        simplified = self.read(text)
        if simplified:
            columns["simplified_size"] = count_text(simplified)
        if measure_rules.complexity in ("sympy", "text"):
            columns["complexity"] = columns["complexity_raw"]
        elif simplified and measure_rules.complexity == "simplified" and measure_rules.literal:
            columns["complexity"] = columns["simplified_size"]
        if simplified and self.is_guarded and self.data:
            settings = {"simplified": text} | self.data
            value = yield from self.ask("change", dustless, settings, other_model=simplified)
            if value.get("changed"):
                self.count_written(model, f"simplified, it is another model: {value['changed']}")
                return None
        return simplified

    @property
    def is_guarded(self) -> bool:
        """Whether another model is not counted; rules that keep dust count it, as the code of their competition did."""
        return self.measure_rules.dust == "dropped"

    def show(self, model: Expression, form: str) -> None:
        """Let pages show this model."""
        self.columns |= {"shown_model": to_text(model), "shown_form": form}

    def count_written(self, model: Expression, reason: str, status: str = CHANGED) -> None:
        """Let the text stand for the simplified model; `status` is that of the part which could not tell them apart."""
        self.show(model, "written")
        self.details.append(reason)
        self.columns |= {
            "complexity": self.columns["complexity_raw"],
            "simplify_status": status,
            "simplified_model": to_text(model),
            "simplified_size": self.columns["complexity_raw"],
            "features_used": tuple(sorted(model.features)),
            "solution_simplified": None,
        }

    def compare(self, part: str, problem: Problem, model: Expression) -> Questions:
        """Compare a model with the truth."""
        settings = {
            "truth": problem.truth,
            "features": problem.features,
            "free": problem.constants,
            "domain": domain_of(problem),
            "constants": self.measure_rules.solution_constants,
        }
        return self.ask(part, model, settings, other_model=read_truth(problem))

    def ask_solution(
        self, problem: Problem, model: Expression, simplified: Expression | None
    ) -> Questions:
        """Compare the model with the truth, then the simplified model, whose verdict must agree.

        Return whether the model is a solution; None if the comparison failed.
        """
        columns = self.columns
        if problem.constants and self.measure_rules.solution_constants != "free":
            verdict = {"failure": NO_VALUES_DETAIL}
            self.details.append(NO_VALUES_DETAIL)
        else:
            verdict = yield from self.compare("solution", problem, model)
        if "failure" in verdict:
            evidence = {"proof": None, "reason": verdict["failure"]}
            columns |= {"solution_kind": "unknown", "solution_evidence": evidence}
            return None
        is_solution = bool(verdict.get("solution"))
        if simplified:
            value = yield from self.compare("simplified_solution", problem, simplified)
            columns["solution_simplified"] = value.get("solution")
            if self.is_guarded and bool(value.get("solution")) != is_solution:
                status = columns["simplified_solution"].replace("ok", CHANGED)
                before, after = VERDICTS[verdict["solution"]], VERDICTS[value.get("solution")]
                reason = f"simplified, it is {after}, and the text is {before}"
                self.count_written(model, reason, status)
        return is_solution

    def ask_shown(
        self,
        problem: Problem,
        dustless: Expression,
        simplified: Expression | None,
        is_solution: bool | None,
    ) -> Questions:
        """Choose the form that is shown; it has the features and the verdict of the model that is counted."""
        settings = self.data | {
            "simplified": self.columns.get("simplified_model"),
            "domain": domain_of(problem),
            "exact": self.exact_settings | {"round_constants": "never"},
        }
        value = yield from self.ask("shown", dustless, settings, other_model=simplified)
        shown_model = self.read(value.get("shown_model"))
        if simplified and shown_model and shown_model != simplified:
            is_alike = shown_model.features == simplified.features
            if is_alike and is_solution is not None:
                value = yield from self.compare("shown_solution", problem, shown_model)
                is_alike = bool(value.get("solution")) == is_solution
            if not is_alike:
                self.show(simplified, "rounded")

    def ask_count(self, model: Expression) -> Questions:
        """Count the nodes of sympy's unsimplified tree, if the rules count it or the text stands in."""
        complexity, status = self.measure_rules.complexity, self.columns["simplify_status"]
        text_stands_in = status in ("work", CHANGED) and not self.measure_rules.literal
        if complexity == "sympy" or (complexity == "simplified" and text_stands_in):
            value = yield from self.ask("count", model, self.call_settings)
            if complexity == "sympy" and "failure" in value:
                self.columns["simplify_status"] = self.columns["count"]

    @property
    def call_settings(self) -> Settings:
        """Settings for building sympy's tree of a text."""
        return {
            "apply_calls": self.measure_rules.apply_calls,
            "work": self.measure_rules.simplify_work,
        }

    @property
    def exact_settings(self) -> Settings:
        """Settings for simplifying without rounding, by exact rewrites or by sympy."""
        if self.measure_rules.complexity == "canonical":
            return {"rewrites": REWRITES}
        return self.call_settings | {"ratio": self.measure_rules.simplify_ratio}
