"""The shipped rule files on tables that a reader can redo by hand, each switch and each quirk on its own."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from srlib.cache import Cache
from srlib.errors import InputError
from srlib.judging import Judgement, judge, judge_runs, trace
from srlib.rules import load_rules
from tests.judging.small import open_problems, problems, ranks, rules, runs, scores, verdict

FILES = ("judging-2022", "proposal-2022", "competition-2022", "competition-2023")


def test_competition_2023_by_hand():
    """R2 .9994 .9991 .5 -> .999 .999 .5 -> 3 3 2; nodes 9 5 5 -> 2 3 3; then .1 .2, C missing -> 2 3 1; 7 3 -> 2 3 1.

    One harmonic mean of four ranks: A 4/(1/3+1/2+1/2+1/2), B 4/(1/3+1/3+1/3+1/3) = 3, C 4/(1/2+1/3+1+1).
    """
    table = {
        ("A", "formula"): {"r2_test": [0.9994], "complexity": [9]},
        ("B", "formula"): {"r2_test": [0.9991], "complexity": [5]},
        ("C", "formula"): {"r2_test": [0.5], "complexity": [5]},
        ("A", "beyond"): {"r2_test": [0.1], "complexity": [7]},
        ("B", "beyond"): {"r2_test": [0.2], "complexity": [3]},
    }
    judgement = verdict(table, 1, rules("competition-2023"))
    assert set(judgement.aspects["aspect"]) == {"accuracy", "simplicity"}, "no property"
    assert ranks(judgement, "formula", "accuracy") == [3, 3, 2]
    assert ranks(judgement, "formula", "simplicity") == [2, 3, 3]
    assert ranks(judgement, "beyond", "accuracy") == [2, 3, 1], "missing is last"
    final = judgement.ranking.set_index("method")["score"]
    assert final["A"] == pytest.approx(4 / (1 / 3 + 1 / 2 + 1 / 2 + 1 / 2))
    assert final["B"] == pytest.approx(3)
    assert final["C"] == pytest.approx(4 / (1 / 2 + 1 / 3 + 1 + 1))


def test_competition_2023_counts_what_was_submitted(tmp_path):
    """Nodes of the texts: 2*(a + b) 5 where factor_terms is carried out, 2*a + 2*b 7, sqrt(a**2) 5 (a may be complex).

    Nothing is simplified or compared with a truth, as nothing of that is scored.
    """
    texts = {"A": "factor_terms(2*a + 2*b)", "B": "2*a + 2*b", "C": "sqrt(a**2)", "D": "a - a"}
    lines = [f"{method},d,1,{text},0.5" for method, text in texts.items()]
    (tmp_path / "runs.csv").write_text(
        "\n".join(["method,dataset,repetition,model,r2_test", *lines]), encoding="utf-8"
    )
    problem = "{dataset: d, property: solution, features: [a, b], truth: a + b}"
    (tmp_path / "p.yaml").write_text(
        f"schema: 1\nname: p\nproblems:\n  - {problem}\n", encoding="utf-8"
    )
    cache = Cache(tmp_path / "cache")
    judgement = judge_runs(
        tmp_path / "runs.csv", tmp_path / "p.yaml", "competition-2023", cache=cache, jobs=1
    )
    assert judgement.assessments["complexity"].tolist() == [5, 7, 5, 1]
    assert ranks(judgement, "d", "simplicity") == [3, 2, 3, 4]
    assert judgement.assessments["simplify_status"].tolist() == ["skipped"] * 4
    digest = load_rules("competition-2023").measure.digest
    assert (
        judgement.assessments["measure_digest"] == f"{digest} count data predictions only"
    ).all(), "no full assessments"


def test_proposal_2022_by_hand():
    """Two repetitions of one dataset, ranked one by one, then averaged; nodes count as they are.

    Repetition 0: R2 .8 .5 .4, best .8: C is not above .4 -> A 3, B 2, C 1; nodes 9 5 1 -> 1 2, C 1 instead of 3;
      solved by A -> 3, B 2 -> and C 1.
    Repetition 1: R2 .6 .9 .5 -> 2 3 1 (.5 is above .45); nodes 9 5 1 -> 1 2 3; none solved -> 3 3 3.
    Means: accuracy 2.5 2.5 1, simplicity 1 2 2, property 3 2.5 2.
    """
    table = {
        ("A", "formula"): {"r2_test": [0.8, 0.6], "complexity": [9, 9], "solution": [True, False]},
        ("B", "formula"): {"r2_test": [0.5, 0.9], "complexity": [5, 5], "solution": [False, False]},
        ("C", "formula"): {"r2_test": [0.4, 0.5], "complexity": [1, 1], "solution": [False, False]},
    }
    judgement = verdict(table, 2, rules("proposal-2022", repetitions=2))
    assert ranks(judgement, "formula", "accuracy") == [2.5, 2.5, 1]
    assert ranks(judgement, "formula", "simplicity") == [1, 2, 2]
    assert ranks(judgement, "formula", "property") == [3, 2.5, 2]
    expected = [3 / (1 / 2.5 + 1 + 1 / 3), 3 / (1 / 2.5 + 1 / 2 + 1 / 2.5), 3 / (1 + 1 / 2 + 1 / 2)]
    assert scores(judgement, "formula") == pytest.approx(expected)
    lines = judgement.ledger[judgement.ledger["code"] == "minimal_accuracy"]
    assert lines["method"].tolist() == ["C"]
    whole = verdict(table, 2, rules("proposal-2022", repetitions=2, minimal_accuracy=None))
    assert ranks(whole, "formula", "simplicity") == [1, 2, 3]


@pytest.mark.parametrize(("best", "expected"), [(-0.1, [1, 1]), (0.0, [1, 1]), (0.1, [2, 1])])
def test_minimal_accuracy_where_the_best_is_not_positive(best, expected):
    """-1 / -0.1 = 10 would pass the ratio; as a product nobody passes who is not better than the mean of the data."""
    table = {("A", "formula"): {"r2_test": [best]}, ("B", "formula"): {"r2_test": [-1.0]}}
    judgement = verdict(table, 1, rules("proposal-2022", repetitions=1))
    assert ranks(judgement, "formula", "accuracy") == expected


def test_competition_2022_by_hand():
    """Ranks from 0: R2 .9004 .9 .5 -> 2 2 1; nodes 5 25 1 (-1 -2 0) -> 1 0 2; solved 0 0 0 -> 2 2 2. A 0 makes 0."""
    table = {
        ("A", "formula"): {"r2_test": [0.9004], "complexity": [5]},
        ("B", "formula"): {"r2_test": [0.9], "complexity": [25]},
        ("C", "formula"): {"r2_test": [0.5], "complexity": [1]},
    }
    judgement = verdict(table, 1, rules("competition-2022"))
    assert ranks(judgement, "formula", "accuracy") == [2, 2, 1]
    assert ranks(judgement, "formula", "simplicity") == [1, 0, 2]
    assert ranks(judgement, "formula", "property") == [2, 2, 2], (
        "a property that nobody has gives everybody n - 1"
    )
    assert scores(judgement, "formula") == pytest.approx(
        [3 / (1 / 2 + 1 + 1 / 2), 0, 3 / (1 + 1 / 2 + 1 / 2)]
    )


def test_quirk_of_missing_values():
    """B's model has no features on select: rank n = 3 as published, above A's 2; else the worst. C is not there."""
    table = {
        ("A", "select"): {"features_used": ['["a"]']},
        ("B", "select"): {"features_used": [None]},
        ("A", "formula"): {},
        ("C", "formula"): {"r2_test": [0.8]},
    }
    published = verdict(table, 1, rules("competition-2022", quirks=[]))
    assert ranks(published, "select", "property")[:2] == [2, 3]
    assert np.isnan(scores(published, "select")[2]), (
        "an empty cell does not enter its method's mean"
    )
    dropped = verdict(table, 1, rules("competition-2022", quirks=[], missing="drop"))
    assert ranks(dropped, "select", "property")[:2] == [2, 0]
    assert np.isnan(scores(dropped, "select")[2])
    worst = verdict(table, 1, rules("competition-2022", quirks=[], missing="worst_rank"))
    assert scores(worst, "select")[2] == 0


def test_quirk_of_even_features():
    """Stated: c and d are irrelevant. Published: b and d, so the true {a, b} scores one half."""
    table = {
        ("A", "select"): {"features_used": ['["a", "b"]']},
        ("B", "select"): {"features_used": ['["a", "c"]']},
    }
    assert values_of(verdict(table, 1, rules("competition-2022")), "select") == [0.5, 1]
    assert values_of(verdict(table, 1, rules("competition-2022", quirks=[])), "select") == [1, 0.5]


def test_quirk_of_the_colliding_noise():
    """The noiseless run takes the name of the least noisy one, whose own run is dropped; noise_hard stays."""
    table = {
        ("A", name): {"r2_test": [r2]}
        for name, r2 in (("noise_base", 0.99), ("noise_easy", 0.7), ("noise_hard", 0.5))
    } | {("B", "noise_easy"): {"r2_test": [0.8]}}
    judgement = verdict(table, 1, rules("competition-2022"))
    assert values_of(judgement, "noise_easy", "accuracy") == [0.99, 0.8], (
        "B has no noiseless run to replace its own"
    )
    assert values_of(judgement, "noise_hard", "accuracy")[0] == 0.5
    assert judgement.counts == {"read": 4, "scored": 3, "excluded": 1}
    assert "quirk noise_base_as_easy" in judgement.ledger["detail"].iloc[0]
    failed = table | {("A", "noise_base"): {"r2_test": [np.nan]}}
    kept = verdict(failed, 1, rules("competition-2022"))
    assert values_of(kept, "noise_easy", "accuracy") == [0.7, 0.8], (
        "an unusable run replaces nothing"
    )
    assert kept.counts == {"read": 4, "scored": 3, "excluded": 1}
    apart = verdict(table, 1, rules("competition-2022", quirks=["seir_left_out"]))
    assert values_of(apart, "noise_easy", "accuracy") == [0.7, 0.8]


def test_a_noiseless_run_that_nobody_expects_replaces_nothing():
    table = {(m, d): {} for m in "AB" for d in ("noise_base", "noise_easy")}
    judgement = judge(runs(table, 2), problems(), rules("competition-2022", repetitions=1))
    assert judgement.counts == {"read": 8, "scored": 2, "excluded": 6}
    assert judgement.ledger["code"].tolist().count("extra_runs") == 4


def test_a_noiseless_run_replaces_nothing_where_the_noisy_dataset_is_not_scored():
    """Else both had one line of the ledger, and the command ended with "a run was lost"."""
    table = {(m, d): {} for m in "AB" for d in ("formula", "noise_base", "noise_easy")}
    of_track = replace(
        problems(),
        problems=tuple(
            p.model_copy(update={"track": "other"}) if p.dataset == "noise_easy" else p
            for p in problems().problems
        ),
    )
    judgement = judge(runs(table, 1), of_track, rules("competition-2022", repetitions=1))
    assert judgement.counts == {"read": 6, "scored": 4, "excluded": 2}


def test_quirk_of_seir():
    table = {(m, d): {} for m in "AB" for d in ("formula", "seir_S")}
    assert set(verdict(table, 1, rules("competition-2022")).datasets["dataset"]) == {"formula"}
    kept = verdict(table, 1, rules("competition-2022", quirks=[]))
    assert set(kept.datasets["dataset"]) == {"formula", "seir_S"}


def values_of(judgement: Judgement, dataset: str, aspect: str = "property") -> list[float]:
    a = judgement.aspects
    return (
        a[(a["dataset"] == dataset) & (a["aspect"] == aspect)]
        .sort_values("method")["value"]
        .tolist()
    )


EDGES = {
    "all tied": {(m, d): {} for m in "AB" for d in ("formula", "noise_base", "noise_easy")},
    "one method": {
        ("A", "formula"): {"solution": [True, False]},
        ("A", "noise_hard"): {},
        ("A", "noise_base"): {},
    },
    "one dataset": {(m, "optima"): {"complexity": [n, n]} for n, m in enumerate("ABC", 1)},
    "all failed": {
        (m, "formula"): {"model": [None, None], "status": ["failed", "timeout"]} for m in "AB"
    },
    "negative R2": {(m, "formula"): {"r2_test": [-n, -1e300]} for n, m in enumerate("ABC", 1)},
    "NaN": {
        ("A", "formula"): {"r2_test": [np.nan, 0.5]},
        ("B", "formula"): {"r2_test": [np.nan, np.nan]},
    },
    "infinite": {
        ("A", "formula"): {"r2_test": [-np.inf, 0.5]},
        ("B", "formula"): {"r2_test": [np.inf, 0.5]},
    },
    "constant models": {
        (m, "select"): {"complexity": [1, 1], "features_used": ["[]", "[]"]} for m in "AB"
    },
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("edge", EDGES)
def test_edge_cases(edge, name):
    """Every file gives every method a place, accounts for every run and explains the score."""
    judgement = verdict(EDGES[edge], 2, rules(name))
    n = judgement.ranking["method"].nunique()
    assert len(judgement.ranking) == n and judgement.ranking["rank"].between(1, n).all()
    assert (
        judgement.counts["read"]
        == judgement.counts["scored"] + judgement.counts["excluded"]
        == 2 * len(EDGES[edge])
    )
    assert not np.isinf(judgement.ranking["score"]).any()
    if edge == "all tied":
        assert judgement.ranking["rank"].tolist() == [1, 1]
    if edge == "all failed":
        assert (judgement.datasets["n_runs"] == 0).all()
    for method in judgement.screened.methods:
        scores = judgement.datasets[judgement.datasets["method"] == method].set_index("dataset")
        for dataset, expected in scores["score"].items():
            last = trace(judgement, method, str(dataset)).iloc[-1]
            np.testing.assert_equal(last["value"], expected)


@pytest.mark.parametrize("name", FILES)
def test_the_trace_can_be_recomputed(name):
    """From the trace alone: runs and absent runs give the aggregate, ranks the score, datasets the final score."""
    generator = np.random.default_rng(5)
    table = {
        (m, d): {"r2_test": generator.uniform(0, 1, 3), "complexity": generator.integers(1, 60, 3)}
        for m in "ABC"
        for d in ("formula", "optima", "beyond", "noise_base", "noise_hard")
    }
    block = rules(name, repetitions=4, quirks=[])
    judgement = verdict(table, 3, block)
    with pytest.raises(InputError, match="method 'Z' is not judged; judged: A, B, C"):
        trace(judgement, "Z", "formula")
    chain = pd.concat(
        trace(judgement, "B", dataset).assign(dataset=dataset)
        for dataset in judgement.datasets["dataset"].unique()
    )
    for _, part in chain.groupby("dataset"):
        for _, steps in part[part["aspect"] != "all"].groupby("aspect"):
            values = steps[steps["step"].isin(["run", "absent"])]["value"]
            last = steps.set_index("step")["value"]
            if len(values):
                assert len(values) == (4 if block.judge.incomplete == "floor" else 3)
                assert last["aggregate"] == pytest.approx(values.mean())
            else:
                gap = abs(last["accuracy"] - last["reference_accuracy"]) / 0.15
                assert last["aggregate"] >= gap - 1e-12
            if name == "proposal-2022":
                assert last["aspect_rank"] == pytest.approx(
                    steps[steps["step"] == "run_rank"]["value"].mean()
                )
        places = part[part["step"] == "aspect_rank"]["value"]
        expected = len(places) / (1 / places).sum() if (places > 0).all() else 0
        assert part.set_index("step").loc["dataset_score", "value"] == pytest.approx(expected)
    means = chain[chain["step"] == "dataset_score"]["value"]
    places = chain[chain["step"] == "aspect_rank"]["value"]
    one = name == "competition-2023"
    final = judgement.ranking.set_index("method").loc["B", "score"]
    assert final == pytest.approx(len(places) / (1 / places).sum() if one else means.mean())


def test_quirk_of_the_colliding_noise_where_a_method_did_not_qualify():
    """Its noiseless run replaces nothing: all of its runs are excluded, each once."""
    table = {(m, d): {} for m in "AB" for d in ("noise_base", "noise_easy")}
    judgement = judge(runs(table, 1), problems(), rules("competition-2022"), frozenset("A"))
    assert judgement.counts == {"read": 4, "scored": 1, "excluded": 3}
    assert judgement.ranking["method"].tolist() == ["B"]


def test_repetitions_are_ranked_where_another_dataset_has_more_of_them():
    """Of A's four runs on formula two are usable: two floors stand beside them, and none beside those of noise."""
    lost = {"r2_test": [0.9, 0.9, np.nan, np.nan], "parse_status": ["ok", "ok", "empty", "empty"]}
    twice = {(m, d): {} for m in "AB" for d in ("noise_base", "noise_easy")}
    twice["B", "formula"] = {"r2_test": [0.8, 0.95]}
    frame = pd.concat([runs({("A", "formula"): lost}, 4), runs(twice, 2)], ignore_index=True)
    judgement = judge(
        frame, open_problems(), rules("judging-2022", rank_per="repetition", repetitions=2)
    )
    assert ranks(judgement, "formula", "accuracy") == [(2 + 1 + 2 + 2) / 4, (1 + 2 + 1 + 1) / 4]
    assert ranks(judgement, "noise_easy", "property") == [2, 2]
