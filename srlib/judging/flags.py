"""Flags: what authors state about symbolic solutions, beside what the judge finds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.assess import assess
from srlib.metrics import LEVEL_PATTERN
from srlib.problems import Problems
from srlib.prose import counted, listed
from srlib.readers import RunTable, runs_of
from srlib.result import Result
from srlib.rules import MeasureRules
from srlib.tables import KEY

READINGS = ("3 decimals", "3 significant digits", "srbench")  # of constants that are equal
PUBLISHED = "srbench"  # the reading by which SRBench's code flags
OUTCOMES = {  # those in `DISPUTED` come first
    "unreal": "flagged, and the model has no real value at a point where the truth has one",
    "refuted": "flagged, and no solution under any reading of the constants",
    "missed": "not flagged, and a solution under the rules and under SRBench's rounding",
    "rounding": "flagged, and a solution under another reading of the constants than the rules'",
    "confirmed": "flagged, and a solution under the rules",
    "agreed": "not flagged, and no solution under the rules or under SRBench's rounding",
    "unread": "the text cannot be read",
    "untested": "there is no truth to compare with, or no verdict",
    "unstated": "the authors state no flag",
}
DISPUTED = tuple(OUTCOMES)[:4]
ANSWERS = ["parse_status", "solution", "solution_kind", "solution_evidence", "detail"]
COUNTS = ["method", "noise", "runs", "flagged", "solutions", *OUTCOMES]
DISPUTES = [
    *("file", "row", *KEY, "flag", "outcome", "solution_kind", "solution_evidence"),
    *("r2_test_reported", "truth", "model"),
]


@dataclass(frozen=True, repr=False)
class Flags(Result):
    """What authors state about symbolic solutions, beside what the judge finds.

    Parameters
    ----------
    counts : pandas.DataFrame
        A row for each method and noise level: `method`, `noise`, `runs`, `flagged`, `solutions` (of the judge under
        the rules), and the number of runs with each outcome (see `OUTCOMES`), which sum to the runs.
    disputes : pandas.DataFrame
        A row for each disputed run, the plainest outcomes first: `file`, `row`, method, dataset, repetition, `flag`,
        `outcome`, `solution_kind`, `solution_evidence`, `r2_test_reported`, `truth` and `model`.
    """

    counts: pd.DataFrame
    disputes: pd.DataFrame

    title = "Flags and verdicts"

    @property
    def sentences(self) -> list[str]:
        """A sentence for each method and noise level."""
        return [_describe_counts(row) for row in self.counts.to_dict("records")]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        return {self.title: self.counts, "Disputes": self.disputes}


def judge_flags(
    runs: RunTable, problems: Problems | None, measure_rules: MeasureRules, **settings: Any
) -> Flags:
    """Return the flags of authors beside verdicts that are made from the texts alone; reported numbers decide nothing.

    All runs are compared with the truth under the rules' reading of the constants; those on which flag and verdict
    disagree, under the other `READINGS`, too.

    Parameters
    ----------
    runs : RunTable
        Runs with the column `symbolic_solution`. Rows that cannot be used are left out.
    problems : Problems
        The truths; without them there are no flags to judge.
    measure_rules : MeasureRules
        The measure block of the rules.
    settings
        `cache`, `timeout`, `jobs` and `scheduler` of `srlib.assessing.assess`.

    Examples
    --------
    >>> from srlib import read_runs
    >>> from srlib.rules import load_rules
    >>> judge_flags(read_runs("demo"), None, load_rules("judging-2022").measure).counts.empty
    True
    """
    frame = runs_of(runs.frame)
    if problems is None or "symbolic_solution" not in frame:
        return Flags(pd.DataFrame(columns=COUNTS), pd.DataFrame(columns=DISPUTES))
    frame = frame[frame["status"] != "invalid"].reset_index(drop=True)
    flag = frame["symbolic_solution"].astype("boolean")
    options = settings | {"folder": runs.folder, "companions": frame, "only": {"solution"}}
    pending, own_reading = frame, measure_rules.solution_constants
    answers = dict[str, pd.DataFrame]()
    for reading in dict.fromkeys([own_reading, *READINGS]):
        rules = measure_rules.model_copy(update={"solution_constants": reading})
        table = assess(pending, problems, rules, **options) if len(pending) else pending
        table = table.reindex(columns=ANSWERS).set_index(pending.index).reindex(frame.index)
        answers[reading] = table.astype({"solution": "boolean"})
        pending = frame[(flag != answers[own_reading]["solution"]).fillna(False)]
    own, evidence = answers[own_reading], answers[own_reading]["solution_evidence"].astype(object)
    verdicts = pd.DataFrame({reading: table["solution"] for reading, table in answers.items()})
    outcome = find_outcomes(flag, own, verdicts)
    for reading, table in answers.items():  # of a solution, under the reading that makes it one
        evidence = evidence.mask(verdicts[reading].fillna(False), table["solution_evidence"])
    truths: Any = [getattr(problems.find(name), "truth", None) for name in frame["dataset"]]
    table = frame.assign(
        noise=frame["dataset"].str.extract(LEVEL_PATTERN, expand=False).astype("float64"),
        runs=1,
        flag=flag,
        flagged=flag.fillna(False),
        solutions=own["solution"].fillna(False),
        outcome=pd.Categorical(outcome, [*OUTCOMES]),
        solution_kind=own["solution_kind"],
        solution_evidence=evidence.where(evidence.notna(), [{"reason": x} for x in own["detail"]]),
        r2_test_reported=frame.get("r2_test"),
        truth=truths,
        **{name: outcome == name for name in OUTCOMES},
    )
    counts = table.groupby(COUNTS[:2], dropna=False)[COUNTS[2:]].sum().astype("int64")
    disputes = table[table["outcome"].isin(DISPUTED)].sort_values(["outcome", "file", "row"])
    return Flags(counts.reset_index(), disputes[DISPUTES].reset_index(drop=True))


def find_outcomes(flag: pd.Series, own: pd.DataFrame, verdicts: pd.DataFrame) -> pd.Series:
    """Return the outcome of each run, a key of `OUTCOMES`.

    Parameters
    ----------
    flag : pandas.Series of boolean
        What the authors state; missing where they state nothing.
    own : pandas.DataFrame
        Answers under the rules' reading of the constants.
    verdicts : pandas.DataFrame of boolean
        Whether a run is a solution, a column for each reading; missing where nothing was asked or found.
    """
    flagged, text, solved = flag.fillna(False), own["parse_status"], own["solution"]
    witness: Any = own["solution_evidence"].astype(object).str.get("witness")
    cases: list[tuple[str, Any]] = [  # the first that holds
        ("unstated", flag.isna()),
        ("unreal", flagged & (text == "nonfinite")),
        ("agreed", ~flagged & (text.isin(["nonfinite", "empty"]) | solved.eq(False))),
        ("unread", text != "ok"),
        ("confirmed", flagged & solved),
        ("untested", solved.isna()),
        ("rounding", flagged & verdicts.any(axis=1)),
        ("unreal", flagged & witness.notna() & witness.str.get("model").isna()),
        ("untested", verdicts.isna().any(axis=1) & (flagged | verdicts[PUBLISHED].isna())),
        ("refuted", flagged),
        ("missed", verdicts[PUBLISHED]),
    ]
    masks = [mask.fillna(False).astype(bool) for _, mask in cases]
    return pd.Series(np.select(masks, [name for name, _ in cases], "agreed"), flag.index)


def _describe_counts(row: Any) -> str:
    """Return how many runs of a method the authors flagged, and how many have each outcome."""
    level = "" if np.isnan(row["noise"]) else f", noise {row['noise']:g}"
    outcomes = listed([f"{row[name]} {name}" for name in OUTCOMES if row[name]])
    runs = counted(row["runs"], "run")
    flagged = f"{row['flagged']} of {runs} flagged"
    flagged = f"{runs} without flags" if row["unstated"] == row["runs"] else flagged
    return f"{row['method']}{level}: {flagged}, {row['solutions']} solutions; {outcomes}."
