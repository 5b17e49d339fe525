"""One run on its way to an assessment: what is asked about its model, and which columns the answers give."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.measure import Question, as_json
from srlib.assessing.names import NameReading
from srlib.errors import InputError, ModelTextError
from srlib.expressions import count_text, parse, to_text
from srlib.expressions.evidence import DECIMALS
from srlib.expressions.shortest import REWRITES
from srlib.expressions.simplify import round_model
from srlib.files import found_in, sha256
from srlib.problems import Problem, domain_of, partitions
from srlib.rules import Measure
from srlib.tables import MEASURED

PARTS = ("data", "predictions", "size", "shown", "count", "solution", "simplified_solution")
STORED_PREDICTIONS = "predictions"  # the source of an R2 that was measured on what a run stored
UNSTATED = (
    "unstated"  # data status of a run that does not say which data of its dataset it was made on
)
CHANGED = "changed"  # status of simplifying that made another model, which is not counted
MADE_ON = "the run does not say which data of its dataset it was made on"
NO_VALUES = (
    "constants of the truth have no values, and the rules do not say solution_constants: free"
)


class Dataset:
    """A dataset as assessing needs it: what is the same for all its runs.

    Parameters
    ----------
    problem : Problem or None
        None where the problem file does not know the dataset.
    measure : Measure
        Whether and how the truth is compared.

    Raises
    ------
    InputError
        When the truth does not parse.
    """

    def __init__(self, problem: Problem | None, measure: Measure) -> None:
        self.problem = problem
        self.features = None if problem is None else problem.features
        self.domain: dict[str, list[float]] = {}
        self.comparison: dict[str, Any] | None = None  # settings of comparing with the truth
        self._hashes: dict[int | None, str] = {}
        if problem is None:
            return
        self.domain = {name: list(ends) for name, ends in domain_of(problem).items()}
        if problem.truth is None:
            return
        try:
            parse(problem.truth, problem.known_names)
        except ModelTextError as error:
            raise InputError(
                f"problem {problem.dataset}: the truth cannot be read: {error}"
            ) from error
        constants = measure.solution_constants
        if problem.constants and constants != "free":
            return
        self.comparison = {"truth": problem.truth, "features": self.features, "domain": self.domain}
        self.comparison |= {} if constants == DECIMALS else {"constants": constants}
        self.comparison |= {"free": problem.constants} if constants == "free" else {}

    def data_settings(self, seed: int | None) -> dict[str, str]:
        """Return the hash of the data of one seed; nothing where the problem has none."""
        if self.problem is None or self.problem.data is None:
            return {}
        if seed not in self._hashes:
            data = partitions(self.problem, seed)
            self._hashes[seed] = data.sha256 if data is not None else ""
        return {"data": self._hashes[seed]}


@dataclass
class Run:
    """A run in the making: its columns so far, and its model, where there is anything to measure.

    `dustless` is the model without terms that change no prediction, `simplified` what the rules count.
    """

    dataset: Dataset
    columns: dict[str, Any]
    model: Any = None
    data_seed: int | None = None
    predictions: Path | None = None
    dustless: Any = None
    simplified: Any = None
    details: list[str] = field(default_factory=list)

    def finish(self) -> dict[str, Any]:
        """Return all columns."""
        problem = self.dataset.problem
        columns = {"complexity": self.columns.get("complexity_raw")} | self.columns
        columns["problem_digest"] = problem.digest if problem is not None else None
        return columns | {"detail": "; ".join(self.details) or None}


def start_run(
    row: dict[str, Any], fault: str | None, dataset: Dataset, measure: Measure, folder: Path | None
) -> Run:
    """Parse a run's model and put down the columns that are known at once."""
    columns: dict[str, Any] = {"simplify_status": "skipped", "r2_source": "none"}
    columns |= {name: row[name] for name in NameReading._fields}
    run, problem = Run(dataset, columns), dataset.problem
    if fault is not None:
        run.details.append(f"not measured: {fault}")
        columns["data_status"] = UNSTATED
    text = row["model"] if isinstance(row["model"], str) else ""
    try:
        model = parse(text, dataset.features, names=row["names_read"])
    except ModelTextError as error:
        columns["parse_status"] = error.kind
        run.details = [str(error)]
        return run
    columns |= {"parse_status": "ok", "model_id": model.model_id}
    columns |= {"complexity_raw": count_text(model)}
    columns |= {"shown_model": to_text(model), "shown_form": "written"}
    if problem is None or row["status"] != "ok" or fault is not None:
        return run
    run.model = run.dustless = model
    run.data_seed = row["data_seed"]
    if problem.data is None:
        columns |= {name: row.get(name) for name in ("r2_train", "r2_test")}
        columns["r2_source"] = "none" if pd.isna(row.get("r2_test")) else "reported"
    else:
        columns["r2_source"] = "recomputed"
        run.predictions = find_predictions(row, folder)
    if measure.complexity == "text":
        columns["complexity"] = columns["complexity_raw"]
    if problem.truth is not None and dataset.comparison is None:
        columns |= {"solution_kind": "unknown", "solution_evidence": as_json({"reason": NO_VALUES})}
        run.details.append(NO_VALUES)
    return run


