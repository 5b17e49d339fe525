"""How often pages claim what is not so: simulated benchmarks of known truth, judged by the pages' own functions.

`python -m tests.comparing.simulations --draws 2000 --write` puts its tables into docs/statistics.md; with `--srbench
FOLDER` also the power on parts of SRBench's published results. tests/comparing/test_simulations.py runs a small part.
"""

import argparse
import datetime
import itertools
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import compare, compare_methods
from srlib.comparing.paired_tests import cliques, compare_pairs
from srlib.metrics import METRICS, Metric
from tests.comparing.small import benchmark_of

PAGE = Path("docs/statistics.md")
MARKS = "<!-- simulations -->\n", "<!-- end of simulations -->\n"
UNITS, METHODS = (6, 8, 12, 20, 53), (4, 8, 20)
NAMES = ["method_a", "method_b"]
SCORE = Metric("score")
Draw = Callable[[np.random.Generator], pd.DataFrame]  # the pairs of a table


def equal(kind: str, units: int, methods: int) -> Draw:
    """Units of differing difficulty on which no method is better."""

    def draw(rng: np.random.Generator) -> pd.DataFrame:
        shape, metric = (units, methods), SCORE
        values = rng.normal(size=shape)
        if kind in ("t3", "t2"):
            values = rng.standard_t(int(kind[1]), shape)
        if kind == "unequal scales":
            values *= rng.lognormal(size=(units, 1)) * (1 + np.arange(methods) % 4)
        if kind == "skewed, unequal variances":
            values = rng.lognormal(size=shape) - np.exp(0.5)
            values[:, 0] *= 4
        if kind == "ties":
            values = rng.choice([0.9, 0.95, 1.0], size=shape, p=[0.1, 0.3, 0.6])
        if kind == "saturated at 1":
            values, metric = (
                np.where(rng.random(shape) < 0.8, 1, rng.random(shape)),
                METRICS["r2_test"],
            )
        if kind == "rates":
            chances = np.clip(0.3 + 0.25 * rng.normal(size=(units, 1)), 0, 1)
            values, metric = rng.binomial(10, chances, shape) / 10, METRICS["solution"]
        return compare_pairs(pd.DataFrame(values).add_prefix("m"), metric)

    return draw


def families(stated: bool) -> Draw:
    """Eight families of ten datasets, each of which suits some of three methods."""

    def draw(rng: np.random.Generator) -> pd.DataFrame:
        fit = rng.normal(size=(8, 1, 3)) + 0.3 * rng.normal(size=(8, 10, 3))
        sources = [f"f{i // 10}" for i in range(80)] if stated else ()
        return compare_methods(benchmark_of(fit.reshape(-1, 3), sources=sources), "r2_test").pairs

    return draw


def missing_runs(rng: np.random.Generator) -> pd.DataFrame:
    """Ten runs a cell; 20% of one method's and 10% of the others' are not in the tables."""
    values = 0.5 + 0.1 * rng.normal(size=(40, 1, 1)) + 0.1 * rng.normal(size=(40, 4, 10))
    rows = benchmark_of(values).measures
    share = rows["method"].map({"m0": 0.2}).fillna(0.1)
    return compare_methods(Benchmark(rows[rng.random(len(rows)) >= share]), "r2_test").pairs


def fewer_runs(rng: np.random.Generator) -> pd.DataFrame:
    """One method has a run a dataset, the other the mean of ten; runs are skewed."""
    runs = rng.exponential(size=(40, 2, 10))
    means = {"m0": runs[:, 0, 0], "m1": runs[:, 1].mean(axis=1)}
    return compare_pairs(pd.DataFrame(means), SCORE)


OTHERS: dict[str, Draw] = {
    "8 stated families": families(True),
    "runs missing at random": missing_runs,
    "8 families that nobody stated (each dataset counts)": families(False),
    "1 run a dataset against 10, skewed": fewer_runs,
    "skewed differences of unequal variances": equal("skewed, unequal variances", 12, 8),
}
KINDS = ("normal", "t3", "unequal scales", "ties", "saturated at 1", "rates", "t2")
GAINS = {  # mean gain of m0, which is truly better, and its gains on 20 units; the noise of a value has sd 1
    "a constant gain": (0.6, lambda _: 0.6),
    "a gain of 1 sd": (2**0.5, lambda _: 2**0.5),
    "exponential gains": (0.9, lambda rng: rng.exponential(0.9, size=20)),
    "a quarter of the units gain": (
        0.75,
        lambda rng: np.where(rng.random(20) < 0.25, rng.exponential(3, size=20), 0),
    ),
}


def generators(name: str, draws: int) -> Iterator[np.random.Generator]:
    """Yield one generator a draw, with a seed of its own."""
    return (np.random.default_rng([zlib.crc32(name.encode()), draw]) for draw in range(draws))


def separated(pairs: pd.DataFrame) -> bool:
    """Whether some two methods stand under no common bar of the diagram."""
    order = list(dict.fromkeys(pairs[NAMES].to_numpy().ravel()))
    joined = {pair for bar in cliques(pairs, order) for pair in itertools.combinations(bar, 2)}
    return len(joined) < len(pairs)


