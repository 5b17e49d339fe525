"""Screening of runs: selects those that are judged; writes ledger lines for excluded, replaced and noted values."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib import limits
from srlib.assessing.cases import CHANGED, UNSTATED
from srlib.assessing.failures import ASSESS_AGAIN, OPTIONAL_COLUMNS, RUN_ENDED, find_failures
from srlib.errors import require
from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import LEFT_OUT_PREFIX, Action, Code, Level, Stage, lines_of
from srlib.metrics import source_of
from srlib.problems import Problem, Problems
from srlib.problems.repetitions import EXTRA_RUN, OTHER_DATA, find_extra_runs, find_other_data
from srlib.prose import listed
from srlib.rules import JudgeRules
from srlib.tables import KEY

Lines = list[dict[str, Any]]  # of the ledger
MOST_NAMED = 5  # datasets in one message
# Ledger code and detail by the status of a simplification (`srlib.workers.Outcome`); names in braces are columns of the
# assessments, as in all details.
SIMPLIFY_FAILED = "simplification failed ({detail}); the raw count {complexity_raw} is used instead"
NOT_SIMPLIFIED: dict[str, tuple[Code, str]] = {
    "work": (
        "work_limit",
        "simplifying takes more work than the rules allow ({detail}); the count of the text, {complexity}, stands",
    ),
    CHANGED: ("not_simplified", "{detail}; the count of the text, {complexity}, stands, unrounded"),
    **dict.fromkeys(
        ("timeout", "memory"),
        (
            "machine_limit",
            "a limit of the machine ended simplifying or counting ({detail}); the raw count {complexity_raw} is used "
            "instead: assess the run again with more time or memory, as this count can change a place",
        ),
    ),
    "crashed": ("crashed", SIMPLIFY_FAILED),
    "error": ("not_simplified", SIMPLIFY_FAILED),
}


@dataclass(frozen=True)
class Screened:
    """Result of screening: the runs that are judged, their methods and datasets, and the ledger of the others.

    Parameters
    ----------
    usable : pandas.DataFrame
        Rows with a finite R2 on `datasets`.
    methods, datasets : tuple of str
        The ranked methods, sorted, and the datasets: scored ones, then references, each sorted.
    scored : frozenset of str
        The datasets that enter the score.
    problems : dict of str to Problem
        The problem of each dataset.
    n_scored : int
        Number of runs that enter a score.
    ledger : list of dict
        Ledger lines, from `srlib.ledger.lines_of`.
    attempts : pandas.DataFrame
        `method`, `dataset` and `repetition` of all runs, and whether each `is_usable`, without extra runs and those on
        unknown data.
    expected : dict of str to int
        Number of runs that each method is expected to have on each dataset (`Problem.expected_runs`).
    barred : frozenset of str
        Methods that did not qualify; their runs are excluded.
    idle : tuple of str
        Methods that sent runs on scored datasets, but no usable one, while others did; they change no score.
    """

    usable: pd.DataFrame
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    scored: frozenset[str]
    problems: dict[str, Problem]
    n_scored: int
    ledger: Lines
    attempts: pd.DataFrame
    expected: dict[str, int]
    barred: frozenset[str]
    idle: tuple[str, ...] = ()

    def is_judged(self, runs: pd.DataFrame) -> NDArray[np.bool_]:
        """Return a mask of the runs in judged cells."""
        return (runs["dataset"].isin(self.datasets) & runs["method"].isin(self.methods)).to_numpy()

    def count(self, runs: pd.DataFrame) -> NDArray[np.int_]:
        """Return the number of `runs` in each cell, as an array of datasets x methods."""
        counts = pd.crosstab(runs["dataset"], runs["method"])
        counts = counts.reindex(index=self.datasets, columns=self.methods, fill_value=0)
        return counts.to_numpy(int)

    def table_of(self, columns: dict[str, Any], mask: Any = True) -> pd.DataFrame:
        """Return a table of the masked cells, sorted by its key, from arrays of ((aspects x) datasets x methods)."""
        methods, datasets = np.array(self.methods), np.array(self.datasets)
        columns = {"method": methods, "dataset": datasets[:, None]} | columns
        mask, *arrays = np.broadcast_arrays(mask, *columns.values())
        cells = {name: array[mask] for name, array in zip(columns, arrays, strict=True)}
        return pd.DataFrame(cells).sort_values(list(columns)[:3], ignore_index=True)


class Reason(NamedTuple):
    """A reason for lines of the ledger.

    Parameters
    ----------
    mask : array or series of bool
        Rows of a table that the reason concerns; NA counts as False.
    code, action, detail
        As in `srlib.ledger.lines_of`.
    stage : str
        Stage at which the reason was found.
    """

    mask: Any
    code: Code
    action: Action
    detail: str
    stage: Stage = "judge"

    def lines(self, rows: pd.DataFrame, level: Level = "run") -> Lines:
        """Return a ledger line for each of these rows, which the mask selects."""
        return lines_of(rows, self.code, self.action, self.stage, self.detail, level)


def screen(
    assessments: pd.DataFrame,
    problems: Problems,
    judge_rules: JudgeRules,
    barred: frozenset[str] = frozenset(),
) -> Screened:
    """Return the runs to judge, and the ledger of the others; runs of `barred` methods did not qualify.

    Datasets that the problems do not list and repetitions that are not expected are excluded: the organizer, not the
    team that sends runs, decides what counts.

    Raises
    ------
    InputError
        When no row is on a dataset that the rules score, nobody qualified, or there are too many methods and datasets.
    """
    datasets, methods = assessments["dataset"], assessments["method"]
    on_track, entered_datasets = select_problems(datasets.unique(), problems, judge_rules)
    table = assessments.reindex(columns=assessments.columns.union(OPTIONAL_COLUMNS, sort=False))
    is_entered, is_barred = datasets.isin(entered_datasets), methods.isin(barred)
    is_extra = find_extra_runs(table, problems, judge_rules.repetitions)
    track = f"dataset {{dataset}} is not of track {', '.join(judge_rules.tracks)}"
    unknown = f"dataset {{dataset}} is not in problems {problems.name}"
    reference = "dataset {dataset} takes no part in the score; it may serve as a reference"
    extra = f"{EXTRA_RUN}, or, where it states none, the repetitions 1 to {judge_rules.repetitions} of the rules"
    is_unknown = datasets.isin([name for name in datasets.unique() if not problems.find(name)])
    is_invalid = table["status"] == "invalid"
    # the first reason that excludes a row counts
    reasons = [
        Reason(is_invalid, "invalid_value", "excluded", "the row cannot be used: {reason}", "read"),
        Reason(is_unknown, "unknown_dataset", "excluded", unknown),
        Reason(~datasets.isin(on_track), "other_track", "excluded", track),
        Reason(is_barred, "not_qualified", "excluded", "{method} did not qualify"),
        *_run_reasons(table),
        Reason(is_extra, "extra_runs", "excluded", extra),
        Reason(~is_entered, "not_scored", "excluded", reference),
        Reason(find_other_data(table, problems), "other_data", "noted", OTHER_DATA, "read"),
        *_model_reasons(table),
    ]
    ledger, is_open, usable = _apply_reasons(table, reasons)
    entered_methods = {*methods[is_entered & ~is_barred].unique()}
    ranked_methods = {*methods[is_open].unique()} or entered_methods
    require(
        bool(ranked_methods),
        f"nobody qualified who has runs on a dataset that is scored; {listed(sorted(barred), MOST_NAMED)} did not",
    )
    references = {on_track[name].noise_reference or "" for name in entered_datasets} & {*on_track}
    scored_datasets = {*datasets[is_entered & methods.isin(ranked_methods)].unique()}
    judged_datasets = (*sorted(scored_datasets), *sorted(references - scored_datasets))
    _check_size(len(ranked_methods), len(judged_datasets))
    is_attempt = ~is_invalid & ~is_extra & (table["data_status"] != UNSTATED).fillna(True)
    judged_problems = {name: on_track[name] for name in judged_datasets}
    return Screened(
        usable=assessments[usable & datasets.isin(judged_datasets).to_numpy()],
        methods=tuple(sorted(ranked_methods)),
        datasets=judged_datasets,
        scored=frozenset(scored_datasets),
        problems=judged_problems,
        n_scored=int(is_open.sum()),
        ledger=ledger,
        attempts=assessments[list(KEY)].assign(is_usable=usable)[is_attempt],
        expected={
            name: problem.expected_runs(judge_rules.repetitions)
            for name, problem in judged_problems.items()
        },
        barred=barred & {*methods.unique()},
        idle=tuple(sorted(entered_methods - ranked_methods)),
    )


def _check_size(n_methods: int, n_datasets: int) -> None:
    """Raise InputError if there are too many methods, or too many of methods times datasets."""
    require(
        n_methods <= limits.METHODS and n_methods * n_datasets <= limits.CELLS_RANKED,
        f"at most {limits.METHODS} methods, and {limits.CELLS_RANKED} of methods times datasets, were expected, "
        f"got {n_methods} methods on {n_datasets} datasets",
    )


def _apply_reasons(
    table: pd.DataFrame, reasons: list[Reason]
) -> tuple[Lines, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the ledger lines of all reasons, and masks of the rows that are scored and of those that are usable."""
    ledger, is_open, usable = Lines(), *np.ones((2, len(table)), dtype=bool)
    for reason in reasons:
        rows = is_open & pd.Series(reason.mask).fillna(False).to_numpy(dtype=bool)
        if rows.any():  # of forty reasons few concern a row
            ledger += reason.lines(table[rows])
        if reason.action == "excluded":
            is_open = is_open & ~rows
            if reason.code != "not_scored":  # runs on a reference are not scored, but usable
                usable = usable & ~rows
    return ledger + _ambiguous_lines(table[is_open]), is_open, usable


