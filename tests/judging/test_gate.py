"""The qualification as a gate: who did not pass is ranked below a line, by the rules' own baseline."""

import pandas as pd
import pytest

from srlib.displays.tables.aspects import final_ranking
from srlib.displays.tables.first_screen import describe_barred
from srlib.errors import InputError
from srlib.judging import judge
from srlib.judging.qualification import Gate, read_gate, read_margins
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


VALUES = {"A": 0.5, "B": 0.4, "C": 0.9}
TABLE = {(method, "formula"): {"r2_test": [r2, r2]} for method, r2 in VALUES.items()}
CHOSEN = rules("judging-2022", repetitions=2)


def gated(barred="C"):
    """Competition in which C is best; who is `barred` did not qualify."""
    return judge(runs(TABLE, 2), problems(), CHOSEN, frozenset(barred))


def test_the_ranks_are_those_of_the_qualified():
    """C is best everywhere and did not qualify: A and B are ranked as if C were not there."""
    alone = {key: v for key, v in TABLE.items() if key[0] != "C"}
    judged = gated()
    pd.testing.assert_frame_equal(judged.ranking, judge(runs(alone, 2), problems(), CHOSEN).ranking)
    assert judged.counts == {"read": 6, "scored": 4, "excluded": 2}
    assert set(judged.ledger["code"]) == {"not_qualified"}
    assert judged.ranking_of_all is not None
    assert judged.ranking_of_all["method"].tolist() == ["C", "A", "B"]
    assert judged.ranking_of_all["qualified"].tolist() == [False, True, True]
    assert "C" not in judged.headline
    assert gated("BC").headline.startswith(
        "A is the only method that qualified, with a final score"
    )
    assert final_ranking(judged)[["method", "below the line"]].to_numpy().tolist() == [
        ["A", ""],
        ["B", ""],
        ["C", "not qualified"],
    ]


def test_a_competition_for_which_nobody_qualified_is_one_sentence():
    with pytest.raises(InputError, match="nobody qualified who has runs .* A, B and C did not$"):
        gated("ABC")


def test_the_table_of_r2_is_judged_by_the_rules(tmp_path):
    path = tmp_path / "qualification.csv"
    CELLS.to_csv(path, index=False)
    gate = read_gate(path, load_rules("judging-2022"))
    assert gate == Gate(frozenset({"better"}), frozenset({"worse", "LinearRegression"}))
    assert gate.notices({"better", "worse", "new"}) == (
        "Not qualified, so without a place: worse.",
        "Not in the table of the qualification, so ranked without it: new.",
    )
    margins = read_margins(path, load_rules("judging-2022"))
    assert describe_barred(gated(), "C", margins.rename({"worse": "C"})) == (
        "C missed the qualification (margin -0.50, above 0 is needed; better on 0 of 2 datasets; "
        "among all 3 methods it would have place 1)"
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
    path.write_text("method,qualified,margin\nA,True,\nB,False,-0.5\n")
    assert read_gate(path, load_rules("proposal-2022")) == Gate(frozenset("A"), frozenset("B"))
    margins = read_margins(path, CHOSEN)
    for name, why in {
        "B": "(margin -0.50, above 0 is needed; among all 3 methods it would",
        "A": "(among all 3 methods it would have",
    }.items():
        assert f"{name} missed the qualification {why}" in describe_barred(
            gated(name), name, margins
        )
    path.write_text("method,qualified\nA,True\nB,perhaps\n")
    with pytest.raises(InputError, match="row 2: qualified must be true or false, got 'perhaps'"):
        read_gate(path, load_rules("judging-2022"))
    path.write_text("method,passed\nA,True\n")
    with pytest.raises(InputError, match="column 'dataset' is missing"):
        read_gate(path, load_rules("judging-2022"))
