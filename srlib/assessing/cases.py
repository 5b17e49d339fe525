"""Cases: the questions about each model, and the columns of the assessments table that the answers give.

Runs with the same text, the same data and the same reading of names form one case and share their measured columns.
"""

from collections.abc import Collection, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.measure import Question, Settings, as_json
from srlib.assessing.names import NameReading, read_names
from srlib.errors import ModelTextError
from srlib.expressions import Expression, count_text, parse, to_text
from srlib.expressions.normal_form import REWRITES
from srlib.expressions.simplify import round_model
from srlib.files import sha256
from srlib.problems import Problem, Problems, domain_of, partitions
from srlib.problems.repetitions import name_data, read_seeds
from srlib.rules import MeasureRules

# in the order of the questions of a case: a part may need the answers to earlier parts
PARTS = ("data", "predictions", "size", "shown", "count", "solution", "simplified_solution")
STATUS_COLUMNS = {"data": "data_status", "size": "simplify_status", "solution": "solution_status"}
UNSTATED = "unstated"  # data status of a run whose repetition has no data
CHANGED = (
    "changed"  # simplify status if the simplified model is another model, which is not counted
)
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
    columns = columns.join(read_names(runs, problems, companions))
    case_indices = columns.groupby(list(columns), dropna=False).ngroup().to_numpy()
    _, first_rows = np.unique(case_indices, return_index=True)
    return columns.iloc[first_rows], case_indices