def _run_reasons(table: pd.DataFrame) -> list[Reason]:
    """Return reasons that concern values of a row: those that were left out, and failures of the run."""
    has_left_out = table["reason"].astype("str").str.startswith(LEFT_OUT_PREFIX)
    failures = [
        Reason(mask, code, "excluded", detail, "read" if detail == RUN_ENDED else "assess")
        for mask, code, detail in find_failures(table)
    ]
    return [Reason(has_left_out, "invalid_value", "replaced", "{reason}", "read"), *failures]


def _model_reasons(table: pd.DataFrame) -> list[Reason]:
    """Return reasons that concern the models of usable runs: their sizes and solutions."""
    status, is_undecided = table["simplify_status"], table["solution_kind"] == "unknown"
    is_limited = is_undecided & table["solution_status"].isin(["timeout", "memory"])
    flags = table[["solution", "solution_simplified", "text_matches_predictions"]].astype("boolean")
    mismatch = "the model text does not reproduce the stored predictions to 1e-6"
    two_verdicts = (
        "the truth as it was written: {solution}, which counts; simplified: {solution_simplified}"
    )
    dust = "left out before simplifying, as they change no prediction: {dust}"
    reasons = [
        (~flags["text_matches_predictions"], "prediction_mismatch", mismatch),
        (is_limited, "machine_limit", ASSESS_AGAIN),
        (is_undecided, "solution_unknown", "counts as not solved: {detail}"),
        (flags["solution"] != flags["solution_simplified"], "shown_differs", two_verdicts),
        (table["dust"].notna(), "dust", dust),
    ]
    return [
        *(
            Reason(status == name, code, "replaced", text, "assess")
            for name, (code, text) in NOT_SIMPLIFIED.items()
        ),
        *(Reason(mask, code, "noted", text, "assess") for mask, code, text in reasons),
    ]


