"""What is wrong with a submission, in a participant's words: everything is read, nothing is simplified or ranked."""

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.measure import Question, as_json, measure_predictions
from srlib.assessing.names import READ_FROM, START, find_bases
from srlib.assessing.run import data_seed, find_predictions, rows_of
from srlib.errors import InputError, ModelTextError
from srlib.expressions import (
    Expression,
    compare,
    count_text,
    evaluate,
    parse,
    to_text,
)
from srlib.expressions.evidence import SOLUTIONS
from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import HELP, Code
from srlib.problems import Problem, Problems, domain_of, partitions
from srlib.progress import progress
from srlib.readers import RunTable
from srlib.tables import KEY

ROWS = 3
EITHER = "x0 or x1"
MOST_CELLS = (
    100_000  # methods times datasets; in a larger table missing datasets are counted, not listed
)
FEW_DIGITS = 4  # significant ones; a fitted constant has more
COARSE_DIGITS = 2  # so few change an R2 by 0.0005
LONGEST_COMPARED = 200  # items of a model whose digits are judged by comparing it with the truth
DECIMAL = re.compile(r"(?<![\w.])(\d*)\.(\d+)(?![\d.]|[eE][-+]?\d)")
COLUMNS = ("file", "row", "method", "dataset", "repetition", "code", "detail", "help")
READ = (*COLUMNS[:5], "read_as", "names", "features", "size", "on_three_rows")
PARSE_CODES: dict[str, Code] = {"empty": "empty_model", "nonfinite": "unparsed"}
Finding = tuple[Code, str]


@dataclass(frozen=True)
class Checked:
    """What `check` finds.

    Parameters
    ----------
    findings : pandas.DataFrame
        `COLUMNS`, one row a finding, in the order of the submission and then what is missing.
    read : pandas.DataFrame
        `READ`, one row a text that could be read: its normal form, how it names features, those in it, its size as
        written, and its value on three rows of the data (without data: at the ends and the middle of the ranges).
    rows : int
        Rows of the submission.
    """

    findings: pd.DataFrame
    read: pd.DataFrame
    rows: int


@dataclass(frozen=True)
class ReadModel:
    """A model text that could be read: its tree, how it names features, its values on three rows."""

    expression: Expression
    names: str
    values: np.ndarray


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
    findings: list[dict[str, Any]] = []
    read: list[dict[str, Any]] = []
    points: dict[str, dict[str, np.ndarray]] = {}
    for _, row in progress(rows_of(runs.frame), len(runs.frame), "rows checked"):
        problem = problems.find(row["dataset"]) if problems is not None else None
        if problems is not None and problem is None and row["status"] != "invalid":
            findings.append(
                finding("unknown_dataset", f"no problem is called {row['dataset']!r}", row)
            )
        if problem is not None and problem.dataset not in points:
            points[problem.dataset] = three_rows(problem)
        rows = points[problem.dataset] if problem is not None else None
        model, faults = check_text(row, problem, rows)
        if model is not None:
            read.append(describe(row, model))
            faults += check_data(row, problem, model.expression, runs)
        findings += [finding(code, detail, row) for code, detail in faults]
    findings += dialect_findings(runs.frame)
    findings += missing_findings(runs.frame, problems, repetitions, tracks)
    table = pd.DataFrame(findings, columns=list(COLUMNS))
    table = table.astype({"row": "Int64", "repetition": "Int64"})
    return Checked(table, pd.DataFrame(read, columns=list(READ)), len(runs.frame))


def finding(code: Code, detail: str, row: dict[str, Any]) -> dict[str, Any]:
    """Row of `Checked.findings` about a row of the submission, or about the keys that `row` has."""
    values = {name: row.get(name) for name in COLUMNS[:5]}
    if not pd.isna(values["repetition"]) and values["repetition"] < 0:
        values["repetition"] = None
    return {**values, "code": code, "detail": detail, "help": HELP[code]}


