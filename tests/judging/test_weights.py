"""Weights of aspects and datasets, aspects of one's own, and nearness to the truth, on tables to redo by hand."""

import pytest

from srlib.errors import InputError
from srlib.judging import judge
from srlib.tools.trace import trace
from tests.judging.small import PROBLEMS, problems, ranking, ranks, rules, runs, values, verdict

TABLE = """
A beyond: {complexity: 25}
B beyond: {r2_test: 0.5}
A formula: {r2_test: -44.0, complexity: 25}
B formula: {r2_test: 0.5, complexity: 25, solution: true}
"""
ASPECTS = {
    "accuracy": {"from": "r2_test", "direction": "higher", "weight": 3},
    "simplicity": {"from": "complexity", "direction": "lower", "weight": 1},
    "property": {"from": "property", "direction": "by_property", "weight": 2},
}


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        # ranks of A in accuracy, simplicity and property: 2 1 2 and 1 2 1; weights 3 1 2, datasets 1 and 4
        ("mean", ((3 * 2 + 1 + 2 * 2) / 6 + 4 * (3 + 2 + 2) / 6) / 5),
        ("harmonic_then_mean", (6 / (3 / 2 + 1 + 2 / 2) + 4 * 6 / (3 + 1 / 2 + 2)) / 5),
        ("one_harmonic", (6 + 4 * 6) / ((3 / 2 + 1 + 2 / 2) + 4 * (3 + 1 / 2 + 2))),
    ],
)
def test_weights_count_on_ranks_and_harmonic_means(combine, expected):
    """No raw R2 of -44 decides: it is ranked, as all is."""
    weighted = problems(PROBLEMS.replace("{dataset: formula,", "{dataset: formula, weight: 4,"))
    judgement = verdict(TABLE, rules(combine=combine, aspects=ASPECTS), weighted)
    assert ranking(judgement)["A"] == pytest.approx(expected)
    assert "Datasets count by their weights: formula 4; any other once." in judgement.notices
    assert "accuracy x 3" in trace(judgement, "A", "formula")["note"].iloc[-1]


def test_an_aspect_from_any_column_of_numbers():
    """A column of one's own comes out of a CSV file as text."""
    chosen = rules(repetitions=1, aspects={"energy": {"from": "energy", "direction": "lower"}})
    for energy in ([3.0, 1.0, 2.0, 2.0], ["3.0", "1e0", "2", "2"]):
        judgement = judge(runs(TABLE).assign(energy=energy), problems(), chosen)
        assert ranks(judgement, "beyond", "energy") == [1, 2]
        assert ranks(judgement, "formula", "energy") == [2, 2]
    for name, fault in (("energy", "no such column"), ("model", "no numbers in it")):
        chosen = rules(aspects={"size": {"from": name, "direction": "lower"}})
        with pytest.raises(InputError, match=f"from is '{name}', and the runs have {fault}"):
            verdict(TABLE, chosen)


def test_nearness_to_the_truth():
    """The truth is a + b, 3 nodes; a*b is one relabelling away, a constant three edits."""
    table = runs("A formula: {}\nB formula: {}\nC formula: {}")
    near = rules(properties={"solution": "nearness"}, repetitions=1)
    judgement = judge(table.assign(simplified_model=["a + b", "a*b", "2"]), problems(), near)
    assert values(judgement, "formula") == pytest.approx([1, 2 / 3, 0])