def claim_rates(draw: Draw, name: str, draws: int) -> pd.Series:
    """Shares of draws: a pair is told apart, an interval excludes 0, bars separate; and draws where they differ."""
    rows = []
    for rng in generators(name, draws):
        pairs = draw(rng)
        excludes = ((pairs["effect_low"] > 0) | (pairs["effect_high"] < 0)).any()
        rows.append(((pairs["better"] != "").any(), excludes, separated(pairs)))
    table = pd.DataFrame(rows, columns=["pairs", "intervals", "bars"])
    return pd.concat(
        [table.mean(), pd.Series({"differ": (table.any(axis=1) & ~table.all(axis=1)).sum()})]
    )


def power(kind: str, draws: int) -> pd.Series:
    """Shares of draws: m0 is better than m1; so says Wilcoxon with Holm; m0 is called worse; all intervals hold."""
    rows, (gain, draw_gains) = [], GAINS[kind]
    for rng in generators(kind, draws):
        values = rng.normal(size=(20, 4))
        values[:, 0] += draw_gains(rng)
        pairs = compare_pairs(pd.DataFrame(values).add_prefix("m"), SCORE)
        p_values = [stats.wilcoxon(a, b).pvalue for a, b in itertools.combinations(values.T, 2)]
        holm = np.maximum.accumulate(np.sort(p_values) * np.arange(6, 0, -1))
        truth = np.where(pairs["method_a"] == "m0", gain, 0)
        holds = ((pairs["effect_low"] <= truth) & (truth <= pairs["effect_high"])).all()
        worse = ((pairs["method_a"] == "m0") & ~pairs["better"].isin(["m0", ""])).any()
        wilcoxon = holm[np.argsort(np.argsort(p_values))[0]] < 0.05
        rows.append((pairs["better"][0] == "m0", wilcoxon, worse, holds))
    return pd.DataFrame(rows, columns=["found", "Wilcoxon and Holm", "worse", "coverage"]).mean()


def srbench_power(folder: str, units: int, methods: int, draws: int) -> pd.Series:
    """Shares of SRBench's pairs of known direction that a random part tells apart, rightly and wrongly."""
    values = compare(f"{folder}/blackbox_results_datasets.csv", "r2_test").unit_values.clip(lower=0)
    known, rows = {}, []
    for a, b in itertools.permutations(values, 2):
        p_value = stats.wilcoxon(values[a] - values[b], zero_method="pratt", alternative="greater")
        known[a, b] = p_value.pvalue < 0.0005  # two-sided 0.001
    for rng in generators(f"srbench {units} {methods}", draws):
        names = sorted(rng.choice(values.columns, methods, replace=False))
        part = values.iloc[rng.choice(len(values), units, replace=False)][names]
        for a, b, better in compare_pairs(part, SCORE)[[*NAMES, "better"]].itertuples(index=False):
            if known[a, b] or known[b, a]:
                best = a if known[a, b] else b
                rows.append((better == best, better not in (best, "")))
    return pd.DataFrame(rows, columns=["found", "wrong direction"]).mean()


def table_lines(draws: int, folder: str) -> Iterator[str]:
    """Yield the lines of all tables, in percent."""
    today = datetime.date.today()
    yield f"All rates are in percent of {draws:,} draws a scenario, made on {today}; the nominal level is 5.\n\n"
    columns = " | ".join(f"{n} units" for n in UNITS)
    yield f"| equal methods: {', '.join(map(str, METHODS))} | {columns} |\n|---|{'---|' * len(UNITS)}\n"
    differ = 0
    for kind in KINDS:
        cells = []
        for n in UNITS:
            names = {k: f"{kind} {n} {k}" for k in METHODS}
            rates = [claim_rates(equal(kind, n, k), name, draws) for k, name in names.items()]
            differ += sum(int(rate["differ"]) for rate in rates)
            cells.append(" / ".join(f"{100 * rate['pairs']:.1f}" for rate in rates))
        yield f"| {kind} | {' | '.join(cells)} |\n"
    yield "\n| equal methods | a pair is told apart |\n|---|---|\n"
    for name, draw in OTHERS.items():
        rates = claim_rates(draw, name, draws)
        differ += int(rates["differ"])
        yield f"| {name} | {100 * rates['pairs']:.1f} |\n"
    yield f"\nDraws where a pair, an interval and a bar of the diagram do not say the same: {differ}.\n"
    heads = "found | Wilcoxon and Holm | called worse | all intervals hold"
    yield f"\n| one of four methods is better, 20 units | {heads} |\n|---|---|---|---|---|\n"
    for kind in GAINS:
        yield f"| {kind} | {' | '.join(f'{100 * x:.1f}' for x in power(kind, draws))} |\n"
    if folder:
        yield "\n| part of SRBench: sources x methods | found | wrong direction |\n|---|---|---|\n"
        for n, k in ((6, 6), (8, 8), (10, 8), (12, 8)):
            rates = srbench_power(folder, n, k, draws)
            yield f"| {n} x {k} | {' | '.join(f'{100 * x:.1f}' for x in rates)} |\n"


def main() -> None:
    """Simulate, print the tables, and write them into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--srbench", default="", help="folder of SRBench's published results")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE}")
    arguments = parser.parse_args()
    lines = []
    for line in table_lines(arguments.draws, arguments.srbench):
        print(line, end="", flush=True)
        lines.append(line)
    if arguments.write:
        page, (start, end) = PAGE.read_text(encoding="utf-8"), MARKS
        head, tail = page.split(start)[0], page.split(end)[1]
        PAGE.write_text(head + start + "".join(lines) + end + tail, encoding="utf-8")


if __name__ == "__main__":
    main()
