"""The audit of what the 2022 competition published, on its released files."""

import pytest

from srlib.audit import audit
from srlib.problems import Problems, load_problems

pytestmark = pytest.mark.slow

PUBLISHED = "0.11*x1^3 + 0.91*x3*x5 + 0.68*x7*x9 + 0.26*x11^2*x13 + 0.13*x15*x17*x19"
SELECTION = """
schema: 1
name: feature-selection
defaults: {{property: relevant_features, target: y, data_seeds: [2082, 3946]}}
problems:
  - dataset: featureselection_{level}
    truth: "{truth}"
    relevant: [{relevant}]
    noise_level: {noise}
    data:
      train: "{{data_seed}}_featureselection_{level}_data_train.csv.gz"
      test: "{{data_seed}}_featureselection_{level}_data_test.csv.gz"
"""


@pytest.fixture
def audited(reference_data, tmp_path):
    def run(truth, relevant, level="easy", noise=0.025):
        text = SELECTION.format(level=level, noise=noise, truth=truth, relevant=", ".join(relevant))
        (tmp_path / "p.yaml").write_text(text)
        return audit(
            load_problems(tmp_path / "p.yaml", reference_data / "competition2022" / "synthetic")
        )

    return run


def test_the_published_feature_selection_fails_for_the_right_reason(audited):
    found = audited(PUBLISHED, [f"x{i}" for i in range(1, 20, 2)]).set_index("check")
    assert set(found.index[found["verdict"] == "fail"]) == {"truth"}
    assert found.loc["truth", "value"] < -0.5


@pytest.mark.parametrize(
    ("dataset", "r2"), [("seirdS_easy", 0.77), ("seirdE_medium", 0.01), ("seirdI_hard", 0.08)]
)
def test_the_published_seir_truths_fail(reference_data, dataset, r2):
    published = load_problems("seir-2022", reference_data / "competition2022" / "synthetic")
    one = Problems(
        published.name, published.path, tuple(p for p in published.problems if p.dataset == dataset)
    )
    found = audit(one, seeds=1).set_index("check")
    assert found.loc["truth", "verdict"] == "fail"
    assert found.loc["truth", "value"] == pytest.approx(r2, abs=0.01)
    assert found.loc["noise", "verdict"] == "warn"


def test_two_names_of_one_dataset_are_found(reference_data):
    folder = load_problems(reference_data / "competition2022" / "qualification")
    chosen = tuple(
        p
        for p in folder.problems
        if p.dataset in ("197_cpu_act", "573_cpu_act", "654_fri_c0_500_10")
    )
    found = audit(Problems(folder.name, folder.path, chosen)).set_index(["check", "dataset"])
    assert found.loc["duplicates", "verdict"].tolist() == ["fail", "fail", "pass"]
    assert found.loc[("duplicates", "197_cpu_act"), "detail"] == "the same data as 573_cpu_act"
    assert set(found.loc["leakage", "verdict"]) == {"pass"}


@pytest.mark.parametrize("name", ["synthetic-2022", "example-tasks"])
def test_shipped_problems_are_clean(name):
    demo = load_problems(name)
    found = audit(demo)
    assert set(found["verdict"]) == {"pass"}
    assert set(found["dataset"]) == {problem.dataset for problem in demo.problems}