def check_text(
    row: dict[str, Any], problem: Problem | None, columns: dict[str, np.ndarray] | None
) -> tuple[ReadModel | None, list[Finding]]:
    """Read one row's model; return it, if there is one, and what is wrong with it."""
    findings: list[Finding] = []
    status, reason, text = row["status"], row.get("reason"), row["model"]
    if status == "invalid" or (isinstance(reason, str) and reason.startswith("left out")):
        findings.append(("invalid_value", str(reason)))
        if status == "invalid":
            return None, findings
    has_end = isinstance(text, str) or status != "failed" or isinstance(reason, str)
    if status != "ok" and has_end:
        return None, [*findings, ("failed_run", f"the run ended as {status}")]
    if not isinstance(text, str):
        return None, [*findings, ("empty_model", "there is no model text")]
    features = problem.features if problem is not None else None
    base, names = names_of(row.get("names"), text, features)
    try:
        expression = parse(text, features, names=base)
    except ModelTextError as error:
        code: Any = PARSE_CODES.get(error.kind, error.kind)
        return None, [*findings, (code, str(error))]
    if (sentence := few_digits(text)) and digits_matter(text, expression, problem):
        findings.append(("few_digits", sentence))
    if names == EITHER:
        sentence = (
            "the text can be read from x0 and from x1; here it was read from x0, while a score asks the method's "
            "other texts"
        )
        findings.append(("names_ambiguous", sentence))
    if columns is None:
        ordered = enumerate(sorted(expression.features))
        columns = {name: np.arange(1.0, ROWS + 1) + k / 10 for k, name in ordered}
    values = evaluate(expression, columns, ROWS)
    if not np.isfinite(values).all():
        sentence = f"not every value on {ROWS} rows is a finite number: {numbers(values)}"
        findings.append(("invalid_value", sentence))
    return ReadModel(expression, names, values), findings


def describe(row: dict[str, Any], model: ReadModel) -> dict[str, Any]:
    """Row of `Checked.read`."""
    return {name: row.get(name) for name in READ[:5]} | {
        "read_as": to_text(model.expression),
        "names": model.names,
        "features": as_json(sorted(model.expression.features)),
        "size": count_text(model.expression),
        "on_three_rows": numbers(model.values),
    }


def numbers(values: np.ndarray) -> str:
    """Numbers in a sentence."""
    return ", ".join(f"{value:.6g}" for value in values)


def names_of(stated: Any, text: str, features: tuple[str, ...] | None) -> tuple[str, str]:
    """By which names a text is parsed, and how `Checked.read` tells it."""
    if isinstance(stated, str):
        return stated, stated
    bases = find_bases(text, features)
    if not bases:
        return "auto", "features"
    base = READ_FROM[min(bases)]
    return base, EITHER if len(bases) > 1 else START[base]


