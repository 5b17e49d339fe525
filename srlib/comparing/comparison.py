"""The comparison of all methods in one metric, and sentences about it; all of its numbers are over units."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from srlib.assessing.completing import add_metrics
from srlib.comparing.benchmark import Benchmark, read_benchmark
from srlib.comparing.paired_tests import (
    ALPHA,
    FEWEST_UNITS,
    compare_pairs,
    friedman_p,
    rank_methods,
)
from srlib.errors import InputError
from srlib.ledger import lines_of, to_frame
from srlib.metrics import Metric, average_levels, metric_of
from srlib.problems import Problems, load_problems
from srlib.prose import counted, listed
from srlib.readers import RunSources, read_compared
from srlib.result import Result
from srlib.rules import load_rules

LEAST_P = 1e-300
STATE_TEXTS = {  # result of the leader against other methods
    "better": "better than {}",
    "worse": "worse than {}, though its mean rank is better",
    "not told apart": "not told apart from {}",
}
EFFECT_NAMES = {
    "difference": "typical difference (Hodges-Lehmann)",
    "ratio": "typical ratio (Hodges-Lehmann)",
    "rate": "difference of mean rates",
}
NOISY_NAME_PATTERN = r"_noise_\d"  # looks like a noise level, but only NAME@LEVEL is read as one


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Comparison of all methods in one metric.

    Parameters
    ----------
    metric : Metric
        The metric that is compared.
    unit_values : pandas.DataFrame
        Units x methods; a unit's value is the mean over its datasets.
    pairs : pandas.DataFrame
        Result of `compare_pairs`; `method_a` has the better mean rank, and the leader's pairs come first.
    ranking : pandas.DataFrame
        `rank` (1 is best, ties share it), `method`, `mean_rank` over the units, `score` (median over the units, for
        rates the mean), `missing` (share of the method's cells without a usable run); best first.
    p_value : float
        p-value of Friedman's test of all methods over the units.
    units : pandas.Series
        Unit of each dataset (the index).
    ledger : pandas.DataFrame
        Runs and values that could not be used or were replaced.
    absent : tuple of str
        Methods without any value; they are not compared.
    fewer_runs : tuple of str
        Methods with fewer runs than others, with the numbers.
    reported : bool
        Whether some values were reported with the runs instead of computed.
    counts : dict
        Numbers of runs or cells: `read` = `scored` + `excluded`; `what` was counted.
    notices : tuple of str
        Sentences about values that were left out or filled in while reading.
    """

    metric: Metric
    unit_values: pd.DataFrame
    pairs: pd.DataFrame
    ranking: pd.DataFrame
    p_value: float
    units: pd.Series
    ledger: pd.DataFrame
    absent: tuple[str, ...]
    fewer_runs: tuple[str, ...]
    reported: bool
    counts: dict[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    title = "Comparison"

    @property
    def sentences(self) -> list[str]:
        """The headline, its details, and the number of missing values that were replaced."""
        n_replaced = int((self.ledger["action"] == "replaced").sum())
        replaced_sentence = f"{counted(n_replaced, 'missing value')} replaced (see the ledger)"
        return [self.headline, *self.details, replaced_sentence]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """Tables of ranking, pairs, values and ledger, by title."""
        return {
            "Ranking": self.ranking,
            "Pairs of methods": self.pairs,
            "Values": self.unit_values.reset_index(),
            "Ledger": self.ledger,
        }

    @property
    def test_name(self) -> str:
        """Name of the test of the pairs."""
        return (
            "sign flips of the mean difference" if self.metric.rate else "Wilcoxon signed-rank test"
        )

    @property
    def leaders(self) -> list[str]:
        """Methods on the first place."""
        return list(self.ranking.loc[self.ranking["rank"] == 1, "method"])

    @property
    def unit_name(self) -> str:
        """Name of the units: 'sources' if several datasets are one unit, else 'datasets'."""
        return "sources" if self.units.nunique() < len(self.units) else "datasets"

    @property
    def too_few(self) -> str:
        """Clause such as '5 sources are too few' if there are too few units for a test; else empty."""
        n_units = len(self.unit_values)
        if n_units >= FEWEST_UNITS:
            return ""
        verb = "is" if n_units == 1 else "are"
        return f"{counted(n_units, self.unit_name[:-1])} {verb} too few"

    def describe_test(self, method: str, rivals: Sequence[str]) -> str:
        """Return a clause that says whether a method differs significantly from rivals, without a full stop.

        Examples: `the test tells it apart from deap (p = 0.01)`, `the test does not tell it apart from deap (p =
        0.08)`, `5 sources are too few for a claim about others`. The p-value is the largest of the adjusted ones.
        """
        if self.too_few:
            return f"{self.too_few} for a claim about others"
        names = self.pairs[["method_a", "method_b"]]
        pairs = self.pairs[(names == method).any(axis=1) & names.isin(rivals).any(axis=1)]
        text = f"{listed(rivals, 3)} ({format_p(pairs['p_adjusted'].max())})"
        if pairs["better"].isin(rivals).any():
            return f"the test puts it behind {text}"
        tells = "tells" if (pairs["better"] == method).all() else "does not tell"
        return f"the test {tells} it apart from {text}"

    @property
    def headline(self) -> str:
        """Sentences about the units, the leader, and the methods from which the leader differs significantly."""
        ranking = self.ranking
        pairs = self.pairs
        if len(ranking) < 2:
            return "One method alone cannot be compared."
        sizes = self.units.value_counts()
        datasets = counted(len(self.units), "dataset")
        units_text = f"{datasets}, each a unit of its own."
        if sizes.iloc[0] > 1:
            n_others = int((sizes > 1).sum()) - 1
            largest = f"the {sizes.iloc[0]} datasets of {sizes.index[0]} count as one"
            others_clause = (
                f", as do those of {counted(n_others, 'other source')}" if n_others else ""
            )
            units_text = (
                f"{datasets} from {counted(len(sizes), 'source')} ({largest}{others_clause})."
            )
        label = f"{self.metric.label} as reported" if self.reported else self.metric.label
        best, missing = ranking.loc[0, ["mean_rank", "missing"]]
        rank_text = f"best mean rank in {label}: {best:.2f} among {len(ranking)} methods"
        missing_clause = f", with {missing:.0%} of its cells missing" if missing else ""
        sentences = f"{units_text} {self.leaders[0]} has the {rank_text}{missing_clause}."
        if len(self.leaders) > 1:
            sentences = (
                f"{units_text} Nobody leads: {listed(self.leaders, 5)} share the {rank_text}."
            )
        if self.too_few:
            return f"{sentences} {self.too_few} for a test."
        test_clause = f"{self.test_name}, level {ALPHA:g} after Holm's correction for {counted(len(pairs), 'pair')}"
        if len(self.leaders) > 1:
            n_distinct = (pairs["better"] != "").sum()
            return f"{sentences} {n_distinct} of {len(pairs)} pairs are told apart ({test_clause})."
        states = pairs[: len(ranking) - 1].set_index("method_b")["state"]
        parts = []
        for state, text in STATE_TEXTS.items():
            names = list(states.index[states == state])
            if names:
                names_clause = f" ({listed(names)})" if len(names) <= 3 else ""
                parts.append(text.format(f"{len(names)} of {len(states)}{names_clause}"))
        return f"{sentences} It is {' and '.join(parts)} ({test_clause})."

    @property
    def details(self) -> list[str]:
        """Further sentences: the first pair of methods, missing cells and runs, and the test of all methods."""
        if len(self.ranking) < 2:
            return []
        row = self.pairs.iloc[0]
        counts_clause = (
            f"{counted(row['wins'], 'win')}, {counted(row['ties'], 'tie')}, "
            f"{row['losses']} {'loss' if row['losses'] == 1 else 'losses'}"
        )
        interval_clause = "no interval"
        p_clause = ""
        if pd.notna(row["effect_low"]):
            interval_clause = (
                f"95% interval {row['effect_low'] + 0:.3g} to {row['effect_high'] + 0:.3g}"
            )
        if pd.notna(row["p_adjusted"]):
            p_clause = f" ({format_p(row['p_adjusted'])})"
        sentences = [
            f"{row['method_a']} against {row['method_b']}: {EFFECT_NAMES[self.metric.scale]} "
            f"{row['effect'] + 0:.3g}, {interval_clause}; {counts_clause}; {row['state']}{p_clause}."
        ]
        missing = self.ranking.set_index("method")["missing"]
        shares = [f"{method} {share:.0%}" for method, share in missing.items() if share > 0]
        if shares:
            sentences.append(
                f"Missing cells: {listed(shares, 12)}. A missing cell counts as a loss."
            )
        if self.fewer_runs:
            sentences.append(
                f"Fewer runs than others: {listed(self.fewer_runs, 12)}. Where no number of repetitions is stated, the "
                "runs that are there are averaged."
            )
        if self.absent:
            has_verb, take_verb = ("has", "takes") if len(self.absent) == 1 else ("have", "take")
            sentences.append(
                f"{listed(self.absent, 12)} {has_verb} no value at all and {take_verb} no part."
            )
        noisy_names = [name for name in self.units.index if re.search(NOISY_NAME_PATTERN, name)]
        if noisy_names:
            sentences.append(
                f"{len(noisy_names)} names of datasets look like noise levels ({noisy_names[0]}); each counts by "
                "itself. A name such as NAME@0.01 states a level."
            )
        if not math.isnan(self.p_value):
            differ = "differ" if self.p_value < ALPHA else "are not shown to differ"
            sentences.append(
                f"Over {len(self.unit_values)} {self.unit_name} the {len(self.ranking)} methods {differ} "
                f"(Friedman, {format_p(self.p_value)})."
            )
        return sentences


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
    tables = read_compared(runs, layout, names)
    if problem_list is not None:
        measure_rules = load_rules("judging-2022").measure
        tables = [add_metrics(table, problem_list, measure_rules, [metric]) for table in tables]
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


def compare_methods(benchmark: Benchmark, aspect: str) -> Comparison:
    """Return the comparison of all methods in one metric.

    Parameters
    ----------
    benchmark : Benchmark
        Measures of the methods.
    aspect : str
        Name of the metric to compare.

    Raises
    ------
    InputError
        When no table has the metric, or only some files of runs report it.
    """
    metric = metric_of(aspect)
    cells = benchmark.cells(aspect)
    if aspect in benchmark.reported:
        _refuse_partial(benchmark.measures, aspect)
    filled_cells = benchmark.fill(cells, aspect)
    by_dataset = average_levels(filled_cells)
    units = benchmark.units(by_dataset)
    values = by_dataset.groupby(units.rename("unit")).mean()
    scores = {
        "mean_rank": rank_methods(values, metric).mean(),
        "score": values.agg(metric.centre),
        "missing": cells[values.columns].isna().mean(),
    }
    ranking = pd.DataFrame(scores).rename_axis("method").reset_index()
    ranking.insert(0, "rank", ranking["mean_rank"].round(9).rank(method="min").astype("Int64"))
    ranking = ranking.sort_values(["rank", "method"], ignore_index=True)
    losses = filled_cells.where(cells.isna()).melt(ignore_index=False).dropna().reset_index()
    losses["value"] = losses["value"].map("{:g}".format)
    text = "no usable run; {value} stands in"
    lines = lines_of(losses, "missing_runs", "replaced", "judge", text, level="cell")
    return Comparison(
        metric=metric,
        unit_values=values,
        pairs=compare_pairs(values[ranking["method"]], metric),
        ranking=ranking,
        p_value=friedman_p(values, metric),
        units=units,
        ledger=pd.concat([benchmark.ledger, to_frame(lines)], ignore_index=True),
        absent=tuple(cells.columns.difference(filled_cells.columns)),
        fewer_runs=tuple(benchmark.fewer_runs(aspect)),
        reported=aspect in benchmark.reported,
        counts=benchmark.counts,
        notices=benchmark.notices,
    )


def _refuse_partial(measures: pd.DataFrame, aspect: str) -> None:
    """Raise InputError if only some files of runs report the metric, as it could be computed for all."""
    runs = measures[measures["failed"].eq(False)]
    counts = runs["value"].where(runs["aspect"] == aspect).groupby(runs["file"]).count()
    if counts.any() and not counts.all():
        raise InputError(
            f"{counts.idxmin()}: no run has a value of {aspect}, and runs of other files have: name the problems "
            f"(--problems), so that it is computed for all"
        )


def format_p(p_value: float) -> str:
    """Return a p-value as text for a sentence; it is never written as 0.

    Examples
    --------
    >>> format_p(0.0123), format_p(0.0)
    ('p = 0.012', 'p < 1e-300')
    """
    return f"p < {LEAST_P:g}" if p_value < LEAST_P else f"p = {p_value:.2g}"
