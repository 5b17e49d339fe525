"""The comparison of all methods in one metric, made once for page, command and simulations alike."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.filling import filled
from srlib.comparing.metrics import Metric, level_of, metric_of
from srlib.comparing.omnibus import Friedman, friedman
from srlib.comparing.pairs import claims
from srlib.comparing.profiles import units_of
from srlib.comparing.statistics import (
    FEWEST_DATASETS,
    Adjust,
    datasets_needed,
    detectable,
    differences,
)
from srlib.errors import InputError

MOST_GROUPS = 20


@dataclass(frozen=True)
class Comparison:
    """What is said of the methods in one metric.

    Parameters
    ----------
    aspect : str
        What is compared.
    values : pandas.DataFrame
        Datasets, each once, x methods; what is missing as `missing` says.
    pairs : pandas.DataFrame
        What `claims` returns.
    by_group : dict of str to pandas.DataFrame
        The same within each group of datasets, where there are several.
    test : Friedman
        Whether the methods differ at all; each source of related datasets once where there are enough of them.
    ranking : pandas.DataFrame
        `rank` (1 is best, ties share it), `method`, `score` (median; for rates the mean) over the `n_datasets` on which
        every method has a value, none where there is no such dataset; `missing` (share of its values); best first.
    sources : pandas.Series
        By dataset its unit: the source that it shares with others, or itself.
    ledger : pandas.DataFrame
        A line for every missing value.
    levels : int
        Noise levels over which a dataset's value is the mean; 1: there is one.
    adjust, missing : str
        As asked for.
    alpha : float
        Level of the tests.
    without : tuple of str
        Methods that have no value at all; they take no part.
    """

    aspect: str
    values: pd.DataFrame
    pairs: pd.DataFrame
    by_group: dict[str, pd.DataFrame]
    test: Friedman
    ranking: pd.DataFrame
    sources: pd.Series
    ledger: pd.DataFrame = field(repr=False)
    levels: int = 1
    adjust: Adjust = "holm"
    missing: str = "worst"
    alpha: float = 0.05
    without: tuple[str, ...] = ()

    @property
    def metric(self) -> Metric:
        """What is compared."""
        return metric_of(self.aspect)

    @property
    def test_name(self) -> str:
        """How pairs are tested: of what their effect and its interval are."""
        if self.metric.rate:
            return "permutation of the mean difference"
        return "Wilcoxon"

    @property
    def leaders(self) -> list[str]:
        """Methods on the first place."""
        return list(self.ranking.loc[self.ranking["rank"] == 1, "method"])

    @property
    def tests(self) -> int:
        """Number of tests that the correction counts."""
        return _tests(self.pairs, self.adjust)

    @property
    def units(self) -> int:
        """What counts as independent evidence: datasets, or sources of related ones where these are enough."""
        if self.by_source:
            return int(self.pairs["n_groups"].max())
        return len(self.values)

    @property
    def by_source(self) -> bool:
        """Whether every source of related datasets counts once."""
        count = self.sources.nunique()
        return count < len(self.sources) and count >= datasets_needed(self.tests, self.alpha)

    @property
    def needed(self) -> int:
        """Fewest independent datasets with which any two of the methods could be told apart."""
        return max(datasets_needed(self.tests, self.alpha), FEWEST_DATASETS)

    @property
    def possible(self) -> bool:
        """Whether there are so many."""
        return self.units >= self.needed

    def detectable(self, a: str, b: str) -> float:
        """Difference of two methods, spread as theirs is, that would be found in four of five cases.

        Among all pairs, or where nothing can be found among them (not `possible`) alone; infinite if not even then.
        """
        gap = differences(self.values[a], self.values[b], self.metric.resolution)
        gap = gap[~np.isnan(gap)]
        if len(gap) < 2:
            return math.inf
        spread = np.std(gap) if self.metric.rate else np.ptp(np.quantile(gap, [0.25, 0.75])) / 1.349
        effect = detectable(self.units, self.tests if self.possible else 1, self.alpha)
        if math.isfinite(effect):
            return effect * float(spread)
        return math.inf

    def against(self, name: str) -> pd.DataFrame:
        """Pairs of one method, turned so that it is `method_a`; `better` and `state` are about it."""
        pairs = self.pairs
        other = pairs[pairs["method_b"] == name].rename(
            columns={"method_a": "method_b", "method_b": "method_a", "wins": "losses", "losses": "wins",
                     "median_a": "median_b", "median_b": "median_a",
                     "effect_low": "effect_high", "effect_high": "effect_low"}
        )  # fmt: skip
        turned = ["effect", "effect_low", "effect_high"]
        swap = {"better": "worse", "worse": "better"}
        other = other.assign(
            **{column: -other[column] for column in turned},
            state=other["state"].replace(swap),
        )
        both = pd.concat([pairs[pairs["method_a"] == name], other[pairs.columns]])
        order = {method: place for place, method in enumerate(self.ranking["method"])}
        return both.sort_values("method_b", key=lambda m: m.map(order), ignore_index=True)


def compare(
    found: Benchmark,
    aspect: str,
    *,
    missing: str = "worst",
    adjust: Adjust = "holm",
    level: float | None = None,
    alpha: float = 0.05,
    margin: float | None = None,
) -> Comparison:
    """Compare all methods in one metric.

    Parameters
    ----------
    found : Benchmark
        The data.
    aspect : str
        What is compared.
    missing : str
        'worst' or 'drop'; see `filled`. Whatever it is, a difference is claimed only where it is
        found with what is missing as losses and without it.
    adjust : {'holm', 'bonferroni', 'none'}
        Correction over all pairs.
    level : float, optional
        One noise level alone; else each dataset's mean over its levels.
    alpha, margin : float
        See `claims`.
    """
    metric = metric_of(aspect)
    if margin is not None and not margin >= 0:
        raise InputError(f"margin: a number of at least 0 was expected, got {margin}")
    every = found.cells(aspect, level=level)
    cells = every.dropna(axis="columns", how="all")
    if cells.empty:
        cells = every
    if level is not None and cells.empty:
        levels = {level_of(name) for name in found.cells(aspect).index}
        known = ", ".join(f"{one:g}" for one in sorted(levels) if not np.isnan(one)) or "none"
        raise InputError(
            f"noise: no dataset NAME@{level:g} has a value of {aspect}; the levels are {known}"
        )
    values = found.filled(cells, aspect, missing)
    looks = [found.filled(cells, aspect, how) for how in ("worst", "drop")]
    related, groups = found.related, found.groups.reindex(values.index)
    absent = bool(cells.isna().any(axis=None))
    given: dict[str, Any] = {"adjust": adjust, "alpha": alpha, "margin": margin}

    def told(rows: pd.Index, sources: pd.Series | None) -> pd.DataFrame:
        others = [look.loc[rows] for look in looks] if absent else []
        return claims(values.loc[rows], metric, looks=others, related=sources, **given)

    pairs, names = told(values.index, related), [str(name) for name in groups.unique()]
    by_group = {
        name: told(groups.index[groups == name], None)
        for name in sorted(names)
        if 1 < len(names) <= MOST_GROUPS
    }
    sources = units_of(values, related)
    common = values.dropna(axis=1, how="all").dropna()  # who skips a dataset is not ahead by it
    centre = (common.mean() if metric.centre == "mean" else common.median()).reindex(values.columns)
    ranking = (
        pd.DataFrame({"score": centre, "n_datasets": len(common), "missing": cells.isna().mean()})
        .rename_axis("method")
        .reset_index()
    )
    rank = ranking["score"].round(12).rank(method="min", ascending=metric.direction == "lower")
    ranking = ranking.assign(rank=rank.astype("Int64"))
    ranking = ranking.sort_values(["rank", "method"], ignore_index=True)
    levels = 1
    if len(cells) > len(values):
        levels = int(cells.index.map(lambda name: name.rpartition("@")[2]).nunique())
    return Comparison(
        aspect,
        values,
        pairs,
        by_group,
        _differ(looks[1] if absent else values, metric, sources, _tests(pairs, adjust), alpha),
        ranking[["rank", "method", "score", "n_datasets", "missing"]],
        sources,
        filled(every, missing, metric, found.worst(aspect))[1],
        levels,
        adjust,
        missing,
        alpha,
        tuple(sorted(set(map(str, every)) - set(map(str, cells)))),
    )


def _tests(pairs: pd.DataFrame, adjust: str) -> int:
    """Count the tests that a correction is for: pairs with a p-value; without a correction each stands alone."""
    if adjust == "none":
        return 1
    return max(int(pairs["p_value"].notna().sum()), 1)


def _differ(
    values: pd.DataFrame, metric: Metric, sources: pd.Series, tests: int, alpha: float
) -> Friedman:
    """Friedman's test; where sources are related but too few to count once, its weakest result without one of them."""
    count = sources.nunique()
    if count < len(sources) and count >= datasets_needed(tests, alpha):
        return friedman(values, metric.direction, sources)
    whole = friedman(values, metric.direction)
    sizes = sources.value_counts()
    without = [
        friedman(values[sources.to_numpy() != name], metric.direction)
        for name in sizes.index[sizes > 1]
        if count > 1
    ]
    worst: dict[str, Any] = {
        name: float(np.max([getattr(found, name) for found in (whole, *without)]))  # NaN stays
        for name in ("p_value", "p_iman_davenport")
    }
    weakest = worst["p_value"] > whole.p_value
    return replace(whole, weakest=weakest, **worst)
