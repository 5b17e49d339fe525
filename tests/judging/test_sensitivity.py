"""Noise sensitivity on numbers that a reader can redo by hand, and the same as the official scorer's."""

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from srlib.displays import noise_answer
from srlib.errors import InputError
from srlib.judging import judge_runs
from srlib.judging.noise import TRUTH, read_noisy, sensitivity
from srlib.rules import load_rules

JUDGE = load_rules("judging-2022").judge.model_copy(update={"repetitions": 2})
# Where less than half of the noise is lost, the less noisy quality counts as 1.
BY_HAND = {  # quality at the noise levels 0, 0.1, 0.2; ratio of (0, 0.1), (0, 0.2), (0.1, 0.2); below 0.5 throughout
    "perfect": ((1.0, 0.9, 0.8), (1.0, 1.0, 1.0), False),
    "flat": ((0.9, 0.9, 0.9), (1.0, 0.5, 1.0), False),
    "flat and bad": ((0.3, 0.3, 0.3), (7.0, 3.5, 7.0), True),
    "fragile": ((1.0, 0.5, 0.1), (5.0, 4.5, 4.0), False),
    "improving": ((0.6, 0.7, 0.8), (3.0, 1.0, 2.0), False),
    "up and down": ((0.8, 0.4, 0.8), (4.0, 1.0, 4.0), False),
    "negative": ((0.5, -0.5, -1.5), (10.0, 10.0, 10.0), False),
    "worse than the mean": ((-1.0, -1.1, -1.2), (1.0, 1.0, 1.0), True),
    "steps": ((0.95, 0.95, 0.55), (0.5, 2.0, 4.0), False),
    "at the guard": ((0.5, 0.5, 0.5), (5.0, 2.5, 5.0), False),
    "slow": ((0.7, 0.68, 0.66), (3.2, 1.7, 3.4), False),
}


def measures(
    qualities: dict[str, tuple[float, ...]], levels=(0.0, 0.1, 0.2), metric="r2_test"
) -> pd.DataFrame:
    """Two repetitions for each quality, as far above it as below."""
    rows = [
        {"method": method, "dataset": f"d@{level:g}", "repetition": r, "aspect": metric, "value": value + shift,
         "group": "g", "series": "d", "noise_level": level}
        for method, values in qualities.items()
        for level, value in zip(levels, values, strict=True)
        for r, shift in ((1, 0.02), (2, -0.02))
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(name="by_hand", scope="module")
def by_hand_fixture():
    return sensitivity(measures({name: values for name, (values, _, _) in BY_HAND.items()}), JUDGE)


@pytest.mark.parametrize("method", BY_HAND)
def test_every_pair_of_levels_by_hand(by_hand, method):
    qualities, ratios, guarded = BY_HAND[method]
    pairs = by_hand.pairs[by_hand.pairs["method"] == method]
    assert list(zip(pairs["level_1"], pairs["level_2"], strict=True)) == [
        (0, 0.1),
        (0, 0.2),
        (0.1, 0.2),
    ]
    np.testing.assert_allclose(pairs["sensitivity"], ratios, atol=1e-9)
    assert pairs["guarded"].tolist() == [guarded] * 3 or method in ("up and down", "negative")
    overall = by_hand.overall.set_index("method").loc[method]
    assert overall["sensitivity"] == pytest.approx(np.mean(ratios), abs=1e-9)
    assert overall["guarded"] == guarded
    quality = by_hand.quality[by_hand.quality["method"] == method]
    np.testing.assert_allclose(quality["value"], qualities, atol=1e-9)
    np.testing.assert_allclose(quality["high"] - quality["low"], 0.02, atol=1e-9)


def test_the_guard_flags_or_puts_last(by_hand):
    places = by_hand.overall.set_index("method")
    bad = places.loc["worse than the mean"]
    assert [bad["place_flag"], bad["place_worst_rank"]] == [2, places["place_worst_rank"].max()]
    assert places.loc["flat", ["place_flag", "place_worst_rank"]].tolist() == [1, 1]


def test_a_pair_is_guarded_only_when_both_qualities_are_low(by_hand):
    pairs = by_hand.pairs.set_index(["method", "level_1", "level_2"])["guarded"]
    assert pairs["negative"].tolist() == [False, False, True]
    assert not pairs["up and down"].any()


def test_a_metric_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="metric: one of r2_test was expected, got 'r2'"):
        sensitivity(measures({"flat": (0.9, 0.9, 0.9)}), JUDGE, "r2")


def test_an_absent_run_counts_as_the_rules_say():
    """One of two runs is absent at level 0.1: its floor, 0, stands in for it, and 1 where that is worse."""
    table = measures({"m": (0.9, 0.8, 0.7), "n": (0.9, 0.5, 0.7)})
    gone = (table["method"] == "m") & (table["noise_level"] == 0.1) & (table["repetition"] == 2)
    result = sensitivity(table[~gone], JUDGE)
    qualities = result.quality.set_index(["method", "noise_level"])["value"]
    assert qualities["m", 0.1] == pytest.approx((0.82 + 0) / 2)
    first = result.pairs.query("method == 'm' and level_2 == 0.1").iloc[0]
    assert [first["best_1"], first["best_2"]] == pytest.approx([1.0, 0.91])
    # not (0.9 - 0.82) / 0.1: absence does not help; 0.9 is not above 0.91 and counts as 1
    assert first["sensitivity"] == pytest.approx((1 - 0.41) / 0.1)


