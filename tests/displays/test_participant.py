"""A participant's page says what the terminal says, and why there is no place where there is none."""

import pandas as pd
import pytest

from srlib.displays import (
    compare_with_next,
    describe_improvements,
    models_beside_truths,
    next_above,
    standing,
)
from srlib.errors import InputError
from srlib.judging import judge
from srlib.judging.explain import compare_two, describe_standing
from srlib.judging.robustness.what_if import improvements
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


def test_it_is_beside_the_method_next_above_and_the_first_beside_the_second():
    judgement = competition(["Ana", "Ben", "Cy"])
    placed = judgement.ranking["method"].tolist()
    assert [next_above(judgement, name) for name in placed] == [placed[1], *placed[:2]]
    for name in placed:
        rival = next_above(judgement, name)
        place, wins, sums = (line.replace("\u2212", "-") for line in standing(judgement, name))
        said = describe_standing(judgement, name, rival)
        gap, _, wins = wins.partition(" in the final score, ")
        assert place == said[0] and said[2].startswith(f"Beside {rival}: {wins[:-1]}")
        scores = judgement.ranking.set_index("method")["score"]
        assert float(gap.rpartition(" ")[2]) == pytest.approx(
            scores[name] - scores[rival], abs=6e-4
        )
        table, own = compare_with_next(judgement, name), compare_two(judgement, name, rival)
        assert table[list(own)].equals(own)
        parts = [float(part.rpartition(" ")[2]) for part in sums.partition(": ")[2][:-1].split(",")]
        assert sum(parts) == pytest.approx(own["difference"].sum(), abs=0.01)
        rank = int(judgement.ranking.set_index("method")["rank"][name])
        assert describe_improvements(judgement, name) == improvements(judgement).describe(
            name, rank
        )
    assert describe_improvements(judgement, placed[0]) == ["There is no place above it."]


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
    assert standing(judgement, "Dee") == ["Dee has no place: it has no usable run."]
    assert standing(judgement, "Cy")[0].startswith("Cy has no place: it did not qualify; place ")
    assert "needs a run that counts" in describe_improvements(judgement, "Dee")[0]
    margins = pd.DataFrame(
        {"method": ["Cy"], "qualified": False, "margin": -0.5, "better": 6, "equal": 0, "worse": 14}
    )
    (reason,) = describe_improvements(judgement, "Cy", margins)
    assert "margin −0.50, above 0 is needed; better on 6 of 20 datasets" in reason
    assert "It is the baseline" in describe_improvements(judgement, "LinearRegression")[0]
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
    assert compare_with_next(judgement, "Ana")["difference"].tolist() == [0.0, 0.0]


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
    assert said.startswith("With the value of its usable runs in place of its 1 absent run: ")
    assert said.endswith(f"final score {scores['Ana']:.3f} instead of {scores['Ben']:.3f}.")
    assert not any("absent run" in line for line in standing(judgement, "Ana"))
