"""The shipped rule files on tables that a reader can redo by hand, each switch and each quirk on its own."""

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import hmean

from srlib.judging import judge
from srlib.judging.qualification import Gate
from srlib.tools.trace import trace
from tests.builders import each, judge_competition, refused
from tests.judging.small import (
    PROBLEMS,
    lines,
    problems,
    ranking,
    ranks,
    rules,
    runs,
    scores,
    values,
    verdict,
)

FILES = ("judging-2022", "proposal-2022", "competition-2022", "competition-2023")
TABLE = """
A beyond: {complexity: 25}
B beyond: {r2_test: 0.5}
A formula: {r2_test: -44.0, complexity: 25}
B formula: {r2_test: 0.5, complexity: 25, solution: true}
"""
ASPECTS = {
    "accuracy": {"from": "r2_test", "direction": "higher", "weight": 3},
    "simplicity": {"from": "complexity", "direction": "lower", "weight": 1},
    "property": {"from": "property", "direction": "by_property", "weight": 2},
}


def test_competition_2023_by_hand():
    """R2 .9994 .9991 .5 -> .999 .999 .5 -> 3 3 2; nodes 9 5 5 -> 2 3 3; then .1 .2, C missing -> 2 3 1; 7 3 -> 2 3 1.

    One harmonic mean of four ranks, and no property.
    """
    table = """
    A formula: {r2_test: 0.9994, complexity: 9}
    B formula: {r2_test: 0.9991, complexity: 5}
    C formula: {r2_test: 0.5, complexity: 5}
    A beyond: {r2_test: 0.1, complexity: 7}
    B beyond: {r2_test: 0.2, complexity: 3}
    """
    judgement = verdict(table, rules("competition-2023"))
    assert set(judgement.aspects["aspect"]) == {"accuracy", "simplicity"}
    assert ranks(judgement, "formula", "accuracy") == [3, 3, 2]
    assert ranks(judgement, "formula", "simplicity") == [2, 3, 3]
    assert ranks(judgement, "beyond", "accuracy") == [2, 3, 1], "missing is last"
    final = {"A": 4 / (1 / 3 + 3 / 2), "B": 3, "C": 4 / (1 / 2 + 1 / 3 + 1 + 1)}
    assert ranking(judgement) == pytest.approx(final)


def test_competition_2023_counts_what_was_submitted():
    """Nodes of the texts: 2*(a + b) 5 where factor_terms is carried out, 2*a + 2*b 7, sqrt(a**2) 5 (a may be complex).

    Nothing is simplified or compared with a truth, as nothing of that is scored.
    """
    texts = ["factor_terms(2*a + 2*b)", "2*a + 2*b", "sqrt(a**2)", "a - a"]
    table = pd.DataFrame({"method": list("ABCD"), "dataset": "formula", "repetition": 1})
    table = table.assign(model=texts, r2_test=0.5)
    judgement = judge_competition(table, problems(), "competition-2023", jobs=1)
    assert judgement.assessments["complexity"].tolist() == [5, 7, 5, 1]
    assert ranks(judgement, "formula", "simplicity") == [3, 2, 3, 4]
    assert set(judgement.assessments["simplify_status"]) == {"skipped"}


def test_proposal_2022_by_hand():
    """Two repetitions of one dataset, ranked one by one, then averaged; nodes count as they are.

    Repetition 0: R2 .8 .5 .4, best .8: C is not above .4 -> A 3, B 2, C 1; nodes 9 5 1 -> 1 2, C 1 instead of 3;
      solved by A -> 3, B 2 -> and C 1.
    Repetition 1: R2 .6 .9 .5 -> 2 3 1 (.5 is above .45); nodes 9 5 1 -> 1 2 3; none solved -> 3 3 3.
    Means: accuracy 2.5 2.5 1, simplicity 1 2 2, property 3 2.5 2.
    """
    table = """
    A formula: {r2_test: [0.8, 0.6], complexity: 9, solution: [true, false]}
    B formula: {r2_test: [0.5, 0.9], complexity: 5}
    C formula: {r2_test: [0.4, 0.5], complexity: 1}
    """
    judgement = verdict(table, rules("proposal-2022", repetitions=2))
    assert ranks(judgement, "formula", "accuracy") == [2.5, 2.5, 1]
    assert ranks(judgement, "formula", "simplicity") == [1, 2, 2]
    assert ranks(judgement, "formula", "property") == [3, 2.5, 2]
    expected = [3 / (1 / 2.5 + 1 + 1 / 3), 3 / (1 / 2.5 + 1 / 2 + 1 / 2.5), 3 / (1 + 1 / 2 + 1 / 2)]
    assert scores(judgement, "formula") == pytest.approx(expected)
    assert lines(judgement, "minimal_accuracy")["method"].tolist() == ["C"]


