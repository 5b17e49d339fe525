"""Every reading of the rules, against judging by the switched rules one at a time."""

import json
import math
from dataclasses import replace
from functools import reduce
from operator import getitem
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from srlib.assessing import assess
from srlib.judging import judge, readings
from srlib.judging.readings import (
    SPELLED_COUNT,
    list_rankings,
    score_readings,
    use_simplified_counts,
)
from srlib.rules import JudgeRules, MeasureRules
from tests.judging.cases import MANY, judged, varied
from tests.judging.small import problems, rules, verdict


@pytest.fixture
def median(keep_readings):
    """A: .9 .9 .5, B: .8 .8 .8. Mean .767 < .8; median .9 > .8; A is better in two of three repetitions."""
    keep_readings("ties", "rank_start", "aggregate", "rank_per")
    return judged("{A d1: [0.9, 0.9, 0.5], B d1: [0.8, 0.8, 0.8]}")


def test_switches_flip_the_winner_and_are_described(median):
    silent = median.rules.model_copy(update={"sources": {}})
    board = score_readings(replace(median, rules=silent))
    assert board.winners == ("B",) and board.singles_sentence.endswith(
        "alone are turned: “aggregate: median” (A wins) and “rank per: repetition” (A wins)."
    )
    flipped = (board.table["aggregate"] == "median") | (board.table["rank_per"] == "repetition")
    assert board.table["winners"].tolist() == [
        ("A",) if is_flipped else ("B",) for is_flipped in flipped
    ]
    assert board.sentence == (
        f"B wins under {(~flipped).sum()} of {len(flipped)} readings that the documents leave open, "
        f"A under {flipped.sum()}."
    )


def test_a_name_with_a_sign_of_equality_is_one_winner(fewer):
    """A method may be called `all tied`, too."""
    board = score_readings(judged({("A = B", "d1"): [0.9], ("all tied", "d1"): [0.5]}))
    assert board.winners == ("A = B",)
    assert board.sentence.startswith("A = B wins under all ")


def test_a_settled_switch_is_turned_alone(median):
    """From 0, a single last place makes a harmonic mean 0; no document says where ranks begin."""
    board = score_readings(median)
    assert not {"aggregate", "rank_per"} & {*board.choices}
    assert board.choices["rank_start"] == ("1", "0")
    assert len(board.table) == math.prod(map(len, board.choices.values()))
    assert board.sentence.startswith(f"B wins under all {len(board.table)} readings that")
    singles = board.singles.set_index("switch")
    assert singles["settled"]["rank_start"] == "left open"
    for switch in ("aggregate", "rank_per"):
        assert singles["winners"][switch] == ("A",)
        assert "judging criteria" in singles["settled"][switch]


