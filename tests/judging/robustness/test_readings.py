"""Every reading of the rules, against judging by the switched rules one at a time."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.judging import judge
from srlib.judging.robustness import readings
from srlib.judging.robustness.readings import (
    READINGS,
    SPELLED,
    count_as_spelled,
    list_rankings,
    score_readings,
)
from srlib.rules import Aspect, Judge, Measure, Rules, load_rules
from tests.judging.robustness.cases import judged, problems, rules, table, varied

PATHS = {
    "missing/incomplete": ("missing", "incomplete"),
    "relevant_features/local_optima": ("properties.relevant_features", "properties.local_optima"),
    "extrapolation/noise_sensitivity": ("properties.extrapolation", "properties.noise_sensitivity"),
    "accuracy.round": ("aspects.accuracy.round",),
    "simplicity.round": ("aspects.simplicity.round",),
    "simplicity.from": ("aspects.simplicity.from",),
}
KINDS = {"None": None, "0.5": 0.5, "0": 0, "1": 1}


def switched(found: Rules, choices: dict[str, str]) -> Rules:
    data = found.judge.model_dump(by_alias=True)
    for name, label in choices.items():
        paths, labels = PATHS.get(name, (name,)), label.split("/")
        for path, value in zip(paths, labels * (len(paths) // len(labels)), strict=True):
            *outer, last = path.split(".")
            place = data
            for key in outer:
                place = place[key]
            place[last] = KINDS.get(value, value)
    return found.model_copy(update={"judge": Judge.model_validate(data)})


@pytest.fixture(name="median")
def median_fixture(tmp_path, monkeypatch):
    """A: .9 .9 .5, B: .8 .8 .8. Mean .767 < .8; median .9 > .8; A is better in two of three repetitions."""
    kept = [("ties",), ("rank_start",), ("aggregate",), ("rank_per",)]
    few = {path: READINGS[path] for path in kept}
    monkeypatch.setattr("srlib.judging.robustness.readings.READINGS", few)
    return judged({("A", "d1"): [0.9, 0.9, 0.5], ("B", "d1"): [0.8, 0.8, 0.8]}, tmp_path)


def test_switches_flip_the_winner_and_are_described(median):
    silent = median.rules.model_copy(update={"sources": {}})
    board = score_readings(replace(median, rules=silent))
    assert board.winner == "B"
    changed = board.singles[board.singles["changed"]]
    assert sorted(changed[["switch", "value", "winner"]].to_numpy().tolist()) == [
        ["aggregate", "median", "A"],
        ["rank_per", "repetition", "A"],
    ]
    said = "alone are turned: “aggregate: median” (A wins) and “rank per: repetition” (A wins)."
    assert board.singles_sentence.endswith(said)
    won = board.table["winner"] == "A"
    assert (
        won == ((board.table["aggregate"] == "median") | (board.table["rank_per"] == "repetition"))
    ).all()
    assert board.sentence == (
        f"B wins under {(~won).sum()} of {len(won)} readings that the documents leave open, A under {won.sum()}."
    )


def test_a_settled_switch_is_turned_alone(median):
    board = score_readings(median)
    assert not {"aggregate", "rank_per"} & {*board.choices}
    assert len(board.table) == np.prod([len(values) for values in board.choices.values()])
    assert board.sentence == (
        f"B wins under all {len(board.table)} readings that the documents leave open."
    )
    stated = board.singles.set_index("switch")
    assert stated.loc[["aggregate", "rank_per"], ["value", "winner"]].to_numpy().tolist() == [
        ["median", "A"],
        ["repetition", "A"],
    ]
    assert "judging criteria" in stated.loc["aggregate", "settled"]
    assert stated.loc["rank_start", "settled"] == "left open"


@pytest.mark.slow
def test_a_sample_equals_judging_by_the_switched_rules(tmp_path):
    judgement = varied(tmp_path)
    board = score_readings(judgement)
    first = board.table.iloc[0]
    own = dict(first[: first.index.get_loc("winner")])
    for _, reading in board.table.sample(8, random_state=3).iterrows():
        again = judge(
            judgement.assessments,
            judgement.problems,
            switched(judgement.rules, dict(reading[list(own)])),
        )
        scores = again.ranking.set_index("method")["score"]
        for method in "ABC":
            assert reading[f"score of {method}"] == pytest.approx(scores[method], rel=1e-12)
        first = sorted(again.ranking.loc[again.ranking["rank"] == 1, "method"])
        assert reading["winner"] == ("all tied" if first == ["A", "B", "C"] else " = ".join(first))
        assert reading["margin"] == pytest.approx(
            scores.nlargest(2).iloc[0] - scores.nlargest(2).iloc[1]
        )
    settled = board.singles[board.singles["settled"] != "left open"]
    for turned in settled.itertuples():
        rules_turned = switched(judgement.rules, {turned.switch: turned.value})
        again = judge(judgement.assessments, judgement.problems, rules_turned).ranking
        first = sorted(again.loc[again["rank"] == 1, "method"])
        assert turned.winner == ("all tied" if first == ["A", "B", "C"] else " = ".join(first))


def test_what_a_component_is_is_turned_as_an_assessment_counts_it(fewer, tmp_path):
    """Nodes: a - b is a + (-1)*b, 5 as a*b + 1 is; as written: 3 and 5."""
    runs = pd.DataFrame({"method": ["A", "B"], "dataset": "features", "repetition": 1})
    runs = runs.assign(r2_test=0.9, status="ok", model=["a - b", "a*b + 1"])
    assessed_by = {}
    for count in ("nodes", SPELLED):
        chosen = rules(1).model_copy(update={"measure": Measure(count=count)})
        assessed = assess(runs, problems(tmp_path), chosen.measure, jobs=1)
        assessed_by[count] = judge(assessed, problems(tmp_path), chosen)
    board = score_readings(assessed_by["nodes"])
    flips = board.singles.set_index(["switch", "value"])["winner"]
    assert board.winner == "all tied" and flips["count", SPELLED] == "A"
    again = count_as_spelled(assessed_by["nodes"].screened).usable
    assert (
        again["complexity"].tolist() == assessed_by[SPELLED].screened.usable["complexity"].tolist()
    )
    assert "count" not in score_readings(assessed_by[SPELLED]).choices


# What no document of judging-2022 settles, and how many readings each has.
OPEN = {
    "ties": 3,
    "rank_start": 2,
    "missing and incomplete, together": 3,
    "minimal_accuracy": 2,
    "S1 or S2 of features and of surrogates, together": 2,
    "accuracy: rounded before or after averaging": 2,
    "simplicity: rounded before or after averaging": 2,
    "what a component is": 2,
}


def test_the_open_readings_are_counted_independently():
    """3 x 2 x 3 x 2 x 2 x 2 x 2 x 2 = 576.

    The noise guard's two change no score in the demo.
    """
    assert math.prod(OPEN.values()) == 576
    found = load_rules("judging-2022")
    left_open = [
        len(values)
        for paths, values in READINGS.items()
        if None in [found.settled(path) for path in paths] and paths != ("noise_guard.action",)
    ]
    aspects = [f"aspects.{name}.round" for name in ("accuracy", "simplicity")]
    assert [found.settled(path) for path in (*aspects, "count")] == [None] * 3
    assert math.prod(left_open) * 2 * 2 * 2 == 576


def test_a_value_that_the_rules_refuse_here_is_no_reading(tmp_path, monkeypatch):
    """There is no minimal accuracy where no aspect is R2."""
    runs = table({(m, d): [0.5] for m in "AB" for d in ("d1", "d2")}).assign(value=[1.0, 2, 3, 4])
    aspects = {"energy": Aspect.model_validate({"from": "value", "direction": "lower"})}
    few = [("ties",), ("minimal_accuracy",), ("aggregate",)]
    kept = {path: READINGS[path] for path in few}
    monkeypatch.setattr("srlib.judging.robustness.readings.READINGS", kept)
    board = score_readings(judge(runs, problems(tmp_path), rules(1, aspects=aspects)))
    for name, values in board.choices.items():
        assert set(board.table[name]) == set(values)
    assert "minimal_accuracy" not in board.choices


def test_a_shared_place_is_called_so(tmp_path, fewer):
    """A and B are equal and C is not; no sentence takes two names for a winner's."""
    accuracy = {"A": 0.9, "B": 0.9, "C": 0.5}
    same = {(method, "d1"): [value] for method, value in accuracy.items()}
    assert score_readings(judged(same, tmp_path)).sentence.startswith(
        "A and B share the first place"
    )


