"""The qualification as a gate: who did not pass is ranked below a line, by the rules' own baseline."""

from dataclasses import replace

import pandas as pd
import pytest

from srlib.displays.tables.aspects import final_ranking
from srlib.displays.tables.first_screen import describe_barred
from srlib.errors import InputError
from srlib.judging.qualification import Gate, QualificationTable
from tests.judging.small import rules, verdict

CELLS = """method,dataset,median_r2,baseline_r2
LinearRegression,d,0.5,0.5
LinearRegression,e,0.5,0.5
better,d,0.6,0.5
better,e,0.5,0.5
worse,d,0.1,0.5
worse,e,0.5,0.5
"""
TABLE = "A formula: {r2_test: 0.5}\nB formula: {r2_test: 0.4}\n"
CHOSEN = rules(repetitions=2)


def gated(barred="C"):
    """Competition in which C is best; who is `barred` did not qualify."""
    return verdict(TABLE + "C formula: {r2_test: 0.9}", CHOSEN, barred=barred)


@pytest.fixture
def write(tmp_path):
    def write_table(text):
        (tmp_path / "table.csv").write_text(text)
        return tmp_path / "table.csv"

    return write_table


def test_the_ranks_are_those_of_the_qualified():
    """C is best everywhere and did not qualify: A and B are ranked as if C were not there."""
    judgement = gated()
    pd.testing.assert_frame_equal(judgement.ranking, verdict(TABLE, CHOSEN).ranking)
    assert judgement.counts == {"read": 6, "scored": 4, "excluded": 2}
    assert set(judgement.ledger["code"]) == {"not_qualified"}
    of_all = judgement.ranking_of_all
    assert of_all is not None and of_all[["method", "qualified"]].to_numpy().tolist() == [
        ["C", False],
        ["A", True],
        ["B", True],
    ]
    assert "C" not in judgement.headline
    only = "A is the only method that qualified, with a final score"
    assert gated("BC").headline.startswith(only)
    table = final_ranking(judgement).frame[["method", "below the line"]]
    assert table.to_numpy().tolist() == [["A", ""], ["B", ""], ["C", "not qualified"]]
    with pytest.raises(InputError, match="nobody qualified who has runs .* A, B and C did not$"):
        gated("ABC")


def test_the_table_of_r2_is_judged_by_the_rules(write):
    gate = QualificationTable.read(write(CELLS)).gate(CHOSEN)
    assert gate == Gate(frozenset({"better"}), frozenset({"worse", "LinearRegression"}))
    assert gate.notices({"better", "worse", "new"}) == (
        "Not qualified, so without a place: worse.",
        "Without a row in the table of the qualification, which therefore does not bar them: new.",
    )
    gate = replace(gate, margins=gate.margins.rename({"worse": "C"}))
    assert describe_barred(replace(gated(), gate=gate), "C") == (
        "C missed the qualification (margin -0.50, which has to be positive; better on 0 of 2 datasets; "
        "among all 3 methods it would have place 1)"
    )


def test_another_baseline_needs_its_r2(write):
    """proposal-2022 names ElasticNet: with its rows it decides, without them nothing follows, and that is said."""
    proposal = rules("proposal-2022")
    gate = QualificationTable.read(write(CELLS)).gate(proposal)
    assert not gate.barred and not gate.qualified
    (notice,) = gate.notices({"better"})
    assert "against ElasticNet, of which" in notice
    elastic = "ElasticNet,d,0.55,0.5\nElasticNet,e,0.55,0.5\n"
    barred = QualificationTable.read(write(CELLS + elastic)).gate(proposal).barred
    assert barred == {"better", "worse", "LinearRegression", "ElasticNet"}


def test_verdicts_stand_as_they_are(write):
    path = write("method,qualified,margin\nA,True,\nB,False,-0.5\n")
    gate = QualificationTable.read(path).gate(rules("proposal-2022"))
    assert gate == Gate(frozenset("A"), frozenset("B"))
    for name, reason in (("B", "margin -0.50, which has to be positive; among"), ("A", "among")):
        sentence = describe_barred(replace(gated(name), gate=gate), name)
        assert f"{name} missed the qualification ({reason} all 3 methods it would" in sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("qualified\nA,True\nB,perhaps", "row 2: qualified must be true or false, got 'perhaps'"),
        ("passed\nA,True", "column 'dataset' is missing"),
    ],
)
def test_a_table_that_says_nothing_is_refused(text, sentence, write):
    with pytest.raises(InputError, match=sentence):
        QualificationTable.read(write(f"method,{text}\n")).gate(CHOSEN)
