"""Weights of aspects and datasets, aspects of one's own, and nearness to the truth, on tables to redo by hand."""

import nbformat
import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.displays import show_verdict
from srlib.displays.tables.rules import rules_table
from srlib.displays.tables.runs import run_table
from srlib.displays.tables.verdict import final_ranking
from srlib.errors import InputError
from srlib.files import NOTEBOOKS
from srlib.judging import explain, judge
from srlib.judging.robustness.examination import examine
from srlib.problems import Problems
from srlib.rules import Measure
from srlib.tablefiles import write_frame
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
        ("weighted_mean", ((3 * 2 + 1 + 2 * 2) / 6 + 4 * (3 + 2 + 2) / 6) / 5),
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
    last = explain(result, "A").set_index("step")
    assert last.loc["final_score", "value"] == pytest.approx(expected)
    assert "accuracy x 3" in last.loc["dataset_score", "note"].iloc[0]


@pytest.mark.parametrize("combine", ["weighted_mean", "harmonic_then_mean", "one_harmonic"])
def test_the_check_cell_and_the_examination_know_weights(combine, tmp_path, capsys):
    result = judged(combine, weight=4.0)
    result.write(tmp_path)
    (tmp_path / "tables").mkdir()
    every_run = run_table(result.assessments, result.ledger, result.measures)
    tables = {"rules": rules_table(result.rules), "final-ranking": final_ranking(result)}
    for name, table in (tables | {"every-run": every_run}).items():
        write_frame(table, tmp_path / "tables" / f"{name}.csv")
    notebook = nbformat.read(NOTEBOOKS / "synthetic.ipynb", as_version=4)
    cell = [c.source for c in notebook.cells if c.cell_type == "code"][-1]
    show_verdict(result, "title", output=tmp_path)
    exec(cell, {"output": tmp_path})
    assert "FAILED" not in capsys.readouterr().out
    datasets = pd.read_csv(tmp_path / "datasets.csv")
    datasets.assign(score=datasets["score"] + 0.1).to_csv(tmp_path / "datasets.csv", index=False)
    with pytest.raises(AssertionError, match="dataset scores follow"):
        exec(cell, {"output": tmp_path})


def test_robustness_of_a_weighted_competition(monkeypatch):
    from srlib.judging.robustness import switchboard

    kept = [("ties",), ("rank_start",)]
    monkeypatch.setattr(switchboard, "READINGS", {k: switchboard.READINGS[k] for k in kept})
    result = judged("weighted_mean", weight=4.0)
    found = examine(result, resamples=50)
    whole = found.readings.table.iloc[0]
    assert whole["score of A"] == result.ranking.set_index("method").loc["A", "score"]
    # the same dataset drawn twice has its own score, whatever its weight
    scores = np.unique(found.draws.scores["datasets"][:, 0].round(6))
    each = result.datasets.set_index(["method", "dataset"])["score"]
    assert {round(each["A", "beyond"], 6), round(each["A", "formula"], 6)} <= set(scores)


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


def test_components_are_counted_as_nodes_or_as_written():
    """SRBench: a - b has one operator and two features; sympy's tree is a + (-1)*b. The raw count is always literal."""
    given = pd.DataFrame(
        {"method": ["A", "B"], "dataset": "seir_S", "repetition": 1, "status": "ok", "r2_test": 0.5}
    ).assign(model=["a - b", "a*b + a*b"])
    for count, expected in (("nodes", [5, 4]), ("operators, features and constants", [3, 5])):
        found = assess(given, problems(), Measure(count=count))
        assert found["complexity"].tolist() == expected
        assert found["complexity_raw"].tolist() == [3, 7]
