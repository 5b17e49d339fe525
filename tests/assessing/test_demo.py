"""The shipped assessments: what they were made from, and a seeded sample of them made once more."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess, runs_of
from srlib.cache import Cache
from srlib.ledger import conserve
from srlib.problems import Problems, load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules

pytestmark = pytest.mark.slow

KEY = ["method", "dataset", "repetition"]
SAMPLE = 12


@pytest.fixture(scope="module")
def problems() -> Problems:
    return load_problems("synthetic-2022")


@pytest.fixture(scope="module")
def shipped() -> pd.DataFrame:
    return read_runs("demo").frame


def test_assessments_are_those_of_the_recorded_runs(shipped: pd.DataFrame) -> None:
    runs = read_runs("demo", prefer="runs").frame
    back = runs_of(shipped)[runs.columns.tolist()]
    pd.testing.assert_frame_equal(back.drop(columns="file"), runs.drop(columns="file"))


def test_assessments_are_up_to_date(shipped: pd.DataFrame, problems: Problems) -> None:
    """Otherwise a fresh clone would simplify for hours."""
    assert shipped["measure_digest"].unique().tolist() == [
        load_rules("judging-2022").measure.digest
    ]
    for dataset, digests in shipped.groupby("dataset")["problem_digest"]:
        problem = problems.find(str(dataset))
        assert problem is not None
        assert digests.unique().tolist() == [problem.digest]


def test_no_simplification_timed_out(shipped: pd.DataFrame) -> None:
    ended_well = shipped["status"] == "ok"
    statuses = shipped.loc[ended_well, "simplify_status"].value_counts()
    assert statuses.to_dict() == {"ok": 879, "changed": 138, "work": 1}
    assert shipped.loc[~ended_well, "simplify_status"].isin(["skipped"]).all()


def test_a_seeded_sample_comes_out_the_same(shipped: pd.DataFrame, problems: Problems) -> None:
    quick = shipped[shipped["complexity_raw"] <= 60]
    chosen = np.sort(np.random.default_rng(20221).choice(len(quick), SAMPLE, replace=False))
    sample = quick.iloc[chosen].reset_index(drop=True)
    measure = load_rules("judging-2022").measure
    again = assess(runs_of(sample), problems, measure, cache=Cache(None), timeout=240)
    same = ["model_id", "parse_status", "complexity_raw", "complexity", "simplified_model", "simplify_status",
            "features_used", "bad_predictions", "r2_source", "solution", "solution_kind"]  # fmt: skip
    pd.testing.assert_frame_equal(again[KEY + same], sample[KEY + same])
    for name in ("r2_train", "r2_test", "solution_constant"):
        np.testing.assert_allclose(again[name], sample[name], rtol=1e-9)


def test_every_run_of_the_demo_is_accounted_for(shipped: pd.DataFrame, problems: Problems) -> None:
    from srlib.judging import judge

    judgement = judge(shipped, problems, load_rules("judging-2022"))
    assert conserve(len(shipped), judgement.counts["scored"], judgement.ledger) == judgement.counts
    references = {problem.dataset for problem in problems.problems if not problem.scored}
    gone = shipped["dataset"].isin(references) | (shipped["status"] != "ok")
    assert (judgement.counts["read"], judgement.counts["excluded"]) == (
        len(shipped),
        int(gone.sum()),
    )


def test_the_best_method_solves_the_easiest_task(shipped: pd.DataFrame) -> None:
    easiest = shipped[shipped["dataset"] == "exact_formula_easier"]
    assert easiest.groupby("method")["r2_test"].median().max() >= 0.99
