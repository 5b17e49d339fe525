"""The real-world track: which model experts see, and the ranking by trust, by hand and of the published 2022 scores."""

import numpy as np
import pandas as pd
import pytest
import yaml

from srlib.files import DEMO
from srlib.judging.real_world import choose_representatives, rank_by_trust
from srlib.yaml_files import load_yaml
from tests.builders import each, refused
from tests.judging.small import open_problems, rules, runs

WRITTEN, PUBLISHED = (rules(name).judge for name in ("judging-2022", "competition-2022"))
FINAL = load_yaml(DEMO / "real-world-2022.yaml")


def ballots(sheets):
    """Judgements from `expert dataset abc, ...`: methods in the order of their ranks."""
    rows = [
        (expert, dataset, method, place, 3)
        for expert, dataset, methods in map(str.split, sheets.split(", "))
        for place, method in enumerate(methods, start=1)
    ]
    return pd.DataFrame(rows, columns=["expert", "dataset", "method", "rank", "trust"])


def expert_2022():
    scores = pd.DataFrame(FINAL["trust"]).rename_axis("method").reset_index()
    table = scores.melt("method", var_name="dataset", value_name="trust").dropna()
    return table.assign(expert="expert", rank=np.nan)


@each(
    "sheets missing ranking",
    """
    E d1 abc, E d2 bac, E d3 bca | worst_rank | {b: 1.333333, a: 2, c: 2.666667}
    E d1 ab, F d1 ab, G d1 ab, E d2 ba | worst_rank | {a: 1.5, b: 1.5}
    E d1 abc, E d2 ab | worst_rank | {a: 1, b: 2, c: 3}
    E d1 cab, E d2 ab | drop | {c: 1, a: 1.5, b: 2.5}""",
)
def test_places_are_averaged_by_hand(sheets, missing, ranking):
    """The best average wins; experts are averaged within a dataset; without a model a method is last, or left out."""
    expected = yaml.safe_load(ranking)
    result = rank_by_trust(ballots(sheets), WRITTEN.model_copy(update={"missing": missing}))
    assert result.ranking["method"].tolist() == list(expected)
    assert result.ranking["score"].tolist() == pytest.approx(list(expected.values()), abs=1e-6)
    assert (result.ranking["rank"] == result.ranking["score"].rank(method="min")).all()
    assert result.places["place"].dtype == "Int64", "tables show no decimals"


def test_the_written_rule_puts_qlattice_first_in_2022():
    ranking = rank_by_trust(expert_2022(), WRITTEN).ranking
    assert ranking["method"].iloc[0] == "QLattice" and ranking["rank"].tolist()[:2] == [1, 2]
    assert max(FINAL["final"], key=FINAL["final"].get) == "uDSR"


def test_the_harmonic_mean_by_hand():
    """Ranks from 0: accuracy 1 2 2, simplicity 2 2 1, trust 2 1 0."""
    values = {"accuracy": [0.1, 0.2, 0.2], "simplicity": [-1, -1, -2]}
    aspects = pd.DataFrame({"dataset": "d", "method": list("abc"), **values})
    ranking = rank_by_trust(ballots("E d abc"), PUBLISHED, aspects).ranking
    assert ranking["method"].tolist() == ["a", "b", "c"]
    assert ranking["score"].tolist() == pytest.approx([3 / 2, 3 / 2, 0])
    with refused("harmonic_mean needs the values of accuracy, simplicity"):
        rank_by_trust(ballots("E d abc"), PUBLISHED)


@pytest.mark.parametrize(("missing", "a", "d"), [("worst_rank", 4 / 3, 1.6), ("drop", 1, 4)])
def test_a_method_that_no_expert_judged_takes_no_place_from_the_others(missing, a, d):
    """Ranks in accuracy and trust: on d1 a 3 4, b 2 3, c 1 2, d 4 -; on d2 a 1 -, b 3 3, c 2 4, d 4 -.

    By worst_rank a has the place behind the two who were judged there, rank 2, and d the worst rank.
    """
    aspects = pd.DataFrame({"dataset": ["d1"] * 4 + ["d2"] * 4, "method": list("abcd") * 2})
    aspects["accuracy"] = [0.3, 0.2, 0.1, 0.9, 0.1, 0.3, 0.2, 0.9]
    only = {"accuracy": {"from": "r2_test", "direction": "higher"}}
    judge = rules(real_world={"ranking": "harmonic_mean"}, aspects=only, missing=missing).judge
    ranking = rank_by_trust(ballots("E d1 abc, E d2 cb"), judge, aspects).ranking
    expected = {"a": (24 / 7 + a) / 2, "b": (2.4 + 3) / 2, "c": (4 / 3 + 8 / 3) / 2, "d": d}
    assert ranking.set_index("method")["score"].to_dict() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rank": [np.nan, 1]}, "E gave no rank to a on d, but ranked others or gave no trust"),
        ({"rank": np.nan, "trust": [np.nan, 2]}, "E gave no rank to a on d, but ranked others or"),
        ({"method": ["a", "a"]}, "appears twice"),
    ],
)
def test_a_judgement_that_says_nothing_is_an_error(changes, sentence):
    with refused(sentence):
        rank_by_trust(ballots("E d ab").assign(**changes), WRITTEN)


def represented(cell, **switches):
    """The run that stands for a method on a dataset of a folder."""
    real = open_problems("problems: [{dataset: d, track: real-world, features: [a]}]")
    return choose_representatives(
        runs({("A", "d"): cell}), real, rules(**switches).judge
    ).models.loc[0]


@each(
    "r2 expected",
    """
    0.1 0.2 0.3 | 0.2
    0.1 0.2 0.3 0.4 | 0.3
    0.1 0.2 | 0.2
    0.5 | 0.5
    0.2 0.3 0.4 nan | 0.3
    0.3 0.4 nan nan nan | 0.3""",
)
def test_the_median_model_is_the_better_of_the_two_in_the_middle(r2, expected):
    """At most two runs are expected; all that a folder has count, those that failed (nan) at the end of the order."""
    cell, median = {"r2_test": list(map(float, r2.split()))}, {"representative": "median"}
    run = represented(cell, repetitions=min(2, r2.count("0.")), real_world=median)
    assert run["r2_test"] == float(expected)


def test_of_equally_accurate_models_experts_see_the_simpler():
    assert represented({"complexity": [9, 3, 5]})["complexity"] == 3
