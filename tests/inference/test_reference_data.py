"""Real problems, answers and boards of the UAI competitions, against values worked out by others."""

import json

import numpy as np
import pandas as pd
import pytest

from srlib.inference import load_problems, rank_solvers, score_answers
from srlib.inference.tasks import compute_reference

KEY = ["solver", "task", "instance"]


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
