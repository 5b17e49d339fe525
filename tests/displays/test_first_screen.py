"""The lines below a verdict: each is made from the numbers, and turns when they are changed."""

from types import SimpleNamespace

import pandas as pd
import pytest

from srlib.displays import ExtrapolationDisplay, qualification_sentence
from srlib.displays.tables import first_screen
from srlib.displays.tables.first_screen import (
    describe_failures,
    describe_idle_aspects,
    describe_strengths,
)
from srlib.errors import InputError
from srlib.judging.qualification import qualify
from srlib.problems import load_problems
from srlib.rules import load_rules
from tests.displays.made_up import read_table

SOLVED = {"s1": ("solution", 3, 1), "s2": ("solution", 3, 1)}  # scores of A and B
MIXED = SOLVED | {"e1": ("extrapolation", 1, 3), "e2": ("extrapolation", 2, 1)}
SCORES = MIXED | {"s3": ("solution", 2, 2), "e2": ("extrapolation", 1, 2)}
LOWEST = "lowest value of an aspect -4,331,621"


def judgement(scores):
    rows = [
        (method, name, kind, score)
        for name, (kind, *both) in scores.items()
        for method, score in zip("AB", both, strict=True)
    ]
    datasets = pd.DataFrame(rows, columns=["method", "dataset", "property", "score"])
    aspects = datasets.assign(aspect="property", aspect_rank=datasets["score"], value=-4331621.0)
    return SimpleNamespace(datasets=datasets, aspects=aspects, rules=load_rules("judging-2022"))


@pytest.mark.parametrize(
    ("scores", "leader", "sentence"),
    [
        (SCORES, "A", f"last on all 2 datasets of extrapolation ({LOWEST}). It leads without them, too."),
        (MIXED, "A", f"last on e1 ({LOWEST}). It leads without it, too."),
        (MIXED, "B", f"last on e1 ({LOWEST}). Without it B would lead."),
        (SOLVED, "A", "it is last on no dataset."),
    ],
)  # fmt: skip
def test_failures_of_a_winner_name_datasets_and_leader(scores, leader, sentence, monkeypatch):
    monkeypatch.setattr(first_screen, "leaders_without", lambda judgement, datasets: [leader])
    assert describe_failures(judgement(scores), "A") == f"Where A fails: {sentence}"


def test_strengths_of_a_winner_count_datasets():
    assert describe_strengths(judgement(SCORES), "A").endswith("first on 2 of 5 datasets alone.")


def test_aspect_in_which_all_tie_is_named():
    assert describe_idle_aspects(judgement(SCORES)) == [
        "On 1 of 5 datasets all methods tie in property, so property decides nothing there."
    ]
    assert describe_idle_aspects(judgement(SOLVED)) == []


@pytest.mark.parametrize(("value", "count"), [(-4331621.0, 1), (1.0, 0)])
def test_aspects_with_the_same_values_are_named(value, count):
    both = judgement({"s1": SCORES["s1"]})
    accuracy = both.aspects.assign(aspect="accuracy", value=value)
    both.aspects = pd.concat([both.aspects, accuracy])
    sentence = "On 1 of 1 datasets accuracy and property are the same numbers, so they count twice there (s1)."
    assert describe_idle_aspects(both) == [sentence] * count


def test_qualification_sentence_names_who_qualifies_and_what_is_disputed(tmp_path):
    (tmp_path / "p.yaml").write_text(
        "{schema: 1, name: small, defaults: {track: qualification, features: [x, y]}, "
        "problems: [{dataset: a}, {dataset: b}]}"
    )
    runs = read_table("""
        method           dataset r2_test
        LinearRegression a       0.5
        LinearRegression b       0.5
        good             a       0.9
        good             b       0.7
        mixed            a       0.4
        mixed            b       0.9
        awful            a       0.1
        awful            b       -40
    """).assign(repetition=1, model=None, status="ok")
    files = load_problems(tmp_path / "p.yaml"), load_rules("judging-2022")
    assert qualification_sentence(qualify(runs, *files)) == (
        "Qualified against LinearRegression on 2 datasets (small): good and mixed; not qualified: awful. "
        "The readings disagree on mixed. R² is taken from the runs; it was not computed again."
    )
    runs = runs[runs["method"].isin(["LinearRegression", "awful"])]
    assert ": nobody; not qualified: awful." in qualification_sentence(qualify(runs, *files))


def test_unknown_dataset_of_curves_is_refused():
    judgement = SimpleNamespace(problems=load_problems("synthetic-2022"))
    with pytest.raises(InputError, match="^curves: dataset 'nope' is unknown; the datasets are "):
        ExtrapolationDisplay.from_judgement(judgement, "nope")
