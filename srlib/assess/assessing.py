"""Assess every run: parse in the parent, everything that can blow up as a bounded, cached task."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assess.outcomes import columns
from srlib.assess.store import Store
from srlib.assess.table import assembled, runs_of
from srlib.assess.tasks import Task
from srlib.cache import Cache
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, count_text, parse, positional_base
from srlib.expressions.simplify import round_constants
from srlib.files import sha256
from srlib.problems import Problem, Problems, domain_of, partitions
from srlib.rules import Measure


@dataclass
class _Plan:
    """One run on its way: what is known of it already, and the names of the tasks that tell the rest."""

    known: dict[str, Any]
    tasks: dict[str, str] = field(default_factory=dict)


def assess(
    runs: pd.DataFrame,
    problems: Problems,
    measure: Measure,
    *,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
    folder: Path | None = None,
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
        Seconds that one operation on one model may take.
    jobs : int, optional
        Worker processes; all usable cores by default.
    folder : Path, optional
        Where relative paths of predictions start; without it they are not compared.

    Returns
    -------
    pandas.DataFrame
        Assessments contract, one row a run, in the order given.

    Raises
    ------
    InputError
        When a truth does not parse, data are missing, or a run names a data seed that its problem lacks.
    """
    runs = runs_of(runs).reset_index(drop=True)
    found = {name: problems.find(name) for name in runs["dataset"].unique()}
    names = _notation(runs, found)
    store = Store(cache, timeout, jobs)
    records: list[dict[str, Any]] = [dict(row) for row in runs.to_dict("records")]  # type: ignore[arg-type]
    plans = [
        _plan(row, found[row["dataset"]], names[position], measure, store, folder)
        for position, row in enumerate(records)
    ]
    store.work()
    digests = {name: problem.digest for name, problem in found.items() if problem is not None}
    rows = [
        columns(plan.known, {name: store.result(task) for name, task in plan.tasks.items()})
        | {"measure_digest": measure.digest, "problem_digest": digests.get(row["dataset"])}
        for plan, row in zip(plans, records, strict=True)
    ]
    return assembled(runs, rows)


def _notation(runs: pd.DataFrame, found: dict[str, Problem | None]) -> list[str]:
    """How each run's text names its features: as the table says, else by all texts of its method.

    One data set on which a method counts from 0 tells for all of its data sets, else one on which it counts
    from 1.
    """
    given = runs["names"] if "names" in runs else pd.Series([None] * len(runs))
    result = given.where(given.isin(["features", "x0", "x1"]), None).tolist()
    for _, group in runs[given.isna()].groupby("method"):
        bases = set()
        for dataset, texts in group.groupby("dataset")["model"]:
            problem = found[str(dataset)]
            if problem is not None and problem.features:
                bases.add(positional_base(texts.dropna(), problem.features))
        base = next((base for base in ("x0", "x1") if base in bases), "auto")
        for position in group.index:
            result[position] = base
    return [name or "auto" for name in result]


def _plan(
    row: dict[str, Any], problem: Problem | None, names: str, measure: Measure, store: Store, folder: Path | None
) -> _Plan:
    known: dict[str, Any] = {"simplify_status": "skipped", "r2_source": "none"}
    plan = _Plan(known)
    features = problem.features if problem is not None else None
    text = row["model"] if isinstance(row["model"], str) else ""
    try:
        model = parse(text, features, names=names)
    except ModelTextError as error:
        known |= {"parse_status": error.kind, "detail": str(error)}
        return plan
    known |= {"parse_status": "ok", "model_id": model.model_id, "complexity_raw": count_text(model)}
    if problem is None or row["status"] != "ok":
        return plan
    if measure.complexity == "text":
        known["complexity"] = known["complexity_raw"]
    if measure.complexity == "sympy":
        plan.tasks["count"] = store.add(Task("count", model, {}), {})
    settings = {
        "decimals": measure.decimals,
        "round_constants": measure.round_constants,
        "zero_below": measure.zero_below,
        "ratio": measure.simplify_ratio,
        "apply_calls": measure.apply_calls,
    }
    rounded = model
    if measure.round_constants == "before":  # here, so that models which differ in lost digits are one task
        rounded = round_constants(model, measure.decimals, measure.zero_below)
        settings["round_constants"] = "never"
    plan.tasks["simplify"] = store.add(Task("simplify", rounded, settings), settings)
    seed = data_seed(row, problem) if problem.data is not None else None
    _plan_data(plan, row, model, problem, seed, store, folder)
    if problem.truth is not None:
        domain = {name: list(bounds) for name, bounds in domain_of(problem).items()}
        arguments = {
            "truth": problem.truth,
            "features": features,
            "domain": domain,
            "decimals": measure.solution_decimals,
        }
        _check_truth(problem)
        plan.tasks["compare"] = store.add(Task("compare", model, arguments), arguments)
    return plan


def _plan_data(
    plan: _Plan,
    row: dict[str, Any],
    model: Expression,
    problem: Problem,
    seed: int | None,
    store: Store,
    folder: Path | None,
) -> None:
    data = partitions(problem, seed) if problem.data is not None else None
    if data is None:
        for name in ("r2_train", "r2_test"):
            plan.known[name] = row.get(name)
        plan.known["r2_source"] = "none" if pd.isna(row.get("r2_test")) else "reported"
        return
    plan.known["r2_source"] = "recomputed"
    arguments = {"problem": problem, "data_seed": seed}
    plan.tasks["r2"] = store.add(Task("r2", model, arguments), {"data": data.sha256})
    predictions = row.get("predictions")
    if folder is not None and isinstance(predictions, str) and (folder / predictions).is_file():
        path = folder / predictions
        content = {"data": data.sha256, "predictions": sha256(path)}
        plan.tasks["match"] = store.add(Task("match", model, arguments | {"path": str(path)}), content)


def data_seed(row: dict[str, Any], problem: Problem) -> int:
    """Seed of the data that a run was made on: data_seed, else seed, else its repetition where that is one.

    Raises
    ------
    InputError
        When none of them is a data seed of the problem.
    """
    seeds = problem.data_seeds
    for name in ("data_seed", "seed", "repetition"):
        value = row.get(name)
        if not pd.isna(value) and (not seeds or int(value) in seeds):
            return int(value)
        if not pd.isna(value) and name == "data_seed":
            break
    if seeds and len(seeds) == 1 and pd.isna(row.get("data_seed")):
        return seeds[0]
    allowed = ", ".join(map(str, seeds or ()))
    raise InputError(
        f"{row.get('file', 'runs')} row {row.get('row', '?')} "
        f"(method {row['method']}, dataset {row['dataset']}): "
        f"data_seed must be one of {allowed}, got {row.get('data_seed')}"
    )


def _check_truth(problem: Problem) -> None:
    try:
        parse(problem.truth or "", problem.features)
    except ModelTextError as error:
        raise InputError(f"problem {problem.dataset}: the truth cannot be read: {error}") from error