def test_a_reading_under_which_all_scores_are_0_is_no_reading(tmp_path, monkeypatch):
    """With one harmonic mean and worst rank 0, one last place makes a score 0; here each method has one."""
    few = {path: READINGS[path] for path in [("rank_start",), ("ties",)]}
    monkeypatch.setattr("srlib.judging.robustness.readings.READINGS", few)
    accuracies = {("A", "d1"): [0.9], ("B", "d1"): [0.5], ("A", "d2"): [0.5], ("B", "d2"): [0.9]}
    board = score_readings(judged(accuracies, tmp_path, combine="one_harmonic"))
    assert "rank_start" not in {*board.choices, *board.singles["switch"]}


@pytest.mark.slow
def test_the_page_looks_up_what_judging_by_the_switched_rules_gives(tmp_path):
    judgement = varied(tmp_path)
    table = json.loads(json.dumps(list_rankings(score_readings(judgement))))
    names, methods = list(table["switches"]), table["methods"]
    assert table["readings"][0][:-1] == [0] * len(names)
    rng = np.random.default_rng(5)
    for *choice, ranking in (table["readings"][i] for i in rng.choice(len(table["readings"]), 5)):
        values = {name: table["switches"][name][i] for name, i in zip(names, choice, strict=True)}
        switched_rules = switched(judgement.rules, values)
        again = judge(judgement.assessments, judgement.problems, switched_rules).ranking
        again = again.set_index("method").loc[methods]
        assert [place for place, _ in ranking] == again["rank"].tolist()
        assert [score for _, score in ranking] == pytest.approx(again["score"].tolist(), abs=1e-6)