def question_of(part: str, run: Run, measure: Measure) -> Question | None:
    """Return the question about one part of a run, with the answers so far; None where there is nothing to ask."""
    data = run.dataset.data_settings(run.data_seed)
    about = {"problem": run.dataset.problem, "data_seed": run.data_seed}
    calls = {"apply_calls": measure.apply_calls, "work": measure.simplify_work}
    simplifying: dict[str, Any] = calls | {"ratio": measure.simplify_ratio}
    if measure.complexity == "canonical":
        simplifying = {"rewrites": REWRITES}
    match part:
        case "data" if data:
            sweep = {"sweep": measure.dust == "dropped"}
            return Question(part, run.model, data | sweep, **about)
        case "predictions" if run.predictions is not None:
            data = data | {"predictions": sha256(run.predictions)}
            return Question(part, run.model, data, **about, predictions=str(run.predictions))
        case "count" if measure.complexity == "sympy" or counts_text(run, measure):
            return Question(part, run.model, calls)
        case "size":
            rounding = {"decimals": measure.decimals, "zero_below": measure.zero_below}
            model = run.dustless
            if (
                measure.round_constants == "before"
            ):  # here: models that are equal then are one question
                model = round_model(model, **rounding)
            elif measure.round_constants == "after":
                simplifying |= rounding
            if measure.complexity != "canonical":
                later = measure.round_constants == "after"
                simplifying["round_constants"] = "after" if later else "never"
            return Question(part, model, simplifying)
        case "shown":
            simplified = {"simplified": run.columns.get("simplified_model")}
            settings = simplifying | simplified | {"domain": run.dataset.domain} | data
            return Question(part, run.dustless, settings, **about)
        case "solution" if run.dataset.comparison is not None:
            return Question(part, run.model, run.dataset.comparison)
        case "simplified_solution" if run.dataset.comparison and run.simplified:
            return Question(part, run.simplified, run.dataset.comparison)
    return None


def counts_text(run: Run, measure: Measure) -> bool:
    """Whether a text is counted, in sympy's nodes as simplified models are, because there is no simplified model."""
    nodes = measure.complexity == "simplified" and not measure.literal
    return nodes and run.columns["simplify_status"] in ("work", CHANGED)


