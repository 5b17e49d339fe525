"""A participant's page says what the terminal says, and why there is no place where there is none."""

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.displays import (
    compare_with_next,
    describe_exceptions,
    describe_improvements,
    models_beside_truths,
    next_above,
    standing,
)
from srlib.errors import InputError
from srlib.judging import judge
from srlib.problems import load_problems
from tests.judging.small import problems, rules, runs


def competition(methods, idle=(), barred=()):
    """Each method is worse than the one before it on formula and better on beyond."""
    table = {}
    for i, name in enumerate(methods):
        formula = {"r2_test": [0.9 - 0.1 * i], "complexity": [3 + i], "model": ["a + b"]}
        table[name, "formula"] = formula
        table[name, "beyond"] = {"r2_test": [0.3 + 0.05 * i], "model": ["2*a"]}
    lost = {"model": [None], "status": ["failed"], "reason": ["x"]}
    table |= {(name, "formula"): lost for name in idle}
    chosen = rules("judging-2022", repetitions=1)
    return judge(runs(table, 1), problems(), chosen, frozenset(barred))


def test_datasets_won_and_lost():
    """Points in three aspects: 2 2 2 against 1 1 1 on formula; 1 2 1 against 2 2 2 on beyond: 6 / 5, 2."""
    cells = {
        ("Ana", "formula"): {"r2_test": [0.9], "complexity": [3], "solution": [True]},
        ("Ben", "formula"): {"r2_test": [0.5], "complexity": [9], "solution": [False]},
        ("Ana", "beyond"): {"r2_test": [0.2], "complexity": [3]},
        ("Ben", "beyond"): {"r2_test": [0.8], "complexity": [3]},
    }
    judgement = judge(runs(cells, 1), problems(), rules("judging-2022", repetitions=1))
    assert next_above(judgement, "Ana") == "Ben"
    table = compare_with_next(judgement, "Ana").set_index("dataset")
    assert table["difference"].tolist() == pytest.approx([1, 6 / 5 - 2])
    assert table.loc["formula", ["score", "rival"]].tolist() == pytest.approx([2, 1])
    decisive = "accuracy: 1 against 2 points (value 0.2 against 0.8)"
    assert table.loc["beyond", "decided by"] == decisive
    other = compare_with_next(judgement, "Ben").set_index("dataset")
    assert other["difference"].reindex(table.index).tolist() == pytest.approx(-table["difference"])
    place, wins = standing(judgement, "Ana")
    assert place == "Ana: place 1 of 2 with 1.600 (higher is better); Ben has place 2 with 1.500."
    assert wins == "Beside Ben: +0.100 in the final score, ahead on 1 of 2 datasets, behind on 1."
    assert describe_exceptions(judgement, "Ana") == ["All of its runs count as they stand."]
    assert describe_improvements(judgement, "Ana") == ["There is no place above it."]
    assert "would gain" in describe_improvements(judgement, "Ben")[0]


def test_a_lost_run_stands_beside_the_dataset_it_cost():
    table = {("Ana", "formula"): {"r2_test": [0.9], "model": ["a + b"]}, ("Ana", "beyond"): {"r2_test": [0.9]},
             ("Ben", "beyond"): {"r2_test": [0.8], "model": ["2*a"]},
             ("Ben", "formula"): {"model": [None], "status": ["failed"], "reason": ["x"]}}  # fmt: skip
    judgement = judge(runs(table, 1), problems(), rules("judging-2022", repetitions=1))
    lost = compare_with_next(judgement, "Ben").set_index("dataset")
    assert lost["exceptions"]["formula"].startswith("1 x the run failed or ran out of time")
    assert lost["model"].isna()["formula"] and lost["model"]["beyond"] == "2*a"
    assert lost["difference"]["formula"] < 0