@pytest.mark.parametrize(("best", "expected"), [(-0.1, [1, 1]), (0.0, [1, 1]), (0.1, [2, 1])])
def test_minimal_accuracy_where_the_best_is_not_positive(best, expected):
    """-1 / -0.1 = 10 would pass the ratio; as a product nobody passes who is not better than the mean of the data."""
    table = {("A", "formula"): {"r2_test": best}, ("B", "formula"): {"r2_test": -1.0}}
    assert ranks(verdict(table, rules("proposal-2022")), "formula", "accuracy") == expected


def test_competition_2022_by_hand():
    """Ranks from 0: R2 .9004 .9 .5 -> 2 2 1; nodes 5 25 1 (-1 -2 0) -> 1 0 2; solved 0 0 0 -> 2 2 2. A 0 makes 0."""
    table = """
    A formula: {r2_test: 0.9004, complexity: 5}
    B formula: {r2_test: 0.9, complexity: 25}
    C formula: {r2_test: 0.5, complexity: 1}
    """
    judgement = verdict(table, rules("competition-2022"))
    assert ranks(judgement, "formula", "accuracy") == [2, 2, 1]
    assert ranks(judgement, "formula", "simplicity") == [1, 0, 2]
    assert ranks(judgement, "formula", "property") == [2, 2, 2], "nobody has it: n - 1"
    assert scores(judgement, "formula") == pytest.approx([3 / 2, 0, 3 / 2])


def test_quirk_of_missing_values():
    """B's model has no features on select: rank n = 3 as published, above A's 2; else the worst. C is not there, and
    an empty cell does not enter its method's mean.
    """
    table = """
    A select: {features_used: '["a"]'}
    B select: {features_used: null}
    A formula: {}
    C formula: {r2_test: 0.8}
    """
    for missing, b, c in (("as_published", 3, np.nan), ("drop", 0, np.nan), ("worst_rank", 0, 0)):
        judgement = verdict(table, rules("competition-2022", quirks=[], missing=missing))
        assert ranks(judgement, "select", "property")[:2] == [2, b]
        np.testing.assert_equal(scores(judgement, "select")[2], c)


def test_quirks_of_even_features_and_of_seir():
    """Stated: c and d are irrelevant. Published: b and d, so the true {a, b} scores one half; seir_S is left out."""
    table = """
    A select: {features_used: '["a", "b"]'}
    B select: {features_used: '["a", "c"]'}
    A seir_S: {}
    """
    published, stated = (
        verdict(table, rules("competition-2022", **x)) for x in ({}, {"quirks": []})
    )
    assert (values(published, "select"), values(stated, "select")) == ([0.5, 1], [1, 0.5])
    assert [{*j.datasets["dataset"]} for j in (published, stated)] == [
        {"select"},
        {"select", "seir_S"},
    ]


def test_quirk_of_the_colliding_noise():
    """The noiseless run takes the name of the least noisy one, whose own run is dropped; noise_hard stays.

    B has no noiseless run to replace its own, and an unusable one replaces nothing.
    """
    table = """
    A noise_base: {r2_test: 0.99}
    A noise_easy: {r2_test: 0.7}
    A noise_hard: {r2_test: 0.5}
    B noise_easy: {r2_test: 0.8}
    """
    published = rules("competition-2022", repetitions=1)
    judgement = verdict(table, published)
    assert values(judgement, "noise_easy", "accuracy") == [0.99, 0.8]
    assert values(judgement, "noise_hard", "accuracy")[0] == 0.5
    assert judgement.counts == {"read": 4, "scored": 3, "excluded": 1}
    assert "quirk noise_base_as_easy" in judgement.ledger["detail"].iloc[0]
    unusable = verdict(table.replace("0.99", ".nan"), published)
    assert unusable.counts == {"read": 4, "scored": 3, "excluded": 1}
    without = verdict(table, rules("competition-2022", quirks=["seir_left_out"]))
    for judgement in (unusable, without):
        assert values(judgement, "noise_easy", "accuracy") == [0.7, 0.8]


