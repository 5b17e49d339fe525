"""What a comparison claims: its units, who leads, what is missing, and when nothing can be said."""

import numpy as np
import pandas as pd
import pytest

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import compare_methods
from srlib.metrics import METRICS
from srlib.tools.statements import check_statements
from tests.comparing.small import benchmark_of


def shifted(n: int, shift: float = 0.2, seed: int = 0) -> np.ndarray:
    """Datasets x methods; m0 is better by the shift, the noise of a difference is 0.1."""
    rng = np.random.default_rng(seed)
    values = 0.5 + 0.1 * rng.normal(size=(n, 1)) + 0.07 * rng.normal(size=(n, 2))
    return values + [shift, 0]


def compared(values, *names, aspect="r2_test"):
    return compare_methods(benchmark_of(values, *names, aspect=aspect), aspect)


def test_noise_levels_of_a_dataset_are_one_unit():
    values = shifted(12, 0.05)
    copies = [f"d{i}@{level:g}" for i in range(12) for level in (0, 0.001, 0.01, 0.1)]
    single, several = compared(values), compared(np.repeat(values, 4, axis=0), copies)
    pd.testing.assert_frame_equal(several.pairs, single.pairs)


def test_datasets_of_one_source_are_one_unit_in_every_number():
    """m0 is better on one family of sixty, and no better on twenty datasets of their own."""
    values = np.vstack([shifted(60), shifted(20, 0.0, seed=1)])
    comparison, alone = compared(values, (), ["fri_*"] * 60 + [""] * 20), compared(values)
    pair = comparison.pairs.iloc[0]
    assert (pair["n_units"], pair["better"]) == (21, "")
    assert pair["wins"] + pair["ties"] + pair["losses"] == 21
    means = comparison.unit_values.loc["fri_*", ["m0", "m1"]].tolist()
    assert means == pytest.approx(values[:60].mean(axis=0))
    units = "80 datasets from 21 sources (the 60 datasets of fri_* count as one). "
    assert comparison.headline.startswith(units)
    assert alone.pairs.loc[0, "better"] == "m0"
    assert alone.headline.startswith("80 datasets, each a unit of its own. m0 has the best mean rank")  # fmt: skip


def test_a_comparison_over_five_sources_has_no_test():
    values = np.random.default_rng(0).normal(size=(50, 4)) + [9, 0, 0, 0]
    comparison = compared(values, (), [f"f{i % 5}" for i in range(50)])
    assert comparison.pairs["p_value"].isna().all() and (comparison.pairs["better"] == "").all()
    assert (comparison.pairs["state"] == "not tested").all()
    assert comparison.tally == comparison.test
    assert comparison.test == "not tested, as 5 sources are too few (6 are needed)"
    assert comparison.headline.endswith(f"The pairs are {comparison.test}.")


def test_one_method_far_ahead_on_all_of_eight_datasets_is_told_apart():
    values = np.random.default_rng(1).normal(size=(8, 8)) + [9, 0, 0, 0, 0, 0, 0, 0]
    assert "It is better than 7 of 7" in compared(values, aspect="score:higher").headline


def test_two_leaders_of_units_and_of_datasets_are_both_named_with_the_reason():
    """m0 leads on a family of five datasets, m1 on three others: one source of four, five of eight datasets."""
    values = np.tile([[0.9, 0.5]], (8, 1))
    values[5:] = 0.5, 0.9
    comparison = compared(values, (), ["f"] * 5 + [""] * 3)
    (sentence,) = [line for line in comparison.details if line.name == "dataset_leaders"]
    assert sentence.startswith("Over the sources m1 has the best mean rank, and with each dataset")
    assert sentence.endswith("m0 (1.38): f alone has 5 datasets.")
    alike = compared(values[:6], (), ["f"] * 3 + [""] * 3)
    assert not [line for line in alike.details if line.name == "dataset_leaders"]


