"""What is wrong with a submission, in a participant's words: everything is read and nothing simplified or ranked."""

import re
import zipfile
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.dataset import Dataset, data_seed
from srlib.assessing.naming import STARTS, as_read
from srlib.assessing.reading import START
from srlib.assessing.table import as_json, rows_of
from srlib.assessing.tasks import OPERATIONS
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, count_text, evaluate, parse, positional_bases, to_text
from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import HELP, Code
from srlib.problems import Problem, Problems, domain_of, partitions
from srlib.progress import progress
from srlib.readers import RunTable
from srlib.tables import KEY

ROWS = 3
EITHER = "x0 or x1"
MOST = 100_000  # methods times datasets of which each is named where it is missing
FEW_DIGITS = 4  # significant ones; a fitted constant has more
_DECIMAL = re.compile(r"(?<![\w.])(\d*)\.(\d+)(?![\d.]|[eE][-+]?\d)")
COLUMNS = ("file", "row", "method", "dataset", "repetition", "code", "detail", "help")
READ = (
    "file",
    "row",
    "method",
    "dataset",
    "repetition",
    "read_as",
    "names",
    "features",
    "size",
    "on_three_rows",
)


@dataclass(frozen=True)
class Checked:
    """What `check` finds.

    Parameters
    ----------
    findings : pandas.DataFrame
        `COLUMNS`, one row a finding, in the order of the submission and then what is missing.
    read : pandas.DataFrame
        `READ`, one row a text that could be read: its normal form, how it
        names features, those in it, its size as written, and its
        value on three rows of the data (without data: at the ends and the middle of the features' ranges).
    rows : int
        Rows of the submission; of a run with several models one counts.
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
    checker = _Checker(runs, problems)
    for _, row in progress(rows_of(runs.frame), len(runs.frame), "rows checked"):
        checker.row(row)
    checker.dialects(runs.frame)
    checker.missing(runs.frame, repetitions, tracks)
    findings = pd.DataFrame(checker.findings, columns=list(COLUMNS))
    return Checked(
        findings.astype({"row": "Int64", "repetition": "Int64"}),
        pd.DataFrame(checker.read, columns=list(READ)),
        len(runs.frame),
    )


class _Checker:
    def __init__(self, runs: RunTable, problems: Problems | None) -> None:
        self.folder, self.problems = runs.folder, problems
        self.findings: list[dict[str, Any]] = []
        self.read: list[dict[str, Any]] = []
        self.points: dict[str, dict[str, np.ndarray]] = {}
        self.datasets: dict[str, Dataset] = {}

    def find(self, code: Code, detail: str, about: dict[str, Any]) -> None:
        """Add a finding."""
        known = {name: about.get(name) for name in COLUMNS}
        known |= {"code": code, "detail": detail, "help": HELP[code]}
        if not pd.isna(known["repetition"]) and known["repetition"] < 0:
            known["repetition"] = None
        self.findings.append(known)

    def row(self, row: dict[str, Any]) -> None:
        """Check one run."""
        reason = row.get("reason")
        if row["status"] == "invalid" or (
            isinstance(reason, str) and reason.startswith("left out")
        ):
            self.find("invalid_value", str(reason), row)
            if row["status"] == "invalid":
                return
        problem = None
        if self.problems is not None:
            problem = self.problems.find(row["dataset"])
        if self.problems is not None and problem is None:
            self.find("unknown_dataset", f"no problem is called {row['dataset']!r}", row)
        text = row["model"]
        if row["status"] != "ok" and (
            isinstance(text, str) or row["status"] != "failed" or isinstance(reason, str)
        ):
            self.find("failed_run", f"the run ended as {row['status']}", row)
            return
        if not isinstance(text, str):
            self.find("empty_model", "there is no model text", row)
            return
        features = problem.features if problem is not None else None
        names = row.get("names")
        base, names = (names, names) if isinstance(names, str) else _named(text, features)
        try:
            model = parse(text, features, names=base)
        except ModelTextError as error:
            code: Any = {"empty": "empty_model", "nonfinite": "unparsed"}.get(
                error.kind, error.kind
            )
            self.find(code, str(error), row)
            return
        if few := few_digits(text):
            self.find("few_digits", few, row)
        if names == EITHER:
            self.find(
                "names_ambiguous",
                "the text can be read from x0 and from x1; here it was read from x0, while a score asks the method's "
                "other texts",
                row,
            )
        values = self.values(model, problem)
        self.read.append(
            {name: row.get(name) for name in READ[:5]}
            | {
                "read_as": to_text(model),
                "names": names,
                "features": as_json(sorted(model.features)),
                "size": count_text(model),
                "on_three_rows": ", ".join(f"{value:.6g}" for value in values),
            }
        )
        if not np.isfinite(values).all():
            what = ", ".join(f"{value:.6g}" for value in values)
            self.find(
                "invalid_value", f"not every value on {ROWS} rows is a finite number: {what}", row
            )
        if problem is None or problem.data is None:
            return
        try:
            seed = data_seed(row, problem)
        except InputError as error:
            self.find("invalid_value", f"it cannot be measured: {error}", row)
            return
        if isinstance(row.get("predictions"), str):
            self.predictions(model, problem, row | {"data_seed": seed})

    def values(self, model: Expression, problem: Problem | None) -> np.ndarray:
        """Value on three rows."""
        if problem is None:
            places = {
                name: np.arange(1.0, ROWS + 1) + k / 10
                for k, name in enumerate(sorted(model.features))
            }
            return evaluate(model, places, ROWS)
        if problem.dataset not in self.points:
            self.points[problem.dataset] = _points(problem)
        points = self.points[problem.dataset]
        return evaluate(model, points, ROWS)

    def predictions(self, model: Expression, problem: Problem, row: dict[str, Any]) -> None:
        """Compare a text with the predictions that were given."""
        dataset = self.datasets.setdefault(problem.dataset, Dataset(problem))
        try:
            wanted = dataset.on_data(row, model, self.folder).get("match")
            if wanted is None:
                raise InputError(f"{row['predictions']}: no such file beside the submission")
            same = OPERATIONS["match"](model, **wanted[0].arguments)["matches"]
        except (InputError, OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            self.find("invalid_value", f"its predictions cannot be read: {error}", row)
            return
        if not same:
            self.find(
                "prediction_mismatch", "the text does not give the stored predictions to 1e-6", row
            )

    def dialects(self, frame: pd.DataFrame) -> None:
        """Say what another dialect reads otherwise, once a method."""
        for sentence, there in ambiguous_texts(frame["model"]):
            for method, group in frame[there].groupby("method"):
                count = len(group)
                about = {
                    "file": group["file"].iloc[0],
                    "row": group["row"].iloc[0],
                    "method": method,
                }
                self.find("names_ambiguous", f"{count} text{'s' * (count > 1)}: {sentence}", about)

    def missing(
        self, frame: pd.DataFrame, repetitions: int | None, tracks: Collection[str] | None
    ) -> None:
        """Say which datasets and repetitions are missing."""
        usable = frame[frame["status"] != "invalid"].drop_duplicates(list(KEY))
        counts = Counter(zip(usable["method"], usable["dataset"], strict=True))
        wanted = sorted({dataset for _, dataset in counts})
        if self.problems is not None:
            scored = [one for one in self.problems.problems if one.scored]
            wanted = [one.dataset for one in scored if tracks is None or one.track in tracks]
        methods = sorted(usable["method"].unique())
        for method in methods:
            absent = sum((method, dataset) not in counts for dataset in wanted)
            if absent and len(methods) * len(wanted) > MOST:
                detail = f"there is no run on {absent} of {len(wanted)} datasets"
                self.find("missing_runs", detail, {"method": method})
                continue
            for dataset in wanted:
                count = counts[method, dataset]
                about = {"method": method, "dataset": dataset}
                if count == 0:
                    self.find("missing_runs", "there is no run on this dataset", about)
                elif repetitions is not None and count < repetitions:
                    self.find(
                        "missing_runs", f"{count} of {repetitions} repetitions are there", about
                    )


def _named(text: str, features: tuple[str, ...] | None) -> tuple[str, str]:
    """Find by which names a text is read, and how it names features, as far as it shows that by itself."""
    bases: frozenset[int] = frozenset()
    if features is not None:
        with suppress(ModelTextError):
            bases = positional_bases(as_read(text, features), features)
    if not bases:
        return "auto", "features"
    base = STARTS[min(bases)]
    return base, EITHER if len(bases) > 1 else START[base]


def _points(problem: Problem) -> dict[str, np.ndarray]:
    """Three rows of a problem's data; without data the ends and the middle of its ranges."""
    try:
        data = partitions(problem, problem.data_seeds[0] if problem.data_seeds else None)
    except InputError as error:
        if "Git LFS pointer" in str(error):
            raise
        data = None
    if data is not None and len(data.test.X) >= ROWS:
        return dict(zip(data.features, data.test.X[:ROWS].T, strict=True))
    ends = domain_of(problem)
    return {name: np.linspace(low, high, ROWS) for name, (low, high) in ends.items()}


def few_digits(text: str) -> str | None:
    """Say where constants have so few digits that they are not those which were fitted.

    Examples
    --------
    >>> few_digits("0.000*x1 + 1.234567*x2")
    '0.000 was more than nothing before it was rounded'
    >>> few_digits("1.23*x1 - 0.457")
    'its 2 constants have at most 3 digits'
    >>> few_digits("0.5*x1 + 2")
    """
    found = [(whole, rest) for whole, rest in _DECIMAL.findall(text)]
    gone = next((f"{w}.{r}" for w, r in found if len(r) > 1 and not (w + r).strip("0")), None)
    if gone is not None:
        return f"{gone} was more than nothing before it was rounded"
    digits = [len((whole + rest).lstrip("0").rstrip("0")) for whole, rest in found]
    fitted = [count for count in digits if count > 1]
    if len(fitted) < 2 or max(fitted) > FEW_DIGITS:
        return None
    return f"its {len(fitted)} constants have at most {max(fitted)} digits"