@each(
    "unjudged repetitions counts",
    """
    barred | 1 | 4 1 3
    invalid | 1 | 4 2 2
    track | 1 | 6 4 2
    | 2 | 8 2 6""",
)
def test_a_noiseless_run_replaces_nothing_if_it_or_the_noisy_one_is_not_judged(
    unjudged, repetitions, counts
):
    """Its method did not qualify, its row is invalid, the noisy dataset is of another track, or nobody expects it."""
    is_other = unjudged == "track"
    cells = {
        (m, d): {} for m in "AB" for d in ("noise_base", "noise_easy", "formula")[: 2 + is_other]
    }
    if unjudged == "invalid":
        cells["A", "noise_base"] = {"status": "invalid"}
    known = problems(
        PROBLEMS.replace("noise_easy,", "noise_easy, track: other,") if is_other else PROBLEMS
    )
    chosen, gate = (
        rules("competition-2022", repetitions=1),
        Gate(barred=frozenset("A" * (unjudged == "barred"))),
    )
    judgement = judge(runs(cells, int(repetitions)), known, chosen, gate)
    assert [*judgement.counts.values()] == [*map(int, counts.split())]


EDGES = """
all tied: {A formula: {}, B formula: {}, A noise_base: {}, B noise_base: {}, A noise_easy: {}, B noise_easy: {}}
one method: {A formula: {solution: [true, false]}, A noise_hard: {}, A noise_base: {}}
one dataset: {A optima: {complexity: 1}, B optima: {complexity: 2}, C optima: {complexity: 3}}
all failed:
  A formula: {model: null, status: [failed, timeout]}
  B formula: {model: null, status: [failed, timeout]}
negative R2: {A formula: {r2_test: [-1, -1.0e+300]}, B formula: {r2_test: [-2, -1.0e+300]}}
NaN: {A formula: {r2_test: [.nan, 0.5]}, B formula: {r2_test: .nan}}
infinite: {A formula: {r2_test: [-.inf, 0.5]}, B formula: {r2_test: [.inf, 0.5]}}
constant models:
  A select: {complexity: 1, features_used: "[]"}
  B select: {complexity: 1, features_used: "[]"}
"""


@pytest.mark.parametrize(("edge", "cells"), yaml.safe_load(EDGES).items())
def test_edge_cases(edge, cells):
    """Every file gives every method a place, accounts for every run and explains the score."""
    table = runs({tuple(cell.split()): columns for cell, columns in cells.items()}, 2)
    for name in FILES:
        judgement = judge(table, problems(), rules(name))
        n, counts = judgement.ranking["method"].nunique(), judgement.counts
        assert len(judgement.ranking) == n and judgement.ranking["rank"].between(1, n).all()
        assert counts["read"] == counts["scored"] + counts["excluded"] == len(table)
        assert not np.isinf(judgement.ranking["score"]).any()
        assert edge != "all tied" or judgement.ranking["rank"].tolist() == [1, 1]
        assert edge != "all failed" or (judgement.datasets["n_runs"] == 0).all()
        for cell in judgement.datasets.itertuples():
            last = trace(judgement, cell.method, cell.dataset)["value"].iloc[-1]
            np.testing.assert_equal(last, cell.score)