def test_a_statement_says_what_the_papers_test_and_what_ours_gives():
    """Of 8 methods on 8 datasets Bonferroni shows no pair, whatever the data (2 / 2^8 x 28); ours tells m0 apart."""
    values = np.random.default_rng(1).normal(size=(8, 8)) / 9 + [1, 0, 0, 0, 0, 0, 0, 0]
    statement = {"claim": "alike", "metric": "r2_test", "better": ["m0"], "not_shown": True}
    (row,) = check_statements(benchmark_of(values), [statement]).itertuples()
    assert row.holds and row.tests == (
        "with the paper's test (raw p, 8 datasets) p is at most 0.0078; with ours (8 datasets): 7 better"
    )


@pytest.mark.parametrize(
    ("aspect", "worst", "counts"),
    [("r2_test", 0.2, "0"), ("r2_test", -3.0, "-3"), ("complexity", 7, "7")],
)
def test_the_sentence_states_what_an_absent_run_counts_as(aspect, worst, counts):
    """m0 lacks one of two runs: its own worst counts, or the floor of R2 (0) if that is worse; sizes have none."""
    values = np.full((6, 2, 2), 5.0 if aspect == "complexity" else 0.9)
    values[0, 0] = worst, np.nan
    measures = benchmark_of(values, aspect=aspect).measures.assign(failed=False)
    measures["failed"] = measures["value"].isna()
    comparison = compare_methods(Benchmark(measures), aspect)
    assert f"failed or absent runs count as {counts}: the worst" in " ".join(comparison.details)


def test_a_r2_far_below_0_counts_as_0_in_the_test_alone():
    """m0 is better by 0.1 on eleven datasets; on one it has -1,526 and m1 -2."""
    values = np.column_stack([shifted(12)[:, 0], shifted(12)[:, 0] - 0.1])
    values[0] = -1526, -2
    comparison = compared(values)
    assert comparison.pairs.loc[0, ["better", "wins", "losses"]].tolist() == ["m0", 11, 1]
    assert comparison.unit_values.loc["d000"].tolist() == [-1526, -2]
    assert "values from 0 on" in comparison.test


# three of heat and two of ode; those of fri_* and of Feynman are related, or known to be not
STEMS = "heat_1 heat_2 heat_b ode_1 ode_2 1_fri_c1 2_fri_c2 3_fri_c3 feynman_I_0 feynman_I_1 feynman_I_2"


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (STEMS.split(), "Three or more datasets have names that begin alike: heat (3)."),
        (
            [f"d{i}_noise_{level}" for i in range(4) for level in (0.01, 0.1)],
            "8 names of datasets look like noise levels (d0_noise_0.01)",
        ),
    ],
)
def test_names_that_look_related_get_a_sentence(names, sentence):
    assert sentence in " ".join(compared(shifted(len(names)), names).details)


def test_a_method_with_fewer_runs_gains_nothing_and_is_named_where_it_decides():
    """m0 has five runs, m1 three better ones, on twelve datasets; then m1 gets four more good runs on one of them."""
    values = 0.5 + 0.02 * np.random.default_rng(0).normal(size=(12, 2, 9)) + [[0], [0.1]]
    values[:, 0, 5:] = values[1:, 1, 3:] = values[0, 1, 7:] = np.nan
    more = benchmark_of(values).measures.dropna()
    few = more[(more["dataset"] != "d000") | (more["method"] == "m0") | (more["repetition"] < 3)]
    for measures in (few, more):
        comparison = compare_methods(Benchmark(measures), "r2_test")
        assert comparison.pairs.loc[0, ["better", "wins", "losses"]].tolist() == ["m1", 12, 0]
        assert comparison.ledger.empty
        assert ("m1 has 3 runs a dataset where others have 5" in comparison.headline) == (
            measures is few
        )
        assert comparison.headline.endswith("a mean over fewer runs is less certain.")
    comparison = compare_methods(Benchmark(few.assign(value=0.0)), "r2_test")
    assert "less certain" not in comparison.headline and "less certain" in comparison.details[-1]


