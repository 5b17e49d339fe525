"""Leaving one thing out, against judging the reduced table."""

import pytest

from srlib.judging import judge
from srlib.judging.robustness.leave_one_out import leave_one_out
from tests.judging.robustness.cases import rules, varied


@pytest.mark.parametrize(
    ("kind", "name", "column", "gone"),
    [
        ("dataset", "d1", "dataset", ["d1"]),
        ("dataset", "noisy", "dataset", ["noisy"]),
        ("property", "solution", "dataset", ["d1", "d2", "d3"]),
        ("property", "noise_sensitivity", "dataset", ["noisy"]),
        ("method", "A", "method", ["A"]),
        ("method", "C", "method", ["C"]),
        ("repetition", "2", "repetition", [2]),
    ],
)
def test_it_equals_judging_the_reduced_table(kind, name, column, gone, tmp_path):
    judgement = varied(tmp_path)
    table = leave_one_out(judgement).table
    found = table[(table["kind"] == kind) & (table["left_out"] == name)].set_index("method")
    less = judgement.assessments[~judgement.assessments[column].isin(gone)]
    if kind == "repetition":  # two are left, and two are expected
        less = less.assign(repetition=less["repetition"].replace(3, 2))
    again = judge(
        less, judgement.problems, rules(2 if kind == "repetition" else 3)
    ).ranking.set_index("method")
    assert found.index.tolist() == sorted(again.index)
    for method, row in again.iterrows():
        assert found.loc[method, "score"] == pytest.approx(row["score"], rel=1e-13)
        assert found.loc[method, "rank"] == row["rank"]
