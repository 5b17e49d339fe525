"""Statistics against scipy and scikit-posthocs, on tables with ties, holes and equal columns."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from srlib.comparing.omnibus import critical_difference, friedman, nemenyi
from srlib.comparing.pairs import pairwise
from srlib.comparing.statistics import adjusted, wilcoxon
from srlib.errors import InputError


def table(seed: int, kind: str, n_datasets: int = 25, n_methods: int = 5) -> pd.DataFrame:
    """Random values, a method the better the later it stands."""
    generator = np.random.default_rng(seed)
    array = generator.normal(size=(n_datasets, n_methods)) + 0.3 * np.arange(n_methods)
    if kind == "ties":
        array = array.round(0)
    if kind == "holes":
        array[generator.random(array.shape) < 0.2] = np.nan
    if kind == "equal columns":
        array[:, 1] = array[:, 0]
    names = [f"d{i}" for i in generator.permutation(n_datasets)]
    return pd.DataFrame(array, index=names, columns=[f"m{i}" for i in range(n_methods)])


KINDS = ["plain", "ties", "holes", "equal columns"]
kinds = pytest.mark.parametrize("kind", KINDS)
seeds = pytest.mark.parametrize("seed", range(3))


@kinds
@seeds
def test_pairs_are_those_of_scipy(kind, seed):
    values = table(seed, kind)
    found = pairwise(values, "none")
    assert len(found) == 10
    for row in found.itertuples():
        both = values[[row.method_a, row.method_b]].dropna()
        a, b = both[row.method_a], both[row.method_b]
        assert row.n_datasets == len(both)
        assert (row.median_a, row.median_b) == (a.median(), b.median())
        if (a == b).all():
            assert (row.statistic, row.p_value) == (0, 1)
        else:
            assert (row.statistic, row.p_value) == tuple(stats.wilcoxon(a, b))


def test_a_p_value_of_few_is_counted_by_hand():
    # ranks 1, 2, 3, 4.5, 4.5, 6: of 64 ways two are as far out on this side as 6 + 4.5 + 4.5 + 3 + 2 - 1
    assert wilcoxon([-1, 2, 3, 4, 4, 5]) == (1.0, 4 / 64)
    assert wilcoxon([1, 2, 3, 4, 4, 5]) == (0.0, 2 / 64)


@kinds
@seeds
def test_adjustment_is_that_of_scikit_posthocs(kind, seed):
    posthocs = pytest.importorskip("scikit_posthocs")
    values = table(seed, kind)
    complete = values.dropna()
    for adjust in ("holm", "bonferroni"):
        found = pairwise(complete, adjust)
        if kind == "equal columns":  # which scikit-posthocs hands to scipy: not a number
            p = found["p_value"].to_numpy()
            again = adjusted(p, adjust)
            assert (again >= p).all() and again.max() == 1
            continue
        long = complete.melt(var_name="method")
        theirs = posthocs.posthoc_wilcoxon(long, "value", "method", p_adjust=adjust)
        for row in found.itertuples():
            assert row.p_adjusted == pytest.approx(
                theirs.loc[row.method_a, row.method_b], abs=1e-12
            )


@pytest.mark.parametrize("kind", ["plain", "ties", "equal columns"])
@seeds
def test_friedman_is_that_of_scipy(kind, seed):
    complete = values = table(seed, kind)
    found = friedman(values)
    theirs = stats.friedmanchisquare(*complete.to_numpy().T)
    assert (found.statistic, found.p_value) == pytest.approx(tuple(theirs))
    assert (found.n_datasets, found.n_methods) == (len(complete), 5)
    ranks = complete.rank(axis=1, ascending=False).mean()
    pd.testing.assert_series_equal(found.mean_ranks, ranks.loc[found.mean_ranks.index])
    assert found.mean_ranks.is_monotonic_increasing


@pytest.mark.parametrize("kind", ["plain", "ties", "equal columns"])
@seeds
def test_nemenyi_is_that_of_scikit_posthocs(kind, seed):
    posthocs = pytest.importorskip("scikit_posthocs")
    values = table(seed, kind)
    theirs = posthocs.posthoc_nemenyi_friedman(values.to_numpy())
    np.testing.assert_allclose(nemenyi(values), theirs, atol=1e-7)


def test_what_is_missing_takes_the_worst_rank_and_drops_no_dataset():
    """B lacks the second of three datasets: ranks 1 2 3, 1 3 2, 1 2 3."""
    values = pd.DataFrame({"A": [3, 3, 3.0], "B": [2, np.nan, 2.0], "C": [1, 1, 1.0]})
    found = friedman(values)
    assert found.mean_ranks.round(3).to_dict() == {"A": 1.0, "B": 2.333, "C": 2.667}
    assert (found.n_datasets, found.n_missing) == (3, 1)
    assert np.isnan([found.statistic, found.p_value, found.p_iman_davenport]).all()


def test_the_critical_difference_is_where_nemenyi_says_alpha():
    """Two methods one critical difference apart have p = alpha."""
    for methods, datasets in [(3, 10), (4, 14), (10, 122)]:
        q = (
            critical_difference(methods, datasets)
            / np.sqrt(methods * (methods + 1) / (6 * datasets))
            * np.sqrt(2)
        )
        assert stats.studentized_range.sf(q, methods, np.inf) == pytest.approx(0.05, abs=1e-6)
    # Demšar, table 5
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)


def test_pairs_are_matched_by_dataset_and_not_by_row():
    values = table(0, "holes")
    shuffled = values.sample(frac=1, random_state=1)[list(reversed(values.columns))]
    one = pairwise(values, "holm").set_index(["method_a", "method_b"])
    other = pairwise(shuffled, "holm").set_index(["method_b", "method_a"])
    for name in ("n_datasets", "p_value", "p_adjusted"):
        pd.testing.assert_series_equal(one[name], other[name].reindex(one.index), check_names=False)


def test_too_few_common_datasets_give_no_p_and_no_place_in_the_correction():
    values = table(0, "plain", n_datasets=20, n_methods=3)
    values.iloc[5:, 2] = np.nan
    found = pairwise(values, "bonferroni")
    assert found["n_datasets"].tolist() == [20, 5, 5]
    assert (
        found["p_value"].isna().tolist()
        == found["p_adjusted"].isna().tolist()
        == [False, True, True]
    )
    assert found["p_adjusted"][0] == found["p_value"][0]
    apart = values.assign(m2=np.nan)
    assert pairwise(apart)["median_b"].isna().tolist() == [False, True, True]


def test_lower_is_better_where_told():
    values = table(0, "plain")
    assert friedman(values, "lower").mean_ranks.index[0] == friedman(values).mean_ranks.index[-1]


def test_bad_tables_are_refused_by_name():
    values = table(0, "plain")
    with pytest.raises(InputError, match="dataset 'd1' appears twice"):
        pairwise(values.rename(index={"d2": "d1"}))
    with pytest.raises(InputError, match="method 'm1' appears twice"):
        friedman(values.rename(columns={"m2": "m1"}))
    values.loc["d3", "m2"] = -np.inf
    with pytest.raises(
        InputError, match="dataset d3, method m2: a finite number or NaN was expected, got -inf"
    ):
        pairwise(values)
    with pytest.raises(InputError, match="adjust must be one of holm, bonferroni, none; got 'fdr'"):
        adjusted([0.1], "fdr")  # type: ignore[arg-type]
