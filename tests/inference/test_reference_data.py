"""Real problems, answers and boards of the UAI competitions, against values worked out by others."""

import json

import numpy as np
import pandas as pd
import pytest

from srlib.inference import load_problems, rank_solvers, score_answers
from srlib.inference.tasks import compute_reference

KEY = ["solver", "task", "instance"]
LIMITS_2022 = {"20": 1, "1200": 4, "3600": 5}


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "uai"


@pytest.fixture(scope="module")
def problems(folder):
    return load_problems(folder / "problems")


@pytest.fixture(scope="module")
def scored(folder, problems):
    return score_answers(problems, folder / "solutions", trivial="trivial")


def test_every_score_is_the_expected_one(folder, scored):
    expected = pd.read_csv(folder / "expected_scores.csv", keep_default_na=False)
    both = expected.merge(
        scored.scores, on=KEY, how="outer", suffixes=("_expected", ""), validate="1:1"
    )
    assert len(both) == len(expected) == len(scored.scores)
    error = both["error_log10_or_hellinger"].astype(float)
    assert np.allclose(both["score"], both["score_expected"].astype(float), rtol=0, atol=1e-6)
    assert np.allclose(both["error"], error, rtol=0, atol=1e-6)
    assert np.allclose(
        both["max_error"], both["max_error_expected"].astype(float), rtol=0, atol=1e-6
    )
    marked = both["note_expected"].str.startswith("degenerate")
    assert (both["note"].str.startswith("degenerate") == marked).all()
    assert marked.sum() == 12


def test_exact_references_agree_with_two_independent_methods(folder, problems):
    for problem in problems:
        ours, name = compute_reference(problem), problem.name
        theirs = json.loads((folder / "reference" / f"{name}.reference.json").read_text())
        assert ours.log10_Z == pytest.approx(theirs["log10_Z"], abs=1e-9), name
        for row, expected in zip(ours.mar, theirs["mar"], strict=True):
            assert row == pytest.approx(expected, abs=1e-6), name
        likelihoods = {f"MPE {name}": theirs["map_log_likelihood"]}
        if "mmap" in theirs:
            likelihoods[f"MMAP {name}"] = theirs["mmap"]["log10_value"]
        for place, line in enumerate(theirs.get("mlc", {}).get("lines", [])):
            likelihoods[f"MLC {name}#{place}"] = line["log10_value"]
        found = {case: likelihood for case, (likelihood, _) in ours.best.items()}
        assert found == pytest.approx(likelihoods, abs=1e-9)


def means(instances: pd.DataFrame, limit: float) -> pd.DataFrame:
    scores = instances.rename(columns={"problem": "instance"})
    return rank_solvers(scores[scores["time_limit_s"] == limit])


@pytest.mark.parametrize("name", ["published_tuning", "published_tuning_mlc"])
def test_the_tuning_boards_follow_from_their_scores_on_instances(folder, name):
    instances = pd.read_csv(folder / f"{name}_instance_scores.csv", dtype={"problem": "str"})
    board = pd.read_csv(folder / f"{name}_overall.csv")
    board = board[board["ranking"].str.endswith("-overall")]
    board = board.assign(task=board["ranking"].str.removesuffix("-overall"))
    if name.endswith("mlc"):  # there `section` is the problem, and `problem` the line of its tests
        instances = instances.assign(problem=instances["section"] + "#" + instances["problem"])
    compared = 0
    for limit in sorted(board["time_limit_s"].unique()):
        both = board[board["time_limit_s"] == limit].merge(
            means(instances, limit), on=["task", "solver"]
        )
        assert len(both) == (board["time_limit_s"] == limit).sum()
        assert (both["score_x"] - both["score_y"]).abs().max() <= 0.1 + 1e-9
        compared += len(both)
    assert compared == len(board) > 0


def test_the_final_board_is_ordered_by_its_weights(folder):
    board = pd.read_csv(folder / "published_overall.csv")
    long = board.melt(
        ["task", "solver"], ["score_20s", "score_1200s", "score_3600s"], "limit", "score"
    )
    long["time_limit_s"] = long["limit"].str.extract(r"(\d+)", expand=False).astype(float)
    ranked = rank_solvers(long.assign(instance="all"), LIMITS_2022)
    both = board.merge(ranked, on=["task", "solver"], validate="1:1")
    assert (both["published_rank"] == both["rank"]).all()
    equal = board.merge(rank_solvers(long.assign(instance="all")), on=["task", "solver"])
    assert (equal["published_rank"] != equal["rank"]).any(), "the weights matter"
