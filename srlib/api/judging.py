"""From runs to a verdict, and how sure it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.api.arguments import limited, whole
from srlib.api.runs import RunsLike, Stated, table_of
from srlib.api.shown import Shown
from srlib.judging import Judgement, judge_runs
from srlib.judging import explain as chain
from srlib.judging.robustness import Examination, examine
from srlib.problems import Problems
from srlib.rules import Rules


class Judged(Shown):
    """A verdict with every table behind it.

    Attributes
    ----------
    ranking : pandas.DataFrame
        method, score (higher is better), rank (1 = best); best first.
    ledger : pandas.DataFrame
        Every run or cell that could not be used as it stands, and why.
    assessments : pandas.DataFrame
        What was measured on each run.
    everyone : pandas.DataFrame or None
        Where some did not qualify, the ranking as if all had.
    counts : dict
        Runs read, scored and excluded, which add up.
    notices : tuple of str
        What has to be said before the ranking.
    rules : srlib.rules.Rules
        Under which it was judged.
    """

    title = "Verdict"

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement
        self.ranking = judgement.ranking
        self.ledger = judgement.ledger
        self.assessments = judgement.assessments
        self.everyone = judgement.everyone
        self.counts = judgement.counts
        self.notices = judgement.notices
        self.rules = judgement.rules

    @property
    def aspects(self) -> pd.DataFrame:
        """One row a method, dataset and aspect; `aspect_rank`: higher is better."""
        return self.judgement.aspects

    @property
    def datasets(self) -> pd.DataFrame:
        """One row a method and dataset; `score`: higher is better."""
        return self.judgement.datasets

    @property
    def measures(self) -> pd.DataFrame:
        """One value a usable run and aspect."""
        return self.judgement.measures

    @property
    def sentences(self) -> list[str]:
        """Who wins, how many runs that rests on, and what has to be said before."""
        from srlib.displays.tables.verdict import headline

        return [headline(self.judgement), f"{self.counted}.", *self.notices]

    @property
    def counted(self) -> str:
        """How many runs were read, scored and excluded."""
        said = "{read} runs read = {scored} scored + {excluded} excluded".format(**self.counts)
        return f"{self.rules.name}: {said}"

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Ranking, dataset scores, aspects and ledger."""
        from srlib.displays.tables.verdict import final_ranking

        return {
            "Ranking": final_ranking(self.judgement),
            "Scores by dataset": self.datasets,
            "Aspects": self.aspects,
            "Ledger": self.ledger,
        }

    def explain(self, method: str) -> pd.DataFrame:
        """Trace the score of a method step by step, from its runs to its place."""
        return chain(self.judgement, method)

    def write(self, folder: str | Path) -> None:
        """Write what `srlib score` writes: ranking, aspects, datasets and ledger as CSV."""
        self.judgement.write(folder)

    def _display(self) -> Any:
        from srlib.displays import ScoresDisplay

        return ScoresDisplay.from_judgement(self.judgement)


class Robustness(Shown):
    """How sure a verdict is.

    Attributes
    ----------
    switchboard : pandas.DataFrame
        One row a reading of the rules: a column a switch, winner, margin, kind, scores.
    resampling : pandas.DataFrame
        How often each method wins, and its places, with sources and runs resampled.
    leave_one_out : pandas.DataFrame
        The ranking without each dataset, property, method and repetition.
    significance : pandas.DataFrame
        Tests of whether methods differ, pair by pair.
    improvements : pandas.DataFrame
        The smallest improvement that would gain each method a place.
    """

    title = "How sure is the winner?"

    def __init__(self, examination: Examination, judged: Judged) -> None:
        self.examination = examination
        self.judged = judged
        self.switchboard = examination.readings.table
        self.resampling = examination.resampling.table
        self.leave_one_out = examination.left_out.table
        self.significance = examination.comparison.pairs
        self.improvements = examination.gains.table

    @property
    def sentences(self) -> list[str]:
        """What can be quoted; the first is the answer."""
        return self.examination.sentences

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table, the resampled places first."""
        return {
            "Places when sources and runs are resampled": self.resampling,
            "One thing left out": self.leave_one_out,
            "Pairs of methods": self.significance,
            "What would gain a place": self.improvements,
            "Readings of the rules": self.switchboard,
        }

    def write(self, folder: str | Path) -> None:
        """Write what `srlib robustness` writes: every table as CSV."""
        self.examination.write(folder)

    def _display(self) -> Any:
        from srlib.displays import MatrixDisplay

        return MatrixDisplay(self.examination.resampling.place_shares())


def judge(
    runs: RunsLike | Sequence[RunsLike],
    problems: str | Path | Problems,
    rules: str | Path | Rules = "judging-2022",
    *,
    qualified: str | Path | pd.DataFrame = "",
    layout: str | None = None,
    names: Stated = (),
    timeout: float = 10.0,
    jobs: int | None = None,
) -> Judged:
    """Rank the methods by rules; the same numbers as `srlib score`.

    Parameters
    ----------
    runs : str, Path, DataFrame, Runs, or a sequence of them
        Runs or assessments; see `read_runs`. What is missing is assessed first, in workers with limits; see `assess`.
    problems : str or Path
        Problem file or shipped name.
    rules : str or Path
        Rules file or shipped name.
    qualified : str, Path or DataFrame
        Table of the qualification, or 'demo': who did not qualify is ranked below a line.
    layout, names
        See `read_runs`.
    timeout, jobs
        See `assess`.

    Raises
    ------
    NothingScoredError
        When no run could be scored; the `ledger` of its `judgement` says why, run by run.
    SrlibError
        One sentence that names table, row or column, what was expected and what came.

    Examples
    --------
    >>> import srlib
    >>> judged = srlib.judge("demo", problems="synthetic-2022", rules="judging-2022")
    >>> judged.ranking["method"][0]
    'sparse-polynomial'
    """
    settings: dict[str, Any] = {"qualified": qualified} | limited(timeout, jobs)
    table = table_of(runs, layout, names)
    return Judged(judge_runs(table, problems, rules, **settings))


def robustness(
    runs: RunsLike | Sequence[RunsLike],
    problems: str | Path | Problems,
    rules: str | Path | Rules = "judging-2022",
    *,
    resamples: int = 10_000,
    seed: int = 0,
    qualified: str | Path | pd.DataFrame = "",
    layout: str | None = None,
    names: Stated = (),
    timeout: float = 10.0,
    jobs: int | None = None,
) -> Robustness:
    """Ask whether the winner depends on a rule, a run, a dataset or a competitor; the same as `srlib robustness`.

    Parameters
    ----------
    runs, problems, rules, qualified, layout, names, timeout, jobs
        As for `judge`.
    resamples : int
        Number of re-draws of sources and runs.
    seed : int
        Seed of the resampling.
    """
    settings: dict[str, Any] = {"qualified": qualified} | limited(timeout, jobs)
    resamples, seed = whole(resamples, "resamples", 1), whole(seed, "seed", 0)
    table = table_of(runs, layout, names)
    judgement = judge_runs(table, problems, rules, **settings)
    return Robustness(examine(judgement, resamples, seed), Judged(judgement))
