"""Which runs can be judged, and a ledger line for each that cannot, or only with a reservation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib import limits
from srlib.assessing.run import CHANGED, OTHER_DATA, UNSTATED, find_other_data
from srlib.errors import InputError
from srlib.judging.doubts import read_otherwise
from srlib.judging.repetitions import EXTRA, find_extra_runs
from srlib.ledger import Action, Code, Stage, lines_of
from srlib.problems import Problem, Problems
from srlib.prose import listed
from srlib.readers.row_checks import LEFT_OUT, OTHER_MODELS
from srlib.rules import Judge

MOST_NAMED = 5  # datasets in one message
AGAIN = "a limit of the machine that assessed it ended this ({detail}): assess it again with more time or memory"
LIMITED = "the {limit} of the machine ended simplifying or counting ({{detail}}); the raw count "
LIMITED += "{{complexity_raw}} stands in: assess it again with more time or memory, before it decides a place"
FAILED = "simplification failed ({detail}); the raw count {complexity_raw} stands in"
# By the status that a measurement ended with (`srlib.workers.Outcome`): the ledger's code and sentence.
NOT_MEASURED: dict[str, tuple[Code, str]] = {
    "timeout": ("machine_limit", AGAIN),
    "memory": ("machine_limit", AGAIN),
    **dict.fromkeys(
        ("crashed", "error"), ("crashed", "measuring it on the data failed ({detail})")
    ),
}
NOT_SIMPLIFIED: dict[str, tuple[Code, str]] = {
    "work": (
        "work_limit",
        "simplifying takes more work than the rules allow ({detail}); the count of the text, {complexity}, stands",
    ),
    CHANGED: ("not_simplified", "{detail}; the count of the text, {complexity}, stands, unrounded"),
    "timeout": ("machine_limit", LIMITED.format(limit="time")),
    "memory": ("machine_limit", LIMITED.format(limit="memory")),
    "crashed": ("crashed", FAILED),
    "error": ("not_simplified", FAILED),
}


@dataclass(frozen=True)
class Screened:
    """Assessments sorted into what is judged and what is not.

    Parameters
    ----------
    usable : pandas.DataFrame
        Rows with a finite R2 on known datasets of the rules' tracks, references included.
    methods, datasets : tuple of str
        What is ranked, and on which datasets (scored ones first, then references), both sorted.
    idle : tuple of str
        Methods without a usable run on a scored dataset, while others have some: nothing hangs on how many they are.
    scored : frozenset of str
        The datasets that enter the score.
    problems : dict of str to Problem
        The problem of each dataset.
    read, used : int
        Rows given, and rows whose values enter a score.
    ledger : list of dict
        Lines at the level of runs.
    attempts : pandas.DataFrame
        `method`, `dataset` and `repetition` of all runs, usable or not; a row on data that do not exist is none.
    barred : frozenset of str
        Methods that did not qualify; their runs are excluded.
    runs : pandas.DataFrame
        The rows that were looked at, one a run.
    """

    usable: pd.DataFrame
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    scored: frozenset[str]
    problems: dict[str, Problem]
    read: int
    used: int
    ledger: list[dict[str, Any]]
    attempts: pd.DataFrame
    barred: frozenset[str]
    runs: pd.DataFrame
    idle: tuple[str, ...] = ()

    @cached_property
    def attempted(self) -> NDArray[np.int_]:
        """Runs that were made, usable or not, datasets x methods."""
        return self._counted(self.attempts)

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """Usable runs, datasets x methods."""
        return self._counted(self.usable)

    def _counted(self, rows: pd.DataFrame) -> NDArray[np.int_]:
        shape = (len(self.datasets), len(self.methods))
        places = (
            positions(rows["dataset"], self.datasets),
            positions(rows["method"], self.methods),
        )
        known = (places[0] >= 0) & (places[1] >= 0)
        flat = np.ravel_multi_index((places[0][known], places[1][known]), shape)
        return np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)

    @cached_property
    def places(self) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
        """Positions of each usable row's dataset and method; -1 for those that take no part."""
        return positions(self.usable["dataset"], self.datasets), positions(
            self.usable["method"], self.methods
        )