def test_of_very_many_readings_those_with_few_switches_turned_are_kept(
    fewer, tmp_path, monkeypatch
):
    board = score_readings(varied(tmp_path))
    monkeypatch.setattr(readings, "MOST_LETTERS", 400)
    rows = list_rankings(board)["readings"]
    assert 1 < len(rows) < len(board.table) and len(json.dumps(rows)) <= 400 + 2
    turned = [np.count_nonzero(row[:-1]) for row in rows]
    assert turned == sorted(turned) and turned[0] == 0


def test_a_reading_in_which_every_score_is_0_is_won_by_nobody(fewer, tmp_path, monkeypatch):
    """With rank_start 0 each method that is last once has the one harmonic mean 0."""
    monkeypatch.setitem(readings.READINGS, ("rank_start",), ((1,), (0,)))
    judgement = varied(tmp_path)
    silent = judgement.rules.model_copy(update={"sources": {}})
    one_harmonic = switched(silent, {"combine": "one_harmonic"})
    board = score_readings(judge(judgement.assessments, judgement.problems, one_harmonic))
    scores = board.table.filter(like="score of ")
    assert "rank_start" not in board.choices and len(board.table) > 1
    assert (scores.max(axis=1) > 0).all() and "rank_start" not in set(board.singles["switch"])


def test_switches_of_properties_that_no_dataset_tests_are_not_turned(tmp_path):
    solutions = judged({("A", "d1"): [0.9], ("B", "d1"): [0.8]}, tmp_path)
    noisy = judged({("A", "noisy"): [0.9], ("B", "noisy"): [0.8]}, tmp_path)
    turned = [set(readings.list_choices(found)) for found in (solutions, noisy)]
    of_noise = {"extrapolation/noise_sensitivity", "noise_guard.action"}
    assert turned[1] - turned[0] == of_noise
    assert "relevant_features/local_optima" not in turned[1]
