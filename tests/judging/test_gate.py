"""The qualification as a gate: who did not pass is ranked below a line, by the rules' own baseline."""

import pandas as pd
import pytest

from srlib.displays.tables.aspects import final_ranking
from srlib.errors import InputError
from srlib.judging import judge
from srlib.judging.qualification import Gate, read_gate
from srlib.rules import load_rules
from tests.judging.small import problems, rules, runs

CELLS = pd.DataFrame(
    [
        ("LinearRegression", "d", 0.5, 0.5),
        ("LinearRegression", "e", 0.5, 0.5),
        ("better", "d", 0.6, 0.5),
        ("better", "e", 0.5, 0.5),
        ("worse", "d", 0.1, 0.5),
        ("worse", "e", 0.5, 0.5),
    ],
    columns=["method", "dataset", "median_r2", "baseline_r2"],
)


def test_the_ranks_are_those_of_the_qualified():
    """C is best everywhere and did not qualify: A and B are ranked as if C were not there."""
    values = {"A": 0.5, "B": 0.4, "C": 0.9}
    table = {(m, "formula"): {"r2_test": [v, v]} for m, v in values.items()}
    alone = {key: v for key, v in table.items() if key[0] != "C"}
    chosen = rules("judging-2022", repetitions=2)
    gated = judge(runs(table, 2), problems(), chosen, frozenset("C"))
    pd.testing.assert_frame_equal(gated.ranking, judge(runs(alone, 2), problems(), chosen).ranking)
    assert gated.counts == {"read": 6, "scored": 4, "excluded": 2}
    assert set(gated.ledger["code"]) == {"not_qualified"}
    assert gated.ranking_of_all is not None
    assert gated.ranking_of_all["method"].tolist() == ["C", "A", "B"]
    assert gated.ranking_of_all["qualified"].tolist() == [False, True, True]
    assert "C" not in gated.headline
    assert final_ranking(gated)[["method", "below the line"]].to_numpy().tolist() == [
        ["A", ""],
        ["B", ""],
        ["C", "not qualified"],
    ]


def test_the_table_of_r2_is_judged_by_the_rules(tmp_path):
    path = tmp_path / "qualification.csv"
    CELLS.to_csv(path, index=False)
    gate = read_gate(path, load_rules("judging-2022"))
    assert gate == Gate(frozenset({"better"}), frozenset({"worse", "LinearRegression"}))
    assert gate.notices({"better", "worse", "new"}) == (
        "Not qualified, so without a place: worse.",
        "Not in the table of the qualification, so ranked unseen: new.",
    )


def test_another_baseline_needs_its_r2(tmp_path):
    """proposal-2022 names ElasticNet: with its rows it decides, without them nothing follows, and that is said."""
    path, proposal = tmp_path / "qualification.csv", load_rules("proposal-2022")
    CELLS.to_csv(path, index=False)
    gate = read_gate(path, proposal)
    assert not gate.barred and not gate.qualified
    assert (
        "against ElasticNet, of which" in gate.notices({"better"})[0]
        and len(gate.notices({"better"})) == 1
    )
    elastic = CELLS[CELLS["method"] == "better"].assign(method="ElasticNet", median_r2=0.55)
    pd.concat([CELLS, elastic]).to_csv(path, index=False)
    assert read_gate(path, proposal).barred == {"better", "worse", "LinearRegression", "ElasticNet"}


def test_verdicts_stand_as_they_are(tmp_path):
    path = tmp_path / "verdicts.csv"
    path.write_text("method,qualified\nA,True\nB,False\n")
    assert read_gate(path, load_rules("proposal-2022")) == Gate(frozenset("A"), frozenset("B"))
    path.write_text("method,qualified\nA,True\nB,perhaps\n")
    with pytest.raises(InputError, match="row 2: qualified must be true or false, got 'perhaps'"):
        read_gate(path, load_rules("judging-2022"))
    path.write_text("method,passed\nA,True\n")
    with pytest.raises(InputError, match="column 'dataset' is missing"):
        read_gate(path, load_rules("judging-2022"))
