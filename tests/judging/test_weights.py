"""Weights of aspects and datasets, aspects of one's own, and nearness to the truth, on tables to redo by hand."""

import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.judging import judge, trace
from srlib.problems import Problems
from tests.judging.small import problems, rules, runs

TABLE = {
    ("A", "beyond"): {"r2_test": [0.9], "complexity": [25]},
    ("B", "beyond"): {"r2_test": [0.5], "complexity": [5]},
    ("A", "formula"): {"r2_test": [-44.0], "complexity": [25], "solution": [False]},
    ("B", "formula"): {"r2_test": [0.5], "complexity": [25], "solution": [True]},
}
ASPECTS = {
    "accuracy": {"from": "r2_test", "direction": "higher", "weight": 3},
    "simplicity": {"from": "complexity", "direction": "lower", "weight": 1},
    "property": {"from": "property", "direction": "by_property", "weight": 2},
}


def judged(combine, weight=1.0, aspects=ASPECTS, **more):
    known = problems()
    every = tuple(
        p.model_copy(update={"weight": weight if p.dataset == "formula" else 1.0})
        for p in known.problems
    )
    given = Problems(known.name, known.path, every)
    chosen = rules("judging-2022", combine=combine, aspects=aspects, repetitions=1)
    table = runs(TABLE, 1)
    return judge(table.assign(**more), given, chosen)


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
    result = judged(combine, weight=4.0)
    assert result.ranking.set_index("method").loc["A", "score"] == pytest.approx(expected)
    assert "Datasets count by their weights: formula 4; any other 1." in result.notices
    assert not any("weights" in line for line in judged(combine).notices)
    last = trace(result, "A", "formula").set_index("step")
    assert "accuracy x 3" in last.loc["dataset_score", "note"]


def test_an_aspect_from_any_column_of_numbers():
    aspects = {"energy": {"from": "energy", "direction": "lower"}}
    result = judged("mean", aspects=aspects, energy=[3.0, 1.0, 2.0, 2.0])
    as_text = judged(
        "mean", aspects=aspects, energy=pd.Series(["3.0", "1e0", "2", "2"], dtype="str")
    )
    # as a column of one's own comes out of a CSV file
    assert as_text.ranking.equals(result.ranking)
    ranks = result.aspects.set_index(["method", "dataset"])["aspect_rank"]
    assert ranks.to_dict() == {
        ("A", "beyond"): 1, ("B", "beyond"): 2, ("A", "formula"): 2, ("B", "formula"): 2,
    }  # fmt: skip
    with pytest.raises(InputError, match="from is 'energy', and the runs have no such column"):
        judged("mean", aspects=aspects)
    with pytest.raises(InputError, match="from is 'model', and the runs have no numbers in it"):
        judged("mean", aspects={"text": {"from": "model", "direction": "lower"}})


def test_nearness_to_the_truth():
    """The truth is a + b, 3 nodes; a*b is one relabelling away, a constant three edits."""
    table = {("A", "formula"): {}, ("B", "formula"): {}, ("C", "formula"): {}}
    texts = ["a + b", "a*b", "2"]
    near = rules("judging-2022", properties={"solution": "nearness"}, repetitions=1)
    found = judge(runs(table, 1).assign(simplified_model=texts), problems(), near)
    values = found.aspects.query("aspect == 'property'")["value"]
    assert values.tolist() == pytest.approx([1, 2 / 3, 0])
