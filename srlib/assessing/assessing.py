"""Assess every run: parse in the parent, everything that can blow up as a bounded, cached task."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.dataset import Dataset
from srlib.assessing.naming import settle
from srlib.assessing.outcomes import STORED, columns
from srlib.assessing.reading import NO_DATA, Reading
from srlib.assessing.store import Results, Store, Wanted
from srlib.assessing.table import as_json, assessments, rows_of, runs_of
from srlib.assessing.tasks import Task
from srlib.cache import Cache
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, count_text, parse, to_text
from srlib.expressions.canonical import REWRITES
from srlib.expressions.evidence import DECIMALS
from srlib.expressions.simplify import round_constants
from srlib.problems import Problem, Problems
from srlib.progress import ticker
from srlib.rules import Measure
from srlib.tables import MEASURED

NO_VALUES = (
    "constants of the truth have no values, and the rules do not say solution_constants: free"
)


def assess(
    runs: pd.DataFrame,
    problems: Problems,
    measure: Measure,
    *,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
    folder: Path | None = None,
    scheduler: str | None = None,
    only: frozenset[str] | None = None,
    beside: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Measure every run as the rules' measure block says.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract; assessments are taken back to runs first.
    problems : Problems
        Data, truth and features of each dataset; a run on an unknown one is parsed and not measured.
    measure : Measure
        The only part of the rules that is read.
    cache : Cache, optional
        Where results are kept; the user's by default.
    timeout : float
        CPU seconds that one operation on one model may take; what rules limit in work takes longer.
    jobs : int, optional
        Worker processes; all usable cores by default.
    folder : Path, optional
        Where relative paths of predictions start; without it they are not compared.
    scheduler : str, optional
        Address of a Dask scheduler, as in tcp://host:8786, that does the work instead of this machine.
    only : frozenset of str, optional
        The operations (keys of `srlib.assessing.tasks.OPERATIONS`) to carry out where rules need no others. Such
        rows are no full assessments: their `measure_digest` names the operations too, so that none is taken for one
        later.

    beside : pandas.DataFrame, optional
        Other runs of the same competition, not measured here; their texts may show how a method counts features.

    Returns
    -------
    pandas.DataFrame
        Assessments contract, one row a run, in the order given.

    Raises
    ------
    InputError
        When a truth does not parse or data are missing.
    """
    store = Store(cache, timeout, jobs, scheduler)
    given = runs = runs_of(runs).reset_index(drop=True)
    if beside is not None:
        given = pd.concat([runs, runs_of(beside)], ignore_index=True)
    found = {name: Dataset(problems.find(name)) for name in given["dataset"].unique()}
    rows: list[list[Any]] = [[]] * len(runs)
    flying: dict[int, _Run] = {}
    made_with = (
        measure.digest if only is None else f"{measure.digest} {' '.join(sorted(only))} only"
    )
    step = ticker(len(runs), "runs assessed")

    # what is wrong with the tables is said before any work
    seeds, seedless = _seeds(runs, found)
    seeded = runs.assign(data_seed=pd.array(seeds, dtype="Int64"))
    read = settle(seeded, found, given)
    # dataset by dataset, so that data are made once and not again for every method
    order = seeded[["dataset", "data_seed"]].sort_values(["dataset", "data_seed"], kind="stable")

    def planned() -> Iterator[tuple[int, Wanted]]:
        for position, row in rows_of(seeded, order.index.to_numpy()):
            dataset = found[row["dataset"]]
            row["data_seed"] = seeds[position]
            if position in seedless:
                row["status"] = "invalid"
            flying[position], wanted = _plan(row, dataset, read[position], measure, folder)
            if position in seedless:
                flying[position].known.setdefault("detail", seedless[position])
            yield position, asked_for(wanted)

    def asked_for(wanted: Wanted) -> Wanted:
        return {name: task for name, task in wanted.items() if only is None or name in only}

    def then(position: int, results: Results) -> Wanted:
        return asked_for(_next(flying[position], results, measure))

    def finish(position: int, results: Results) -> None:
        run = flying.pop(position)
        digests = {"measure_digest": made_with, "problem_digest": run.dataset.digest}
        row = columns(run.known, results) | digests
        rows[position] = [row.get(name) for name in MEASURED]
        step(_failed(row, results))

    store.work(planned(), finish, then)
    return assessments(runs, rows)


def _failed(row: dict[str, Any], results: Results) -> str:
    """Name what a run failed in, for the progress line; empty where nothing did."""
    if row["parse_status"] != "ok":
        return row["parse_status"]
    bad = (f"{name}: {found['status']}" for name, found in results.items())
    return next((text for text in bad if not text.endswith(": ok")), "")


@dataclass
class _Run:
    """A run that is being worked on: what is known of it, and its model where there is one to work on."""

    dataset: Dataset
    known: dict[str, Any]
    data_seed: int | None = None
    model: Expression | None = None


def _seeds(
    runs: pd.DataFrame, found: dict[str, Dataset]
) -> tuple[list[int | None], dict[int, str]]:
    """Find the seed of each run's data, and a sentence for those where there is none."""
    seeds: list[int | None] = []
    missing: dict[int, str] = {}
    for position, row in rows_of(runs):
        try:
            seeds.append(found[row["dataset"]].seed(row))
        except InputError as error:
            seeds.append(None)
            missing[position] = f"{NO_DATA}: {error}"
    return seeds, missing


