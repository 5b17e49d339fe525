"""The comparison of all methods in one metric, and sentences about it; all of its numbers are over units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from srlib.comparing.benchmark import Benchmark, read_benchmark
from srlib.comparing.paired_tests import (
    ALPHA,
    FEWEST_UNITS,
    compare_pairs,
    rank_methods,
    smallest_p,
)
from srlib.errors import InputError
from srlib.ledger import lines_of, to_frame
from srlib.metrics import Metric, average_levels
from srlib.problems import Problems
from srlib.prose import Statement, listed, state, state_count
from srlib.readers import RunSources
from srlib.result import Result

STATE_TEXTS = {  # by fact: result of the leader against other methods, and how the headline says it
    "better": ("better", "better than {}"),
    "worse": ("worse", "worse than {}, though its mean rank is better"),
    "not_distinct": ("not told apart", "not told apart from {}"),
}
TURNED = {"better": "worse", "worse": "better"}
SCALES = {  # what is subtracted, by whether values are bounded, and by their scale
    (True, "difference"): "values from {floor:g} on",
    (True, "rate"): "shares as they are",
    (False, "difference"): "values as they are",
    (False, "ratio"): "logarithms, shown as ratios",
}


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
    dataset_ranks : pandas.Series
        Mean rank of each method where every dataset is a unit.
    units : pandas.Series
        Unit of each dataset (the index).
    ledger : pandas.DataFrame
        Runs and values that could not be used or were replaced.
    notes : tuple of Statement
        Sentences about values that are missing or stand in for others.
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
    dataset_ranks: pd.Series
    units: pd.Series
    ledger: pd.DataFrame
    notes: tuple[Statement, ...]
    reported: bool
    counts: dict[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    title = "Comparison"

    @property
    def sentences(self) -> list[str]:
        """The headline, its details, and the number of missing values that were replaced."""
        n_replaced = int((self.ledger["action"] == "replaced").sum())
        values = state_count("values", n_replaced, "missing value")
        replaced_sentence = state("replaced", "{values} replaced (see the ledger)", values=values)
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
    def leaders(self) -> list[str]:
        """Methods on the first place."""
        return list(self.ranking.loc[self.ranking["rank"] == 1, "method"])

    @property
    def unit_name(self) -> str:
        """Name of the units: 'sources' if several datasets are one unit, else 'datasets'."""
        return "sources" if self.units.nunique() < len(self.units) else "datasets"

    @property
    def unit_count(self) -> Statement:
        """Number of units with their name, as `5 sources`."""
        return state_count("units", len(self.unit_values), self.unit_name[:-1])

    @property
    def tested(self) -> bool:
        """Whether there are enough units for a test."""
        return len(self.unit_values) >= FEWEST_UNITS

    @property
    def test(self) -> Statement:
        """The test with its unit, scale and smallest p-value, or that there was none and why; without a full stop."""
        units = self.unit_count
        if not self.tested:
            verb = "is" if len(self.unit_values) == 1 else "are"
            template = f"not tested, as {{units}} {verb} too few ({{fewest}} are needed)"
            return state("test", template, units=units, fewest=FEWEST_UNITS)
        scale = SCALES[self.metric.bounded, self.metric.scale]
        return state(
            "test",
            f"maxT test with sign flips over {{units}}; {scale}; level {{level:g}} for all {{pairs}} together; "
            "smallest attainable p {least_p:.2g}",
            units=units,
            floor=self.metric.floor,
            level=ALPHA,
            pairs=state_count("pairs", len(self.pairs), "pair"),
            least_p=smallest_p(len(self.unit_values)),
        )

    @property
    def tally(self) -> Statement:
        """Number of pairs that are told apart, without a full stop; or that none was tested and why."""
        if not self.tested:
            return self.test
        return state(
            "tally",
            "{distinct} of {pairs} pairs are told apart, smallest p {smallest_p:.2g}",
            distinct=int((self.pairs["better"] != "").sum()),
            pairs=len(self.pairs),
            smallest_p=self.pairs["p_value"].min(),
        )

    @property
    def results(self) -> dict[str, dict[str, tuple[str, float]]]:
        """State and p-value of each method (key) against each other method (inner key)."""
        results = {method: dict[str, tuple[str, float]]() for method in self.ranking["method"]}
        columns = self.pairs[["method_a", "method_b", "state", "p_value"]]
        for a, b, result, p_value in columns.itertuples(index=False):
            results[a][b] = result, p_value
            results[b][a] = TURNED.get(result) or result, p_value
        return results

    def describe_test(self, method: str, rivals: Sequence[str]) -> Statement:
        """Return a clause that says whether a method differs significantly from rivals, without a full stop.

        Examples: `the test tells it apart from deap (p = 0.01)`, `the test does not tell it apart from deap (p =
        0.08)`, `5 sources: too few to test pairs (6 are needed)`.
        The p-value is the largest of the pairs.
        """
        if not self.tested:
            template = "{units}: too few to test pairs ({fewest} are needed)"
            return state("test", template, units=self.unit_count, fewest=FEWEST_UNITS)
        states, p_values = zip(*(self.results[method][rival] for rival in rivals), strict=True)
        clause = "does not tell it apart from"
        if "worse" in states:
            clause = "puts it behind"
        elif set(states) == {"better"}:
            clause = "tells it apart from"
        template = f"the test {clause} {{rivals}} (p = {{p_value:.2g}})"
        return state("test", template, rivals=listed(rivals, 3), p_value=max(p_values))

    @property
    def headline(self) -> Statement:
        """Sentences about units, the leader, methods from which it differs significantly, and fewer runs."""
        if len(self.ranking) < 2:
            return state("comparison", "One method alone cannot be compared.")
        return state(
            "comparison",
            f"{{units}} {{leader}} {{differences}}{' {runs}' if self.deciding_note else ''}",
            units=self._state_units(),
            leader=self._state_leader(),
            differences=self._state_differences(),
            runs=self.deciding_note,
        )

    @property
    def deciding_note(self) -> Statement:
        """The note on methods with fewer runs, if one of them leads alone or is told apart from another; else empty."""
        decided = self.pairs[self.pairs["better"] != ""]
        methods = {*decided["method_a"], *decided["method_b"]}
        if len(self.leaders) == 1:
            methods |= {*self.leaders}
        for note in self.notes:
            if note.name == "fewer_runs" and methods & {*note.facts["names"].value}:
                return note
        return Statement()

    def _state_units(self) -> Statement:
        """Return the sentence about the number of datasets, and about sources of several datasets."""
        sizes = self.units.value_counts()
        n_others = int((sizes > 1).sum()) - 1
        others_clause = ", as do those of {others}" if n_others else ""
        template = "{datasets}, each a unit of its own."
        if sizes.iloc[0] > 1:
            template = (
                "{datasets} from {sources} (the {largest} datasets of {largest_source} count as one"
                f"{others_clause})."
            )
        return state(
            "units",
            template,
            datasets=state_count("datasets", len(self.units), "dataset"),
            sources=state_count("sources", len(sizes), "source"),
            largest=sizes.iloc[0],
            largest_source=sizes.index[0],
            others=state_count("other_sources", n_others, "other source"),
        )

    def _state_leader(self) -> Statement:
        """Return the sentence about the methods with the best mean rank."""
        label = f"{self.metric.label} as reported" if self.reported else self.metric.label
        mean_rank, missing = self.ranking.loc[0, ["mean_rank", "missing"]]
        rank_clause = "best mean rank in {metric}: {mean_rank:.2f} among {methods} methods"
        missing_clause = ", with {missing:.0%} of its cells missing" if missing else ""
        template = f"{{leaders}} has the {rank_clause}{missing_clause}."
        if len(self.leaders) > 1:
            template = f"Nobody leads: {{leaders}} share the {rank_clause}."
        return state(
            "leader",
            template,
            leaders=listed(self.leaders, 5),
            metric=label,
            mean_rank=mean_rank,
            methods=len(self.ranking),
            missing=missing,
        )

    def _state_differences(self) -> Statement:
        """Return the sentence about the pairs, or about the leader's pairs, that the test tells apart."""
        if not self.tested or len(self.leaders) > 1:
            template = "{tally} ({test})." if self.tested else "The pairs are {test}."
            return state("differences", template, tally=self.tally, test=self.test)
        results, clauses, values = self.results[self.leaders[0]], [], dict[str, Any]()
        for key, (result, text) in STATE_TEXTS.items():
            rivals = [name for name, (other, _) in results.items() if other == result]
            values |= {key: len(rivals), f"{key}_names": listed(rivals)}
            names_clause = f" ({{{key}_names}})" if len(rivals) <= 3 else ""
            if rivals:
                clauses.append(text.format(f"{{{key}}} of {{rivals}}{names_clause}"))
        template = f"It is {' and '.join(clauses)} ({{test}})."
        return state("differences", template, test=self.test, rivals=len(results), **values)

    @property
    def details(self) -> list[Statement]:
        """Further sentences: the leader over datasets, the first pair, all pairs, missing values, names."""
        if len(self.ranking) < 2:
            return []
        tally = state("tally", "{tally}.", tally=self.tally) if self.tested else ""
        lines = [self._state_dataset_leaders(), self._state_first_pair(), tally, *self.notes]
        return [line for line in lines if line and line != self.deciding_note]

    def _state_dataset_leaders(self) -> Statement:
        """Return the sentence about other leaders where every dataset is a unit; empty if they are the same."""
        ranks, sizes = self.dataset_ranks.round(9), self.units.value_counts()
        leaders = list(ranks.index[ranks == ranks.min()])
        if set(leaders) == set(self.leaders):
            return Statement()
        return state(
            "dataset_leaders",
            "Over the sources {own} has the best mean rank, and with each dataset as a unit, as papers often count, "
            "{leaders} ({mean_rank:.2f}): {source} alone has {largest} datasets.",
            own=listed(self.leaders, 3),
            leaders=listed(leaders, 3),
            mean_rank=ranks.min(),
            source=sizes.index[0],
            largest=sizes.iloc[0],
        )

    def _state_first_pair(self) -> Statement:
        """Return the sentence about the effect, the wins and the test of the first pair."""
        row = self.pairs.iloc[0]
        has_interval, is_tested = row[["effect_low", "p_value"]].notna()
        interval_clause = "no interval"
        if has_interval:
            interval_clause = "interval {effect_low:.3g} to {effect_high:.3g}"
        p_clause = " (p = {p_value:.2g})" if is_tested else ""
        effect = "mean ratio" if self.metric.scale == "ratio" else "mean difference"
        return state(
            "first_pair",
            f"{{method_a}} against {{method_b}}: {effect} {{effect:.3g}}, {interval_clause}; wins {{wins}}, ties "
            f"{{ties}}, losses {{losses}}; {{state}}{p_clause}.",
            **row,
        )