def screen(
    assessments: pd.DataFrame,
    problems: Problems,
    judge: Judge,
    barred: frozenset[str] = frozenset(),
) -> Screened:
    """Decide for every row whether it is judged; the runs of methods that are `barred` did not qualify.

    Raises
    ------
    InputError
        When no row is on a dataset that the rules score.
    """
    read, runs, replaced = len(assessments), assessments, []
    if "noise_base_as_easy" in judge.quirks:
        assessments, replaced = _without_reference(assessments, problems, barred)
    known, on_track, scored = tracked(assessments["dataset"].unique(), problems, judge)
    references = {on_track[name].noise_reference or "" for name in scored} & set(on_track)
    datasets = assessments["dataset"]
    ledger: list[dict[str, Any]] = list(replaced)
    left = np.ones(len(assessments), dtype=bool)
    about = {"problems": problems.name, "tracks": ", ".join(judge.tracks)}

    def exclude(mask: Any, code: Code, stage: Stage, detail: str) -> None:
        nonlocal left
        chosen = left & np.asarray(mask, dtype=bool)
        ledger.extend(lines_of(assessments[chosen], code, "excluded", stage, detail, about))
        left &= ~chosen

    refused = assessments["status"] == "invalid"
    exclude(refused, "invalid_value", "read", "the row cannot be used: {reason}")
    unknown = datasets.isin([name for name, problem in known.items() if problem is None])
    exclude(unknown, "unknown_dataset", "judge", "dataset {dataset} is not in problems {problems}")
    exclude(
        ~datasets.isin(list(on_track)),
        "other_track",
        "judge",
        "dataset {dataset} is not of track {tracks}",
    )
    gate = "{method} did not qualify"
    exclude(assessments["method"].isin(list(barred)), "not_qualified", "judge", gate)
    reason = assessments.get("reason", pd.Series("", assessments.index)).astype("str")
    several = left & reason.str.startswith(OTHER_MODELS).fillna(False).to_numpy(dtype=bool)
    ledger += lines_of(assessments[several], "other_models", "noted", "read", "{reason}", {})
    partly = left & reason.str.startswith(LEFT_OUT).fillna(False).to_numpy(dtype=bool) & ~several
    ledger += lines_of(assessments[partly], "invalid_value", "replaced", "read", "{reason}", {})
    for mask, code, stage, detail in _failures(assessments):
        exclude(mask, code, stage, detail)
    unexpected = find_extra_runs(assessments, problems, judge)
    exclude(unexpected, "extra_runs", "judge", EXTRA.format(judge.repetitions))
    usable = left.copy()
    nowhere = _column(assessments, "data_status", "ok").eq(UNSTATED).fillna(False).astype(bool)
    made = (assessments["status"] != "invalid") & ~nowhere & ~unexpected
    reference = "dataset {dataset} takes no part in the score; it may serve as a reference"
    exclude(~datasets.isin(list(scored)), "not_scored", "judge", reference)
    ignored = assessments[left & find_other_data(assessments, problems).to_numpy()]
    ledger += lines_of(ignored, "other_data", "noted", "read", OTHER_DATA)
    for mask, code, action, detail in _reservations(assessments):
        rows = assessments[np.asarray(left & mask, dtype=bool)]
        ledger += lines_of(rows, code, action, "assess", detail, about)
    ledger.extend(read_otherwise(assessments[left]))
    ranked = datasets.isin(list(scored)) & ~assessments["method"].isin(list(barred))
    entered = set(assessments.loc[ranked, "method"].unique())
    ran = frozenset(assessments.loc[left, "method"].unique()) or frozenset(entered)
    ranked &= assessments["method"].isin(list(ran))
    scored = frozenset(datasets[ranked].unique())
    order = (*sorted(scored), *sorted(references - scored))
    methods = tuple(sorted(ran))
    _check_size(len(methods), len(order))
    return Screened(
        usable=assessments if usable.all() else assessments[usable],
        methods=methods,
        datasets=order,
        scored=scored,
        problems={name: on_track[name] for name in order},
        read=read,
        used=int(left.sum()),
        ledger=ledger,
        attempts=assessments.loc[made, ["method", "dataset", "repetition"]],
        barred=barred & frozenset(assessments["method"].astype("str").unique()),
        runs=runs,
        idle=tuple(sorted(entered - ran)),
    )


def tracked(
    datasets: Iterable[str], problems: Problems, judge: Judge
) -> tuple[dict[str, Problem | None], dict[str, Problem], frozenset[str]]:
    """Find the problems of datasets, those of the rules' tracks, and the names of those that are scored.

    Raises
    ------
    InputError
        When none is.
    """
    known = {name: problems.find(name) for name in sorted(datasets)}
    on_track = {name: p for name, p in known.items() if p is not None and p.track in judge.tracks}
    left_out = "seir" if "seir_left_out" in judge.quirks else None
    families = {name: p.family or "" for name, p in on_track.items()}
    scored = frozenset(
        n for n, p in on_track.items() if p.scored and not (left_out and left_out in families[n])
    )
    if not scored:
        raise InputError(
            f"no run is on a dataset that these rules score: tracks {', '.join(judge.tracks)} of problems "
            f"{problems.name}; the runs are on {listed(list(known), MOST_NAMED)}, "
            f"the problems are {listed([problem.dataset for problem in problems.problems], MOST_NAMED)}"
        )
    return known, on_track, scored


def _check_size(methods: int, datasets: int) -> None:
    """Raise an InputError, which says how many there may be, where methods or datasets are too many to rank."""
    if methods > limits.METHODS or methods * datasets > limits.CELLS_RANKED:
        raise InputError(
            f"at most {limits.METHODS} methods, and {limits.CELLS_RANKED} of methods times datasets, were expected, "
            f"got {methods} methods on {datasets} datasets"
        )