def test_an_absent_run_is_worth_no_more_than_the_worst_that_was_seen():
    """n's runs at level 0.1 have -0.48 and -0.52: the absent run of m counts as -0.52."""
    table = measures({"m": (0.9, 0.8, 0.7), "n": (0.9, -0.5, 0.7)})
    gone = (table["method"] == "m") & (table["noise_level"] == 0.1) & (table["repetition"] == 2)
    result = sensitivity(table[~gone], JUDGE)
    qualities = result.quality.set_index(["method", "noise_level"])["value"]
    assert qualities["m", 0.1] == pytest.approx((0.82 - 0.52) / 2)


def noisy_cases(seed: int) -> pd.DataFrame:
    """Four methods on two datasets at three levels; some runs are absent, some values bad, and the truth is known."""
    rng, rows = np.random.default_rng(seed), []
    for method, series, level, r in product("abcd", "de", (0.0, 0.1, 0.2), (1, 2)):
        value = rng.choice([1.0, 0.95, 0.9, 0.6, 0.3, -0.2, -5.0])
        if rng.random() < 0.9:
            rows.append((method, f"{series}@{level:g}", r, value, series, level))
    rows += [
        (TRUTH, f"{series}@{level:g}", 1, 1 - level, series, level)
        for series, level in product("de", (0.0, 0.1, 0.2))
        if rng.random() < 0.9
    ]
    columns = ["method", "dataset", "repetition", "value", "series", "noise_level"]
    return pd.DataFrame(rows, columns=columns).assign(aspect="r2_test", group="g")


@pytest.mark.slow
@pytest.mark.parametrize("incomplete", get_args(type(JUDGE).model_fields["incomplete"].annotation))
@pytest.mark.parametrize("truth", [True, False])
def test_no_method_gains_a_place_by_failing_at_a_level(incomplete, truth):
    judge = JUDGE.model_copy(update={"incomplete": incomplete})

    def places(tables):
        """Each table is a group of its own; a group knows nothing of the others."""
        table = pd.concat([one.assign(group=name) for name, one in tables.items()])
        found = sensitivity(table, judge)
        for name in tables:
            own = replace(
                found,
                pairs=found.pairs[found.pairs["group"] == name],
                overall=found.overall[found.overall["group"] == name],
            )
            yield own.overall.set_index("method")[["place_flag", "place_worst_rank"]].assign(
                **{
                    action: noise_answer(own, action)[1].set_index("method")["rank"]
                    for action in ("flag", "worst_rank")
                }
            )

    for seed in range(6):
        table = noisy_cases(seed)
        table = table[truth | (table["method"] != TRUTH)]
        losses = list(product("abcd", (0.0, 0.1, 0.2)))
        tables = {"": table}
        for method, level in losses:
            gone = (table["method"] == method) & (table["noise_level"] == level)
            tables[f"{method} at {level}"] = table[~gone]
        before, *after = places(tables)
        for (method, level), now in zip(losses, after, strict=True):
            assert (now.loc[method] >= before.loc[method]).all(), (seed, method, level)


@pytest.fixture(name="demo", scope="module")
def demo_fixture():
    return read_noisy("demo", "synthetic-2022", "judging-2022")


def test_the_official_scorer_gives_the_same(demo):
    official = demo.judgement.aspects.query(
        "aspect == 'property' and dataset.str.startswith('noise_')"
    )
    levels = official["dataset"].map(lambda name: demo.judgement.problems.find(name).noise_level)
    pairs = sensitivity(demo.measures, demo.rules.judge).pairs.set_index(
        ["method", "level_1", "level_2"]
    )
    mine = [
        pairs.loc[(method, 0.0, level), "sensitivity"]
        for method, level in zip(official["method"], levels, strict=True)
    ]
    np.testing.assert_allclose(mine, official["value"], rtol=1e-9)


def test_the_truth_loses_what_the_noise_takes(demo):
    """Noise is on the test rows too: R2 of the truth is 1 - level, and so its sensitivity is 1, up to sampling."""
    result = sensitivity(demo.measures, demo.rules.judge)
    truth = result.quality[result.quality["method"] == TRUTH]
    np.testing.assert_allclose(truth["value"], 1 - truth["noise_level"], atol=0.01)
    assert TRUTH not in set(result.overall["method"])


def test_runs_without_two_levels_are_refused(tmp_path):
    frame = judge_runs().assessments
    frame[frame["dataset"] == "localopt_easy"].to_parquet(tmp_path / "runs.parquet")
    with pytest.raises(InputError, match="a dataset at two noise levels was expected"):
        read_noisy(tmp_path / "runs.parquet", "synthetic-2022", "judging-2022")


def test_published_measures_by_hand(tmp_path):
    """SRBench's layout: 100 % falls to 50 % over 0.01 noise: 50; a dataset without noise levels is left out."""
    lines = [
        "algorithm,dataset,target_noise,data_group,symbolic_solution_rate_(%),accuracy_solution"
    ]
    lines += [
        "A,f1,0,Feynman,100,1",
        "A,f1,0.01,Feynman,50,1",
        "B,f1,0,Feynman,10,0",
        "B,f1,0.01,Feynman,10,0",
    ]
    lines += ["A,f2,0,Feynman,80,1"]
    path = tmp_path / "groundtruth.csv"
    path.write_text("\n".join(lines))
    noisy = read_noisy(path, "synthetic-2022", "judging-2022")
    assert noisy.counts == {"read": 5, "scored": 4, "excluded": 1} and noisy.judgement is None
    overall = sensitivity(noisy.measures, noisy.rules.judge, "solution").overall.set_index("method")
    assert overall["sensitivity"].round(9).to_dict() == {"A": 50, "B": 0}
    assert overall["guarded"].to_dict() == {"A": False, "B": True}
    assert overall["place_worst_rank"].to_dict() == {"A": 1, "B": 2}