def select_problems(
    datasets: Iterable[str], problems: Problems, judge_rules: JudgeRules
) -> tuple[dict[str, Problem], frozenset[str]]:
    """Return the problems on the rules' tracks by dataset, and the names of the scored datasets among them.

    Raises
    ------
    InputError
        When no dataset is scored.
    """
    names = sorted(datasets)
    by_name = {name: problem for name in names if (problem := problems.find(name))}
    on_track = {
        name: problem for name, problem in by_name.items() if problem.track in judge_rules.tracks
    }
    scored_datasets = frozenset(name for name, problem in on_track.items() if problem.scored)
    require(
        bool(scored_datasets),
        f"no run is on a dataset that these rules score: tracks {', '.join(judge_rules.tracks)} of problems "
        f"{problems.name}; the runs are on {listed(names, MOST_NAMED)}, "
        f"the problems are {listed([problem.dataset for problem in problems.problems], MOST_NAMED)}",
    )
    return on_track, scored_datasets


def list_sources(problems: Problems, datasets: Iterable[str]) -> pd.Series:
    """Return the source of each dataset (`srlib.metrics.source_of`), with the datasets as index."""
    return pd.Series({name: source_of(*problems.origin(name)) for name in datasets}, dtype="str")


def _ambiguous_lines(table: pd.DataFrame) -> Lines:
    """Return ledger lines of ambiguous model texts: one per run, or one per cell if other texts settle the reading."""
    with_note = table.dropna(subset="names_note")
    is_guess = with_note["names_evidence"] == "default"
    texts = "names_ambiguous", "noted", "assess"
    lines = lines_of(with_note[is_guess], *texts, "{names_note}")
    notes = [with_note[~is_guess].rename(columns={"names_note": "note"})]
    for sentence, mask in ambiguous_texts(table["model"]):
        notes.append(table[mask].assign(dataset=None, note=sentence))
    cells = pd.concat(notes).groupby(["method", "dataset", "note"], dropna=False)
    counts = cells.size().rename("count").reset_index()
    return lines + lines_of(counts, *texts, "{count} x: {note}", "cell")