def positions(column: pd.Series, names: Sequence[str]) -> NDArray[np.int_]:
    """Position of every value of a column in a list of names; -1 where it is not among them."""
    categorical = isinstance(column.dtype, pd.CategoricalDtype)
    codes, unique = (
        (column.cat.codes, column.cat.categories) if categorical else pd.factorize(column)
    )
    return np.append(pd.Index(names).get_indexer(pd.Index(unique)), -1)[codes]


def _without_reference(
    assessments: pd.DataFrame, problems: Problems, barred: frozenset[str]
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Give the noiseless runs the name of the dataset with the least noise, whose own runs they replace.

    The published code of 2022 renamed them and then kept the first of equal names; which one that was depended on the
    order of its files. Here it is the noiseless one; one that cannot be used, or did not qualify, replaces nothing.
    """
    unusable = np.logical_or.reduce(
        [np.asarray(mask, dtype=bool) for mask, *_ in _failures(assessments)]
    )
    unusable |= assessments["method"].isin(list(barred)).to_numpy()
    noisy = sorted(
        (p for p in problems.problems if p.noise_reference), key=lambda p: -p.noise_level
    )
    names = {p.noise_reference: p.dataset for p in noisy}
    renamed = assessments["dataset"].where(unusable, assessments["dataset"].replace(names))
    first = (renamed == assessments["dataset"]).argsort(kind="stable").to_numpy()
    table = assessments.assign(dataset=renamed).iloc[first]
    twice = table.duplicated(["method", "dataset", "repetition"])
    detail = "a run without noise has taken the place of this one (quirk noise_base_as_easy)"
    return table[~twice], lines_of(table[twice], "not_scored", "excluded", "judge", detail, {})


def _failures(a: pd.DataFrame) -> list[tuple[Any, Code, Stage, str]]:
    status, parsed = a["status"], a["parse_status"]
    finite = np.isfinite(a["r2_test"].to_numpy(dtype=float, na_value=np.nan))
    infinite = "R2 on the test set is not finite: {bad_predictions} predictions are not finite"
    nothing = "there is no R2 on a test set: the dataset has no data here, and the run reports none"
    data = _column(a, "data_status", "ok").fillna("ok")
    not_measured: list[tuple[Any, Code, Stage, str]] = [
        (~finite & (data == outcome), code, "assess", sentence)
        for outcome, (code, sentence) in NOT_MEASURED.items()
    ]
    return [
        (
            status.isin(["failed", "timeout"]),
            "failed_run",
            "read",
            "the run ended as {status}: {reason}",
        ),
        (status == "memory", "memory", "read", "the run reached its memory limit: {reason}"),
        (status == "crashed", "crashed", "read", "the run's process died: {reason}"),
        (parsed == "empty", "empty_model", "assess", "the run returned no model text"),
        (parsed == "several_models", "several_models", "assess", "{detail}"),
        (parsed == "no_closed_form", "no_closed_form", "assess", "{detail}"),
        (parsed != "ok", "unparsed", "assess", "{detail}"),
        (data == UNSTATED, "invalid_value", "assess", "{detail}"),
        (
            _column(a, "r2_source").eq("none").fillna(False) & ~finite,
            "nonfinite_r2",
            "assess",
            nothing,
        ),
        *not_measured,
        (~finite, "nonfinite_r2", "assess", infinite),
    ]


def _reservations(a: pd.DataFrame) -> list[tuple[Any, Code, Action, str]]:
    simplify = a["simplify_status"].fillna("skipped")
    differs = "the model text does not reproduce the stored predictions to 1e-6"
    matches = a["text_matches_predictions"].astype("boolean").fillna(True)
    unknown = (a["solution_kind"] == "unknown").fillna(False)
    told = _column(a, "detail").notna()
    unlike = simplify.eq("ok") & _column(a, "shown_form").eq("written").fillna(False)
    as_written = (
        "simplified, the model does not keep its R2 to 3 decimals; it is shown as it was written"
    )
    both = (_column(a, "solution_simplified") != _column(a, "solution")).fillna(False)
    verdicts = (
        "the truth as it was written: {solution}, which counts; simplified: {solution_simplified}"
    )
    swept = "left out before simplifying, as they change no prediction: {dust}"
    return [
        *(
            (simplify == outcome, code, "replaced", sentence)
            for outcome, (code, sentence) in NOT_SIMPLIFIED.items()
        ),
        (~matches.to_numpy(dtype=bool), "prediction_mismatch", "noted", differs),
        (
            unknown & _column(a, "solution_status", "ok").isin(["timeout", "memory"]),
            "machine_limit",
            "noted",
            AGAIN,
        ),
        (unknown & ~told, "solution_unknown", "noted", "counts as not solved"),
        (unknown & told, "solution_unknown", "noted", "counts as not solved: {detail}"),
        (unlike, "shown_differs", "noted", as_written),
        (both, "shown_differs", "noted", verdicts),
        (_column(a, "dust").notna(), "dust", "noted", swept),
    ]


def _column(table: pd.DataFrame, name: str, absent: Any = pd.NA) -> pd.Series:
    """Get a column that assessments made by hand may lack."""
    if name in table:
        return table[name]
    return pd.Series(absent, table.index, dtype="boolean" if absent is pd.NA else "str")
