"""What is wrong with a submission, in a participant's words: everything is read, nothing is simplified or ranked."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from srlib.assessing.measure import PRELOAD, as_json
from srlib.assessing.names import START, read_names
from srlib.assessing.run import OTHER_DATA, data_seed, name_data
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, compare, count_text, evaluate, parse, to_text
from srlib.expressions.evidence import SOLUTIONS
from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import HELP, Code
from srlib.problems import Problem, Problems, domain_of, partitions
from srlib.progress import progress
from srlib.readers import RunTable
from srlib.workers import bounded_map

ROWS = 3
COMPARED_DECIMALS = 3  # of constants, where rules say nothing else
ZERO = re.compile(r"(?<![\w.])0*\.00+(?![\d.eE])")
DECIMALS = re.compile(r"\.(\d+)(?![\d.eE])")
COLUMNS = ("file", "row", "method", "dataset", "repetition", "code", "detail", "help")
READ = (*COLUMNS[:5], "read_as", "names", "features", "size", "on_three_rows")
CODES: dict[str, Code] = {"empty": "empty_model", "nonfinite": "unparsed"}  # by kind of fault
COMPARING_S = 10.0
Fault = tuple[Code, str]
Row = dict[Any, Any]


class Coarse(NamedTuple):
    """A model whose constants have few decimals, beside the truth; `domain` has the range of each feature."""

    truth: Expression
    model: Expression
    domain: dict[str, tuple[float, float]]
    decimals: int


@dataclass(frozen=True)
class Checked:
    """What `check` finds.

    Parameters
    ----------
    findings : pandas.DataFrame
        `COLUMNS`, one row a finding: in the order of the submission, then what concerns several rows or is missing.
    read : pandas.DataFrame
        `READ`, one row a text that could be read: its normal form, how it names features, those in it, its size as
        written, and its value on three rows of the data (without data: at the ends and the middle of the ranges).
    rows : int
        Rows of the submission.
    """

    findings: pd.DataFrame
    read: pd.DataFrame
    rows: int


def check(
    runs: RunTable,
    problems: Problems | None = None,
    repetitions: int | None = None,
    tracks: Collection[str] | None = None,
) -> Checked:
    """Check a submission.

    Parameters
    ----------
    runs : RunTable
        The submission.
    problems : Problems, optional
        What was to be solved; without them names are taken as they stand and nothing can be missing but repetitions.
    repetitions : int, optional
        How many are expected of each dataset.
    tracks : collection of str, optional
        Of which tracks datasets are expected; of all by default.
    """
    frame, findings, readable = runs.frame, list[Row](), list[Row]()
    coarse = list[tuple[Row, Coarse]]()
    rows_of_data = cache(three_rows)
    values_of = frame.itertuples(index=False, name=None)
    rows = (dict(zip(frame, values, strict=True)) for values in values_of)
    readings = read_names(frame, problems).to_dict("records")
    for row, names in progress(zip(rows, readings, strict=True), len(frame), "rows checked"):
        place = {name: row.get(name) for name in READ[:5]}
        problem = problems.find(row["dataset"]) if problems is not None else None
        faults = [*check_run(row)]
        if problems is not None and problem is None and row["status"] != "invalid":
            faults.append(("unknown_dataset", f"no problem is called {row['dataset']!r}"))
        if row["status"] == "ok" and isinstance(row["model"], str):
            try:
                model = parse(row["model"], problem and problem.features, names=names["names_read"])
            except ModelTextError as error:
                faults.append((CODES.get(error.kind, error.kind), str(error)))
            else:
                order = enumerate(sorted(model.features))
                points = {name: np.arange(1.0, ROWS + 1) + k / 10 for k, name in order}
                if problem is not None:
                    points = rows_of_data(problem)
                values = evaluate(model, points, ROWS)
                numbers = ", ".join(f"{value:.6g}" for value in values)
                if not np.isfinite(values).all():
                    sentence = f"not every value on {ROWS} rows is a finite number: {numbers}"
                    faults.append(("invalid_value", sentence))
                readable.append(place | describe(model, names) | {"on_three_rows": numbers})
                faults += check_text(row, names, problem)
                truth = problem and problem.known_truth
                if problem and truth and (decimals := coarse_decimals(row["model"], truth)):
                    truth = parse(truth, problem.features)
                    coarse.append((place, Coarse(truth, model, domain_of(problem), decimals)))
        findings += [place | {"code": code, "detail": detail} for code, detail in faults]
    findings += digit_findings(coarse) if coarse else []
    findings += dialect_findings(frame)
    findings += missing_findings(frame, problems, repetitions, tracks)
    table = pd.DataFrame(findings, columns=list(COLUMNS))
    table = table.astype({"row": "Int64", "repetition": "Int64"})
    table["repetition"] = table["repetition"].mask(table["repetition"] < 0)
    table["help"] = table["code"].map(HELP)
    return Checked(table, pd.DataFrame(readable, columns=list(READ)), len(frame))


def check_run(row: Row) -> Iterator[Fault]:
    """Yield what is wrong with a run but for its text."""
    status, reason, no_reason = row["status"], row.get("reason"), pd.isna(row.get("reason"))
    if status == "invalid" or (not no_reason and str(reason).startswith("left out")):
        yield "invalid_value", str(reason)
    if not isinstance(row["model"], str) and (status == "ok" or status == "failed" and no_reason):
        yield "empty_model", "there is no model text"
    elif status not in ("ok", "invalid"):
        yield "failed_run", f"the run ended as {status}"


def describe(model: Expression, names: Row) -> Row:
    """Return the columns of `Checked.read` about a text, but for its values."""
    spelling = {"own": "features", "default": "x0 or x1"}.get(names["names_evidence"])
    return {
        "read_as": to_text(model),
        "names": spelling or START.get(names["names_read"], names["names_read"]),
        "features": as_json(sorted(model.features)),
        "size": count_text(model),
    }


def check_text(row: Row, names: Row, problem: Problem | None) -> Iterator[Fault]:
    """Yield what may be otherwise than a text says: its names, constants with few digits, data."""
    if isinstance(names["names_note"], str):
        yield "names_ambiguous", f"the text {names['names_note']}"
    if zero := ZERO.search(row["model"]):
        yield "few_digits", f"{zero[0]} was more than nothing before it was rounded"
    if problem is not None and problem.data is not None:
        seed, stated = data_seed(row["repetition"], problem), row.get("data_seed")
        if seed is None:
            yield (
                "invalid_value",
                f"it cannot be measured: the repetition is none of {name_data(problem)}",
            )
        elif not pd.isna(stated) and stated not in (seed, row["repetition"]):
            yield "other_data", OTHER_DATA.format_map(row)


def coarse_decimals(text: str, truth: str) -> int:
    """Return the decimals of a text's constants where they are fewer than the truth has and are compared, else 0."""
    decimals, needed = (max(map(len, DECIMALS.findall(t)), default=0) for t in (text, truth))
    return decimals if decimals < min(needed, COMPARED_DECIMALS) else 0


