"""Every pair of methods over the datasets they share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from srlib.api.arguments import listed
from srlib.api.runs import RunsLike, Stated, each
from srlib.api.shown import Shown, many
from srlib.assessing.extras import EXTRAS
from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison
from srlib.comparing.comparison import compare as compare_methods
from srlib.comparing.gathering import benchmark
from srlib.comparing.sentences import details, headline
from srlib.errors import InputError
from srlib.judging.assessments import add_metrics
from srlib.problems import Problems, load_problems
from srlib.readers import RunTable, read_results, with_names
from srlib.rules import load_rules


class Compared(Shown):
    """Who is better than whom in one metric.

    Attributes
    ----------
    pairs : pandas.DataFrame
        One row a pair: method_a, method_b, n_datasets, p_value, p_adjusted, effect with its interval, wins, ties and
        losses of a, `better` ("": not shown), `why`.
    by_group : pandas.DataFrame
        The same within each group of datasets; empty where there is one.
    ranking : pandas.DataFrame
        rank (1 = best), method, score over the datasets that all share, share of missing values.
    values : pandas.DataFrame
        Datasets x methods.
    ledger : pandas.DataFrame
        Every run and value that could not be used or was missing.
    counts : dict
        Runs read, scored and excluded, which add up.
    notices : tuple of str
        What was left out or filled in while reading.
    """

    title = "Comparison"

    def __init__(self, told: Comparison, found: Benchmark, notices: tuple[str, ...]) -> None:
        self.comparison = told
        self.pairs = told.pairs
        groups = [table.assign(group=name) for name, table in told.by_group.items()]
        self.by_group = pd.concat(groups, ignore_index=True) if groups else told.pairs[:0]
        self.ranking = told.ranking
        self.values = told.values  # noqa: PD011
        self.ledger = pd.concat([found.ledger, told.ledger], ignore_index=True)
        self.counts = found.counts
        self.notices = notices

    @property
    def sentences(self) -> list[str]:
        """Who is ahead, of whom that is shown, and how much was missing."""
        gaps = many(len(self.comparison.ledger), "missing value")
        lost = f"{gaps} (missing: {self.comparison.missing})"
        told = self.comparison
        return [headline(told), *details(told), lost]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Ranking, pairs, values and ledger."""
        return {
            "Ranking": self.ranking,
            "Pairs of methods": self.pairs,
            "Pairs within groups of datasets": self.by_group,
            "Values": self.values.rename_axis("dataset").reset_index(),
            "Ledger": self.ledger,
        }

    def _display(self) -> Any:
        from srlib.displays import PairsDisplay

        told = self.comparison
        order = list(told.ranking["method"])
        return PairsDisplay.from_pairs(told.pairs, order, told.adjust, told.test_name)


def compare(
    runs: RunsLike | Sequence[RunsLike],
    metric: str,
    *,
    problems: str | Path | Problems | None = None,
    adjust: Literal["holm", "bonferroni", "none"] = "holm",
    missing: str = "worst",
    noise: float | None = None,
    margin: float | None = None,
    alias: Mapping[str, str] | None = None,
    names: Stated = (),
    layout: str | None = None,
) -> Compared:
    """Compare every pair of methods over datasets; the same as `srlib compare`.

    Parameters
    ----------
    runs : str, Path, DataFrame, Runs, or a sequence of them
        Runs, assessments or measures.
    metric : str
        What is compared, as r2_test, complexity or an aspect of measures.
    problems : str or Path, optional
        Problem file or shipped name, by which what the runs do not report is measured; see `assess`.
    adjust : {'holm', 'bonferroni', 'none'}
        Correction of the p-values.
    missing : str
        What a missing value counts as: worst (a loss) or drop (no pair).
    noise : float, optional
        Only datasets NAME@LEVEL of this level; by default the mean over a dataset's levels.
    margin : float, optional
        Differences up to this size count as none; a metric has its own otherwise.
    alias : mapping, optional
        Other names of a method, each with the name that it goes by.
    names, layout
        See `read_runs`.

    Examples
    --------
    >>> import srlib
    >>> srlib.compare("demo", "r2_test").pairs["n_datasets"].max()
    np.int64(17)
    """
    known = load_problems(problems) if problems is not None else None
    given = each(runs)
    tables = [read_results(getattr(one, "source", one), layout) for one in given]
    tables = _named(tables, names)
    if known is not None:
        measure = load_rules("judging-2022").measure
        tables = [add_metrics(table, known, measure, [metric]) for table in tables]
    elif metric in EXTRAS and not any(metric in set(table.frame.columns) for table in tables):
        raise InputError(f"metric {metric} is made from models and data: name the problems")
    found = benchmark(tables, known, alias=alias)
    told = compare_methods(
        found, metric, missing=missing, adjust=adjust, level=noise, margin=margin
    )
    return Compared(told, found, tuple(notice for table in tables for notice in table.notices))


def _named(tables: list[RunTable], names: Stated) -> list[RunTable]:
    """State how methods name features, each in the tables that it stands in; the first says who is nowhere."""
    if isinstance(names, Mapping):
        names = [f"{method}={how}" for method, how in names.items()]
    sent = [set(table.frame["method"]) for table in tables]
    for one in listed(names):
        team = one.rpartition("=")[0]
        places = [team in methods for methods in sent]
        places[0] |= not any(places)
        tables = [
            with_names(table, [one] * here) for table, here in zip(tables, places, strict=True)
        ]
    return tables