def test_without_a_place_it_is_said_why():
    judgement = competition(
        ["Ana", "Ben", "Cy", "LinearRegression"], ["Dee"], ["Cy", "LinearRegression"]
    )
    assert standing(judgement, "Dee") == [
        "Dee has no place: it has no usable run on a scored dataset."
    ]
    assert standing(judgement, "Cy") == ["Cy has no place: it did not qualify."]
    assert standing(judgement, "LinearRegression")[0].startswith(
        "LinearRegression has no place: it is the baseline"
    )
    assert "needs a run that counts" in describe_improvements(judgement, "Dee")[0]
    margins = pd.DataFrame(
        {"method": ["Cy"], "qualified": False, "margin": -0.5, "better": 6, "equal": 0, "worse": 14}
    )
    (reason,) = describe_improvements(judgement, "Cy", margins)
    assert "margin −0.50, above 0 is needed; better on 6 of 20 datasets" in reason
    (reason,) = describe_improvements(judgement, "LinearRegression")
    assert reason.endswith(": LinearRegression is the baseline of the qualification.")
    assert compare_with_next(judgement, "Cy").empty and next_above(judgement, "Cy") == ""
    models = models_beside_truths(judgement, {"Cy", ""})
    formula = models[models["dataset"] == "formula"]
    assert formula["method"].tolist() == ["(the truth)", "Cy"]
    with pytest.raises(InputError, match="method 'Eve' has no run; methods with runs: Ana, "):
        standing(judgement, "Eve")


def test_alone_it_is_beside_nobody():
    judgement = competition(["Ana"])
    (place,) = standing(judgement, "Ana")
    assert place.startswith("Ana: place 1 of 1 with ") and next_above(judgement, "Ana") == ""
    assert compare_with_next(judgement, "Ana").empty


def test_what_a_failed_run_costs_is_the_score_with_the_value_of_the_usable_runs():
    """Ben's second run failed: with 0.8 in its place he is level with Ana, as he is without a failure."""
    table = {
        ("Ana", "formula"): {"r2_test": [0.8, 0.8], "model": ["a + b", "a + b"]},
        ("Ben", "formula"): {"r2_test": [0.8, 0.8], "model": ["a + b", None], "status": ["ok", "failed"],
                             "reason": ["", "x"]},
    }  # fmt: skip
    chosen = rules("judging-2022", repetitions=2)
    judgement = judge(runs(table, 2), problems(), chosen)
    scores = judgement.ranking.set_index("method")["score"]
    said = standing(judgement, "Ben")[-1]
    assert said.startswith(
        "With the value of its usable runs in place of its 1 failed or absent run: "
    )
    assert said.endswith(f"final score {scores['Ana']:.3f} instead of {scores['Ben']:.3f}.")
    assert not any("absent run" in line for line in standing(judgement, "Ana"))
    table["Ana", "formula"] |= {"complexity": [3, 3], "solution": [True, True]}
    table["Ben", "formula"] |= {
        "r2_test": [0.2, 0.2],
        "complexity": [9, 9],
        "solution": [False, False],
    }
    assert standing(judge(runs(table, 2), problems(), chosen), "Ben")[-1] == (
        "With the value of its usable runs in place of its 1 failed or absent run: no score would change."
    )


def test_absent_runs_are_those_that_are_expected_on_each_dataset(tmp_path):
    """Ben lacks one run of two on `few`, which has two data seeds, and three of the four of the rules on `many`."""
    path = tmp_path / "seeds.yaml"
    path.write_text(
        "schema: 1\nname: seeds\ndefaults: {features: [a]}\n"
        "problems: [{dataset: few, data_seeds: [1, 2]}, {dataset: many}]\n"
    )
    table = {("Ana", "few"): {"r2_test": [0.8] * 4}, ("Ana", "many"): {"r2_test": [0.8] * 4}}
    rows = runs(table | {("Ben", name): {"r2_test": [0.7] * 4} for name in ("few", "many")}, 4)
    rows["repetition"] += 1 - rows["repetition"].min()
    wanted = rows["dataset"].map({"few": 2, "many": 4}).mask(rows["method"] == "Ben", 1)
    chosen = rules("judging-2022", repetitions=4)
    judgement = judge(rows[rows["repetition"] <= wanted], load_problems(path), chosen)
    assert "in place of its 4 failed or absent runs" in standing(judgement, "Ben")[-1]


@pytest.mark.slow
def test_who_did_not_qualify_is_told_so(tmp_path, capsys):
    call = ["score", "demo", "--problems", "synthetic-2022", "--out", str(tmp_path / "out")]
    assert main([*call, "--qualified", "demo", "--explain", "gplearn"]) == 0
    text = capsys.readouterr().out.partition("\n\ngplearn ")[2]
    assert text.startswith("has no place: it did not qualify.\n170 runs excluded: the method did ")
    assert "better on 6 of 20 datasets; among all 6 methods it would have place 2)" in text