def add_answer(part: str, run: Run, answer: dict[str, Any], measure: Measure) -> None:
    """Add the columns of an answer to a run, or what stands in their place where it did not come."""
    value: dict[str, Any] = dict(answer["value"] or {})
    status, columns = answer["status"], run.columns
    detail = answer["detail"] or status
    if status != "ok":
        run.details.append(f"{part.replace('_', ' ')}: {detail}")
    elif "beyond" in value:
        status = "work"
        run.details.append(value["beyond"])
    if part == "simplified_solution":
        value = {"solution_simplified": value.get("solution")}
    if part == "size" and measure.complexity in ("sympy", "text"):  # another count counts
        value.pop("complexity", None)
    columns |= {name: column for name, column in value.items() if name in MEASURED}
    match part:
        case "data":
            columns["data_status"] = status
            if "remaining" in value:
                run.dustless = parse(value["remaining"], run.dataset.features)
        case "predictions" if measure.judged == "predictions":
            if "r2_test" in (stored := value.get("stored", {})):
                columns |= {**stored, "r2_source": STORED_PREDICTIONS, "bad_predictions": 0}
        case "count":
            if measure.complexity == "sympy" and status != "ok":
                columns["simplify_status"] = status
        case "size":
            columns["simplify_status"] = status
            with suppress(KeyError, ModelTextError):  # what overflows simplifies to `inf`
                run.simplified = parse(value["simplified_model"], run.dataset.features)
                if measure.literal and measure.complexity == "simplified":
                    columns["complexity"] = count_text(run.simplified)
        case "shown" if "changed" in value and measure.dust == "dropped":
            # rules that keep dust count as the code of their competition did
            run.details.append(f"simplified, it is another model: {value['changed']}")
            run.simplified, columns["simplified_model"] = None, to_text(run.model)
            columns["simplify_status"] = CHANGED
            columns["features_used"] = as_json(sorted(run.model.features))
            if measure.complexity in ("simplified", "canonical"):
                del columns["complexity"]
        case "solution":
            columns["solution_status"] = status
            if status != "ok":
                reason = as_json({"proof": None, "reason": detail})
                columns |= {"solution_kind": "unknown", "solution_evidence": reason}


def find_predictions(row: dict[str, Any], folder: Path | None) -> Path | None:
    """Return the file of a run's stored predictions; an empty one has none: a disk was full."""
    if folder is None or not isinstance(row.get("predictions"), str):
        return None
    path = found_in(folder, row["predictions"])
    return path if path is not None and path.stat().st_size else None


def find_seeds(
    runs: pd.DataFrame, datasets: dict[str, Dataset]
) -> tuple[list[int | None], dict[int, str]]:
    """Return the seed of each run's data, None where nothing is measured on data, and faults by place."""
    seeds: list[int | None] = []
    faults: dict[int, str] = {}
    for place, row in rows_of(runs):
        problem, seed = datasets[row["dataset"]].problem, None
        if problem is not None and problem.data is not None and row["status"] == "ok":
            try:
                seed = data_seed(row, problem)
            except InputError as error:
                faults[place] = str(error)
        seeds.append(seed)
    return seeds, faults


def rows_of(table: pd.DataFrame) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield label and values of each row; dictionaries take much memory, so that few are made at a time."""
    for start in range(0, len(table), 500):
        part = table.iloc[start : start + 500]
        yield from zip(part.index, part.to_dict("records"), strict=True)  # type: ignore[misc]


def data_seed(row: dict[str, Any], problem: Problem) -> int:
    """Return the seed of the data that a run was made on: data_seed, else seed, else its repetition if it is a seed.

    Where the problem is `numbered`, data_seed or repetition may be the place of the seed among its data_seeds.

    Raises
    ------
    InputError
        When none of them is a data seed of the problem.
    """
    seeds = problem.data_seeds
    stated = {name: row.get(name) for name in ("data_seed", "seed", "repetition")}
    stated = {name: int(value) for name, value in stated.items() if not pd.isna(value)}
    if problem.numbered:
        number = stated.get("data_seed", stated.get("repetition", 0))
        if 1 <= number <= len(seeds):
            return seeds[number - 1]
    for name, value in stated.items():
        if not seeds or value in seeds:
            return value
        if name == "data_seed":
            break
    if len(seeds or ()) == 1 and "data_seed" not in stated:
        return seeds[0]
    allowed = ", ".join(map(str, seeds or ()))
    if problem.numbered:
        allowed = f"1 to {len(seeds)}, by number, or {allowed}"
    sentence = f"data_seed must be one of {allowed}, got {stated.get('data_seed')}"
    if "data_seed" not in stated:
        advice = "state one as data_seed or seed, or as repetition"
        sentence = f"{MADE_ON}; its seeds are {allowed}: {advice}"
    place = f"{row.get('file', 'runs')} row {row.get('row', '?')}"
    raise InputError(f"{place} (method {row['method']}, dataset {row['dataset']}): {sentence}")
