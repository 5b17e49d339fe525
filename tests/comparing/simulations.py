"""How often pages claim what is not so: simulated benchmarks of known truth, judged by the pages' own functions.

Run as `python -m tests.comparing.simulations [--draws 400]`; it prints the tables of docs/statistics.md.
tests/comparing/test_simulations.py runs a small part.
"""

import argparse
import itertools
import zlib
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from scipy import stats

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare_methods
from srlib.comparing.paired_tests import ALPHA, adjust_holm
from srlib.displays.figures.critical_difference import CriticalDifferenceDisplay
from tests.comparing.small import benchmark_of

Make = Callable[[np.random.Generator], Benchmark]
NAMES = ["method_a", "method_b"]


def equal(units: int = 40, methods: int = 4, kind: str = "normal") -> Make:
    """Datasets of differing difficulty on which no method is better."""

    def make(rng: np.random.Generator) -> Benchmark:
        shape = (units, methods)
        if kind == "ties":
            return benchmark_of(rng.choice([0.9, 0.95, 1.0], size=shape, p=[0.1, 0.3, 0.6]))
        if kind == "saturated":
            return benchmark_of(np.where(rng.random(shape) < 0.9, 1.0, rng.random(shape)))
        if kind == "rates":
            chances = np.clip(0.3 + 0.25 * rng.normal(size=(units, 1)), 0, 1)
            return benchmark_of(rng.binomial(10, chances, shape) / 10, aspect="solution")
        noise = rng.standard_cauchy(shape) if kind == "heavy" else rng.normal(size=shape)
        spread = np.array([8, *[1] * (methods - 1)]) if kind == "unequal" else 1
        return benchmark_of(0.5 + 0.1 * rng.normal(size=(units, 1)) + 0.1 * noise * spread)

    return make


def families(count: int, methods: int = 3, size: int = 10) -> Make:
    """Families of datasets, each of which suits some methods."""

    def make(rng: np.random.Generator) -> Benchmark:
        fit = rng.normal(size=(count, 1, methods)) + 0.3 * rng.normal(size=(count, size, methods))
        sources = [f"f{i // size}" for i in range(count * size)]
        return benchmark_of(fit.reshape(-1, methods), sources=sources)

    return make


def missing_runs(rng: np.random.Generator) -> Benchmark:
    """Ten runs a cell; 20% of one method's and 10% of the others' are not in the tables."""
    values = 0.5 + 0.1 * rng.normal(size=(40, 1, 1)) + 0.1 * rng.normal(size=(40, 4, 10))
    rows = benchmark_of(values).measures
    share = rows["method"].map({"m0": 0.2}).fillna(0.1)
    return Benchmark(rows[rng.random(len(rows)) >= share])


EQUAL: dict[str, Make] = {
    "6 datasets": equal(6),
    "10 datasets": equal(10),
    "heavy tails": equal(kind="heavy"),
    "unequal variances": equal(kind="unequal"),
    "ties": equal(kind="ties"),
    "saturated at 1": equal(kind="saturated"),
    "20 methods": equal(methods=20),
    "rates": equal(kind="rates"),
    "8 families, stated": families(8),
    "5 families, 2 methods": families(5, 2),
    "5 families, 4 methods": families(5, 4),
    "runs missing at random": missing_runs,
}


def gains(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Differences of m0 and the other methods on 40 datasets; m0 is truly better."""
    noise = 0.1 * rng.normal(size=(40, 3))
    if kind == "a constant gain":
        noise[:, 0] += 0.06
    if kind == "exponential gains":
        noise[:, 0] += rng.exponential(0.09, size=40)
    if kind == "a quarter of the datasets gain":
        noise = 0.03 * noise
        noise[:, 0] += np.where(rng.random(40) < 0.25, rng.exponential(0.3, size=40), 0.001)
    return 0.5 + 0.1 * rng.normal(size=(40, 1)) + noise


BETTER = ("a constant gain", "exponential gains", "a quarter of the datasets gain")


def compared(benchmark: Benchmark) -> Comparison:
    """Compare as a page does."""
    return compare_methods(benchmark, benchmark.aspects[0])


def separated(comparison: Comparison) -> bool:
    """Whether some two methods stand under no common bar of the diagram."""
    bars = CriticalDifferenceDisplay.from_comparison(comparison).bars
    joined = {pair for bar in bars for pair in itertools.combinations(bar, 2)}
    count = len(comparison.ranking)
    return len(joined) < count * (count - 1) / 2


def generator(name: str, draw: int) -> np.random.Generator:
    """One seed a scenario and draw."""
    return np.random.default_rng([zlib.crc32(name.encode()), draw])


def claim_rates(make: Make, name: str, draws: int) -> dict[str, float]:
    """Shares of draws of equal methods: a pair is called better, bars separate a pair, Friedman's test differs."""
    rows = []
    for draw in range(draws):
        comparison = compared(make(generator(name, draw)))
        better = (comparison.pairs["better"] != "").any()
        rows.append((better, separated(comparison), comparison.p_value < ALPHA))
    return pd.DataFrame(rows, columns=["pairs", "bars", "Friedman"]).mean().to_dict()


def power(kind: str, draws: int) -> dict[str, float]:
    """Shares of draws: m0 is better than m1; scipy's Wilcoxon with Holm says so; some sentence calls m0 worse."""
    rows = []
    for draw in range(draws):
        values = gains(kind, generator(kind, draw))
        comparison = compared(benchmark_of(values))
        pairs = map(frozenset, comparison.pairs[NAMES].to_numpy())
        better = dict(zip(pairs, comparison.pairs["better"], strict=True))
        columns = itertools.combinations(values.T, 2)
        plain = adjust_holm([stats.wilcoxon(a, b).pvalue for a, b in columns])[0] < ALPHA
        sentences = " ".join([comparison.headline, *comparison.details])
        worse = "worse" in sentences and "worse than m0" not in sentences
        worse |= any("m0" in pair and better[pair] not in ("m0", "") for pair in better)
        rows.append((better[frozenset(["m0", "m1"])] == "m0", plain, worse))
    return pd.DataFrame(rows, columns=["srlib", "Wilcoxon and Holm", "worse"]).mean().to_dict()


def coverage(kind: str, draws: int) -> float:
    """Share of 95% intervals that hold the true difference of 0 between m1 and m2."""
    inside = 0
    for draw in range(draws):
        pairs = compared(benchmark_of(gains(kind, generator(kind, draw))[:, 1:])).pairs
        inside += pairs["effect_low"][0] <= 0 <= pairs["effect_high"][0]
    return inside / draws


def main() -> None:
    """Simulate and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400)
    draws = parser.parse_args().draws
    print("| equal methods | pairs | bars | Friedman |\n|---|---|---|---|")
    for name, make in EQUAL.items():
        rates = claim_rates(make, name, draws)
        print_row(name, rates.values())
    print(
        "\n| one method is better | found | Wilcoxon and Holm | called worse | coverage |\n|---|---|---|---|---|"
    )
    for kind in BETTER:
        print_row(kind, [*power(kind, draws).values(), coverage(kind, draws)])


def print_row(name: str, rates: Iterable[float]) -> None:
    """Print a row of a table in percent."""
    print("|", name, "|", " | ".join(f"{100 * rate:.1f}" for rate in rates), "|", flush=True)


if __name__ == "__main__":
    main()
