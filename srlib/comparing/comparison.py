"""The comparison of all methods in one metric, and the sentences about it. Every number is over units."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from srlib.comparing.benchmark import COMPUTED, Benchmark
from srlib.comparing.metrics import Metric, average_levels, level_of, metric_of
from srlib.comparing.paired_tests import ALPHA, FEWEST_UNITS, compare_pairs, friedman_p, mean_ranks
from srlib.errors import InputError
from srlib.ledger import entry, to_frame
from srlib.prose import listed

LEAST_P = 1e-300
TURNED = {"method_a": "method_b", "method_b": "method_a", "wins": "losses", "losses": "wins",
          "effect_low": "effect_high", "effect_high": "effect_low"}  # fmt: skip
NOISY_NAME = r"_noise_\d"  # looks like a noise level, but is none: NAME@LEVEL states one


@dataclass(frozen=True)
class Comparison:
    """The methods compared in one metric.

    Parameters
    ----------
    aspect : str
        What is compared.
    unit_values : pandas.DataFrame
        Units x methods; a unit's value is the mean over its datasets.
    pairs : pandas.DataFrame
        What `compare_pairs` returns.
    ranking : pandas.DataFrame
        `rank` (1 is best, ties share it), `method`, `mean_rank` over the units, `score` (median over the units, for
        rates the mean), `missing` (share of its cells without a usable run); best first.
    p_value : float
        Friedman's test of all methods over the units.
    units : pandas.Series
        By dataset its unit.
    ledger : pandas.DataFrame
        A line for every value that was replaced.
    absent : tuple of str
        Methods that have no value at all; they take no part.
    fewer_runs : tuple of str
        Methods with fewer runs than others, with the numbers.
    reported : bool
        Whether some values were reported, and not computed.
    """

    aspect: str
    unit_values: pd.DataFrame
    pairs: pd.DataFrame
    ranking: pd.DataFrame
    p_value: float
    units: pd.Series
    ledger: pd.DataFrame = field(default_factory=lambda: to_frame([]), repr=False)
    absent: tuple[str, ...] = ()
    fewer_runs: tuple[str, ...] = ()
    reported: bool = False

    @property
    def metric(self) -> Metric:
        """What is compared."""
        return metric_of(self.aspect)

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
        """`datasets`, or `sources` where several datasets are one unit."""
        return "sources" if self.units.nunique() < len(self.units) else "datasets"

    def against(self, method: str) -> pd.DataFrame:
        """Pairs of one method, turned so that it is `method_a`, by the other method in the order of the ranking."""
        turned = self.pairs[self.pairs["method_b"] == method].rename(columns=TURNED)
        effects = turned[["effect", "effect_low", "effect_high"]]
        turned[effects.columns] = 1 / effects if self.metric.scale == "ratio" else -effects
        turned["state"] = turned["state"].replace({"better": "worse", "worse": "better"})
        pairs = pd.concat([self.pairs[self.pairs["method_a"] == method], turned])
        rivals = self.ranking["method"][self.ranking["method"] != method]
        return pairs.set_index("method_b").loc[rivals, self.pairs.columns.drop("method_b")]

    def tells_apart(self, method: str, rivals: Sequence[str]) -> bool:
        """Whether the test calls the method better than each of the rivals."""
        return bool(self.against(method).loc[list(rivals), "state"].eq("better").all())

    def describe_test(self, method: str, rivals: Sequence[str]) -> str:
        """Say whether the test tells a method apart from rivals, as a clause without a full stop.

        Examples: `the test tells it apart from deap (p = 0.01)`, `the test does not tell it apart from deap (p =
        0.08)`, `5 sources are too few to speak of others`. The p-value is the largest of the pairs.
        """
        if len(self.unit_values) < FEWEST_UNITS:
            return f"{_count(self.unit_values, self.unit_name)} too few to speak of others"
        pairs = self.against(method).loc[list(rivals)]
        text = f"{listed(rivals, 3)} ({format_p(pairs['p_adjusted'].max())})"
        if (pairs["state"] == "worse").any():
            return f"the test puts it behind {text}"
        tells = "tells" if self.tells_apart(method, rivals) else "does not tell"
        return f"the test {tells} it apart from {text}"

    @property
    def headline(self) -> str:
        """The units, who leads, and from how many methods the test tells the leader apart."""
        if len(self.ranking) < 2:
            return "One method alone cannot be compared."
        return " ".join([_describe_units(self), _describe_leader(self), _describe_pairs(self)])

    @property
    def details(self) -> list[str]:
        """Further sentences: the closest rival, what is missing, and the test of all methods."""
        if len(self.ranking) < 2:
            return []
        sentences = [_describe_rival(self), *_notices(self)]
        if not math.isnan(self.p_value):
            differ = "differ" if self.p_value < ALPHA else "are not shown to differ"
            sentences.append(
                f"Over {len(self.unit_values)} {self.unit_name} the {len(self.ranking)} methods {differ} "
                f"(Friedman, {format_p(self.p_value)})."
            )
        return sentences


def compare(
    benchmark: Benchmark, aspect: str, *, level: float | None = None, margin: float | None = None
) -> Comparison:
    """Compare all methods in one metric.

    Parameters
    ----------
    benchmark : Benchmark
        The data.
    aspect : str
        What is compared.
    level : float, optional
        One noise level alone; else each dataset's mean over its levels.
    margin : float, optional
        Differences up to this size are of no practical weight; see `compare_pairs`.

    Raises
    ------
    InputError
        When the margin is negative, no dataset has the level, or the metric stands in some files of runs only.
    """
    if margin is not None and not margin >= 0:
        raise InputError(f"margin: a number of at least 0 was expected, got {margin}")
    metric = metric_of(aspect)
    cells = benchmark.cells(aspect, level=level)
    if cells.empty:
        levels = benchmark.cells(aspect).index.map(level_of).dropna().unique().sort_values()
        text = ", ".join(f"{number:g}" for number in levels) or "none"
        raise InputError(
            f"noise: no dataset NAME@{level:g} has a value of {aspect}; the levels are {text}"
        )
    _refuse_partial(benchmark, aspect)
    filled = benchmark.fill(cells, aspect)
    by_dataset = average_levels(filled)
    units = benchmark.units(by_dataset)
    values = by_dataset.groupby(units.rename("unit")).mean()
    ranks = mean_ranks(values, metric)
    centre = values.mean() if metric.centre == "mean" else values.median()
    ranking = pd.DataFrame({"mean_rank": ranks, "score": centre, "missing": cells.isna().mean()})
    ranking = ranking.loc[ranks.index].rename_axis("method").reset_index()
    ranking.insert(0, "rank", ranking["mean_rank"].round(9).rank(method="min").astype("Int64"))
    return Comparison(
        aspect,
        values,
        compare_pairs(values, metric, margin),
        ranking.sort_values(["rank", "method"], ignore_index=True),
        friedman_p(values, metric),
        units,
        _list_replacements(cells, filled),
        tuple(str(name) for name in cells.columns.difference(by_dataset.columns)),
        tuple(benchmark.fewer_runs(aspect)),
        aspect in benchmark.reported,
    )


def _list_replacements(cells: pd.DataFrame, filled: pd.DataFrame) -> pd.DataFrame:
    """Make a ledger line for each missing cell that was filled."""
    lines = [
        entry("judge", "missing_runs", "replaced", f"no usable run; {value:g} stands in", level="cell",
              method=str(method), dataset=str(dataset))
        for method in filled
        for dataset, value in filled[method][cells[method].isna()].items()
    ]  # fmt: skip
    return to_frame(lines)


def _refuse_partial(benchmark: Benchmark, aspect: str) -> None:
    """Refuse a metric that is reported in some files of runs and could be computed for all."""
    if aspect not in COMPUTED or "failed" not in benchmark.measures:
        return
    runs = benchmark.measures[benchmark.measures["failed"].eq(False)]
    counts = runs["value"].where(runs["aspect"] == aspect).groupby(runs["file"]).count()
    if counts.any() and not counts.all():
        raise InputError(
            f"{counts.idxmin()}: no run has a value of {aspect}, and runs of other files have: name the problems "
            f"(--problems), so that it is computed for all"
        )


def format_p(p_value: float) -> str:
    """Write a p-value for a sentence; it is never 0.

    Examples
    --------
    >>> format_p(0.0123), format_p(0.0)
    ('p = 0.012', 'p < 1e-300')
    """
    return f"p < {LEAST_P:g}" if p_value < LEAST_P else f"p = {p_value:.2g}"


def _count(values: Sequence | pd.DataFrame, noun: str) -> str:
    """Write number and noun with their verb: `5 sources are`, `1 dataset is`."""
    return f"1 {noun[:-1]} is" if len(values) == 1 else f"{len(values)} {noun} are"


def _describe_units(comparison: Comparison) -> str:
    datasets, sizes = len(comparison.units), comparison.units.value_counts()
    shared = sizes[sizes > 1]
    if shared.empty:
        return f"{datasets} dataset{'s' * (datasets > 1)}, each a unit of its own."
    more = f", and {len(shared) - 1} more such sources" if len(shared) > 1 else ""
    sources = f"{len(sizes)} source{'s' * (len(sizes) > 1)}"
    return f"{datasets} datasets from {sources}; {shared.iloc[0]} of them ({shared.index[0]}) count as one{more}."


def _describe_leader(comparison: Comparison) -> str:
    best, first = comparison.ranking["mean_rank"].iloc[0], comparison.leaders
    label = comparison.metric.label + " as reported" * comparison.reported
    rank = f"best mean rank in {label}: {best:.2f} among {len(comparison.ranking)} methods"
    if len(first) > 1:
        return f"Nobody leads: {listed(first, 5)} share the {rank}."
    missing = comparison.ranking["missing"].iloc[0]
    lacking = f", with {missing:.0%} of its cells missing" if missing else ""
    return f"{first[0]} has the {rank}{lacking}."


def _describe_pairs(comparison: Comparison) -> str:
    pairs = comparison.pairs
    if len(comparison.unit_values) < FEWEST_UNITS:
        return f"{_count(comparison.unit_values, comparison.unit_name)} too few for a test."
    test = (
        f"{comparison.test_name}, level {ALPHA:g} after Holm's correction for {len(pairs)} "
        f"pair{'s' * (len(pairs) > 1)}"
    )
    if len(comparison.leaders) > 1:
        return f"{(pairs['better'] != '').sum()} of {len(pairs)} pairs are told apart ({test})."
    own = comparison.against(comparison.leaders[0])
    words = {
        "better": "better than {}",
        "equivalent": "equivalent to {}",
        "worse": "worse than {}, though its mean rank is better",
        "not told apart": "not told apart from {}",
    }
    parts = []
    for state, text in words.items():
        names = list(own.index[own["state"] == state])
        if names:
            several = f" ({listed(names)})" * (len(names) <= 3)
            parts.append(text.format(f"{len(names)} of {len(own)}{several}"))
    return f"It is {' and '.join(parts)} ({test})."


def _describe_rival(comparison: Comparison) -> str:
    best = comparison.ranking["method"].iloc[0]
    pairs = comparison.against(best)
    row = pairs.iloc[0]
    kind = {"difference": "typical difference (Hodges-Lehmann)", "ratio": "typical ratio (Hodges-Lehmann)",
            "rate": "difference of mean rates"}[comparison.metric.scale]  # fmt: skip
    interval, p_value = "no interval", ""
    if pd.notna(row["effect_low"]):
        interval = f"95% interval {row['effect_low'] + 0:.3g} to {row['effect_high'] + 0:.3g}"
    if pd.notna(row["p_adjusted"]):
        p_value = f" ({format_p(row['p_adjusted'])})"
    words = {"wins": "win", "ties": "tie", "losses": "loss"}
    counts = ", ".join(
        f"{row[plural]} {word if row[plural] == 1 else plural}" for plural, word in words.items()
    )
    return (
        f"{best} against {pairs.index[0]}: {kind} {row['effect'] + 0:.3g}, {interval}; {counts}; "
        f"{row['state']}{p_value}."
    )


def _notices(comparison: Comparison) -> list[str]:
    notices = []
    missing = comparison.ranking[comparison.ranking["missing"] > 0]
    if len(missing):
        shares = [f"{row.method} {row.missing:.0%}" for row in missing.itertuples()]
        notices.append(f"Missing cells: {listed(shares, 12)}. A missing cell counts as a loss.")
    if comparison.fewer_runs:
        notices.append(
            f"Fewer runs than others: {listed(comparison.fewer_runs, 12)}. No number of repetitions is stated, so the "
            "runs that are there are averaged."
        )
    if comparison.absent:
        have, take = ("has", "takes") if len(comparison.absent) == 1 else ("have", "take")
        notices.append(
            f"{listed(comparison.absent, 12)} {have} no value at all and {take} no part."
        )
    noisy = comparison.units.index[comparison.units.index.str.contains(NOISY_NAME)]
    if len(noisy):
        notices.append(
            f"{len(noisy)} names of datasets look like noise levels ({noisy[0]}); each counts by itself. A name such "
            "as NAME@0.01 states a level."
        )
    return notices
