"""Evidence of verdicts, as a table: which runs are in it, what it says, and how close each model is."""

import json
from types import SimpleNamespace

import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.displays import evidence_table
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
    return SimpleNamespace(
        assessments=assess(runs, problems, measure, cache=Cache(None)), problems=problems
    )


def test_solutions(judgement):
    table = evidence_table(judgement, "d")
    assert table["method"].tolist() == ["exact", "shifted"]
    assert table["verdict"].tolist() == ["identical", "offset"]
    assert table["constant"].tolist()[1] == pytest.approx(0.5)
    assert table["proof"].tolist() == ["numerical", "symbolic"]
    assert table["digits"].tolist() == [30, 30]
    moved = "within the tolerance, the coefficient of b is 2.0001 for 2 (+0.005%)"
    assert table["witness"].fillna("").tolist() == [moved, ""]
    assert table["truth"].tolist() == ["a + 2*b"] * 2
    assert table["tree"].tolist() == [0.0, pytest.approx(0.4)]
    assert "<math" in html_table(table, "Evidence", equations=["truth", "model"])


def test_what_is_no_solution(judgement):
    table = evidence_table(judgement, "d", ("different", "constant", "unknown")).set_index("method")
    assert "the model is undefined" in table.loc["partial", "witness"]
    assert table.loc["wrong", "witness"].startswith("at a = ")
    assert table.loc["wrong", "tree"] > 0
    stored = json.loads(judgement.assessments.set_index("method").loc["wrong", "solution_evidence"])
    assert f"{stored['witness']['truth']:.9g}" in table.loc["wrong", "witness"]


def test_no_rows_make_an_empty_table(judgement):
    assert evidence_table(judgement, "d", ("unknown",)).empty
