"""Where a method stands beside another one, worked out by hand and from both sides."""

import pytest

from srlib.cli.main import main
from srlib.judging.explain import choose_rival, compare_two, describe_standing
from srlib.judging.robustness.what_if import improvements
from tests.judging.small import rules, verdict

# One run each; "beyond" is about extrapolation, on its test rows, as it has no others
RUNS = {
    ("Ana", "formula"): {"r2_test": [0.9], "complexity": [3], "solution": [True]},
    ("Ben", "formula"): {"r2_test": [0.5], "complexity": [9], "solution": [False]},
    ("Ana", "beyond"): {"r2_test": [0.2], "complexity": [3]},
    ("Ben", "beyond"): {"r2_test": [0.8], "complexity": [3]},
}


@pytest.fixture(name="judgement")
def judgement_fixture():
    return verdict(RUNS, 1, rules("judging-2022", repetitions=1))


def test_datasets_won_and_lost(judgement):
    """Points in three aspects: 2 2 2 against 1 1 1 on formula; 1 2 1 against 2 2 2 on beyond: 6 / 5, 2."""
    assert choose_rival(judgement, "Ana") == "Ben"
    table = compare_two(judgement, "Ana", "Ben").set_index("dataset")
    assert table["difference"].tolist() == pytest.approx([1, 6 / 5 - 2])
    assert table.loc["formula", ["score", "rival"]].tolist() == pytest.approx([2, 1])
    assert table.loc["beyond", "aspect"] == "accuracy"
    assert table.loc["beyond", ["aspect_rank", "rival_rank"]].tolist() == [1, 2]
    other = compare_two(judgement, "Ben", "Ana").set_index("dataset")
    assert other["difference"].reindex(table.index).tolist() == pytest.approx(-table["difference"])


def test_it_is_said_in_a_screen(judgement):
    lines = describe_standing(judgement, "Ana")
    assert "place 1 of 2" in lines[0]
    assert "; Ben has place 2 with" in lines[0]
    assert any("ahead on 1 of 2 datasets, behind on 1" in line for line in lines)
    assert lines[-1] == "All of its runs count as they stand."
    assert len(lines) < 25
    gains = improvements(judgement)
    assert gains.describe("Ana", 1) == ["There is no place above it."]
    assert "would gain" in gains.describe("Ben", 2)[0]


def test_alone_and_where_no_rank_differs():
    twins = {
        (name, where): RUNS["Ana", where]
        for name in ("Ana", "Ben")
        for where in ("formula", "beyond")
    }
    chosen = rules("judging-2022", repetitions=1)
    judgement = verdict(twins, 1, chosen)
    both = compare_two(judgement, "Ana", "Ben")
    assert both["aspect"].isna().all() and (both["difference"] == 0).all()
    assert "; Ben has place 1 with" in describe_standing(judgement, "Ana")[0]
    alone = {key: RUNS[key] for key in RUNS if key[0] == "Ana"}
    alone = describe_standing(verdict(alone, 1, chosen), "Ana")
    assert alone[0].startswith("Ana: place 1 of 1")
    assert not any("Beside" in line for line in alone)


@pytest.mark.slow
def test_who_did_not_qualify_is_told_so(tmp_path, capsys):
    call = ["score", "demo", "--problems", "synthetic-2022", "--out", str(tmp_path / "out")]
    assert main([*call, "--qualified", "demo", "--explain", "gplearn"]) == 0
    said = capsys.readouterr().out.partition("\n\ngplearn: ")[2]
    assert said.startswith("no place: it did not qualify; place 2 with 3.594 if all had.")
    assert "170 runs excluded: the method did not qualify" in said
