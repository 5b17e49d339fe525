"""Commands of `srlib` as functions over paths, shipped names and DataFrames."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pandas as pd

from srlib import readers
from srlib.assessing import assess as assess_runs
from srlib.assessing.check import Checked
from srlib.assessing.check import check as check_runs
from srlib.comparing.benchmark import read_benchmark
from srlib.comparing.comparison import Comparison
from srlib.comparing.comparison import compare as compare_methods
from srlib.errors import InputError, advise_installation, require
from srlib.judging import Judgement, judge_runs
from srlib.judging.assessments import add_metrics
from srlib.judging.robustness import Examination, examine
from srlib.problems import Problems, load_problems
from srlib.prose import counted
from srlib.readers import RunSources, RunTable
from srlib.result import Result
from srlib.rules import Rules, load_rules

if TYPE_CHECKING:
    from srlib.rendering import Result as Rendered


def read_runs(
    runs: RunSources, *, layout: str | None = None, names: Mapping[str, str] = {}
) -> RunTable:
    """Read run tables of any known layout.

    Parameters
    ----------
    runs : str, Path, DataFrame, or a sequence of them
        Tables (CSV, Parquet, Feather), folders, or 'demo'. Columns method, dataset, repetition and model are
        required; named levels of a DataFrame's index count as columns, the order of rows and columns does not matter,
        and the DataFrame is not changed.
    layout : str, optional
        Name or file of the tables' layout, if it is not recognised.
    names : mapping
        How each method names features in its texts: {METHOD: 'features', 'x0' or 'x1'}.

    Raises
    ------
    SrlibError
        When the tables are not valid; the message names table, row or column, what was expected and what came.

    Examples
    --------
    >>> import pandas as pd, srlib
    >>> mine = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["0.4*x1 + x2"]}
    >>> srlib.read_runs(pd.DataFrame(mine))
    RunTable: 1 run: 1 method on 1 dataset.
    """
    return readers.read_runs(runs, layout, names, prefer="runs")


def check(
    submission: RunSources,
    *,
    problems: str | Path | Problems | None = None,
    rules: str | Path | Rules | None = None,
    layout: str | None = None,
    names: Mapping[str, str] = {},
) -> Checked:
    """Return the parts of a submission that cannot be used, and how each text was read; nothing is ranked.

    Parameters
    ----------
    submission : str, Path, DataFrame, or a sequence of them
        See `read_runs`.
    problems : str or Path, optional
        Problem file or shipped name; states the datasets.
    rules : str or Path, optional
        Rules file or shipped name; states the expected number of repetitions and the tracks.
    layout, names
        See `read_runs`.

    Examples
    --------
    >>> import pandas as pd, srlib
    >>> mine = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["0.4*x1 +"]}
    >>> srlib.check(pd.DataFrame(mine)).findings["code"].tolist()
    ['unparsed']
    """
    table = readers.read_runs(submission, layout, names, prefer="runs")
    problem_list = load_problems(problems) if problems is not None else None
    if rules is None:
        return check_runs(table, problem_list)
    judge_block = load_rules(rules).judge
    return check_runs(table, problem_list, judge_block.repetitions, judge_block.tracks)


def assess(
    runs: RunSources,
    problems: str | Path | Problems,
    rules: str | Path | Rules = "judging-2022",
    *,
    timeout: float = 10.0,
    jobs: int | None = None,
    scheduler: str | None = None,
    layout: str | None = None,
    names: Mapping[str, str] = {},
) -> RunTable:
    """Measure every run: R2, complexity, features, equality with the truth; the result can be judged quickly and often.

    Texts are processed in separate processes with time and memory limits, and results are cached ($SRLIB_CACHE).
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
        Number of worker processes; by default one for each usable core.
    scheduler : str, optional
        Address of a Dask scheduler that does the work in place of local processes.
    layout, names
        See `read_runs`.

    Returns
    -------
    RunTable
        Table whose `frame` has the assessments; `judge`, `robustness` and `compare` take these in place of runs.
    """
    measure = load_rules(rules).measure
    problem_list = load_problems(problems)
    table = readers.read_runs(runs, layout, names, prefer="runs")
    assessments = assess_runs(
        table.frame,
        problem_list,
        measure,
        folder=table.folder,
        timeout=timeout,
        jobs=jobs,
        scheduler=scheduler,
    )
    return replace(table, frame=assessments)


def judge(
    runs: RunSources,
    problems: str | Path | Problems,
    rules: str | Path | Rules = "judging-2022",
    *,
    qualified: str | Path | pd.DataFrame = "",
    layout: str | None = None,
    names: Mapping[str, str] = {},
    timeout: float = 10.0,
    jobs: int | None = None,
) -> Judgement:
    """Rank the methods by rules; the numbers are those of `srlib score`.

    Parameters
    ----------
    runs : str, Path, DataFrame, or a sequence of them
        Runs or assessments; see `read_runs`. Runs without assessments are assessed first; see `assess`.
    problems : str or Path
        Problem file or shipped name.
    rules : str or Path
        Rules file or shipped name.
    qualified : str, Path or DataFrame
        Table of the qualification, or 'demo'; methods that did not qualify get no place.
    layout, names
        See `read_runs`.
    timeout, jobs
        See `assess`.

    Raises
    ------
    NothingScoredError
        When no run could be scored; the `ledger` of the error's `judgement` states the reason for each run.
    SrlibError
        When an input is not valid; the message names table, row or column, what was expected and what came.

    Examples
    --------
    >>> import srlib
    >>> judged = srlib.judge("demo", problems="synthetic-2022", rules="judging-2022")
    >>> judged.ranking["method"][0]
    'sparse-polynomial'
    """
    table = readers.read_runs(runs, layout, names)
    return judge_runs(table, problems, rules, qualified=qualified, timeout=timeout, jobs=jobs)


def robustness(
    runs: RunSources,
    problems: str | Path | Problems,
    rules: str | Path | Rules = "judging-2022",
    *,
    resamples: int = 10_000,
    seed: int = 0,
    qualified: str | Path | pd.DataFrame = "",
    layout: str | None = None,
    names: Mapping[str, str] = {},
    timeout: float = 10.0,
    jobs: int | None = None,
) -> Examination:
    """Examine whether the winner depends on a rule, a run, a dataset or a method, as `srlib robustness` does.

    Parameters
    ----------
    runs, problems, rules, qualified, layout, names, timeout, jobs
        See `judge`.
    resamples : int
        Number of re-draws of sources and runs.
    seed : int
        Seed of the resampling.
    """
    table = readers.read_runs(runs, layout, names)
    judgement = judge_runs(table, problems, rules, qualified=qualified, timeout=timeout, jobs=jobs)
    return examine(judgement, resamples, seed)


def compare(
    runs: RunSources,
    metric: str,
    *,
    problems: str | Path | Problems | None = None,
    related: str = "",
    repetitions: int | None = None,
    aggregate: Literal["mean", "median"] = "mean",
    alias: Mapping[str, str] | None = None,
    names: Mapping[str, str] = {},
    layout: str | None = None,
) -> Comparison:
    """Compare every pair of methods over datasets, as `srlib compare` does.

    Parameters
    ----------
    runs : str, Path, DataFrame, or a sequence of them
        Runs, assessments or measures.
    metric : str
        Column that is compared, such as r2_test, complexity or an aspect of measures.
    problems : str or Path, optional
        Problem file or shipped name, by which the runs are measured; a value that the runs report is then used only if
        it cannot be computed. The problems' families are the sources of related datasets.
    related : {'', 'none'}
        'none' if every dataset is a separate unit; '' if datasets of the same source are one unit.
    repetitions : int, optional
        Number of runs that every method should have on every dataset; absent runs count as failed. By default the
        problems' data_seeds state it.
    aggregate : {'mean', 'median'}
        Summary over the repetitions.
    alias : mapping, optional
        Other names of methods, as {other name: name that is used}.
    names, layout
        See `read_runs`.

    Examples
    --------
    >>> import srlib
    >>> srlib.compare("demo", "r2_test", related="none").pairs["n_units"].max()
    np.int64(17)
    """
    problem_list = load_problems(problems) if problems is not None else None
    tables = readers.read_compared(runs, layout, names)
    if problem_list is not None:
        measure = load_rules("judging-2022").measure
        tables = [add_metrics(table, problem_list, measure, [metric]) for table in tables]
    elif metric == "edit_distance" and not any(metric in table.frame for table in tables):
        raise InputError(f"metric {metric} is made from models and data: name the problems")
    benchmark = read_benchmark(
        tables,
        problem_list,
        alias=alias,
        related=related,
        repetitions=repetitions,
        aggregate=aggregate,
    )
    return compare_methods(benchmark, metric)


class Reports(Result):
    """Result of `report`: the rendered reports.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each report: `report`, `state` (executed, unchanged or failed), `verdict`, `seconds`, `file`.
    index : pathlib.Path
        The page that lists the reports.
    failed : tuple of str
        Names of the reports that failed or in which a check failed.
    """

    title = "Reports"

    def __init__(self, rendered: "list[Rendered]", folder: Path) -> None:
        self.index = folder / "index.html"
        rows = [
            {
                "report": result.name,
                "state": result.state,
                "verdict": result.handed["verdict"],
                "seconds": result.seconds,
                "file": f"{folder / result.name}.html",
            }
            for result in rendered
        ]
        self.table = pd.DataFrame(rows)
        self.failed = tuple(result.name for result in rendered if result.state == "failed")

    @property
    def sentences(self) -> list[str]:
        """Sentences with the number of reports, the address of the index, and failed reports."""
        failed = [f"Failed: {', '.join(self.failed)}."] if self.failed else []
        return [f"{counted(len(self.table), 'report')}, listed in {self.index}.", *failed]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The reports with their verdicts."""
        return {"Reports": self.table}


def report(
    suite: str | Path,
    out: str | Path | None = None,
    *,
    only: str | Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    on_result: "Callable[[Rendered], None] | None" = None,
) -> Reports:
    """Render reports, one HTML file each, with an index, as `srlib report` does.

    Parameters
    ----------
    suite : str or Path
        Suite file or shipped name.
    out : str or Path, optional
        Folder for the pages; by default reports/SUITE.
    only : str or iterable of str
        Names of the reports to render; by default all.
    force : bool
        Whether unchanged reports are executed, too.
    bundle : bool
        Whether OUT/bundle is written, too: all that is needed to render the reports again.
    on_result : callable, optional
        Called with the outcome of each report as soon as it is rendered.
    """
    require(
        isinstance(suite, str | Path),
        f"report: a suite file was expected, got {type(suite).__name__}",
    )
    with advise_installation():
        from srlib.rendering import render_suite
        from srlib.rendering.suite import load_suite

        folder = Path("reports", load_suite(suite).name) if out is None else Path(out)
        names = (only,) if isinstance(only, str) else tuple(only)
        return Reports(render_suite(suite, folder, names, force, bundle, on_result), folder)
