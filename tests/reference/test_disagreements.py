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


@cache
def verdicts(data: Path) -> pd.DataFrame:
    """Every run with its flag, `recorded`, and our verdict, `ours`."""
    runs = pd.read_feather(data / "srbench" / "runs" / "rils-rols.feather")
    problems = load_problems(data / "pmlb")
    found = {}
    for dataset, truth, model in (
        runs[["dataset", "true_model", "symbolic_model"]].drop_duplicates().to_numpy()
    ):
        problem = problems.find(dataset)
        sides = (parse(text, problem.features) for text in (truth, model))
        found[dataset, truth, model] = compare(*sides, domain_of(problem))
    rows = [
        found[key]
        for key in zip(runs["dataset"], runs["true_model"], runs["symbolic_model"], strict=True)
    ]
    return runs[KEY].assign(
        recorded=runs["symbolic_solution"].astype(bool),
        ours=[row.kind for row in rows],
        digits=[row.digits for row in rows],
    )


@pytest.fixture
def found(reference_data):
    return verdicts(reference_data)


def test_every_disagreement_is_listed(found):
    differing = found[found["ours"].isin(SOLUTIONS) != found["recorded"]].sort_values(KEY)
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


def test_nothing_is_unknown_and_solutions_are_settled(found):
    assert (found["ours"] == "unknown").sum() == 0
    solutions = found[found["ours"].isin(SOLUTIONS)]
    assert (solutions["digits"] == 30).all()