@dataclass
class Case:
    """A group of runs that get the same answers, with its questions and the columns answered so far.

    `questions` yields the questions about the model one by one and is sent each answer (see `answer_questions`). The
    answers fill `columns` of the assessments table; `details` gets a sentence for each part that failed.
    """

    row: dict[Any, Any]  # a row of the cases of `find_cases`
    problem: Problem | None  # None if the problem file does not contain the dataset
    measure_rules: MeasureRules
    parts: Collection[str]  # the parts to ask about
    folder: Path | None  # to which paths of predictions are relative
    columns: Settings = field(default_factory=dict)
    details: list[str] = field(default_factory=list)
    seed: int | None = None  # seed of the data
    data: dict[str, str] = field(default_factory=dict)  # hash of the data

    def questions(self) -> Questions:
        """Parse the text, then yield the questions about data, size and solution."""
        row, problem, columns = self.row, self.problem, self.columns
        columns |= {name: row[name] for name in NameReading._fields}
        columns["problem_digest"] = problem and problem.digest
        columns.update(simplify_status="skipped", r2_source="none")
        try:
            text = row["model"] if isinstance(row["model"], str) else ""
            model = parse(text, problem and problem.features, names=row["names_read"])
        except ModelTextError as error:
            columns["parse_status"] = error.kind
            self.details.append(str(error))
            return
        columns["complexity"] = columns["complexity_raw"] = count_text(model)
        columns.update(
            parse_status="ok",
            model_id=model.model_id,
            shown_model=to_text(model),
            shown_form="written",
        )
        if problem is None or not row["ended_well"]:
            return
        if problem.data:
            if pd.isna(row["seed"]):
                columns["data_status"] = UNSTATED
                self.details.append(f"not measured: the repetition is none of {name_data(problem)}")
                return
            self.seed = int(row["seed"])
        dustless = yield from self.ask_data(problem, model)
        simplified = yield from self.ask_size(problem, model, dustless)
        yield from self.ask_count(model)
        if problem.truth:
            yield from self.ask_solution(problem, model, simplified)

    def ask(
        self, part: str, model: Expression, settings: Settings, predictions: str = ""
    ) -> Questions:
        """Yield the question about one part, add the answer and its status to `columns`, and return the value.

        The value is empty if the part is not among `parts`; if measuring failed, its key `failure` says why.
        """
        if part not in self.parts:
            return {}
        answer = yield Question(part, model, settings, self.problem, self.seed, predictions)
        status, value = answer["status"], answer["value"] or {}
        if status != "ok":
            value = {"failure": answer["detail"] or status}
            self.details.append(f"{part.replace('_', ' ')}: {value['failure']}")
        elif "beyond" in value:
            status, value = "work", {"failure": value["beyond"]}
            self.details.append(value["failure"])
        if part == "simplified_solution":
            value = {"solution_simplified": value.get("solution")}
        self.columns |= value | {STATUS_COLUMNS.get(part, part): status}
        return value

    def ask_data(self, problem: Problem, model: Expression) -> Questions:
        """Measure R2 on the data, if the problem has data, else keep the reported R2; return the model without dust."""
        data = partitions(problem, self.seed)
        if data is None:
            self.columns["r2_source"] = "reported"
            return model
        self.columns["r2_source"] = "recomputed"
        self.data = {"data": data.sha256}
        settings = self.data | {"sweep": self.measure_rules.dust == "dropped"}
        measured = yield from self.ask("data", model, settings)
        path = find_predictions(self.row["predictions"], self.folder)
        if path is not None:
            settings = self.data | {"predictions": sha256(path)}
            yield from self.ask("predictions", model, settings, str(path))
        if "remaining" in measured:
            return parse(measured["remaining"], problem.features)
        return model

    def ask_size(self, problem: Problem, model: Expression, dustless: Expression) -> Questions:
        """Simplify and count as the rules say; return the simplified model, None if it cannot replace the model."""
        measure_rules, columns = self.measure_rules, self.columns
        rounding = {"decimals": measure_rules.decimals, "zero_below": measure_rules.zero_below}
        rounds_last = measure_rules.round_constants == "after"
        settings = self.exact_settings
        if measure_rules.complexity != "canonical":
            settings = settings | {"round_constants": "after" if rounds_last else "never"}
        if rounds_last:
            settings = settings | rounding
        rounded = dustless
        # models that are equal after rounding share a question
        if measure_rules.round_constants == "before":
            rounded = round_model(dustless, **rounding)
        value = yield from self.ask("size", rounded, settings)
        text = value.get("simplified_model")
        simplified = None
        if text is not None:
            with suppress(ModelTextError):  # a model that overflows may simplify to `inf`
                simplified = parse(text, problem.features)
        if measure_rules.complexity in ("sympy", "text"):
            columns["complexity"] = columns["complexity_raw"]
        elif measure_rules.complexity == "simplified" and measure_rules.literal and simplified:
            columns["complexity"] = count_text(simplified)

        change_settings = {"simplified": text, "domain": domain_of(problem)}
        value = yield from self.ask(
            "shown", dustless, self.exact_settings | change_settings | self.data
        )
        # rules that keep dust count the simplified model, as the code of their competition did
        if "changed" not in value or measure_rules.dust == "kept":
            return simplified
        self.details.append(f"simplified, it is another model: {value['changed']}")
        columns.update(
            simplify_status=CHANGED,
            simplified_model=to_text(model),
            features_used=as_json(sorted(model.features)),
            complexity=columns["complexity_raw"],
        )
        return None

    def ask_count(self, model: Expression) -> Questions:
        """Count the nodes of sympy's unsimplified tree, if the rules count it or simplification failed."""
        columns, complexity = self.columns, self.measure_rules.complexity
        text_stands_in = (
            columns["simplify_status"] in ("work", CHANGED) and not self.measure_rules.literal
        )
        if complexity == "sympy" or (complexity == "simplified" and text_stands_in):
            value = yield from self.ask("count", model, self.call_settings)
            if complexity == "sympy" and "failure" in value:
                columns["simplify_status"] = columns["count"]

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

    def ask_solution(
        self, problem: Problem, model: Expression, simplified: Expression | None
    ) -> Questions:
        """Compare the model and the simplified model with the truth."""
        constants = self.measure_rules.solution_constants
        settings = {
            "truth": problem.truth,
            "features": problem.features,
            "free": problem.constants,
            "domain": domain_of(problem),
            "constants": constants,
        }
        if problem.constants and constants != "free":
            failure = NO_VALUES_DETAIL
            self.details.append(failure)
        else:
            value = yield from self.ask("solution", model, settings)
            failure = value.get("failure")
            if simplified is not None:
                yield from self.ask("simplified_solution", simplified, settings)
        if failure is not None:
            evidence = as_json({"proof": None, "reason": failure})
            self.columns |= {"solution_kind": "unknown", "solution_evidence": evidence}


def find_predictions(name: Any, folder: Path | None) -> Path | None:
    """Return the path of a run's stored predictions.

    None if no file is named, if it is missing or empty, or if it lies outside the folder after resolving links.
    """
    if folder is None or not isinstance(name, str):
        return None
    with suppress(OSError, ValueError, RuntimeError):  # too long, a NUL, a circle of links
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file() and path.stat().st_size:
            return path
    return None
