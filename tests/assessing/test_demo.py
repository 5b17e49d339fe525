"""The shipped assessments: what they were made from, what simplifying kept, and a seeded sample made once more."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.expressions import evaluate, parse, r2_score
from srlib.judging import judge
from srlib.problems import load_problems, partitions
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


@pytest.mark.slow
def test_every_shown_model_has_the_r2_that_stands_beside_it(shipped, problems):
    wrong = []
    for run in shipped[shipped["simplify_status"] == "ok"].itertuples():
        problem = problems.find(run.dataset)
        data, model = partitions(problem, run.data_seed), parse(run.shown_model, problem.features)
        for name in ("train", "test", "extrapolation"):
            part, stated = getattr(data, name), getattr(run, f"r2_{name}")
            if part is not None and np.isfinite(stated):
                columns = dict(zip(problem.features, part.X.T, strict=True))
                r2 = r2_score(part.y, evaluate(model, columns, len(part.y)))
                if round(r2, 3) != round(stated, 3) and not np.isclose(r2, stated, rtol=1e-9):
                    wrong.append((run.method, run.dataset, run.repetition, name, stated, r2))
    assert not wrong
