"""What is said of methods: over which units, who leads, what is missing, and when nothing can be said."""

import numpy as np
import pandas as pd
import pytest

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import compare, format_p
from tests.comparing.small import benchmark_of


def shifted(n: int, shift: float = 0.2, seed: int = 0) -> np.ndarray:
    """Datasets x methods; m0 is better by the shift, the noise of a difference is 0.1."""
    rng = np.random.default_rng(seed)
    values = 0.5 + 0.1 * rng.normal(size=(n, 1)) + 0.07 * rng.normal(size=(n, 2))
    return values + [shift, 0]


def test_a_dataset_is_one_unit_however_many_noise_levels_it_has():
    values = shifted(12, 0.05)
    copies = [f"d{i}@{level:g}" for i in range(12) for level in (0, 0.001, 0.01, 0.1)]
    single = compare(benchmark_of(values), "r2_test")
    several = compare(benchmark_of(np.repeat(values, 4, axis=0), copies), "r2_test")
    np.testing.assert_allclose(several.pairs["p_value"], single.pairs["p_value"])
    assert several.pairs["n_units"].tolist() == [12]


def test_related_datasets_are_one_unit_in_every_number():
    """m0 is better on one family of sixty, and no better on twenty datasets of their own."""
    values = np.vstack([shifted(60), shifted(20, 0.0, seed=1)])
    comparison = compare(benchmark_of(values, sources=["fri_*"] * 60 + [""] * 20), "r2_test")
    pair = comparison.pairs.iloc[0]
    assert (pair["n_units"], pair["better"]) == (21, "")
    assert pair["wins"] + pair["ties"] + pair["losses"] == 21
    gaps = pd.Series(comparison.unit_values["m0"] - comparison.unit_values["m1"])
    assert gaps["fri_*"] == pytest.approx((values[:60, 0] - values[:60, 1]).mean())
    said = comparison.headline
    assert said.startswith("80 datasets from 21 sources (the 60 datasets of fri_* count as one). ")
    alone = compare(benchmark_of(values), "r2_test")
    assert alone.pairs.loc[0, "better"] == "m0"
    assert alone.headline.startswith(
        "80 datasets, each a unit of its own. m0 has the best mean rank"
    )


def test_five_sources_are_too_few_for_a_test():
    values = np.random.default_rng(0).normal(size=(50, 4)) + [9, 0, 0, 0]
    sources = [f"f{i % 5}" for i in range(50)]
    comparison = compare(benchmark_of(values, sources=sources), "r2_test")
    assert comparison.pairs["p_value"].isna().all() and (comparison.pairs["better"] == "").all()
    assert comparison.headline.endswith("5 sources are too few for a test.")
    assert (
        comparison.describe_test("m0", ["m1"]) == "5 sources are too few for a claim about others"
    )
    assert "Friedman" not in " ".join(comparison.details)


def test_more_runs_of_a_method_change_nothing_where_no_number_is_stated():
    """m0 has five runs, m1 three better ones, on twelve datasets; then m1 gets four more good runs on one of them."""
    rng = np.random.default_rng(0)
    values = 0.5 + 0.02 * rng.normal(size=(12, 2, 9)) + np.array([0, 0.1])[:, None]
    rows = benchmark_of(values).measures
    most = {"m0": 5, "m1": 3}
    rows = rows[rows["repetition"] < rows["method"].map(most)]
    few = compare(Benchmark(rows), "r2_test")
    extra = benchmark_of(values).measures.query(
        "method == 'm1' and dataset == 'd000' and 2 < repetition < 7"
    )
    more = compare(Benchmark(pd.concat([rows, extra])), "r2_test")
    for comparison in (few, more):
        assert comparison.pairs.loc[0, ["better", "wins", "losses"]].tolist() == ["m1", 12, 0]
        assert comparison.ledger.empty
        assert "Fewer runs than others: m" in " ".join(comparison.details)


def test_a_missing_cell_is_a_loss_and_stands_in_the_ledger():
    values = shifted(12)
    values[0, 0] = np.nan
    comparison = compare(benchmark_of(values), "r2_test")
    assert comparison.pairs.loc[0, ["wins", "losses"]].tolist() == [11, 1]
    assert comparison.ledger[["action", "code"]].to_numpy().tolist() == [
        ["replaced", "missing_runs"]
    ]
    assert "with 8% of its cells missing" in comparison.headline
    assert "Missing cells: m0 8%. A missing cell counts as a loss." in comparison.details


def test_the_leader_has_the_best_mean_rank_and_a_contradiction_is_said():
    """m1 beats m0 clearly on 25 units; on five it is a little worse than all, so that its ranks are worse."""
    values = np.full((30, 12), -1.0) + np.arange(30)[:, None] / 1000
    values[:, 0], values[:, 1] = 0, 1 + np.arange(30) / 1000
    values[25:, 1], values[25:, 2:] = -0.01 - np.arange(5) / 1000, -0.005
    comparison = compare(benchmark_of(values), "r2_test")
    assert comparison.leaders == ["m0"]
    assert "worse than 1 of 11 (m1), though its mean rank is better" in comparison.headline


def test_a_pair_can_be_read_from_both_sides():
    values = np.exp(shifted(12, 0.3))
    comparison = compare(benchmark_of(values, aspect="complexity"), "complexity")
    pair = comparison.pairs.loc[0]
    assert pair[["method_a", "method_b", "state", "better"]].tolist() == [
        "m1",
        "m0",
        "better",
        "m1",
    ]
    assert comparison.describe_test("m0", ["m1"]).startswith("the test puts it behind m1 (p = 0.0")
    assert comparison.describe_test("m1", ["m0"]).startswith(
        "the test tells it apart from m0 (p = 0.0"
    )
    assert "typical ratio (Hodges-Lehmann) 0.7" in comparison.details[0]


def test_a_p_value_is_never_0():
    assert format_p(0.0) == "p < 1e-300" and format_p(1e-299) == "p = 1e-299"
    values = np.random.default_rng(0).normal(size=(3000, 3)) + [9, 4, 0]
    comparison = compare(benchmark_of(values), "r2_test")
    assert "(Friedman, p < 1e-300)." in comparison.details[-1]
    assert "p = 0)" not in " ".join([comparison.headline, *comparison.details])


def test_a_method_without_a_value_changes_nothing_for_the_others():
    values = np.column_stack([shifted(12, 0.3), shifted(12, 0.1), np.zeros(12)])
    few = compare(benchmark_of(values), "r2_test")
    more = compare(benchmark_of(np.column_stack([values, np.full(12, np.nan)])), "r2_test")
    pd.testing.assert_frame_equal(few.pairs, more.pairs)
    pd.testing.assert_frame_equal(few.ranking, more.ranking)
    assert few.headline == more.headline and (few.absent, len(more.ledger)) == ((), 0)
    assert "m5 has no value at all and takes no part." in more.details


def test_names_that_look_like_noise_levels_get_a_notice():
    names = [f"d{i}_noise_{level}" for i in range(4) for level in (0.01, 0.1)]
    comparison = compare(benchmark_of(shifted(8), names), "r2_test")
    assert "8 names of datasets look like noise levels (d0_noise_0.01)" in " ".join(
        comparison.details
    )


def test_one_method_alone_is_compared_with_nobody():
    comparison = compare(benchmark_of(shifted(9)[:, :1]), "r2_test")
    assert comparison.headline == "One method alone cannot be compared." and not comparison.details
