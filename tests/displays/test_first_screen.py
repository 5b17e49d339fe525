"""The lines below a verdict: each is made from the numbers, and turns when they are changed."""

from types import SimpleNamespace

import pandas as pd

from srlib.displays.tables.first_screen import (
    describe_failures,
    describe_idle_aspects,
    describe_open_places,
    describe_strengths,
)
from srlib.rules import load_rules

OPEN = "Open places (below 95% of the re-draws): "
SCORES = {  # dataset: property, scores of A and B
    "s1": ("solution", 3, 1), "s2": ("solution", 3, 1), "s3": ("solution", 2, 2),
    "e1": ("extrapolation", 1, 3), "e2": ("extrapolation", 1, 2),
}  # fmt: skip


def judgement(scores: dict) -> SimpleNamespace:
    rows = [
        (method, name, kind, score)
        for name, (kind, *both) in scores.items()
        for method, score in zip("AB", both, strict=True)
    ]
    datasets = pd.DataFrame(rows, columns=["method", "dataset", "property", "score"])
    aspects = datasets.assign(aspect="property", aspect_rank=datasets["score"], value=-4331621.0)
    return SimpleNamespace(datasets=datasets, aspects=aspects, rules=load_rules("judging-2022"))


def test_a_winner_who_is_last_in_a_property_is_told_so():
    assert describe_strengths(judgement(SCORES), "A").endswith("first on 2 of 5 datasets alone.")
    assert describe_failures(judgement(SCORES), "A") == (
        "Where A fails: last on all 2 datasets of extrapolation (lowest value of an aspect -4,331,621). "
        "It leads without them, too."
    )
    lost = SCORES | {name: ("solution", 1, 9) for name in ("s1", "s2")} | {"s4": ("solution", 3, 1)}
    assert describe_failures(judgement(lost), "A").endswith("It leads without them, too.")


def test_single_datasets_are_named_where_no_property_is_lost():
    mixed = SCORES | {"e2": ("extrapolation", 2, 1)}
    assert "last on e1 (" in describe_failures(judgement(mixed), "A")
    single = {name: row for name, row in SCORES.items() if name in ("s1", "s2", "e1")}
    single["e1"] = ("", *single["e1"][1:])
    assert describe_failures(judgement(single), "A").endswith("It leads without it, too.")
    best = {name: row for name, row in SCORES.items() if name in ("s1", "s2")}
    assert describe_failures(judgement(best), "A") == "Where A fails: it is last on no dataset."


def test_an_aspect_in_which_all_tie_decides_nothing():
    (line,) = describe_idle_aspects(judgement(SCORES))
    assert (
        line == "On 1 of 5 datasets all methods tie in property, so property decides nothing there."
    )
    assert describe_idle_aspects(judgement({"s1": SCORES["s1"]})) == []


def test_two_aspects_with_the_same_values_count_twice():
    both = judgement({"s1": SCORES["s1"]})
    accuracy = both.aspects.assign(aspect="accuracy")
    both.aspects = pd.concat([both.aspects, accuracy], ignore_index=True)
    (line,) = describe_idle_aspects(both)
    assert line.startswith("On 1 of 1 datasets accuracy and property are the same numbers")
    both.aspects = pd.concat([both.aspects[:2], accuracy.assign(value=1.0)], ignore_index=True)
    assert describe_idle_aspects(both) == []


def test_places_are_open_where_the_draws_are_not_sure():
    draws = pd.DataFrame({"A": [3.0] * 100, "B": [2.0] * 100, "C": [2.5] * 40 + [1.0] * 60})
    ranking = pd.DataFrame({"method": ["A", "B", "C"], "rank": [1, 2, 3]})
    assert describe_open_places(ranking, draws) == (f"{OPEN}2 and 3 (B before C in 60%).")
    assert describe_open_places(ranking[:2], draws) == ""
