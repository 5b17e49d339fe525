"""Verdicts on 2,913 real runs: where they differ from SRBench's flags is listed and judged, row by row."""

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from srlib.expressions import compare, parse
from srlib.expressions.evidence import SOLUTIONS
from srlib.problems import domain_of, load_problems

pytestmark = pytest.mark.slow

TABLE = Path(__file__).with_name("disagreements.csv")
KEY = ["dataset", "target_noise", "random_state"]


@pytest.fixture(scope="module")
def verdicts(reference_data):
    """Every run with its flag, `recorded`, and our verdict, `ours`."""
    runs = pd.read_feather(reference_data / "srbench" / "runs" / "rils-rols.feather")
    problems = load_problems(reference_data / "pmlb")

    @cache
    def judge(dataset, *texts):
        problem = problems.find(dataset)
        return compare(*(parse(text, problem.features) for text in texts), domain_of(problem))

    texts = runs[["dataset", "true_model", "symbolic_model"]].itertuples(index=False)
    rows = [judge(*row) for row in texts]
    return runs[KEY].assign(
        recorded=runs["symbolic_solution"].astype(bool),
        ours=[row.kind for row in rows],
        digits=[row.digits for row in rows],
    )


def test_every_disagreement_is_listed(verdicts):
    differing = verdicts[verdicts["ours"].isin(SOLUTIONS) != verdicts["recorded"]].sort_values(KEY)
    listed = pd.read_csv(TABLE)
    columns = [*KEY, "recorded", "ours"]
    pd.testing.assert_frame_equal(
        differing[columns].reset_index(drop=True),
        listed[columns],
        check_dtype=False,
        check_column_type=False,
    )


def test_every_disagreement_is_judged():
    listed = pd.read_csv(TABLE)
    assert listed[["right", "category", "reason"]].notna().all(axis=None)
    assert not listed.duplicated(KEY).any()
    counts = listed["category"].value_counts()
    lines = TABLE.with_name("README.md").read_text(encoding="utf-8").splitlines()
    for category, count in counts.items():
        assert any(line.startswith(f"| {category} | {count} |") for line in lines), category


def test_nothing_is_unknown_and_solutions_are_settled(verdicts):
    assert (verdicts["ours"] == "unknown").sum() == 0
    solutions = verdicts[verdicts["ours"].isin(SOLUTIONS)]
    assert (solutions["digits"] == 30).all()
