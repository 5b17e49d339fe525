"""The audit of what the 2022 competition published, on its released files."""

from dataclasses import replace

import pytest

from srlib.problems import load_problems
from srlib.tools.audit import audit
from tests.builders import each

pytestmark = pytest.mark.slow

SELECTION = """
schema: 1
name: feature-selection
problems:
  - dataset: featureselection_easy
    property: relevant_features
    target: y
    data_seeds: [2082, 3946]
    truth: "0.11*x1^3 + 0.91*x3*x5 + 0.68*x7*x9 + 0.26*x11^2*x13 + 0.13*x15*x17*x19"
    relevant: [x1, x3, x5, x7, x9, x11, x13, x15, x17, x19]
    noise_level: 0.025
    data:
      train: "{data_seed}_featureselection_easy_data_train.csv.gz"
      test: "{data_seed}_featureselection_easy_data_test.csv.gz"
"""


def test_published_feature_selection_fails_for_the_right_reason(reference_data, tmp_path):
    (tmp_path / "p.yaml").write_text(SELECTION)
    folder = reference_data / "competition2022/synthetic"
    findings = audit(load_problems(tmp_path / "p.yaml", folder)).set_index("check")
    assert findings.index[findings["verdict"] == "fail"].tolist() == ["truth"]
    assert findings.loc["truth", "value"] < -0.5


@each("dataset r2", "seirdS_easy | 0.77\nseirdE_medium | 0.01\nseirdI_hard | 0.08")
def test_published_seir_truth_fails(reference_data, dataset, r2):
    published = load_problems("seir-2022", reference_data / "competition2022/synthetic")
    problems = replace(published, problems=(published.find(dataset),))
    findings = audit(problems, seeds=1).set_index("check")
    assert findings.loc[["truth", "noise"], "verdict"].tolist() == ["fail", "warn"]
    assert findings.loc["truth", "value"] == pytest.approx(float(r2), abs=0.01)


@pytest.mark.parametrize("name", ["synthetic-2022", "example-tasks"])
def test_shipped_problems_are_clean(name):
    problems = load_problems(name)
    findings = audit(problems)
    assert {*findings["verdict"]} == {"pass"}
    assert {*findings["dataset"]} == {problem.dataset for problem in problems.problems}