def compare(
    runs: RunSources,
    metric: str,
    *,
    problems: str | Path | Problems | None = None,
    related: str = "",
    sources: str | Path | pd.DataFrame | None = None,
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
        Column that is compared, such as r2_test, complexity or an aspect of measures; one that srlib does not know with
        its direction, as 'mape:lower'.
    problems : str or Path, optional
        Problem file or shipped name, by which the runs are measured; a value that the runs report is then used only if
        it cannot be computed. The problems' families are the sources of related datasets.
    related, sources, repetitions, aggregate, alias
        See `read_benchmark`.
    names, layout
        See `read_runs`.

    Examples
    --------
    >>> import srlib
    >>> srlib.compare("demo", "r2_test", related="none").pairs["n_units"].max()
    np.int64(17)
    """
    benchmark = read_benchmark(
        runs,
        problems,
        metrics=[metric],
        names=names,
        layout=layout,
        alias=alias,
        related=related,
        sources=sources,
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
    cells, metric = benchmark.cells(aspect), benchmark.metric(aspect)
    if aspect in benchmark.reported:
        _refuse_partial(benchmark.measures, aspect)
    filled_cells = benchmark.fill(cells, aspect)
    by_dataset = average_levels(filled_cells)
    units = benchmark.sources[by_dataset.index]
    clipped = by_dataset.clip(lower=metric.floor if metric.bounded else None)
    values, tested = (part.groupby(units.rename("unit")).mean() for part in (by_dataset, clipped))
    scores = {
        "mean_rank": rank_methods(values, metric).mean(),
        "score": values.agg(metric.centre),
        "missing": cells[values.columns].isna().mean(),
    }
    ranking = pd.DataFrame(scores).rename_axis("method").reset_index()
    ranking.insert(0, "rank", ranking["mean_rank"].round(9).rank(method="min").astype("Int64"))
    ranking = ranking.sort_values(["rank", "method"], ignore_index=True)
    order = ranking["method"]
    losses = filled_cells.where(cells.isna()).melt(ignore_index=False).dropna().reset_index()
    losses["value"] = losses["value"].map("{:g}".format)
    text = "no usable run; {value} stands in"
    lines = lines_of(losses, "missing_runs", "replaced", "judge", text, level="cell")
    return Comparison(
        metric=metric,
        unit_values=values,
        pairs=compare_pairs(values[order], metric, tested[order]),
        ranking=ranking,
        dataset_ranks=rank_methods(by_dataset, metric).mean(),
        units=units,
        ledger=pd.concat([benchmark.ledger, to_frame(lines)], ignore_index=True),
        notes=tuple(benchmark.notes(aspect)),
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
            f"{counts.idxmin()}: no run has a value of {aspect}, and runs of other files have: name the problems, so "
            f"that it is computed for all"
        )
