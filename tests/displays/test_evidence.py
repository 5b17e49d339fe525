"""Evidence of verdicts, as a table: which runs are in it, what it says, and how close each model is."""

import json
from types import SimpleNamespace

import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.displays import evidence_table
from srlib.displays.tables.models import describe_evidence
from srlib.displays.tables.table import html_table
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules

PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + 2*b, domain: {a: [-1, 1], b: [-1, 1]}}
"""
MODELS = {
    "exact": "2.0001*b + a",
    "shifted": "a + b + b + 0.5",
    "partial": "sqrt(a)**2 + 2*b",
    "wrong": "a",
}


@pytest.fixture(scope="module")
def judgement(tmp_path_factory):
    path = tmp_path_factory.mktemp("evidence") / "problems.yaml"
    path.write_text(PROBLEMS, encoding="utf-8")
    problems = load_problems(path)
    lines = [
        "method,dataset,repetition,model",
        *(f"{name},d,1,{text}" for name, text in MODELS.items()),
    ]
    path.with_name("runs.csv").write_text("\n".join(lines), encoding="utf-8")
    runs = read_runs(str(path.with_name("runs.csv"))).frame
    measure = load_rules("judging-2022").measure
    assessments = assess(runs, problems, measure, cache=Cache(None))
    datasets = assessments[["dataset"]]
    return SimpleNamespace(assessments=assessments, problems=problems, datasets=datasets)


def test_solutions_have_their_evidence(judgement):
    table = evidence_table(judgement)
    assert table["method"].tolist() == ["exact", "shifted"]
    assert table["verdict"].tolist() == ["identical", "offset"]
    assert table["constant"].tolist()[1] == pytest.approx(0.5)
    assert table["proof"].tolist() == ["numerical", "symbolic"]
    assert table["digits"].tolist() == [30, 30]
    moved = "within the tolerance, the coefficient of b is 2.0001 for 2 (+0.005%)"
    assert table["detail"].fillna("").tolist() == [moved, ""]
    assert "<math" in html_table(table, "Evidence", equations=["model"])


def test_a_witness_says_where_a_model_is_wrong(judgement):
    stored = (
        judgement.assessments.set_index("method")["solution_evidence"].astype("str").map(json.loads)
    )
    assert "the model is undefined" in describe_evidence(stored["partial"])
    assert describe_evidence(stored["wrong"]).startswith("at a = ")
    assert f"{stored['wrong']['witness']['truth']:.9g}" in describe_evidence(stored["wrong"])
