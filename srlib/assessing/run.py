"""One run on its way to an assessment: what is asked about its model, and which columns the answers give."""

from collections.abc import Collection, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.measure import Question, as_json
from srlib.assessing.names import NameReading
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, count_text, parse, to_text
from srlib.expressions.evidence import DECIMALS
from srlib.expressions.shortest import REWRITES
from srlib.expressions.simplify import round_model
from srlib.files import found_in, sha256
from srlib.problems import Problem, domain_of, partitions
from srlib.rules import Measure

# In the order in which a run asks: each part needs the answers before it.
PARTS = ("data", "predictions", "size", "shown", "count", "solution", "simplified_solution")
STATUSES = {"data": "data_status", "size": "simplify_status", "solution": "solution_status"}
UNSTATED = "unstated"  # data status of a run that does not say on which data it was made
CHANGED = "changed"  # status of simplifying that made another model, which is not counted
NO_VALUES = (
    "constants of the truth have no values, and the rules do not say solution_constants: free"
)


Answer = dict[str, Any]  # status, value and detail of an `Outcome`
Questions = Generator[Question, Answer, Any]


@dataclass
class Run:
    """A run in the making.

    `questions` yields what has to be measured of its model, one question after another, and is sent how
    measuring ended (see `answer_questions`). What they give are `columns` of the assessment, and sentences in `details`
    about what did not end well.
    """

    row: dict[Any, Any]
    names: NameReading
    problem: Problem | None  # None where the problem file does not know the dataset
    measure: Measure
    parts: Collection[str]  # the parts to ask about
    folder: Path | None  # where paths of predictions start
    columns: dict[str, Any] = field(default_factory=dict)
    details: list[str] = field(default_factory=list)
    seed: int | None = None  # of the data
    data: dict[str, str] = field(default_factory=dict)  # their hash
    domain: dict[str, Any] = field(default_factory=dict)  # settings, like the hash

    def questions(self) -> Questions:
        """Read the text, then ask about data, size and solution."""
        row, problem, columns = self.row, self.problem, self.columns
        columns |= {"simplify_status": "skipped", "r2_source": "none", **self.names._asdict()}
        columns["problem_digest"] = problem and problem.digest
        try:
            text = row["model"] if isinstance(row["model"], str) else ""
            model = parse(text, problem and problem.features, names=self.names.names_read)
        except ModelTextError as error:
            columns["parse_status"] = error.kind
            self.details.append(str(error))
            return
        columns |= {"parse_status": "ok", "model_id": model.model_id}
        columns["complexity"] = columns["complexity_raw"] = count_text(model)
        columns |= {"shown_model": to_text(model), "shown_form": "written"}
        if problem is None or row["status"] != "ok":
            return
        refuse_unreadable_truth(problem)
        if problem.data is not None:
            try:
                self.seed = data_seed(row, problem)
            except InputError as error:
                columns["data_status"] = UNSTATED
                self.details.append(f"not measured: {error}")
                return
        dustless = yield from self.ask_data(problem, model)
        simplified = yield from self.ask_size(problem, model, dustless)
        yield from self.ask_solution(problem, model, simplified)

    def ask(
        self, part: str, model: Expression, settings: dict[str, Any], predictions: str = ""
    ) -> Questions:
        """Ask about one part, add its columns and how it ended, and return its value.

        The value is empty where the part is left out, and has a `failure` in words where it did not end well.
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
        self.columns |= value | {STATUSES.get(part, part): status}
        return value

    def ask_data(self, problem: Problem, model: Expression) -> Questions:
        """Measure R2 on the data, or take what the run reports; return the model without dust."""
        columns, measure, data = self.columns, self.measure, partitions(problem, self.seed)
        self.domain = {"domain": domain_of(problem)}
        if data is None:
            columns |= {name: self.row.get(name) for name in ("r2_train", "r2_test")}
            columns["r2_source"] = "none" if pd.isna(columns["r2_test"]) else "reported"
            return model
        columns["r2_source"], self.data = "recomputed", {"data": data.sha256}
        sweep = {"sweep": measure.dust == "dropped"}
        measured = yield from self.ask("data", model, self.data | sweep)
        path = find_predictions(self.row, self.folder)
        if path is not None:
            settings = self.data | {"predictions": sha256(path)}
            value = yield from self.ask("predictions", model, settings, str(path))
            stored = value.get("stored", {})
            if measure.judged == "predictions" and "r2_test" in stored:
                columns |= {**stored, "r2_source": "predictions", "bad_predictions": 0}
        if "remaining" in measured:
            return parse(measured["remaining"], problem.features)
        return model

    def ask_size(self, problem: Problem, model: Expression, dustless: Expression) -> Questions:
        """Simplify and count as the rules say; return the simplified model, where it may stand for the model."""
        measure, columns, counted = self.measure, self.columns, self.measure.complexity
        calls = {"apply_calls": measure.apply_calls, "work": measure.simplify_work}
        rounding = {"decimals": measure.decimals, "zero_below": measure.zero_below}
        raw, last = columns["complexity_raw"], measure.round_constants == "after"
        exact: dict[str, Any] = calls | {"ratio": measure.simplify_ratio}
        settings = exact | {"round_constants": "after" if last else "never"}
        if counted == "canonical":
            exact = settings = {"rewrites": REWRITES}
        if last:
            settings = settings | rounding
        rounded = dustless
        if measure.round_constants == "before":  # models that are equal then are one question
            rounded = round_model(dustless, **rounding)
        value = yield from self.ask("size", rounded, settings)
        simplified = None
        with suppress(KeyError, ModelTextError):  # what overflows simplifies to `inf`
            simplified = parse(value["simplified_model"], problem.features)
            if measure.literal and counted == "simplified":
                columns["complexity"] = count_text(simplified)
        if counted in ("sympy", "text"):
            columns["complexity"] = raw

        compared = {"simplified": value.get("simplified_model")} | self.domain | self.data
        value = yield from self.ask("shown", dustless, exact | compared)
        # rules that keep dust count as the code of their competition did
        if "changed" in value and measure.dust == "dropped":
            self.details.append(f"simplified, it is another model: {value['changed']}")
            columns |= {"simplify_status": CHANGED, "simplified_model": to_text(model)}
            columns |= {"features_used": as_json(sorted(model.features)), "complexity": raw}
            simplified = None

        in_nodes = counted == "simplified" and not measure.literal
        if counted == "sympy" or in_nodes and columns["simplify_status"] in ("work", CHANGED):
            value = yield from self.ask("count", model, calls)
            if counted == "sympy" and "failure" in value:
                columns["simplify_status"] = columns["count"]
        return simplified

    def ask_solution(
        self, problem: Problem, model: Expression, simplified: Expression | None
    ) -> Questions:
        """Compare the model and the simplified model with the truth, where there is one."""
        if problem.truth is None:
            return
        constants, undecided = self.measure.solution_constants, {}
        settings = {"truth": problem.truth, "features": problem.features} | self.domain
        if constants != DECIMALS:
            settings["constants"] = constants
        if constants == "free":
            settings["free"] = problem.constants
        elif problem.constants:
            self.details.append(NO_VALUES)
            undecided = {"reason": NO_VALUES}
        if not undecided:
            value = yield from self.ask("solution", model, settings)
            if "failure" in value:
                undecided = {"proof": None, "reason": value["failure"]}
            if simplified is not None:
                yield from self.ask("simplified_solution", simplified, settings)
        if undecided:
            evidence = as_json(undecided)
            self.columns |= {"solution_kind": "unknown", "solution_evidence": evidence}


def refuse_unreadable_truth(problem: Problem) -> None:
    """Raise an InputError where a problem's truth does not parse."""
    try:
        if problem.truth is not None:
            parse(problem.truth, problem.known_names)
    except ModelTextError as error:
        fault = f"problem {problem.dataset}: the truth cannot be read: {error}"
        raise InputError(fault) from error


