"""The comparison of all methods in one metric, and sentences about it; all of its numbers are over units."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from srlib.comparing.benchmark import Benchmark, read_benchmark
from srlib.comparing.paired_tests import (
    ALPHA,
    CONFIDENCE_LEVEL,
    FEWEST_UNITS,
    compare_pairs,
    friedman_p,
    rank_methods,
)
from srlib.errors import InputError
from srlib.ledger import lines_of, to_frame
from srlib.metrics import Metric, average_levels, metric_of
from srlib.problems import Problems
from srlib.prose import Statement, listed, state, state_count
from srlib.readers import RunSources
from srlib.result import Result

LEAST_P = 1e-300
STATE_TEXTS = {  # by fact: result of the leader against other methods, and how the headline says it
    "better": ("better", "better than {}"),
    "worse": ("worse", "worse than {}, though its mean rank is better"),
    "not_distinct": ("not told apart", "not told apart from {}"),
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
    def too_few(self) -> Statement | None:
        """Clause such as '5 sources are too few' if there are too few units for a test; else None."""
        n_units = len(self.unit_values)
        if n_units >= FEWEST_UNITS:
            return None
        verb = "is" if n_units == 1 else "are"
        units = state_count("units", n_units, self.unit_name[:-1])
        return state("too_few", f"{{units}} {verb} too few", units=units)

    def describe_test(self, method: str, rivals: Sequence[str]) -> Statement:
        """Return a clause that says whether a method differs significantly from rivals, without a full stop.

        Examples: `the test tells it apart from deap (p = 0.01)`, `the test does not tell it apart from deap (p =
        0.08)`, `5 sources are too few for a claim about others`. The p-value is the largest of the adjusted ones.
        """
        if self.too_few:
            return state("test", "{too_few} for a claim about others", too_few=self.too_few)
        names = self.pairs[["method_a", "method_b"]]
        pairs = self.pairs[(names == method).any(axis=1) & names.isin(rivals).any(axis=1)]
        template = "the test does not tell it apart from {rivals} ({p})"
        if pairs["better"].isin(rivals).any():
            template = "the test puts it behind {rivals} ({p})"
        elif (pairs["better"] == method).all():
            template = "the test tells it apart from {rivals} ({p})"
        p_value = state_p(pairs["p_adjusted"].max())
        return state("test", template, rivals=listed(rivals, 3), p=p_value)

    @property
    def headline(self) -> Statement:
        """Sentences about the units, the leader, and the methods from which the leader differs significantly."""
        if len(self.ranking) < 2:
            return state("comparison", "One method alone cannot be compared.")
        template = "{units} {leader} {differences}"
        if self.too_few:
            template = "{units} {leader} {too_few} for a test."
        return state(
            "comparison",
            template,
            units=self._state_units(),
            leader=self._state_leader(),
            too_few=self.too_few,
            differences=self._state_differences(),
        )

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
        pairs, values = self.pairs, dict[str, Any]()
        if len(self.leaders) > 1:
            values = {"distinct": int((pairs["better"] != "").sum()), "tested": len(pairs)}
            result_clause = "{distinct} of {tested} pairs are told apart"
        else:
            states = pairs[: len(self.ranking) - 1].set_index("method_b")["state"]
            clauses = []
            for key, (result, text) in STATE_TEXTS.items():
                rivals = list(states.index[states == result])
                values |= {key: len(rivals), f"{key}_names": listed(rivals)}
                names_clause = f" ({{{key}_names}})" if len(rivals) <= 3 else ""
                if rivals:
                    clauses.append(text.format(f"{{{key}}} of {{rivals}}{names_clause}"))
            values["rivals"] = len(states)
            result_clause = f"It is {' and '.join(clauses)}"
        return state(
            "differences",
            f"{result_clause} ({{test}}, level {{level:g}} after Holm's correction for {{pairs}}).",
            test=self.test_name,
            level=ALPHA,
            pairs=state_count("pairs", len(pairs), "pair"),
            **values,
        )

    @property
    def details(self) -> list[Statement]:
        """Further sentences: the first pair of methods, missing cells and runs, and the test of all methods."""
        if len(self.ranking) < 2:
            return []
        missing = self.ranking.set_index("method")["missing"]
        shares = [f"{method} {share:.0%}" for method, share in missing.items() if share > 0]
        noisy_names = [name for name in self.units.index if re.search(NOISY_NAME_PATTERN, name)]
        absence = "{names} have no value at all and take no part."
        if len(self.absent) == 1:
            absence = "{names} has no value at all and takes no part."
        notes = [
            ("missing_cells", shares, "Missing cells: {names}. A missing cell counts as a loss."),
            (
                "fewer_runs",
                self.fewer_runs,
                "Fewer runs than others: {names}. Where no number of repetitions is stated, the runs that are there "
                "are averaged.",
            ),
            ("absent", self.absent, absence),
            (
                "noisy_names",
                noisy_names,
                "{count} names of datasets look like noise levels ({first}); each counts by itself. A name such as "
                "NAME@0.01 states a level.",
            ),
        ]
        sentences = [
            state(name, template, names=listed(names, 12), count=len(names), first=names[0])
            for name, names, template in notes
            if names
        ]
        if not math.isnan(self.p_value):
            verb = "differ" if self.p_value < ALPHA else "are not shown to differ"
            test_sentence = state(
                "all_methods",
                f"Over {{units}} {self.unit_name} the {{methods}} methods {verb} (Friedman, {{p}}).",
                units=len(self.unit_values),
                methods=len(self.ranking),
                p=state_p(self.p_value),
            )
            sentences.append(test_sentence)
        return [self._state_first_pair(), *sentences]

    def _state_first_pair(self) -> Statement:
        """Return the sentence about the effect, the wins and the test of the first pair."""
        row = self.pairs.iloc[0]
        has_interval, is_tested = row[["effect_low", "p_adjusted"]].notna()
        interval_clause = (
            "{confidence:.0%} interval {low:.3g} to {high:.3g}" if has_interval else "no interval"
        )
        p_clause = " ({p})" if is_tested else ""
        effect_clause = f"{EFFECT_NAMES[self.metric.scale]} {{effect:.3g}}, {interval_clause}"
        losses = "loss" if row["losses"] == 1 else "losses"
        return state(
            "first_pair",
            f"{{a}} against {{b}}: {effect_clause}; {{wins}}, {{ties}}, {{losses}} {losses}; {{state}}{p_clause}.",
            a=row["method_a"],
            b=row["method_b"],
            effect=row["effect"] + 0,
            confidence=CONFIDENCE_LEVEL,
            low=row["effect_low"] + 0,
            high=row["effect_high"] + 0,
            wins=state_count("wins", row["wins"], "win"),
            ties=state_count("ties", row["ties"], "tie"),
            losses=row["losses"],
            state=row["state"],
            p=state_p(row["p_adjusted"]),
        )


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
        Column that is compared, such as r2_test, complexity or an aspect of measures; one that srlib does not know with
        its direction, as 'mape:lower'.
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
    benchmark = read_benchmark(
        runs,
        problems,
        metrics=[metric],
        names=names,
        layout=layout,
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
    cells, metric = benchmark.cells(aspect), metric_of(aspect)
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
            f"{counts.idxmin()}: no run has a value of {aspect}, and runs of other files have: name the problems, so "
            f"that it is computed for all"
        )


def state_p(p_value: float) -> Statement:
    """Return a p-value as a statement; it is never written as 0.

    Examples
    --------
    >>> state_p(0.0123), state_p(0.0)
    ('p = 0.012', 'p < 1e-300')
    """
    if p_value < LEAST_P:
        return state("p", "p < {limit:g}", limit=LEAST_P)
    return state("p", "p = {p_value:.2g}", p_value=p_value)
