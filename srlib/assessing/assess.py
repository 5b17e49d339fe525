"""Runs to assessments: each question about a model is asked once, in bounded processes, and its answer is stored.

    runs -> read_names, data seeds -> start_run: parsed, with what is known at once
    block of runs: data -> size -> shown text -> solution; each stage asks its distinct questions (`Asker.ask`)
    rows -> the assessments table

A stage needs the answers of the stage before: simplifying starts from the model without dust, and models that are equal
after rounding are simplified once.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.measure import PRELOAD, Question, measure_model
from srlib.assessing.names import read_names
from srlib.assessing.run import (
    PARTS,
    Dataset,
    Run,
    add_answer,
    find_seeds,
    question_of,
    rows_of,
    start_run,
)
from srlib.cache import Cache, default_cache
from srlib.problems import Problems
from srlib.progress import progress
from srlib.rules import Measure
from srlib.tables import ASSESSMENTS, DIGESTS, DTYPES, MEASURED, REPORTED, set_aside
from srlib.workers import Outcome, bounded_map, dask_map

BLOCK = 20_000  # runs that are in memory with all that is measured of them
PATIENCE = 10.0  # wall-clock limit in CPU limits, for processes that wait or starve
OBJECTS_A_SECOND = 2_000  # of sympy; a tenth of what a slow machine makes

Answer = dict[str, Any]  # status, value and detail of an `Outcome`


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
    companions: pd.DataFrame | None = None,
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
        Where answers are stored; the user's by default.
    timeout : float
        CPU seconds that one question about one model may take; what rules limit in work takes longer.
    jobs : int, optional
        Processes at a time; all usable cores by default.
    folder : Path, optional
        Where relative paths of predictions start; without it they are not compared.
    scheduler : str, optional
        Address of a Dask scheduler, as in tcp://host:8786, that does the work instead of this machine.
    only : frozenset of str, optional
        The parts to measure where rules need no others. Such rows are no full assessments: their `measure_digest`
        names the parts, too, so that none is taken for one later.
    companions : pandas.DataFrame, optional
        Other runs of the same competition, not measured here; their texts may show how a method counts features.

    Returns
    -------
    pandas.DataFrame
        Assessments contract, one row a run, in the order of the runs.

    Raises
    ------
    InputError
        When a truth does not parse or data are missing.
    InterruptedResultsError
        When something outside killed processes; all that was measured is stored.
    """
    runs = runs_of(runs).reset_index(drop=True)
    datasets = {name: Dataset(problems.find(name), measure) for name in runs["dataset"].unique()}
    # what is wrong with the tables is said before any work
    seeds, faults = find_seeds(runs, datasets)
    names = read_names(runs, problems, companions)
    # dataset by dataset, so that data are made once and not again for every method
    order = pd.DataFrame({"dataset": runs["dataset"], "seed": pd.array(seeds, dtype="Int64")})
    places = order.sort_values(["dataset", "seed"], kind="stable").index
    asker = Asker(default_cache() if cache is None else cache, timeout, jobs, scheduler, measure)
    made_with = measure.digest
    if only is not None:
        made_with = f"{measure.digest} {' '.join(sorted(only))} only"
    rows: list[list[Any]] = [[]] * len(runs)
    try:
        for start in range(0, len(runs), BLOCK):
            block: dict[int, Run] = {}
            for place, row in rows_of(runs.loc[places[start : start + BLOCK]]):
                row |= {"data_seed": seeds[place], **names[place]._asdict()}
                dataset = datasets[row["dataset"]]
                block[place] = start_run(row, faults.get(place), dataset, measure, folder)
            for part in PARTS:
                if only is None or part in only:
                    measure_part(part, [*block.values()], measure, asker)
            for place, run in block.items():
                columns = run.finish() | {"measure_digest": made_with}
                rows[place] = [columns.get(name) for name in MEASURED]
    finally:
        asker.cache.close()
    return assessments_table(runs, rows)


