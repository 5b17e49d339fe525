"""What is claimed of methods: the dataset once, what is missing never pays, groups, ties, power, likeness."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import compare
from srlib.comparing.gathering import benchmark
from srlib.comparing.omnibus import friedman
from srlib.comparing.sentences import details, headline
from srlib.comparing.statistics import differences, wilcoxon
from srlib.errors import InputError
from srlib.ledger import to_frame
from srlib.readers import read_results
from tests.benchmarks.statistics import measures


def found(values, **columns) -> Benchmark:
    return Benchmark(measures(np.asarray(values, float), **columns), to_frame([]), {})


def shifted(n: int, shift: float = 0.2, seed: int = 0) -> np.ndarray:
    """Datasets x methods; m0 is better by the shift, the noise of a difference is 0.1."""
    rng = np.random.default_rng(seed)
    values = 0.5 + 0.1 * rng.normal(size=(n, 1)) + 0.07 * rng.normal(size=(n, 2))
    return values + [shift, 0]


def test_a_dataset_counts_once_however_many_noise_levels_it_has():
    """Four copies of each of twelve datasets tell no more than the twelve."""
    values = shifted(12, 0.05)
    copies = [f"d{i}@{level:g}" for i in range(12) for level in (0, 0.001, 0.01, 0.1)]
    once, often = (
        compare(found(values), "r2_test"),
        compare(found(np.repeat(values, 4, axis=0), datasets=copies), "r2_test"),
    )
    assert often.pairs["p_value"].tolist() == once.pairs["p_value"].tolist()
    assert (often.levels, len(often.values)) == (4, 12)
    assert "Each dataset counts once, by its mean over 4 noise levels." in " ".join(details(often))
    alone = compare(found(np.repeat(values, 4, axis=0), datasets=copies), "r2_test", level=0.01)
    assert alone.levels == 1 and alone.pairs["p_value"].tolist() == once.pairs["p_value"].tolist()


def test_what_is_missing_is_a_loss_and_no_claim_hangs_on_it():
    values = shifted(30, 0.0)
    values[np.argsort(values[:, 0] - values[:, 1])[:15], 0] = np.nan  # m0 skips where it is worse
    for missing in ("drop", "worst"):
        told = compare(found(values), "r2_test", missing=missing)
        assert told.pairs["state"].tolist() == ["undecided"]
        assert told.ranking.set_index("method").loc["m0", "missing"] == 0.5
        assert "m0 50%" in " ".join(details(told))
    dropped = compare(found(values), "r2_test", missing="drop").pairs.iloc[0]
    assert dropped["p_adjusted"] < 0.05 and dropped["why"] == "it depends on what is missing"
    kept = shifted(30)
    kept[:5, 1] = np.nan  # the worse method lacks some
    pair = compare(found(kept), "r2_test").pairs.iloc[0]
    assert (pair["better"], pair["wins"], pair["n_datasets"]) == ("m0", 30, 30)


def test_related_datasets_count_once():
    """m0 is better on one family of sixty, and no better on twenty datasets of their own."""
    values = np.vstack([shifted(60), shifted(20, 0.0, seed=1)])
    groups = ["family"] * 60 + [""] * 20
    told = compare(found(values, groups=groups), "r2_test")
    pair = told.pairs.iloc[0]
    assert (pair["n_groups"], pair["better"]) == (21, "") and told.by_source
    assert "80 datasets stem from 21 sources" in " ".join(details(told))
    two = compare(found(values, groups=["family"] * 60 + ["rest"] * 20), "r2_test").pairs.iloc[0]
    assert two["p_adjusted"] < 0.05 and two["why"] == "without family it is not shown"


def test_both_forms_of_friedmans_test_leave_out_the_source_that_carries_them():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 3))
    values[:40] += [5, 0, -5]  # one family alone tells the three apart
    told = compare(found(values, groups=["family"] * 40 + ["rest"] * 20), "r2_test")
    rest = friedman(pd.DataFrame(values[40:]))
    assert (told.test.p_value, told.test.p_iman_davenport) == (rest.p_value, rest.p_iman_davenport)
    said = " ".join(details(told))
    assert "are not shown to differ" in said
    assert "without the source of datasets that they depend on most)" in said


def test_percent_and_shares_give_the_same_p_value():
    rng = np.random.default_rng(3)
    runs = rng.integers(0, 11, size=(40, 2))
    p = [
        stats.wilcoxon(differences(runs[:, 0] / scale, runs[:, 1] / scale, step)).pvalue
        for scale, step in ((10, 1e-4), (1, 0.0), (0.1, 0.0), (10, 0.0), (1 / 30, 0.0))
    ]
    assert len(set(p)) == 1
    assert len(set(differences(runs[:, 0] / 10, runs[:, 1] / 10))) <= 21


def test_nobody_leads_at_a_tie():
    told = compare(found(np.zeros((20, 3)), aspect="solution"), "solution")
    assert headline(told).startswith("Nobody leads: m0, m1 and m2 share the highest mean symbolic")
    low, high = told.pairs.loc[0, ["effect_low", "effect_high"]]
    assert low < -0.1 and high > 0.1  # twenty datasets do not show that two rates are equal
    assert (told.pairs["state"] == "undecided").all()


def test_ten_datasets_cannot_tell_twenty_one_methods_apart():
    values = np.random.default_rng(0).normal(size=(10, 21)) + np.arange(21)
    told = compare(found(values), "r2_test")
    assert (told.pairs["better"] == "").all() and told.pairs["smallest_p"].round(2).eq(0.41).all()
    said = headline(told)
    assert "the smallest p-value possible is 0.41, and it takes at least 14 datasets" in said
    assert "Friedman" not in " ".join([said, *details(told)])
    three = compare(found(values[:3, :4]), "r2_test")
    assert "With 3 datasets no two methods could be told apart" in headline(three)
    assert "Friedman" not in " ".join(details(three))


def test_who_skips_hard_datasets_does_not_lead_by_it():
    """Foxtrot has 0.99 on six easy datasets and nothing on two hard ones; Golf has 0.98 and 0.3 there."""
    values = np.array([[0.99, 0.98, 0.5]] * 6 + [[np.nan, 0.3, 0.2]] * 2)
    values[:6, 1] = [0.995, 0.995, 0.995, 0.98, 0.98, 0.995]
    dropped = compare(found(values), "r2_test", missing="drop")
    assert headline(dropped).startswith(
        "m1 has the highest median test R², 0.995 over the 6 of 8 datasets that all methods have."
    )
    values[:6, 0] = 0.999
    leads = compare(found(values), "r2_test", missing="drop")
    assert headline(leads).startswith(
        "m0 has the highest median test R², 0.999 over the 6 of 8 datasets that all methods have, with 25% of its "
        "own values missing."
    )
    floor = compare(found(values), "r2_test")
    assert "over 8 datasets, with 25% of its own values missing" in headline(floor)
    values[:6, 1] = np.nan  # no dataset in common
    apart = compare(found(values), "r2_test", missing="drop")
    assert headline(apart).startswith("Nobody leads: no dataset has a value of every method")
    assert apart.leaders == [] and details(apart)


def test_equivalent_needs_datasets_and_a_margin():
    close = shifted(60, 0.0)
    close[:, 1] = close[:, 0] + 0.001 * np.random.default_rng(1).normal(size=60)
    assert compare(found(close), "r2_test").pairs["state"].tolist() == ["equivalent"]
    for few in (close[:1], close[:4]):
        assert compare(found(few), "r2_test").pairs["state"].tolist() == ["undecided"]
    sizes = compare(found(close, aspect="complexity_raw"), "complexity_raw")
    assert sizes.pairs["state"].tolist() == ["undecided"]
    given = compare(found(close, aspect="complexity_raw"), "complexity_raw", margin=0.01)
    assert given.pairs["state"].tolist() == ["equivalent"]


def test_two_names_of_a_method_are_joined(tmp_path):
    rows = [("RILSROLS", f"a{i}", 0, "score", 1.0 + i) for i in range(4)]
    rows += [("rils-rols", f"b{i}", 0, "score", 1.0 + i) for i in range(4)]
    columns = ["method", "dataset", "repetition", "aspect", "value"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "m.csv", index=False)
    table = read_results(tmp_path / "m.csv")
    joined = benchmark([table], alias={"rils-rols": "RILSROLS"})
    assert list(joined.values("score")) == ["RILSROLS"]
    with pytest.raises(
        InputError, match="alias: 'rils' is no method; there are RILSROLS, rils-rols"
    ):
        benchmark([table], alias={"rils": "RILSROLS"})


def test_groups_and_sources_are_named_by_patterns(tmp_path):
    rows = [("A", name, 0, "score", 1.0) for name in ("1_fri_c0", "2_fri_c1", "banana")]
    columns = ["method", "dataset", "repetition", "aspect", "value"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "m.csv", index=False)
    table = read_results(tmp_path / "m.csv")
    known = benchmark([table], groups={"made": ["*_fri_*"], "rest": ["*"]}, related=[["*_fri_*"]])
    assert known.groups.tolist() == ["made", "made", "rest"]
    assert known.related.tolist() == ["fri", "fri", ""]


def test_rates_are_tested_by_what_their_interval_is_of():
    """Wilcoxon's ranks say that b is better (15 small gains against 5 large losses); the mean says nothing."""
    rates = np.full((40, 2), 0.5)
    rates[:15, 1] += 0.1
    rates[15:20, 0] += 0.3
    told = compare(found(rates, aspect="solution"), "solution", adjust="none")
    row = told.pairs.iloc[0]
    assert (row["effect"], row["p_value"]) == (0.0, 1.0)
    assert row["effect_low"] < 0 < row["effect_high"] and row["better"] == ""
    assert wilcoxon(rates[:, 0] - rates[:, 1])[1] < 1
    assert "permutation of the mean difference" in headline(told)


def test_no_claim_stands_beside_an_interval_that_holds_0():
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = rng.binomial(10, [0.3, 0.38, 0.45, 0.5], size=(40, 4)) / 10
        pairs = compare(found(values, aspect="solution"), "solution").pairs
        said = pairs[pairs["better"] != ""]
        assert ((said["effect_low"] > 0) | (said["effect_high"] < 0)).all()


def test_who_has_no_value_at_all_changes_nothing_for_the_others():
    """An empty column neither gains a place nor makes Holm's correction stricter; it is said."""
    values = np.column_stack([shifted(12, 0.3), shifted(12, 0.1), np.zeros(12)])
    few = compare(found(values), "r2_test")
    more = compare(found(np.column_stack([values, np.full(12, np.nan)])), "r2_test")
    pd.testing.assert_frame_equal(few.pairs, more.pairs)
    pd.testing.assert_frame_equal(few.ranking, more.ranking)
    assert headline(few) == headline(more)
    assert (few.without, len(more.without), len(more.ledger)) == ((), 1, 12)
    assert f"{more.without[0]} has no value at all and takes no part." in details(more)
