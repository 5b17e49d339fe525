"""The shipped assessments: what they were made from, and a seeded sample made once more."""

import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.judging import judge
from srlib.problems import load_problems
from srlib.readers import read_runs, runs_of
from srlib.rules import load_rules


@pytest.fixture(scope="module")
def problems():
    return load_problems("synthetic-2022")


@pytest.fixture(scope="module")
def shipped():
    return read_runs("demo").frame


def test_every_run_is_accounted_for(shipped, problems):
    ended_well = shipped["status"] == "ok"
    statuses = shipped.loc[ended_well, "simplify_status"].value_counts()
    assert statuses.to_dict() == {"ok": 869, "changed": 148, "work": 1}
    assert shipped.loc[~ended_well, "simplify_status"].isin(["skipped"]).all()
    references = {problem.dataset for problem in problems.problems if not problem.scored}
    counts = judge(shipped, problems, load_rules("judging-2022")).counts
    assert counts["read"] == len(shipped)
    assert counts["excluded"] == (shipped["dataset"].isin(references) | ~ended_well).sum()


@pytest.mark.slow
def test_a_seeded_sample_comes_out_the_same(shipped, problems):
    sample = shipped[shipped["complexity_raw"] <= 60].sample(12, random_state=20221)
    sample = sample.reset_index(drop=True)
    measure = load_rules("judging-2022").measure
    again = assess(runs_of(sample), problems, measure, cache=Cache(None), timeout=240)
    # predictions are not shipped; sentences have digits of a machine
    same = sample.columns.drop(["text_matches_predictions", "detail", "solution_evidence"])
    pd.testing.assert_frame_equal(
        again[same], sample[same], rtol=1e-9, check_dtype=False, check_categorical=False
    )
