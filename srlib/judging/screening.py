"""Which runs can be judged, and a ledger line for each that cannot, or only with a reservation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib import limits
from srlib.assessing.run import OTHER_DATA, UNSTATED, data_seed, find_other_data
from srlib.errors import InputError
from srlib.judging.reasons import (
    Check,
    ambiguous_lines,
    find_failures,
    find_reservations,
    left_out_lines,
    with_optional,
)
from srlib.ledger import lines_of
from srlib.problems import Problem, Problems
from srlib.prose import listed
from srlib.rules import Judge

MOST_NAMED = 5  # datasets in one message


@dataclass(frozen=True)
class Screened:
    """Assessments sorted into what is judged and what is not.

    Parameters
    ----------
    usable : pandas.DataFrame
        Rows with a finite R2 on known datasets of the rules' tracks, references included.
    methods, datasets : tuple of str
        What is ranked, and on which datasets (scored ones first, then references), both sorted.
    scored : frozenset of str
        The datasets that enter the score.
    problems : dict of str to Problem
        The problem of each dataset.
    used : int
        Rows whose values enter a score.
    ledger : list of dict
        Lines at the level of runs.
    attempts : pandas.DataFrame
        `method`, `dataset` and `repetition` of all runs, usable or not; a row on data that do not exist is none.
    barred : frozenset of str
        Methods that did not qualify; their runs are excluded.
    idle : tuple of str
        Methods without a usable run on a scored dataset, while others have some: nothing hangs on how many they are.
    """

    usable: pd.DataFrame
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    scored: frozenset[str]
    problems: dict[str, Problem]
    used: int
    ledger: list[dict[str, Any]]
    attempts: pd.DataFrame
    barred: frozenset[str]
    idle: tuple[str, ...] = ()

    @cached_property
    def attempted(self) -> NDArray[np.int_]:
        """Runs that were made, usable or not, datasets x methods."""
        return self._count_runs(self.attempts)

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """Usable runs, datasets x methods."""
        return self._count_runs(self.usable)

    def _count_runs(self, runs: pd.DataFrame) -> NDArray[np.int_]:
        dataset, method = self._positions_of(runs)
        judged = (dataset >= 0) & (method >= 0)
        counts = np.zeros((len(self.datasets), len(self.methods)), dtype=int)
        np.add.at(counts, (dataset[judged], method[judged]), 1)
        return counts

    @cached_property
    def places(self) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
        """Positions of each usable row's dataset and method; -1 for those that take no part."""
        return self._positions_of(self.usable)

    def _positions_of(self, runs: pd.DataFrame) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
        return positions(runs["dataset"], self.datasets), positions(runs["method"], self.methods)


def screen(
    assessments: pd.DataFrame,
    problems: Problems,
    judge: Judge,
    barred: frozenset[str] = frozenset(),
) -> Screened:
    """Decide for every row whether it is judged; the runs of methods that are `barred` did not qualify.

    Only the organizer decides what counts: datasets that the problems do not list and repetitions that nobody expects
    are excluded, whoever sends them.

    Raises
    ------
    InputError
        When no row is on a dataset that the rules score, or there are too many methods and datasets.
    """
    listed_problems, on_track, scored = tracked(assessments["dataset"].unique(), problems, judge)
    table, ledger = with_optional(assessments), list[dict[str, Any]]()
    datasets, methods = table["dataset"], table["method"]
    unknown = [name for name, problem in listed_problems.items() if problem is None]
    left = np.ones(len(table), dtype=bool)
    about = {
        "problems": problems.name,
        "tracks": ", ".join(judge.tracks),
        "expected": str(judge.repetitions),
    }

    def exclude(*checks: Check) -> None:
        """Exclude rows; the first reason counts."""
        nonlocal left
        for mask, code, stage, detail in checks:
            rows = left & np.asarray(mask, dtype=bool)
            ledger.extend(lines_of(table[rows], code, "excluded", stage, detail, about))
            left &= ~rows

    invalid = table["status"] == "invalid"
    stranger = "dataset {dataset} is not in problems {problems}"
    elsewhere = "dataset {dataset} is not of track {tracks}"
    exclude(
        (invalid, "invalid_value", "read", "the row cannot be used: {reason}"),
        (datasets.isin(unknown), "unknown_dataset", "judge", stranger),
        (~datasets.isin(on_track), "other_track", "judge", elsewhere),
        (methods.isin(barred), "not_qualified", "judge", "{method} did not qualify"),
    )
    ledger += left_out_lines(table[left])
    extra = find_extra_runs(table, problems, judge)
    unexpected = "repetition {repetition} is not expected: the seeds of the problem count, or, where it states none, "
    unexpected += "the repetitions 1 to {expected} of the rules"
    exclude(*find_failures(table), (extra, "extra_runs", "judge", unexpected))
    usable = left.copy()
    reference = "dataset {dataset} takes no part in the score; it may serve as a reference"
    exclude((~datasets.isin(scored), "not_scored", "judge", reference))
    ignored = table[left & find_other_data(table, problems).to_numpy()]
    ledger += lines_of(ignored, "other_data", "noted", "read", OTHER_DATA)
    for mask, code, action, detail in find_reservations(table):
        rows = table[left & np.asarray(mask, dtype=bool)]
        ledger += lines_of(rows, code, action, "assess", detail, about)
    ledger += ambiguous_lines(table[left])

    entered = set(methods[datasets.isin(scored) & ~methods.isin(barred)])
    ran = set(methods[left]) or entered
    references = {on_track[name].noise_reference or "" for name in scored} & set(on_track)
    scored = frozenset(datasets[datasets.isin(scored) & methods.isin(ran)])
    order = (*sorted(scored), *sorted(references - scored))
    _check_size(len(ran), len(order))
    made = ~invalid & (table["data_status"] != UNSTATED).fillna(True) & ~extra
    return Screened(
        usable=assessments[usable],
        methods=tuple(sorted(ran)),
        datasets=order,
        scored=scored,
        problems={name: on_track[name] for name in order},
        used=int(left.sum()),
        ledger=ledger,
        attempts=assessments.loc[made, ["method", "dataset", "repetition"]],
        barred=barred & set(methods),
        idle=tuple(sorted(entered - ran)),
    )


