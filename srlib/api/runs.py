"""Runs and what is measured on them: read, check, assess."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.api.arguments import limited, listed
from srlib.api.shown import Shown, many
from srlib.assessing import assess as assess_runs
from srlib.assessing.check import Checked as Findings
from srlib.assessing.check import check as check_runs
from srlib.errors import InputError
from srlib.problems import Problems, load_problems
from srlib.readers import Names, RunTable, with_names
from srlib.readers import read_runs as read_tables
from srlib.rules import Rules, load_rules


class Runs(Shown):
    """Runs, or assessments of them.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a run: method, dataset, repetition, model, status, ...; `file` and `row` say where it stood. Of
        assessments also what was measured: r2_test, complexity, solution, ...
    notices : tuple of str
        What was left out or filled in while reading.
    layout : str
        Which layout the tables were read as.
    assessed : bool
        Whether the table holds assessments.
    """

    title = "Runs"

    def __init__(self, source: RunTable) -> None:
        self.source = source
        self.table = source.frame
        self.notices = source.notices
        self.layout = source.layout
        self.assessed = source.assessed

    @property
    def sentences(self) -> list[str]:
        """How many runs there are, of whom, and what was said of them."""
        table = self.table
        kind = "assessed " * self.assessed + "run"
        methods = many(table["method"].nunique(), "method")
        counts = f"{methods} on {many(table['dataset'].nunique(), 'dataset')}"
        invalid = int((table["status"] == "invalid").sum())
        lost = (
            [f"{many(invalid, 'row')} cannot be used; the column reason says why."]
            if invalid
            else []
        )
        return [f"{many(len(table), kind)}: {counts}.", *lost, *self.notices]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The table itself, without columns that are empty."""
        return {self.title: self.table.dropna(axis=1, how="all")}

    def _display(self) -> Any:
        from srlib.displays import MatrixDisplay, completion_matrix

        table = self.table
        rows = table[["method", "dataset"]].assign(n_runs=table["status"] == "ok")
        if self.assessed:
            rows["n_runs"] &= table["parse_status"] == "ok"
        counts = rows.groupby(["method", "dataset"])["n_runs"].agg(["sum", "size"]).reset_index()
        counts = counts.rename(columns={"sum": "n_runs", "size": "expected"})
        return MatrixDisplay(completion_matrix(counts))


