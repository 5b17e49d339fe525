"""Every pair of methods over datasets."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from srlib.api.arguments import listed
from srlib.api.runs import RunsLike, Stated, each
from srlib.api.shown import Shown, many
from srlib.assessing.extras import EXTRAS
from srlib.comparing.benchmark import Benchmark, read_benchmark
from srlib.comparing.comparison import Comparison
from srlib.comparing.comparison import compare as compare_methods
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
        One row a pair: method_a, method_b, n_units, p_value, p_adjusted, effect with its interval, wins, ties and
        losses of a, `better` ("": not told apart), `state`.
    ranking : pandas.DataFrame
        rank (1 = best), method, mean_rank over the units, score (median, for rates mean), share of missing cells.
    values : pandas.DataFrame
        Units x methods: datasets, or sources of related datasets.
    ledger : pandas.DataFrame
        Every run and value that could not be used or was replaced.
    counts : dict
        Runs read, scored and excluded, which add up.
    notices : tuple of str
        What was left out or filled in while reading.
    """

    title = "Comparison"

    def __init__(
        self, comparison: Comparison, benchmark: Benchmark, notices: tuple[str, ...]
    ) -> None:
        self.comparison = comparison
        self.pairs = comparison.pairs
        self.ranking = comparison.ranking
        self.values = comparison.unit_values
        self.ledger = pd.concat([benchmark.ledger, comparison.ledger], ignore_index=True)
        self.counts = benchmark.counts
        self.notices = notices

    @property
    def sentences(self) -> list[str]:
        """Who is ahead, from whom the test tells it apart, and how much was missing."""
        replaced = int((self.ledger["action"] == "replaced").sum())
        lines = f"{many(replaced, 'missing value')} replaced (see the ledger)"
        return [self.comparison.headline, *self.comparison.details, lines]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Ranking, pairs, values and ledger."""
        return {
            "Ranking": self.ranking,
            "Pairs of methods": self.pairs,
            "Values": self.values.reset_index(),
            "Ledger": self.ledger,
        }

    def _display(self) -> Any:
        from srlib.displays import PairsDisplay

        return PairsDisplay.from_comparison(self.comparison)


def compare(
    runs: RunsLike | Sequence[RunsLike],
    metric: str,
    *,
    problems: str | Path | Problems | None = None,
    related: str = "",
    repetitions: int | None = None,
    aggregate: Literal["mean", "median"] = "mean",
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
        Problem file or shipped name, by which the runs are measured; a reported value then counts only where nothing
        can be computed. Its families are the sources of related datasets.
    related : {'', 'none'}
        'none': every dataset is a unit of its own; else datasets of one source are one unit.
    repetitions : int, optional
        Number of runs that every method should have on every dataset: absent ones count as failed. Else the problems'
        data_seeds state it.
    aggregate : {'mean', 'median'}
        Over the repetitions.
    noise : float, optional
        Only datasets NAME@LEVEL of this level; by default the mean over a dataset's levels.
    margin : float, optional
        Differences up to this size (for sizes and times, ratios up to 1 + margin) are of no practical weight: pairs
        whose interval lies inside are equivalent.
    alias : mapping, optional
        Other names of a method, each with the name that it goes by.
    names, layout
        See `read_runs`.

    Examples
    --------
    >>> import srlib
    >>> srlib.compare("demo", "r2_test", related="none").pairs["n_units"].max()
    np.int64(17)
    """
    listing = load_problems(problems) if problems is not None else None
    tables = [read_results(getattr(table, "source", table), layout) for table in each(runs)]
    tables = _state_names(tables, names)
    if listing is not None:
        measure = load_rules("judging-2022").measure
        tables = [add_metrics(table, listing, measure, [metric]) for table in tables]
    elif metric in EXTRAS and not any(metric in table.frame for table in tables):
        raise InputError(f"metric {metric} is made from models and data: name the problems")
    benchmark = read_benchmark(
        tables, listing, alias=alias, related=related, repetitions=repetitions, aggregate=aggregate
    )
    comparison = compare_methods(benchmark, metric, level=noise, margin=margin)
    notices = tuple(notice for table in tables for notice in table.notices)
    return Compared(comparison, benchmark, notices)


def _state_names(tables: list[RunTable], names: Stated) -> list[RunTable]:
    """State how methods name features, each in the tables that hold it; the first refuses a method of no table."""
    if isinstance(names, Mapping):
        names = [f"{method}={naming}" for method, naming in names.items()]
    methods = [set(table.frame["method"]) for table in tables]
    for statement in listed(names):
        team = statement.rpartition("=")[0]
        places = [place for place, teams in enumerate(methods) if team in teams] or [0]
        for place in places:
            tables[place] = with_names(tables[place], [statement])
    return tables
