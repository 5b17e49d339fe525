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


def test_disagreement_is_listed_and_solutions_are_certain(reference_data):
    runs = pd.read_feather(reference_data / "srbench/runs/rils-rols.feather")
    problems = load_problems(reference_data / "pmlb")

    @cache
    def judge(dataset, *texts):
        problem = problems.find(dataset)
        return compare(*(parse(text, problem.features) for text in texts), domain_of(problem))

    texts = runs[["dataset", "true_model", "symbolic_model"]].itertuples(index=False)
    verdicts = [judge(*row) for row in texts]
    assert {verdict.digits for verdict in verdicts if verdict.kind in SOLUTIONS} == {30}
    runs["recorded"] = runs["symbolic_solution"].astype(bool)
    runs["ours"] = [verdict.kind for verdict in verdicts]
    assert "unknown" not in set(runs["ours"])
    differing = runs[runs["ours"].isin(SOLUTIONS) != runs["recorded"]].sort_values(KEY)
    columns = [*KEY, "recorded", "ours"]
    listed = pd.read_csv(TABLE)[columns]
    assert differing[columns].to_numpy().tolist() == listed.to_numpy().tolist()


def test_disagreement_has_a_reason_and_a_category():
    listed = pd.read_csv(TABLE)
    assert listed[["right", "category", "reason"]].notna().all(axis=None)
    assert not listed.duplicated(KEY).any()
    text = TABLE.with_name("README.md").read_text()
    for category, count in listed["category"].value_counts().items():
        assert f"\n| {category} | {count} |" in text
