"""The ranking by trust: by hand on small tables, the published 2022 scores."""

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.files import DEMO
from srlib.judging.real_world import rank_by_trust
from srlib.rules import load_rules
from srlib.yaml_files import load_yaml

WRITTEN, PUBLISHED = (load_rules(name).judge for name in ("judging-2022", "competition-2022"))
FINAL = load_yaml(DEMO / "real-world-2022.yaml")


def said(**ranks):
    """Judgements from `expert_dataset="abc"`: methods in the order of their ranks."""
    rows = [
        {
            "expert": key.split("_")[0],
            "dataset": key.split("_")[1],
            "method": method,
            "rank": place,
            "trust": 3,
        }
        for key, order in ranks.items()
        for place, method in enumerate(order, start=1)
    ]
    return pd.DataFrame(rows)


def expert_2022():
    scores = [
        (task, method, trust)
        for task, row in FINAL["trust"].items()
        for method, trust in row.items()
    ]
    return pd.DataFrame(scores, columns=["dataset", "method", "trust"]).assign(
        expert="expert", rank=np.nan
    )


def test_ranks_are_averaged_over_datasets_and_the_best_average_wins():
    result = rank_by_trust(said(E_d1="abc", E_d2="bac", E_d3="bca"), WRITTEN)
    assert result.ranking["method"].tolist() == ["b", "a", "c"]
    assert result.ranking["score"].tolist() == pytest.approx([4 / 3, 2, 8 / 3])
    assert result.places["place"].dtype == "Int64", "tables show no decimals"


def test_experts_are_averaged_within_a_dataset_first():
    result = rank_by_trust(said(E_d1="ab", F_d1="ab", G_d1="ab", E_d2="ba"), WRITTEN)
    assert result.ranking["score"].tolist() == [1.5, 1.5] and result.ranking["rank"].tolist() == [
        1,
        1,
    ]


def test_a_method_without_a_model_is_last_or_left_out():
    table = said(E_d1="abc", E_d2="ab")
    drop = WRITTEN.model_copy(update={"missing": "drop"})
    assert rank_by_trust(table, WRITTEN).ranking["score"].tolist() == [1, 2, 3]
    assert rank_by_trust(said(E_d1="cab", E_d2="ab"), drop).ranking["score"].tolist() == [
        1,
        1.5,
        2.5,
    ]


@pytest.mark.parametrize("ties", ["dense", "min", "average", "max"])
def test_the_written_rule_puts_qlattice_first_in_2022(ties):
    result = rank_by_trust(expert_2022(), WRITTEN.model_copy(update={"ties": ties}))
    assert result.ranking["method"].iloc[0] == "QLattice" and result.ranking["rank"].tolist()[
        :2
    ] == [1, 2]
    assert max(FINAL["final"], key=FINAL["final"].get) == "uDSR"


def test_the_shipped_scores_are_the_published_ones(reference_data):
    file = reference_data / "competition2022" / "real-world" / "expert_scores.csv"
    theirs = pd.read_csv(file).set_index(["task", "method"])["trust"].to_dict()
    assert theirs == {(row.dataset, row.method): row.trust for row in expert_2022().itertuples()}


def test_the_harmonic_mean_by_hand():
    table = said(E_d="abc")
    values = {"accuracy": [0.1, 0.2, 0.2], "simplicity": [-1, -1, -2]}
    aspects = pd.DataFrame({"dataset": "d", "method": list("abc"), **values})
    # ranks from 0: accuracy 1 2 2, simplicity 2 2 1, trust 2 1 0
    result = rank_by_trust(table, PUBLISHED, aspects)
    expected = {"a": 3 / (1 / 1 + 1 / 2 + 1 / 2), "b": 3 / (1 / 2 + 1 / 2 + 1 / 1), "c": 0.0}
    assert dict(result.ranking[["method", "score"]].values) == pytest.approx(expected)
    with pytest.raises(InputError, match="harmonic_mean needs the values of accuracy, simplicity"):
        rank_by_trust(table, PUBLISHED)


@pytest.mark.parametrize(("missing", "a", "d"), [("worst_rank", 4 / 3, 1.6), ("drop", 1, 4)])
def test_a_method_that_no_expert_judged_takes_no_place_from_the_others(missing, a, d):
    """Ranks in accuracy and trust: on d1 a 3 4, b 2 3, c 1 2, d 4 -; on d2 a 1 -, b 3 3, c 2 4, d 4 -.

    By worst_rank a has the place behind the two who were judged there, rank 2, and d the worst rank.
    """
    accuracy = {"d1": [0.3, 0.2, 0.1, 0.9], "d2": [0.1, 0.3, 0.2, 0.9]}
    parts = [
        {"dataset": name, "method": list("abcd"), "accuracy": r2} for name, r2 in accuracy.items()
    ]
    rule = WRITTEN.real_world.model_copy(update={"ranking": "harmonic_mean"})
    only = {"accuracy": WRITTEN.aspects["accuracy"]}
    judge = WRITTEN.model_copy(update={"real_world": rule, "aspects": only, "missing": missing})
    result = rank_by_trust(said(E_d1="abc", E_d2="cb"), judge, pd.concat(map(pd.DataFrame, parts)))
    scores = dict(result.ranking[["method", "score"]].values)
    expected = {"a": (24 / 7 + a) / 2, "b": (2.4 + 3) / 2, "c": (4 / 3 + 8 / 3) / 2, "d": d}
    assert scores == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rank": [np.nan, 1], "trust": [3, 3]}, "E gave a on d no rank"),
        (
            {"rank": np.nan, "trust": [np.nan, 2]},
            "E gave a on d no rank, but ranked others or gave no trust",
        ),
        ({"method": ["a", "a"]}, "appears twice"),
    ],
)
def test_a_judgement_that_says_nothing_is_an_error(changes, sentence):
    table = pd.DataFrame(
        {"expert": "E", "dataset": "d", "method": ["a", "b"], "rank": [1, 2], "trust": 3}
    )
    with pytest.raises(InputError, match=sentence):
        rank_by_trust(table.assign(**changes), WRITTEN)