class Asker:
    """Answers questions: from the cache, or by measuring, each of them once.

    Parameters
    ----------
    cache : Cache
        A stored timeout is asked again when the limit is larger than it was.
    timeout, jobs, scheduler, measure
        See `assess`.
    """

    def __init__(
        self,
        cache: Cache,
        timeout: float,
        jobs: int | None,
        scheduler: str | None,
        measure: Measure,
    ) -> None:
        self.cache, self.timeout, self.work = cache, timeout, measure.simplify_work
        self.pool: dict[str, Any] = {"scheduler": scheduler} if scheduler else {"jobs": jobs}

    def ask(self, questions: dict[int, Question]) -> Iterator[tuple[int, Answer]]:
        """Yield the answer to each question by its place; questions are all about the same part.

        Raises
        ------
        InterruptedResultsError
            In the end, when something outside killed processes.
        """
        if not questions:
            return
        part = next(iter(questions.values())).part
        limit = self.timeout
        if part in (
            "size",
            "count",
            "shown",
        ):  # their work is limited; time is for a broken machine
            limit = max(limit, self.work / OBJECTS_A_SECOND)
        places: dict[str, list[int]] = {}
        for place, question in questions.items():
            places.setdefault(question.name, []).append(place)
        waiting = []
        for equal in places.values():
            answer = self.cache.get(questions[equal[0]].key)
            if answer is None or answer.get("limit", limit) < limit:
                waiting.append(questions[equal[0]])
            else:
                yield from ((place, answer) for place in equal)
        limits = {"timeout": PATIENCE * limit, "cpu_seconds": limit, "preload": PRELOAD}
        mapping: Callable[..., Any] = dask_map if "scheduler" in self.pool else bounded_map
        outcomes = mapping(measure_model, waiting, **limits, **self.pool)
        label = f"models measured ({part.replace('_', ' ')})"
        for index, outcome in progress(outcomes, len(waiting), label):
            answer = self.store(waiting[index], outcome, limit)
            yield from ((place, answer) for place in places[waiting[index].name])

    def store(self, question: Question, outcome: Outcome, limit: float) -> Answer:
        """Store an outcome that is the same on any machine, or that a larger limit may change."""
        answer = {"status": outcome.status, "value": outcome.value, "detail": outcome.detail}
        if outcome.status in ("timeout", "memory"):
            answer["limit"] = limit
        if outcome.status != "crashed" and not outcome.by_clock:
            self.cache.put(question.key, answer)
        return answer


def measure_part(part: str, runs: list[Run], measure: Measure, asker: Asker) -> None:
    """Ask the question about one part of every run and add the answers."""
    questions = {
        place: question
        for place, run in enumerate(runs)
        if run.model is not None and (question := question_of(part, run, measure)) is not None
    }
    for place, answer in asker.ask(questions):
        add_answer(part, runs[place], answer, measure)


def runs_of(table: pd.DataFrame) -> pd.DataFrame:
    """Take assessments back to runs: `*_reported` columns get their names back; runs come back unchanged."""
    if not set(DIGESTS) <= set(table.columns):
        return table
    runs = table.drop(columns=[name for name in MEASURED if name in table])
    return runs.rename(columns={f"{name}_reported": name for name in REPORTED})


def assessments_table(runs: pd.DataFrame, rows: list[list[Any]]) -> pd.DataFrame:
    """Put what was measured beside the runs, in the contract's columns.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0.
    rows : list of list
        Of each run the values of `MEASURED`.
    """
    measured = pd.DataFrame(rows, index=runs.index, columns=list(MEASURED))
    measured = measured.astype({name: DTYPES[ASSESSMENTS.columns[name]] for name in MEASURED})
    reported = {name: f"{name}_reported" for name in REPORTED}
    base = set_aside(runs, [*reported.values()]).rename(columns=reported)
    for name in reported.values():
        measured[name] = base.get(name)
    own = set_aside(base.drop(columns=base.columns.intersection([*reported.values()])), MEASURED)
    result = pd.concat([own, measured], axis=1)
    return result.astype(
        {name: DTYPES[kind] for name, kind in ASSESSMENTS.columns.items() if name in result}
    )