def digit_findings(suspects: list[tuple[Row, Coarse]]) -> Iterator[Row]:
    """Yield a finding for each text that could be the truth if its constants had more decimals."""
    texts = [text for _, text in suspects]
    outcomes = bounded_map(is_near_the_truth, texts, timeout=COMPARING_S, preload=PRELOAD)
    for place, outcome in sorted(outcomes, key=lambda indexed: indexed[0]):
        if outcome.status == "ok" and outcome.value:
            row, text = suspects[place]
            detail = f"its constants have {text.decimals} decimals, those of the truth more"
            yield row | {"code": "few_digits", "detail": detail}


def is_near_the_truth(text: Coarse) -> bool:
    """Whether a text is the truth only where constants may be off by half a unit of its own last decimal."""
    near, equal = (
        compare(text.truth, text.model, text.domain, constants=f"decimals:{decimals}").kind
        in SOLUTIONS
        for decimals in (text.decimals, COMPARED_DECIMALS)
    )
    return near and not equal


def dialect_findings(frame: pd.DataFrame) -> Iterator[Row]:
    """Yield a finding for each method and reading of texts that another dialect reads otherwise."""
    for sentence, concerned in ambiguous_texts(frame["model"]):
        for method, group in frame[concerned].groupby("method"):
            place = {"method": method, "file": group["file"].iloc[0], "row": group["row"].iloc[0]}
            detail = f"{len(group)} text{'s' * (len(group) > 1)}: {sentence}"
            yield place | {"code": "names_ambiguous", "detail": detail}


def missing_findings(
    frame: pd.DataFrame,
    problems: Problems | None,
    repetitions: int | None,
    tracks: Collection[str] | None,
) -> Iterator[Row]:
    """Yield a finding for each dataset or repetition without a run."""
    runs = frame[frame["status"] != "invalid"]
    counts = pd.crosstab(runs["method"], runs["dataset"])
    if problems is not None:
        scored = [problem for problem in problems.problems if problem.scored]
        datasets = [p.dataset for p in scored if tracks is None or p.track in tracks]
        counts = counts.reindex(columns=datasets, fill_value=0)
    for method, of_method in counts.iterrows():
        for dataset, count in of_method[of_method < (repetitions or 1)].items():
            detail = "there is no run on this dataset"
            if count:
                detail = f"{count} of {repetitions} repetitions are there"
            place = {"method": method, "dataset": dataset}
            yield place | {"code": "missing_runs", "detail": detail}


def three_rows(problem: Problem) -> dict[str, np.ndarray]:
    """Three rows of a problem's data; without data the ends and the middle of its ranges."""
    try:
        data = partitions(problem, problem.data_seeds[0] if problem.data_seeds else None)
    except InputError as error:
        if "Git LFS pointer" in str(error):
            raise
        data = None
    if data is not None and len(data.test.X) >= ROWS:
        return dict(zip(data.features, data.test.X[:ROWS].T, strict=True))
    ranges = domain_of(problem)
    return {name: np.linspace(low, high, ROWS) for name, (low, high) in ranges.items()}