def _plan(
    row: dict[str, Any], dataset: Dataset, reading: Reading, measure: Measure, folder: Path | None
) -> tuple[_Run, Wanted]:
    """Parse one run's model; say what is known at once and what is to be worked on first."""
    known: dict[str, Any] = {"simplify_status": "skipped", "r2_source": "none"}
    known |= {f"names_{key}": value for key, value in reading._asdict().items()}
    known["names_read"] = known.pop("names_names")
    problem = dataset.problem
    text = row["model"] if isinstance(row["model"], str) else ""
    try:
        model = parse(text, problem.features if problem is not None else None, names=reading.names)
    except ModelTextError as error:
        return _Run(dataset, known | {"parse_status": error.kind, "detail": str(error)}), {}
    known |= {"parse_status": "ok", "model_id": model.model_id, "complexity_raw": count_text(model)}
    known |= {"shown_model": to_text(model), "shown_form": "written"}
    if problem is None or row["status"] != "ok":
        return _Run(dataset, known), {}
    wanted: Wanted = {}
    if measure.complexity == "text":
        known["complexity"] = known["complexity_raw"]
    if measure.complexity == "sympy":
        calls = {"apply_calls": measure.apply_calls, "work": measure.simplify_work}
        wanted["count"] = Task("count", model, calls), calls
    if problem.data is not None:
        known["r2_source"] = "recomputed"
        wanted |= dataset.on_data(row, model, folder, sweep=measure.dust == "dropped")
        if measure.judged == "predictions" and "match" in wanted:
            known["r2_source"] = STORED
    else:
        known |= {name: row.get(name) for name in ("r2_train", "r2_test")}
        known["r2_source"] = "none" if pd.isna(row.get("r2_test")) else "reported"
    if _comparable(problem, measure):
        wanted["compare"] = _comparison(model, dataset, measure)
    elif problem.truth is not None:
        known |= {"solution_kind": "unknown", "solution_evidence": as_json({"reason": NO_VALUES})}
        known["detail"] = NO_VALUES
    return _Run(dataset, known, row["data_seed"], model), wanted


def _next(run: _Run, results: Results, measure: Measure) -> Wanted:
    """Say what is to be worked on after these results: simplifying, then what needs the simplified model."""
    problem = run.dataset.problem
    if run.model is None or problem is None or "show" in results:
        return {}
    rest = run.model
    if "rest" in (found := _value(results, "r2")):
        rest = parse(found["rest"], problem.features)
    again = {
        "ratio": measure.simplify_ratio,
        "apply_calls": measure.apply_calls,
        "work": measure.simplify_work,
    }
    operation = "canonical" if measure.complexity == "canonical" else "simplify"
    if operation not in results:
        rounding = {"decimals": measure.decimals, "zero_below": measure.zero_below}
        settings: dict[str, Any] = again | rounding | {"round_constants": measure.round_constants}
        if operation == "canonical":
            settings = {"rewrites": REWRITES}
            if measure.round_constants == "after":
                settings |= rounding
        # here, so that models which differ in lost digits are one task
        if measure.round_constants == "before":
            rest = round_constants(rest, measure.decimals, measure.zero_below)
            if operation == "simplify":
                settings["round_constants"] = "never"
        return {operation: (Task(operation, rest, settings), settings)}
    if operation == "canonical":
        again = {"rewrites": REWRITES}
    simplified = _value(results, operation).get("text")
    if simplified is not None and measure.literal and operation == "simplify":
        run.known.setdefault("complexity", count_text(parse(simplified, problem.features)))
    settings = again | {"simplified": simplified, "domain": run.dataset.domain}
    data = {"problem": problem, "data_seed": run.data_seed}
    content = dict[str, Any]()
    if problem.data is not None:
        content = {"data": run.dataset.sha256(run.data_seed)}
    wanted: Wanted = {"show": (Task("show", rest, settings | data), settings | content)}
    if simplified is not None and _comparable(problem, measure):
        with suppress(ModelTextError):  # what overflows simplifies to `inf`
            model = parse(simplified, problem.features)
            wanted["both"] = _comparison(model, run.dataset, measure)
    return wanted


def _value(results: Results, operation: str) -> dict[str, Any]:
    result = results.get(operation, {})
    if result.get("status") == "ok":
        return result["value"]
    return {}


def _comparable(problem: Problem, measure: Measure) -> bool:
    """Whether there is a truth that these rules can compare with: a form has no values unless they are free."""
    if problem.constants:
        return measure.solution_constants == "free"
    return problem.truth is not None


def _comparison(
    model: Expression, dataset: Dataset, measure: Measure
) -> tuple[Task, dict[str, Any]]:
    problem = dataset.problem
    assert problem is not None
    arguments = {
        "truth": problem.truth,
        "features": problem.features,
        "domain": dataset.domain,
    }
    if (constants := measure.solution_constants) != DECIMALS:
        arguments["constants"] = constants
    if constants == "free":
        arguments["free"] = problem.constants
    return Task("compare", model, arguments), arguments