def test_a_missing_cell_is_a_loss_and_a_ledger_line():
    values = shifted(12)
    values[0, 0] = np.nan
    comparison = compared(values)
    assert comparison.pairs.loc[0, ["wins", "losses"]].tolist() == [11, 1]
    assert comparison.ledger[["action", "code"]].to_numpy().tolist() == [["replaced", "missing_runs"]]  # fmt: skip
    assert "with 8% of its cells missing" in comparison.headline
    assert "Missing cells: m0 8%. A missing cell counts as a loss." in comparison.details


def test_a_leader_that_a_pair_contradicts_is_said_to_be_worse():
    """m1 beats m0 clearly on 25 units; on five it is a little worse than all, so that its ranks are worse."""
    steps = np.arange(30) / 1000
    values = np.full((30, 12), -1.0) + steps[:, None]
    values[:, 0], values[:, 1] = 0, 1 + steps
    values[25:, 1], values[25:, 2:] = -0.01 - steps[:5], -0.005
    comparison = compared(values)
    assert comparison.leaders == ["m0"]
    assert "worse than 1 of 11 (m1), though its mean rank is better" in comparison.headline


def test_a_method_without_values_changes_no_other_method():
    values = np.column_stack([shifted(12, 0.3), shifted(12, 0.1), np.zeros(12)])
    few, more = compared(values), compared(np.column_stack([values, np.full(12, np.nan)]))
    pd.testing.assert_frame_equal(few.pairs, more.pairs)
    pd.testing.assert_frame_equal(few.ranking, more.ranking)
    assert few.headline == more.headline and more.ledger.empty
    assert "Without any value, so not compared: m5." in more.details


def test_one_method_alone_is_not_compared():
    comparison = compared(shifted(9)[:, :1])
    assert comparison.headline == "One method alone cannot be compared." and not comparison.details


LOWER_IS_BETTER = "complexity complexity_raw training_time_s rmse_test mae_test edit_distance"


@pytest.mark.parametrize("aspect", METRICS)
def test_the_better_method_leads_in_every_metric(aspect):
    """m0 has the smaller value on each of eight datasets."""
    smaller = np.arange(1, 9) / 20
    comparison = compared(np.column_stack([smaller, smaller + 0.3]), aspect=aspect)
    better, worse = ("m0", "m1") if aspect in LOWER_IS_BETTER.split() else ("m1", "m0")
    assert comparison.leaders == comparison.pairs["better"].tolist() == [better]
    assert comparison.pairs.loc[0, ["wins", "losses"]].tolist() == [8, 0]
    assert comparison.describe_test(worse, [better]).startswith(f"the test puts it behind {better}")


def test_sentences_know_every_number_they_state():
    """What remains without the facts has no digit; the facts are the numbers themselves."""
    values = np.column_stack([shifted(30, 0.3), shifted(30, 0.1), np.full(30, np.nan)])
    values[:2, 3] = np.nan
    sources = ["f"] * 10 + ["g"] * 5 + [""] * 15
    comparison = compared(values, [f"d{i}_noise_1" for i in range(30)], sources)
    claim = comparison.describe_test("m0", ["m1"])
    for sentence in (*comparison.sentences, claim):
        text = str(sentence).replace("NAME@0.01", "")
        for fact in sorted(sentence.facts.values(), key=lambda fact: -len(fact.text)):
            text = text.replace(fact.text, "", 1)
        assert not any(map(str.isdigit, text)), (sentence, text)
    facts = {name: fact.value for name, fact in comparison.headline.facts.items()}
    assert facts | {"datasets": 30, "sources": 17, "largest": 10, "pairs": 6} == facts
    assert facts["mean_rank"] == comparison.ranking["mean_rank"][0]
