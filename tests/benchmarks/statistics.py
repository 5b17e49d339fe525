"""How often the pages claim what is not so: simulated benchmarks of known truth, judged by the pages' own functions.

Run as `python -m tests.benchmarks.statistics [--simulations 1000] [--only NAME ...] [--out FILE.csv]`; the table of
rates is kept in docs/statistics.md. tests/comparing/test_rates.py runs a small part in every check.
"""

import argparse
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import compare
from srlib.comparing.metrics import metric_of
from srlib.comparing.omnibus import friedman
from srlib.comparing.pairs import claims
from srlib.comparing.statistics import FEWEST_DATASETS, datasets_needed, rank_biserial
from srlib.ledger import to_frame

Generator = np.random.Generator


EMPTY, ALPHA = to_frame([]), 0.05


@dataclass(frozen=True)
class Scenario:
    """A way to make benchmarks, and what is true of them.

    Parameters
    ----------
    make : callable
        From a generator to measures.
    truth : str
        'equal' (no method is better than another), 'first' (m0 is better than all others), or 'apart' (the methods
        differ by more than the margin: to call them equivalent is false).
    effect : float, optional
        The true difference of m0 and m1, where the interval's cover is measured.
    aspect : str
        What is compared.
    """

    make: Callable[[Generator], pd.DataFrame]
    truth: str = "equal"
    effect: float | None = None
    aspect: str = "r2_test"


def measures(
    values: np.ndarray,
    datasets: Iterable[str] | None = None,
    groups: Iterable[str] | None = None,
    aspect: str = "r2_test",
) -> pd.DataFrame:
    """Long table of values, datasets x methods (x repetitions)."""
    array = values if values.ndim == 3 else values[:, :, None]
    rows, methods, repetitions = array.shape
    names = list(datasets) if datasets is not None else [f"d{i:03}" for i in range(rows)]
    known = list(groups) if groups is not None else [""] * rows
    place = np.indices(array.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "method": np.array([f"m{i}" for i in range(methods)])[place[1]],
            "dataset": np.array(names)[place[0]],
            "repetition": place[2],
            "aspect": aspect,
            "value": array.ravel(),
            "group": np.array(known)[place[0]],
        }
    ).astype({"method": "str", "dataset": "str", "aspect": "str", "group": "str"})


