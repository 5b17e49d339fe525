"""Fronts of a dataset: what the figure and the table say, and that runs with one model show none."""

from srlib.displays import FrontsDisplay, front_table, show_fronts
from srlib.judging import judge
from tests.judging.small import problems, rules
from tests.judging.test_fronts import TABLE, competition


def judged(table, **changes):
    return judge(table, problems(), rules("judging-2022", repetitions=2, **changes))


def test_who_had_it_in_hand_and_did_not_pick_it():
    for candidate in ("chosen", "any"):  # what is judged changes nothing of what was picked
        shown = FrontsDisplay.from_judgement(
            judged(competition(**TABLE), candidate=candidate), "formula"
        )
        assert shown is not None
        assert "A (2 of 2 runs)" in shown.sentence and "B (1 of 2 runs)" in shown.sentence
        assert shown.sentence in shown.alt
        assert shown.truth == 3
        assert len(shown.numbers) == 7  # one of B's has no R2
        assert shown.numbers["chosen"].sum() == 3 and shown.numbers["missed"].sum() == 3
        marks = {line.get_label(): len(line.get_xdata()) for line in shown.plot().ax_[0].lines}
        names = ["model", "chosen", "solution, not picked"]
        assert [marks[name] for name in names] in ([3, 2, 2], [1, 1, 1])
    picked = competition(A=[[(0.9, True), (1.0, True)]], B=[[(0.8, False)], [(0.7, False)]])
    told = FrontsDisplay.from_judgement(judged(picked), "formula")
    assert told is not None and told.sentence == "Whoever had it in hand picked it."


def test_the_table_and_runs_with_one_model(tmp_path, capsys):
    table = front_table(judged(competition(**TABLE)))
    assert table is not None
    row = table.set_index("method").loc["A"]
    assert (row["runs"], row["models"], row["had it"], row["did not pick it"]) == (2, 5, 2, 2)
    one = judged(competition(A=[[(0.9, True)], [(0.9, True)]], B=[[(0.8, False)], [(0.7, False)]]))
    assert FrontsDisplay.from_judgement(one, "formula") is None
    show_fronts(one, tmp_path, ["formula"])
    assert not list(tmp_path.iterdir()) and capsys.readouterr().out == ""
