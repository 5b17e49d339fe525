"""Check a submission before it is judged: every row and text is read; nothing is simplified or ranked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.failures import ENDED_CODES, RUN_ENDED, unread_code
from srlib.assessing.names import parse_once, read_names
from srlib.errors import InputError, ModelTextError
from srlib.expressions import count_text, evaluate, to_text
from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import HELP, LEFT_OUT_PREFIX, Code, split_reason
from srlib.problems import Problem, Problems, domain_of, load_problems, partitions
from srlib.problems.repetitions import OTHER_DATA, find_other_data, name_data, read_seeds
from srlib.progress import progress
from srlib.prose import counted, tally
from srlib.readers import RunSources, read_runs
from srlib.result import Result
from srlib.rules import JudgeRules, Rules, load_rules

N_ROWS = 3
ROUNDED_TO_ZERO = re.compile(r"(?<![\w.])0*\.00+(?![\d.eE])")
PLACE_COLUMNS = ("file", "row", "method", "dataset", "repetition")
COLUMNS = (*PLACE_COLUMNS, "code", "detail", "help")
NO_PROBLEMS = Problems("", Path(), ())
READ_COLUMNS = (*PLACE_COLUMNS, "read_as", "names", "features", "size", "on_three_rows")
Fault = tuple[Code, str]
Row = dict[Any, Any]


@dataclass(frozen=True, repr=False)
class Checked(Result):
    """Findings of `check` about a submission.

    Parameters
    ----------
    findings : pandas.DataFrame
        Columns `COLUMNS`, one row per finding, in the order of the submission; findings about several rows or about
        missing runs come last.
    read : pandas.DataFrame
        Columns `READ_COLUMNS`, one row per readable text: the text as it was read, how it names features, which
        features it uses, its number of nodes as written, and its values on three rows of the data, or on three points
        within the ranges if there are no data.
    rows : int
        Number of rows of the submission.
    notices : tuple of str
        Sentences about rows or values that were left out or filled in.
    """

    findings: pd.DataFrame
    read: pd.DataFrame
    rows: int
    notices: tuple[str, ...] = ()

    title = "What a submission holds"
    equations = ("read_as",)

    @property
    def ok(self) -> bool:
        """Whether there are no findings."""
        return self.findings.empty

    @property
    def sentences(self) -> list[str]:
        """A sentence with the numbers of rows, of readable texts and of findings by code, then the notices."""
        counts = tally(self.findings["code"]) or "none"
        summary = f"{counted(self.rows, 'row')}, {counted(len(self.read), 'text')} read; findings: {counts}"
        return [summary, *self.notices]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """Tables by title: the findings, then how each text was read."""
        return {"Findings": self.findings, "What each text was read as": self.read}


def check(
    submission: RunSources,
    *,
    problems: str | Path | Problems | None = None,
    rules: str | Path | Rules | None = None,
    layout: str | None = None,
    names: Mapping[str, str] = {},
    aliases: Mapping[str, str] = {},
) -> Checked:
    """Return the parts of a submission that cannot be used, and how each text was read; nothing is ranked.

    Parameters
    ----------
    submission : str, Path, DataFrame, or a sequence of them
        See `srlib.read_runs`.
    problems : str or Path, optional
        Problem file or shipped name, which states the datasets. Without it, names of features are not checked, and runs
        can only be missing for datasets that occur in the submission.
    rules : str or Path, optional
        Rules file or shipped name; states the expected number of repetitions (1 without it) and the tracks (all).
    layout, names, aliases
        See `srlib.read_runs`.

    Raises
    ------
    InputError
        When an input is not valid; the message names file, row or key, what was expected and what came.

    Examples
    --------
    >>> import pandas as pd, srlib
    >>> mine = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["0.4*x1 +"]}
    >>> srlib.check(pd.DataFrame(mine)).findings["code"].tolist()
    ['unparsed']
    """
    runs = read_runs(submission, layout, names, aliases)
    judge_rules = None if rules is None else load_rules(rules).judge
    problem_list = NO_PROBLEMS if problems is None else load_problems(problems)
    columns = read_names(runs.frame, problem_list, folder=runs.folder).assign(
        seed=read_seeds(runs.frame, problem_list),
        has_other_data=find_other_data(runs.frame, problem_list),
    )
    frame = runs.frame.drop(columns=list(columns), errors="ignore").join(columns)
    findings, readable = list[Row](), list[Row]()
    for row in progress(frame.to_dict("records"), len(frame), "rows checked"):
        problem = problem_list.find(row["dataset"])
        row |= read_text(row, problem)
        is_unknown = bool(problem_list.problems) and not problem
        faults = find_faults(row, problem, is_unknown)
        findings += [row | {"code": code, "detail": detail} for code, detail in faults]
        readable += [row] * ("read_as" in row)
    findings += [
        {"file": item.file, "code": "unread_file", "detail": item.reason} for item in runs.unread
    ]
    findings += dialect_findings(frame)
    findings += missing_findings(frame, problem_list, judge_rules)
    table = pd.DataFrame(findings, columns=list(COLUMNS))
    table = table.astype({"row": "Int64", "repetition": "Int64"})
    table["repetition"] = table["repetition"].mask(table["repetition"] < 0)
    table["help"] = table["code"].map(HELP)
    read = pd.DataFrame(readable, columns=list(READ_COLUMNS))
    return Checked(table, read, len(frame), runs.notices)


def read_text(row: Row, problem: Problem | None) -> Row:
    """Return how a run's text was read: `parse_status`, and columns of `Checked.read`, or `detail` on why it cannot."""
    if row["status"] != "ok" and not pd.isna([row["model"], row.get("reason")]).all():
        return {"parse_status": "ok"}
    model = parse_once(row["model"], problem and problem.features, row["names_read"])
    if isinstance(model, ModelTextError):
        return {"parse_status": model.kind, "detail": str(model)}
    features = sorted(model.features)
    columns = {name: np.arange(1.0, N_ROWS + 1) + k / 10 for k, name in enumerate(features)}
    values = evaluate(model, three_rows(problem) if problem else columns, N_ROWS)
    texts = ", ".join(f"{value:.6g}" for value in values)
    reading = "ok", to_text(model), row["names_read"], tuple(features), count_text(model), texts
    return dict(zip(("parse_status", *READ_COLUMNS[len(PLACE_COLUMNS) :]), reading, strict=True))


