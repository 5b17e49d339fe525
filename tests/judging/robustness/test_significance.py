"""Tests in words: who is better, who is not distinguishable, and when there is too little to say."""

from srlib.judging.robustness.significance import significance
from tests.judging.robustness.cases import DATASETS, judged


def test_a_clear_order_is_said(tmp_path):
    """A beats B, and both beat C, on each of nine datasets: two-sided p = 2 / 2**9, times three by Holm."""
    found = significance(
        judged(
            {(m, d): [r2] for m, r2 in zip("ABC", (0.9, 0.7, 0.5), strict=True) for d in DATASETS},
            tmp_path,
        )
    )
    assert found.table["better"].tolist() == ["A", "A", "B"]
    assert found.table["p_adjusted"].tolist() == [3 * 2 / 2**9] * 3
    assert found.table["effect_size"].tolist() == [1, 1, 1]
    assert found.sentences[0].endswith(
        "It is better than 2 of 2 (B and C) (Wilcoxon, level 0.05 after Holm's correction for 3 pairs)."
    )
    assert found.sentences[1].startswith("A against B: typical difference (Hodges-Lehmann) ")
    assert "9 wins, 0 ties, 0 losses; better." in found.sentences[1]
    assert "Over 9 datasets the 3 methods differ (Friedman, p = 0.00012;" in found.sentences[-1]


def test_too_few_datasets_and_one_method(tmp_path):
    few = significance(
        judged({(m, "d1"): [r2] for m, r2 in {"A": 0.9, "B": 0.5}.items()}, tmp_path)
    )
    assert few.table["state"].tolist() == ["undecided"]
    assert few.table["why"].tolist() == ["too few datasets"]
    assert few.sentences[0].endswith(
        "With 1 dataset no two methods could be told apart after Holm's correction for 1 pair: the smallest p-value "
        "possible is 1, and it takes at least 6 datasets."
    )
    assert significance(judged({("A", "d1"): [0.9]}, tmp_path)).sentences == [
        "One method alone cannot be compared."
    ]