def tracked(
    datasets: Iterable[str], problems: Problems, judge: Judge
) -> tuple[dict[str, Problem | None], dict[str, Problem], frozenset[str]]:
    """Find the problems of datasets, those of the rules' tracks, and the names of those that are scored.

    Raises
    ------
    InputError
        When none is scored.
    """
    by_name = {name: problems.find(name) for name in sorted(datasets)}
    on_track = {name: p for name, p in by_name.items() if p is not None and p.track in judge.tracks}
    scored = frozenset(name for name, problem in on_track.items() if problem.scored)
    if not scored:
        raise InputError(
            f"no run is on a dataset that these rules score: tracks {', '.join(judge.tracks)} of problems "
            f"{problems.name}; the runs are on {listed(list(by_name), MOST_NAMED)}, "
            f"the problems are {listed([problem.dataset for problem in problems.problems], MOST_NAMED)}"
        )
    return by_name, on_track, scored


def _check_size(methods: int, datasets: int) -> None:
    if methods > limits.METHODS or methods * datasets > limits.CELLS_RANKED:
        raise InputError(
            f"at most {limits.METHODS} methods, and {limits.CELLS_RANKED} of methods times datasets, were expected, "
            f"got {methods} methods on {datasets} datasets"
        )


def positions(column: pd.Series, names: Sequence[str]) -> NDArray[np.int_]:
    """Position of every value of a column in a list of names; -1 where it is not among them."""
    return pd.Index(list(names)).get_indexer(pd.Index(column))


def find_extra_runs(runs: pd.DataFrame, problems: Problems, judge: Judge) -> NDArray[np.bool_]:
    """Rows whose repetition nobody expects.

    Where a problem states data_seeds, each of them is one repetition, named by its number from 1 or by the seed itself
    (`data_seed` says which); a second one on the same data is too many. Elsewhere the repetitions 1 to N of the rules
    are expected, or 0 to N - 1 of a method that counts from 0. A folder in PMLB's layout states no competition: there
    every repetition counts.

    Parameters
    ----------
    runs : pandas.DataFrame
        Columns `method`, `dataset`, `repetition` and `status`.

    Returns
    -------
    array of bool, one a row
    """
    extra = np.zeros(len(runs), dtype=bool)
    if problems.path.is_dir():
        return extra
    repetition = runs["repetition"].to_numpy()
    first = runs["repetition"].where(runs["status"] != "invalid").groupby(runs["method"]).min()
    number = repetition + runs["method"].map(first == 0).to_numpy(dtype=int)
    for dataset, rows in runs.groupby("dataset", sort=False).indices.items():
        problem = problems.find(str(dataset))
        seeds = problem.data_seeds if problem is not None else ()
        expected = np.isin(number[rows], range(1, judge.repetitions + 1))
        if problem is not None and seeds:
            expected = np.isin(repetition[rows], (*seeds, *range(1, len(seeds) + 1)))
            data = [data_seed(int(r), problem) for r in repetition[rows]]
            methods = runs["method"].to_numpy()[rows]
            of_one_run = pd.DataFrame({"method": methods, "data": data, "expected": expected})
            expected &= ~of_one_run.duplicated().to_numpy()
        extra[rows] = ~expected
    return extra