def find_faults(row: Row, problem: Problem | None, is_unknown: bool) -> Iterator[Fault]:
    """Yield the faults of a run: cells that were left out, why it has no model, an unknown dataset, and its text's.

    The faults of a text are its values, ambiguous names, constants rounded to 0, and other data.
    """
    status, reason = row["status"], row.get("reason")
    reason = reason if isinstance(reason, str) else "not stated"
    if status == "invalid" or reason.startswith(LEFT_OUT_PREFIX):
        yield from (("invalid_value", sentence) for sentence in split_reason(reason))
    if code := unread_code(status, row["parse_status"], row.get("reason"), row.get("detail")):
        ended = RUN_ENDED.format(status=status, reason=reason)
        yield code, ended if code in ENDED_CODES.values() else row["detail"]
    if is_unknown and status != "invalid":
        yield "unknown_dataset", f"no problem is called {row['dataset']!r}"
    if status != "ok" or not isinstance(row["model"], str):
        return
    values = str(row.get("on_three_rows"))
    if re.search("nan|inf", values):
        yield "invalid_value", f"not every value on {N_ROWS} rows is a finite number: {values}"
    if isinstance(row["names_note"], str):
        yield "names_ambiguous", row["names_note"]
    for constant in dict.fromkeys(ROUNDED_TO_ZERO.findall(row["model"])):
        yield "few_digits", f"{constant} may be a small constant that was rounded to 0"
    if problem and problem.data and pd.isna(row["seed"]):
        detail = f"it cannot be measured: the repetition is none of {name_data(problem)}"
        yield "invalid_value", detail
    elif row["has_other_data"]:
        yield "other_data", OTHER_DATA.format_map(row)


def dialect_findings(frame: pd.DataFrame) -> Iterator[Row]:
    """Yield a finding for each ambiguous spelling and each method that uses it."""
    for sentence, is_ambiguous in ambiguous_texts(frame["model"]):
        for _, group in frame[is_ambiguous].groupby("method"):
            place = group[["method", "file", "row"]].iloc[0].to_dict()
            detail = f"{counted(len(group), 'text')}: {sentence}"
            yield place | {"code": "names_ambiguous", "detail": detail}


def missing_findings(
    frame: pd.DataFrame, problems: Problems, judge_rules: JudgeRules | None
) -> Iterator[Row]:
    """Yield a finding for each method and dataset with fewer runs than expected."""
    runs = frame[frame["status"] != "invalid"]
    counts = runs.groupby(["method", "dataset"]).size()
    repetitions = judge_rules.repetitions if judge_rules else 1
    expected = {
        problem.dataset: problem.expected_runs(repetitions)
        for problem in problems.problems
        if problem.scored and (judge_rules is None or problem.track in judge_rules.tracks)
    }
    if not problems.problems:
        expected = dict.fromkeys(sorted(set(runs["dataset"])), repetitions)
    for method, (dataset, n_expected) in product(sorted(set(runs["method"])), expected.items()):
        count = counts.get((method, dataset), 0)
        if count < n_expected:
            place = {"method": method, "dataset": dataset, "code": "missing_runs"}
            detail = f"{count} of {n_expected} repetitions are there"
            yield place | {"detail": detail if count else "there is no run on this dataset"}


@lru_cache(maxsize=32)
def three_rows(problem: Problem) -> dict[str, np.ndarray]:
    """Return three test rows of a problem, by feature; three points within its ranges if there are no data."""
    try:
        data = partitions(problem, problem.first_seed)
    except InputError as error:  # a participant may not have the data
        if "Git LFS pointer" in str(error):
            raise
        data = None
    if data and len(data.test.X) >= N_ROWS:
        return dict(zip(data.features, data.test.X[:N_ROWS].T, strict=True))
    shares = 0.05 + 0.4 * np.arange(N_ROWS)
    return {  # up to ten features have different relative positions in their ranges, none at an end
        name: low + (high - low) * ((shares + 0.3 * k) % 1)
        for k, (name, (low, high)) in enumerate(domain_of(problem).items())
    }