def find_predictions(row: dict[Any, Any], folder: Path | None) -> Path | None:
    """Return the file of a run's stored predictions; an empty one has none: a disk was full."""
    if folder is None or not isinstance(row.get("predictions"), str):
        return None
    path = found_in(folder, row["predictions"])
    return path if path is not None and path.stat().st_size else None


def data_seed(row: dict[Any, Any], problem: Problem) -> int:
    """Return the seed of the data that a run was made on: data_seed, else seed, else its repetition if it is a seed.

    Where the problem is `numbered`, data_seed or repetition may be the place of the seed among its data_seeds.

    Raises
    ------
    InputError
        When none of them is a data seed of the problem.
    """
    seeds = problem.data_seeds
    numbers = {name: row.get(name) for name in ("data_seed", "seed", "repetition")}
    numbers = {name: int(value) for name, value in numbers.items() if not pd.isna(value)}
    if problem.numbered:
        number = numbers.get("data_seed", numbers.get("repetition", 0))
        if 1 <= number <= len(seeds):
            return seeds[number - 1]
    allowed = ", ".join(map(str, seeds))
    if problem.numbered:
        allowed = f"1 to {len(seeds)}, by number, or {allowed}"
    candidates = [*numbers.values(), *seeds[: len(seeds) == 1]]  # the only one goes without saying
    fault = (
        "the run does not say which data of its dataset it was made on; "
        f"its seeds are {allowed}: state one as data_seed or seed, or as repetition"
    )
    if "data_seed" in numbers:
        candidates = candidates[:1]
        fault = f"data_seed must be one of {allowed}, got {numbers['data_seed']}"
    for seed in candidates:
        if not seeds or seed in seeds:
            return seed
    place = f"{row.get('file', 'runs')} row {row.get('row', '?')}"
    raise InputError(f"{place} (method {row['method']}, dataset {row['dataset']}): {fault}")