def check_data(
    row: dict[str, Any], problem: Problem | None, model: Expression, runs: RunTable
) -> list[Finding]:
    """Look for the data that a run was made on, and compare the text with stored predictions."""
    if problem is None or problem.data is None:
        return []
    try:
        seed = data_seed(row, problem)
    except InputError as error:
        return [("invalid_value", f"it cannot be measured: {error}")]
    if not isinstance(row.get("predictions"), str):
        return []
    try:
        path = find_predictions(row, runs.folder)
        if path is None:
            raise InputError(f"{row['predictions']}: no such file beside the submission")
        answer = measure_predictions(Question("predictions", model, {}, problem, seed, str(path)))
    except (InputError, OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        return [("invalid_value", f"its predictions cannot be read: {error}")]
    if answer["text_matches_predictions"]:
        return []
    return [("prediction_mismatch", "the text does not give the stored predictions to 1e-6")]


def dialect_findings(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """One finding for each method and reading of texts that another dialect reads otherwise."""
    findings = []
    for sentence, concerned in ambiguous_texts(frame["model"]):
        for method, group in frame[concerned].groupby("method"):
            place = {"method": method, "file": group["file"].iloc[0], "row": group["row"].iloc[0]}
            detail = f"{len(group)} text{'s' * (len(group) > 1)}: {sentence}"
            findings.append(finding("names_ambiguous", detail, place))
    return findings


def missing_findings(
    frame: pd.DataFrame,
    problems: Problems | None,
    repetitions: int | None,
    tracks: Collection[str] | None,
) -> Iterator[dict[str, Any]]:
    """Yield a finding for each dataset or repetition without a run."""
    usable = frame[frame["status"] != "invalid"].drop_duplicates(list(KEY))
    counts = Counter(zip(usable["method"], usable["dataset"], strict=True))
    datasets = sorted({dataset for _, dataset in counts})
    if problems is not None:
        scored = [problem for problem in problems.problems if problem.scored]
        datasets = [p.dataset for p in scored if tracks is None or p.track in tracks]
    methods = sorted(usable["method"].unique())
    for method in methods:
        absent = sum((method, dataset) not in counts for dataset in datasets)
        if absent and len(methods) * len(datasets) > MOST_CELLS:
            detail = f"there is no run on {absent} of {len(datasets)} datasets"
            yield finding("missing_runs", detail, {"method": method})
            continue
        for dataset in datasets:
            count, place = counts[method, dataset], {"method": method, "dataset": dataset}
            if count == 0:
                yield finding("missing_runs", "there is no run on this dataset", place)
            elif repetitions is not None and count < repetitions:
                yield finding(
                    "missing_runs", f"{count} of {repetitions} repetitions are there", place
                )


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


def few_digits(text: str) -> str | None:
    """Sentence about constants with so few digits that they are not those which were fitted; None without such.

    Examples
    --------
    >>> few_digits("0.000*x1 + 1.234567*x2")
    '0.000 was more than nothing before it was rounded'
    >>> few_digits("1.23*x1 - 0.457")
    'its 2 constants have at most 3 digits'
    >>> few_digits("0.5*x1 + 2")
    """
    if (zero := rounded_to_zero(text)) is not None:
        return f"{zero} was more than nothing before it was rounded"
    fitted = [count for count in count_digits(text) if count > 1]
    if len(fitted) < 2 or max(fitted) > FEW_DIGITS:
        return None
    return f"its {len(fitted)} constants have at most {max(fitted)} digits"


def rounded_to_zero(text: str) -> str | None:
    """First constant of two or more decimals that are all 0, as ``0.000``; None without such."""
    zeros = (f"{w}.{r}" for w, r in DECIMAL.findall(text) if len(r) > 1 and not (w + r).strip("0"))
    return next(zeros, None)


def count_digits(text: str) -> list[int]:
    """Significant digits of each decimal constant."""
    return [len((whole + rest).lstrip("0").rstrip("0")) for whole, rest in DECIMAL.findall(text)]


def digits_matter(text: str, model: Expression, problem: Problem | None) -> bool:
    """Whether more digits could change a verdict.

    Where the dataset has a truth: the model is no solution as it stands, and is one where constants may differ by half
    a unit of its own last decimal. Else: constants of one or two digits, which can move R2 by 0.0005. A constant that
    was rounded to 0 always matters.
    """
    if problem is None or rounded_to_zero(text) is not None:
        return True
    if problem.truth is None or problem.constants or len(model.tape) > LONGEST_COMPARED:
        return max(count_digits(text)) <= COARSE_DIGITS
    truth, domain = parse(problem.truth, problem.known_names), domain_of(problem)
    last = max(len(rest) for _, rest in DECIMAL.findall(text))
    kinds = [
        compare(truth, model, domain, constants=f"decimals:{count}").kind for count in (3, last)
    ]
    return kinds[0] not in SOLUTIONS and kinds[1] in SOLUTIONS