def switched(judgement, choices):
    """Judge anew, with switches set to the values that a reading names."""
    block = judgement.rules.judge.model_dump(by_alias=True)
    for names, label in choices.items():
        paths, labels = names.split("/"), label.replace("None", "null").split("/")
        for path, value in zip(paths, labels * (len(paths) // len(labels)), strict=True):
            *outer, last = path.split(".")
            homes = block, block["aspects"], block["properties"]
            home: Any = next(home for home in homes if [*outer, last][0] in home)
            reduce(getitem, outer, home)[last] = yaml.safe_load(value)
    chosen = judgement.rules.model_copy(update={"judge": JudgeRules.model_validate(block)})
    return judge(judgement.assessments, judgement.problems, chosen).ranking.sort_values("method")


@pytest.mark.slow
def test_a_sample_equals_judging_by_the_switched_rules():
    """Readings, switches turned alone, and what the page looks up."""
    judgement = varied()
    board = score_readings(judgement)
    names = list(board.choices)
    page = json.loads(json.dumps(list_rankings(board)))
    assert page["readings"][0][:-1] == [0] * len(names) and page["methods"] == list("ABC")
    rankings = {tuple(numbers): ranking for *numbers, ranking in page["readings"]}
    winners = []
    for _, reading in board.table.sample(8, random_state=3).iterrows():
        again = switched(judgement, dict(reading[names]))
        winners.append((reading["winners"], again))
        scores = again["score"].tolist()
        assert reading[[f"score of {m}" for m in "ABC"]].tolist() == pytest.approx(
            scores, rel=1e-12
        )
        assert reading["margin"] == pytest.approx(np.ptp(sorted(scores)[1:]))
        numbers = tuple(page["switches"][name].index(reading[name]) for name in names)
        places, rounded = zip(*rankings[numbers], strict=True)
        assert list(places) == again["rank"].tolist()
        assert list(rounded) == pytest.approx(scores, abs=1e-6)
    for turned in board.singles.query("settled != 'left open'").itertuples():
        winners.append((turned.winners, switched(judgement, {turned.switch: turned.value})))
    for first, again in winners:
        assert first == tuple(again["method"][again["rank"] == 1])


def test_what_a_component_is_is_turned_as_an_assessment_counts_it(fewer):
    """Nodes: a - b is a + (-1)*b, 5 as a*b + 1 is; as written: 3 and 5."""
    runs = pd.DataFrame({"method": ["A", "B"], "dataset": "features", "repetition": 1})
    runs = runs.assign(r2_test=0.9, status="ok", model=["a - b", "a*b + 1"])
    judged_by = {}
    for count in ("nodes", SPELLED_COUNT):
        chosen = rules(repetitions=1).model_copy(update={"measure": MeasureRules(count=count)})
        assessed = assess(runs, problems(MANY), chosen.measure, jobs=1)
        judged_by[count] = judge(assessed, problems(MANY), chosen)
    board = score_readings(judged_by["nodes"])
    flips = board.singles.set_index(["switch", "value"])["winners"]
    assert board.winners == ("A", "B") and flips["count", SPELLED_COUNT] == ("A",)
    again = use_simplified_counts(judged_by["nodes"].screened).usable["complexity"]
    assert again.tolist() == judged_by[SPELLED_COUNT].screened.usable["complexity"].tolist()
    assert "count" not in score_readings(judged_by[SPELLED_COUNT]).choices


def test_a_value_that_the_rules_refuse_here_is_no_reading(keep_readings):
    """There is no minimal accuracy where no aspect is R2."""
    keep_readings("ties", "minimal_accuracy", "aggregate")
    aspects = {"energy": {"from": "complexity_raw", "direction": "lower"}}
    energy = "A d1: {complexity_raw: 1}\nB d1: {complexity_raw: 3}\nA d2: {}\nB d2: {}"
    board = score_readings(verdict(energy, rules(aspects=aspects), problems(MANY)))
    assert "minimal_accuracy" not in board.choices
    assert {name: set(board.table[name]) for name in board.choices} == {
        name: set(values) for name, values in board.choices.items()
    }


def test_a_reading_under_which_all_scores_are_0_is_no_reading(keep_readings):
    """With worst rank 0, one last place makes a harmonic mean 0; here each method has one."""
    keep_readings("rank_start", "ties")
    table = "A d1: {r2_test: 0.9, complexity: 9}\nB d1: {r2_test: 0.5, complexity: 5}"
    board = score_readings(verdict(table, rules(), problems(MANY)))
    assert "rank_start" not in {*board.choices, *board.singles["switch"]}


def test_of_very_many_readings_those_with_few_switches_turned_are_kept(fewer, monkeypatch):
    board = score_readings(varied())
    monkeypatch.setattr(readings, "MOST_LETTERS", 400)
    rows = list_rankings(board)["readings"]
    assert 1 < len(rows) < len(board.table) and len(json.dumps(rows)) <= 400 + 2
    turned = [np.count_nonzero(row[:-1]) for row in rows]
    assert turned == sorted(turned) and turned[0] == 0


def test_switches_of_properties_that_no_dataset_tests_are_not_turned():
    solutions, noisy = (
        set(readings.list_choices(judged({("A", name): [0.9], ("B", name): [0.8]})))
        for name in ("d1", "noisy")
    )
    assert noisy - solutions == {"extrapolation/noise_sensitivity", "noise_guard.action"}
    assert "relevant_features/local_optima" not in noisy
