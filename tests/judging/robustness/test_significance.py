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
    assert found.sentences[0].endswith(
        "A has the best mean rank in dataset score: 1.00 among 3 methods. It is better than 2 of 2 (B and C) "
        "(Wilcoxon signed-rank test, level 0.05 after Holm's correction for 3 pairs)."
    )
    assert found.sentences[1].startswith("A against B: typical difference (Hodges-Lehmann) ")
    assert "9 wins, 0 ties, 0 losses; better (p = 0.012)." in found.sentences[1]
    assert found.sentences[-1] == "Over 9 datasets the 3 methods differ (Friedman, p = 0.00012)."
    assert found.overall.round(5).to_numpy().tolist() == [[9, 3, 0.00012]]


def test_too_few_datasets_and_one_method(tmp_path):
    few = significance(
        judged({(m, "d1"): [r2] for m, r2 in {"A": 0.9, "B": 0.5}.items()}, tmp_path)
    )
    assert few.table["state"].tolist() == ["not told apart"]
    assert few.sentences[0].endswith("1 dataset is too few for a test.")
    assert significance(judged({("A", "d1"): [0.9]}, tmp_path)).sentences == [
        "One method alone cannot be compared."
    ]