def noise(rng: Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Draw differences of scale 1 whose middle is 0."""
    if kind == "normal":
        return rng.normal(size=shape)
    if kind == "heavy":
        return rng.standard_cauchy(shape)
    if kind == "laplace":
        return rng.laplace(size=shape)
    if kind == "skewed":  # the median is 0, the mean 0.31
        return rng.exponential(size=shape) - np.log(2)
    raise ValueError(kind)


def plain(
    kind: str = "normal", n: int = 40, methods: int = 5, shift: float = 0.0
) -> Callable[[Generator], pd.DataFrame]:
    """Independent datasets of differing difficulty; m0 is better by `shift`."""

    def make(rng: Generator) -> pd.DataFrame:
        values = 0.5 + 0.1 * rng.normal(size=(n, 1)) + 0.1 * noise(rng, kind, (n, methods))
        values[:, 0] += 0.1 * shift
        return measures(values)

    return make


def outliers(rng: Generator) -> pd.DataFrame:
    values = 0.5 + 0.1 * rng.normal(size=(40, 5))
    values[rng.random(values.shape) < 0.05] = -1e6
    return measures(values)


def ties(rng: Generator) -> pd.DataFrame:
    return measures(rng.choice([0.9, 0.95, 1.0], size=(40, 5), p=[0.1, 0.1, 0.8]))


def tied_but_better(rng: Generator) -> pd.DataFrame:
    """Four of five datasets are solved by both; of the others m0 solves more."""
    hard = rng.random(80) < 0.25
    values = np.ones((80, 2))
    values[hard] = np.round(0.8 + 0.1 * rng.normal(size=(int(hard.sum()), 2)), 3) + [0.1, 0]
    return measures(values)


def rates(chance: float = 0.05, spread: float = 0.0) -> Callable[[Generator], pd.DataFrame]:
    """Shares of ten runs; with a spread some datasets are solved often by m0 and others by m1."""

    def make(rng: Generator) -> pd.DataFrame:
        p = np.clip(chance + spread * rng.normal(size=(60, 4)), 0, 1)
        return measures(rng.binomial(10, p) / 10, aspect="solution")

    return make


def better_rates(spread: float) -> Callable[[Generator], pd.DataFrame]:
    """Shares of ten runs on 60 datasets; m0 solves 12 in a hundred more, wherever it does."""

    def make(rng: Generator) -> pd.DataFrame:
        p = np.clip(0.3 + spread * rng.normal(size=(60, 2)), 0.1, 0.8)
        p[:, 0] += 0.12
        return measures(rng.binomial(10, p) / 10, aspect="solution")

    return make


def one_skewed(n: int = 60, median_zero: bool = True) -> Callable[[Generator], pd.DataFrame]:
    """Two methods whose differences are skewed and balance: as often above 0 as below (else the means are equal)."""

    def make(rng: Generator) -> pd.DataFrame:
        base = 0.5 + 0.1 * rng.normal(size=n)
        off = np.log(2) if median_zero else 1.0
        gap = 0.1 * (rng.exponential(size=n) - off) + (
            0.05 * rng.normal(size=n) if not median_zero else 0
        )
        return measures(np.column_stack([base + gap, base]))

    return make


def erratic(rng: Generator) -> pd.DataFrame:
    values = 0.5 + 0.1 * rng.normal(size=(40, 5)) * [8, 1, 1, 1, 1]
    return measures(values)


def missing(
    where: str, methods: int = 2, share: float = 0.3
) -> Callable[[Generator], pd.DataFrame]:
    """The last method lacks a share of the datasets: at random, or where it is bad."""

    def make(rng: Generator) -> pd.DataFrame:
        own = 0.1 * rng.normal(size=(60, methods))
        lost = rng.random(60) < share
        if where == "bad":
            lost = own[:, -1] < np.quantile(own[:, -1], share)
        values = 0.5 + 0.1 * rng.normal(size=(60, 1)) + own
        values[lost, -1] = np.nan
        return measures(values)

    return make


def failed_repetitions(rng: Generator) -> pd.DataFrame:
    """Of ten repetitions the three worst of m1 failed."""
    values = 0.5 + 0.1 * rng.normal(size=(40, 2, 10))
    values[:, 1] = np.where(
        np.argsort(np.argsort(values[:, 1], axis=1), axis=1) < 3, np.nan, values[:, 1]
    )
    return measures(values)


def noise_levels(rng: Generator) -> pd.DataFrame:
    """60 datasets at four noise levels, which one draw of the datasets made hard or easy for a method."""
    fit = 0.1 * rng.normal(size=(60, 1, 3)) + 0.02 * rng.normal(size=(60, 4, 3))
    names = [f"d{i:02}@{level:g}" for i in range(60) for level in (0, 0.001, 0.01, 0.1)]
    return measures(0.5 + fit.reshape(240, 3), names)


def one_family(rng: Generator) -> pd.DataFrame:
    """Half of 120 datasets stem from one source, which happens to suit a method or not; the others stand alone."""
    values = 0.5 + 0.1 * rng.normal(size=(120, 3))
    values[:60] += 0.1 * rng.normal(size=3)
    return measures(values, groups=["family"] * 60 + [""] * 60)


def two_groups(rng: Generator) -> pd.DataFrame:
    """The same, but the others are one group of datasets that have nothing in common."""
    return one_family(rng).assign(group=lambda rows: rows["group"].where(rows["group"] != "", "x"))


def families(rng: Generator) -> pd.DataFrame:
    """Twenty families of six datasets; each family suits some methods."""
    fit = 0.1 * rng.normal(size=(20, 1, 3)) + 0.05 * rng.normal(size=(20, 6, 3))
    return measures(
        0.5 + fit.reshape(120, 3), groups=[f"f{i:02}" for i in range(20) for _ in "six-of"]
    )


def grouped(shift: float) -> Callable[[Generator], pd.DataFrame]:
    """A true difference where datasets stand in twenty families."""

    def make(rng: Generator) -> pd.DataFrame:
        table = families(rng)
        return table.assign(value=table["value"] + 0.1 * shift * (table["method"] == "m0"))

    return make


SCENARIOS: Mapping[str, Scenario] = {
    "independent": Scenario(plain()),
    "heavy tails": Scenario(plain("heavy")),
    "outliers of -1e6": Scenario(outliers),
    "many ties": Scenario(ties),
    "three datasets": Scenario(plain(n=3)),
    "ten datasets, two methods": Scenario(plain(n=10, methods=2)),
    "twenty equal methods": Scenario(plain(methods=20)),
    "one method erratic": Scenario(erratic),
    "rates near 0": Scenario(rates(), aspect="solution"),
    "rates that differ by dataset": Scenario(rates(0.4, 0.25), aspect="solution"),
    "skew, as often above as below": Scenario(one_skewed()),
    "skew, 120 datasets": Scenario(one_skewed(120)),
    "skew, 30 datasets": Scenario(one_skewed(30)),
    "missing at random": Scenario(missing("random")),
    "missing where bad": Scenario(missing("bad")),
    "missing at random, five methods": Scenario(missing("random", 5)),
    "missing where bad, five methods": Scenario(missing("bad", 5)),
    "three worst runs of ten failed": Scenario(failed_repetitions),
    "noise levels": Scenario(noise_levels),
    "half from one family": Scenario(one_family),
    "half from one family, others named": Scenario(two_groups),
    "twenty families": Scenario(families),
    "better by half a deviation": Scenario(plain(n=30, methods=2, shift=0.6), "first", 0.06),
    "better, heavy tails": Scenario(plain("laplace", n=30, methods=2, shift=0.7), "first", 0.07),
    "better, five methods": Scenario(plain(n=30, shift=0.9), "first", 0.09),
    "better in twenty families": Scenario(grouped(0.9), "first", 0.09),
    "better, many ties": Scenario(tied_but_better, "first"),
    "better, missing at random": Scenario(
        lambda rng: missing("random", 2, 0.1)(rng).assign(
            value=lambda rows: rows["value"] + 0.06 * (rows["method"] == "m0")
        ),
        "first",
    ),
    "better rates": Scenario(better_rates(0.05), "first", 0.12, "solution"),
    "better rates that differ": Scenario(better_rates(0.15), "first", 0.12, "solution"),
    "apart by twice the margin": Scenario(plain(methods=2, shift=0.2, n=200), "apart"),
}


# values, pairs, sources, Friedman's claim
Told = tuple[pd.DataFrame, pd.DataFrame, pd.Series, bool]


def whole(scenario: Scenario, table: pd.DataFrame) -> Told:
    """Compare as the page does, from measures on."""
    told = compare(Benchmark(table, EMPTY, {}), scenario.aspect)
    differs = bool(told.possible and told.test.p_value < ALPHA)
    return told.values, told.pairs, told.sources, differs  # noqa: PD011


def complete(scenario: Scenario, table: pd.DataFrame) -> Told:
    """Give the same of datasets that stand alone, once and without a gap, where nothing is left but the tests."""
    methods = pd.unique(table["method"])
    values = pd.DataFrame(
        table["value"].to_numpy().reshape(-1, len(methods)), columns=methods
    ).rename("d{:03}".format)
    metric, tests = metric_of(scenario.aspect), len(methods) * (len(methods) - 1) // 2
    sources = pd.Series(values.index, values.index)
    differs = friedman(values, metric.direction).p_value < ALPHA
    enough = len(values) >= max(datasets_needed(tests, ALPHA), FEWEST_DATASETS)
    return values, claims(values, metric), sources, bool(enough and differs)


def once(scenario: Scenario, rng: Generator, quick: bool = False) -> dict[str, bool]:
    """What the pages' functions say of one simulated benchmark, and whether that is so.

    Returns
    -------
    dict of str to bool
        `differ` (some pair is called different, or of `first` that m0 is better than m1), `friedman`, `equivalent`
        (m0 and m1), `covered` (the interval holds the effect); where m0 is better, what the t test, Wilcoxon's and the
        sign test alone would find at the level of the first step of the correction.
    """
    table, pairs, sources, differs = (complete if quick else whole)(scenario, scenario.make(rng))
    first = pairs.iloc[0]
    differ = bool((pairs["better"] != "").any())
    said = {
        "differ": first["better"] == "m0" if scenario.truth == "first" else differ,
        "friedman": differs,
        "equivalent": first["state"] == "equivalent",
    }
    if scenario.truth == "first":
        gap = (table["m0"] - table["m1"]).groupby(sources).mean().dropna()
        level = ALPHA / len(pairs)
        said["t test"] = bool(stats.ttest_1samp(gap, 0).pvalue < level and gap.mean() > 0)
        said["Wilcoxon"] = bool(
            stats.wilcoxon(gap).pvalue < level and rank_biserial(gap.to_numpy()) > 0
        )
        said["signs"] = bool(
            stats.binomtest(
                int((gap > 0).sum()), int((gap != 0).sum()), alternative="greater"
            ).pvalue
            < level / 2
        )
    if scenario.effect is not None:
        said["covered"] = bool(first["effect_low"] <= scenario.effect <= first["effect_high"])
    return said


def simple(scenario: Scenario) -> bool:
    """Whether nothing is missing, repeated or related in what it makes."""
    table = scenario.make(np.random.default_rng(0))
    plain_names = not table["dataset"].str.contains("@").any() and not (table["group"] != "").any()
    return bool(plain_names and table["value"].notna().all() and not table["repetition"].any())


def rates_of(scenario: Scenario, name: str, simulations: int) -> dict[str, float]:
    """Share of the simulations in which each claim is made; one seed a simulation."""
    quick = simple(scenario)
    rows = [
        once(scenario, np.random.default_rng([zlib.crc32(name.encode()), seed]), quick)
        for seed in range(simulations)
    ]
    return pd.DataFrame(rows).mean().to_dict()


def main() -> None:
    """Simulate, print and write after each scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", nargs="*", default=list(SCENARIOS))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in asked.only:
        started = time.monotonic()
        scenario = SCENARIOS[name]
        found = rates_of(scenario, name, asked.simulations)
        rows.append({"scenario": name, "truth": scenario.truth, **found})
        shares = ", ".join(f"{claim} {share:.3f}" for claim, share in found.items())
        print(f"{name}: {shares} ({time.monotonic() - started:.0f} s)", flush=True)
        if asked.out:
            pd.DataFrame(rows).to_csv(asked.out, index=False)


if __name__ == "__main__":
    main()