class Checked(Shown):
    """What is wrong with a submission.

    Attributes
    ----------
    findings : pandas.DataFrame
        One row a finding: file, row, method, dataset, repetition, code, detail, help.
    read : pandas.DataFrame
        One row a text that could be read: its normal form, its names, its size, its values on three rows.
    rows : int
        Rows of the submission.
    ok : bool
        Whether nothing was found.
    notices : tuple of str
        What was left out or filled in while reading.
    """

    title = "What a submission holds"
    equations = ("read_as",)

    def __init__(self, found: Findings, notices: tuple[str, ...]) -> None:
        self.findings = found.findings
        self.read = found.read
        self.rows = found.rows
        self.ok = found.findings.empty
        self.notices = notices

    @property
    def sentences(self) -> list[str]:
        """How much was read, and what was found how often."""
        codes = self.findings["code"].value_counts().items()
        counts = ", ".join(f"{n} {code}" for code, n in codes)
        found = f"{self.rows} rows, {len(self.read)} texts read; findings: {counts or 'none'}"
        return [found, *self.notices]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The findings, then what each text was read as."""
        return {"Findings": self.findings, "What each text was read as": self.read}


RunsLike = str | Path | pd.DataFrame | RunTable | Runs
Stated = Iterable[str] | Mapping[str, str]


def table_of(
    runs: RunsLike | Sequence[RunsLike],
    layout: str | None = None,
    names: Stated = (),
    *,
    prefer: str = "assessments",
) -> RunTable:
    """Read whatever stands for runs; results of `read_runs` and `assess` are taken as they are."""
    plain: Names = [one.source if isinstance(one, Runs) else one for one in each(runs)]
    stated = names if isinstance(names, Mapping) else listed(names)
    return with_names(read_tables(plain, layout, prefer=prefer), stated)


def each(runs: Any) -> list[Any]:
    """List what stands for run tables.

    Raises
    ------
    InputError
        When something else came.
    """
    given = [runs] if isinstance(runs, RunsLike | Mapping) else runs
    if isinstance(given, Iterable):
        given = list(given)
        strange = [one for one in given if not isinstance(one, RunsLike)]
    else:
        strange = [given]
    if strange:
        kind = type(strange[0]).__name__
        raise InputError(f"runs: a path, 'demo' or a DataFrame was expected, got {kind}")
    return given


def read_runs(
    runs: RunsLike | Sequence[RunsLike],
    *,
    layout: str | None = None,
    names: Stated = (),
) -> Runs:
    """Read run tables of any known layout.

    Parameters
    ----------
    runs : str, Path, DataFrame, or a sequence of them
        Tables (CSV, Parquet, Feather), folders, or 'demo'. Columns method, dataset, repetition and model are
        needed; named levels of a DataFrame's index count as columns, the order of rows and columns does not matter,
        and the DataFrame is not changed.
    layout : str, optional
        Name or file of a layout, where it is not recognised.
    names : mapping, or iterable of str
        How methods name features in their texts: {METHOD: 'features', 'x0' or 'x1'}.

    Raises
    ------
    SrlibError
        One sentence that names table, row or column, what was expected and what came.

    Examples
    --------
    >>> import pandas as pd, srlib
    >>> mine = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["0.4*x1 + x2"]}
    >>> srlib.read_runs(pd.DataFrame(mine))
    Runs: 1 run: 1 method on 1 dataset.
    """
    return Runs(table_of(runs, layout, names, prefer="runs"))


def check(
    submission: RunsLike | Sequence[RunsLike],
    *,
    problems: str | Path | Problems | None = None,
    rules: str | Path | Rules | None = None,
    layout: str | None = None,
    names: Stated = (),
) -> Checked:
    """Say what in a submission cannot be used and why, and how each text was read; nothing is ranked.

    Parameters
    ----------
    submission : str, Path, DataFrame, or a sequence of them
        See `read_runs`.
    problems : str or Path, optional
        Problem file or shipped name: which datasets there are.
    rules : str or Path, optional
        Rules file or shipped name: how many repetitions are expected, of which tracks.
    layout, names
        See `read_runs`.

    Examples
    --------
    >>> import pandas as pd, srlib
    >>> mine = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["0.4*x1 +"]}
    >>> srlib.check(pd.DataFrame(mine)).findings["code"].tolist()
    ['unparsed']
    """
    table = table_of(submission, layout, names, prefer="runs")
    known = load_problems(problems) if problems is not None else None
    expected = (None, None)
    if rules is not None:
        judge = load_rules(rules).judge
        expected = (judge.repetitions, judge.tracks)
    return Checked(check_runs(table, known, *expected), table.notices)


def assess(
    runs: RunsLike | Sequence[RunsLike],
    problems: str | Path | Problems,
    rules: str | Path | Rules = "judging-2022",
    *,
    timeout: float = 10.0,
    jobs: int | None = None,
    scheduler: str | None = None,
    layout: str | None = None,
    names: Stated = (),
) -> Runs:
    """Measure every run once: R2, complexity, features, equality with the truth. Judging the result is cheap.

    Texts are worked on in processes of their own with time and memory limits, and results are cached ($SRLIB_CACHE).
    Scripts need no ``if __name__ == "__main__"``: the processes do not import the caller's file.

    Parameters
    ----------
    runs : str, Path, DataFrame, or a sequence of them
        See `read_runs`.
    problems : str or Path
        Problem file or shipped name.
    rules : str or Path
        Rules file or shipped name; only the measure block is read.
    timeout : float
        CPU seconds that one step on one model may take.
    jobs : int, optional
        Worker processes; all usable cores by default.
    scheduler : str, optional
        Address of a Dask scheduler that does the work instead.
    layout, names
        See `read_runs`.

    Returns
    -------
    Runs
        Its table holds assessments, which `judge`, `robustness` and `compare` take in place of runs.
    """
    how: dict[str, Any] = {"scheduler": scheduler} | limited(timeout, jobs)
    measure = load_rules(rules).measure
    known = load_problems(problems)
    table = table_of(runs, layout, names, prefer="runs")
    found = assess_runs(table.frame, known, measure, folder=table.folder, **how)
    return Runs(replace(table, frame=found))