@pytest.mark.parametrize("name", FILES)
def test_the_trace_can_be_recomputed(name):
    """From the trace alone: runs and absent runs give the aggregate, ranks the score, datasets the final score."""
    generator = np.random.default_rng(5)
    datasets = ("formula", "optima", "beyond", "noise_base", "noise_hard")
    table = {
        (m, d): {
            "r2_test": [*generator.uniform(size=3)],
            "complexity": [*generator.integers(1, 60, 3)],
        }
        for m in "ABC"
        for d in datasets
    }
    chosen = rules(name, repetitions=4, quirks=[])
    judgement = verdict(table, chosen)
    with refused("method 'Z' is not judged; judged: A, B, C"):
        trace(judgement, "Z", "formula")
    scored = judgement.datasets["dataset"].unique()
    steps = pd.concat(trace(judgement, "B", d).assign(dataset=d) for d in scored)
    steps["step"] = steps["step"].replace("absent", "run")
    cell = ["dataset", "aspect"]
    expected = {4} if chosen.judge.incomplete == "floor" else {3}
    assert set(steps[steps["step"] == "run"].groupby(cell).size()) == expected
    means = steps.pivot_table("value", cell, "step")
    measured = means.dropna(subset="run")
    np.testing.assert_allclose(measured["aggregate"], measured["run"])
    if "reference_accuracy" in means:
        noise = means.dropna(subset="reference_accuracy")
        loss = (noise["accuracy"] - noise["reference_accuracy"]).abs()
        assert (noise["aggregate"] >= loss / 0.15 - 1e-12).all()
    if "run_rank" in means:
        np.testing.assert_allclose(means["aspect_rank"], means["run_rank"])
    places, by_dataset = means["aspect_rank"].dropna(), means["dataset_score"].dropna()
    np.testing.assert_allclose(by_dataset, places.groupby("dataset").agg(hmean))
    final = hmean(places) if name == "competition-2023" else by_dataset.mean()
    assert ranking(judgement)["B"] == pytest.approx(final)


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        # ranks of A in accuracy, simplicity and property: 2 1 2 and 1 2 1; weights 3 1 2, datasets 1 and 4
        ("mean", ((3 * 2 + 1 + 2 * 2) / 6 + 4 * (3 + 2 + 2) / 6) / 5),
        ("harmonic_then_mean", (6 / (3 / 2 + 1 + 2 / 2) + 4 * 6 / (3 + 1 / 2 + 2)) / 5),
        ("one_harmonic", (6 + 4 * 6) / ((3 / 2 + 1 + 2 / 2) + 4 * (3 + 1 / 2 + 2))),
    ],
)
def test_weights_count_on_ranks_and_harmonic_means(combine, expected):
    """No raw R2 of -44 decides: it is ranked, as all is."""
    weighted = problems(PROBLEMS.replace("{dataset: formula,", "{dataset: formula, weight: 4,"))
    judgement = verdict(TABLE, rules(combine=combine, aspects=ASPECTS), weighted)
    assert ranking(judgement)["A"] == pytest.approx(expected)
    assert "Datasets count by their weights: formula 4; any other once." in judgement.notices
    assert "accuracy x 3" in trace(judgement, "A", "formula")["note"].iloc[-1]


def test_an_aspect_from_any_column_of_numbers():
    """A column of one's own comes out of a CSV file as text."""
    chosen = rules(repetitions=1, aspects={"energy": {"from": "energy", "direction": "lower"}})
    judgement = judge(runs(TABLE).assign(energy=["3.0", "1e0", "2", "2"]), problems(), chosen)
    assert ranks(judgement, "beyond", "energy") == [1, 2]
    assert ranks(judgement, "formula", "energy") == [2, 2]
    for name, fault in (("energy", "no such column"), ("model", "no numbers in it")):
        chosen = rules(aspects={"size": {"from": name, "direction": "lower"}})
        with refused(f"from is '{name}', and the runs have {fault}"):
            verdict(TABLE, chosen)


def test_nearness_to_the_truth():
    """The truth is a + b, 3 nodes; a*b is one relabelling away, a constant three edits."""
    table = runs("A formula: {}\nB formula: {}\nC formula: {}")
    near = rules(properties={"solution": "nearness"}, repetitions=1)
    judgement = judge(table.assign(simplified_model=["a + b", "a*b", "2"]), problems(), near)
    assert values(judgement, "formula") == pytest.approx([1, 2 / 3, 0])
