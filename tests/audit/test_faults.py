"""Each planted fault turns its own check to fail, and no other."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.audit import CHECKS, audit
from srlib.errors import InputError
from srlib.problems import load_problems
from srlib.problems.problem_file import generate

pytestmark = pytest.mark.slow

FAULTS = sorted((Path(__file__).parent / "faults").glob("*.yaml"))
CLEAN = """
schema: 1
name: clean
problems:
  - dataset: clean
    property: local_optima
    truth: "x1*x2 + 2*x1 + 3*x2"
    noise_level: 0.05
    domain: {x1: [-5, 5]}
    data_seeds: [1, 2]
    data:
      generator: formula
      arguments:
        features: {x1..x4: [uniform, -5, 5]}
        surrogates: {s1: "x1*x2", s2: "2*x1 + 3*x2"}
        extrapolation: {x1: [uniform, 5, 8]}
        rows: {train: 300, test: 300, extrapolation: 50}
"""


def test_every_check_has_a_planted_fault():
    planted = {path.stem for path in FAULTS} | set(PLANTED.values())
    assert planted == {*CHECKS, "duplicates"}


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_a_planted_fault_fails_its_own_check_only(path):
    found = audit(path)
    assert set(found.loc[found["verdict"] == "fail", "check"]) == {path.stem}
    assert set(found.loc[found["check"] != path.stem, "verdict"]) == {"pass"}


def test_without_a_fault_every_check_passes(tmp_path):
    (tmp_path / "clean.yaml").write_text(CLEAN)
    found = audit(tmp_path / "clean.yaml")
    assert set(found["check"]) == {*CHECKS, "duplicates"}
    assert set(found["verdict"]) == {"pass"}
    assert found["check"].is_monotonic_increasing
    assert list(found.columns) == ["dataset", "check", "verdict", "value", "detail"]


TABLE = """
schema: 1
name: tables
problems:
  - dataset: own
    property: relevant_features
    truth: "a*b + 2*a + 3*b"
    relevant: [a, b]
    noise_level: NOISE
    domain: DOMAIN
    data_seeds: [1]
    data: {train: train.csv, test: test.csv}
"""


def audit_table(folder, change=None, domain="{}", noise="0.05", low=-5.0, share=0.05):
    """Audit 600 rows of a, b and an irrelevant c after `change` has been made to them."""
    random = np.random.default_rng(3)
    for name, seed in (("train", 1), ("test", 2)):
        random = np.random.default_rng(seed)
        table = pd.DataFrame(random.uniform(low, 5, (300, 3)), columns=list("abc"))
        signal = table["a"] * table["b"] + 2 * table["a"] + 3 * table["b"]
        deviation = np.sqrt(np.var(signal) * share / (1 - share))
        table["y"] = signal + random.normal(0, deviation, 300)
        if change is not None:
            table = change(table, random)
        table.to_csv(folder / f"{name}.csv", index=False)
    text = TABLE.replace("DOMAIN", domain).replace("NOISE", noise)
    (folder / "p.yaml").write_text(text)
    return audit(folder / "p.yaml")


def with_c(make):
    """Replace the irrelevant feature c by what `make` gives."""
    return lambda table, random: table.assign(c=make(table, random))


COLUMN_FAULTS = {
    "the target": (with_c(lambda t, r: t["y"]), "target"),
    "three times the target and a half": (with_c(lambda t, r: 3 * t["y"] + 0.5), "target"),
    "an exponential of the target": (with_c(lambda t, r: np.exp(-t["y"] / 9)), "target"),
    "a relevant feature": (with_c(lambda t, r: t["a"]), "columns"),
    "linear in two relevant features": (with_c(lambda t, r: t["a"] - 4 * t["b"] + 1), "columns"),
    "a constant": (with_c(lambda t, r: 2.5 + 0 * t["a"]), "columns"),
}
NEAR_MISSES = {
    "the target with noise": with_c(lambda t, r: t["y"] + r.normal(0, 1, len(t))),
    "a relevant feature with noise": with_c(lambda t, r: t["a"] + r.normal(0, 0.1, len(t))),
    "a curve of a relevant feature": with_c(lambda t, r: t["a"] ** 3),
    "two values": with_c(lambda t, r: (r.uniform(size=len(t)) > 0.5) * 1.0),
}
PLANTED = {name: check for name, (_, check) in COLUMN_FAULTS.items()} | {"left": "domain"}


@pytest.mark.parametrize("name", COLUMN_FAULTS)
def test_a_planted_column_fails_its_own_check_only(tmp_path, name):
    change, check = COLUMN_FAULTS[name]
    found = audit_table(tmp_path, change)
    assert found.loc[found["verdict"] != "pass", "check"].tolist() == [check], found.to_string()
    assert "c" in found.set_index("check").loc[check, "detail"].split(": ")[-1]


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_sound_column_near_it_passes(tmp_path, name):
    found = audit_table(tmp_path, NEAR_MISSES[name])
    assert set(found["verdict"]) == {"pass"}, found.to_string()


@pytest.mark.parametrize(
    ("domain", "verdict", "said"),
    [
        ("{a: [-5, 5], b: [-5, 5]}", "pass", "all 600 rows lie within it"),
        ("{a: [-4.9, 5], b: [-5, 5]}", "fail", "the data leave the stated domain: a (on "),
    ],
)
def test_the_data_lie_in_the_domain(tmp_path, domain, verdict, said):
    found = audit_table(tmp_path, domain=domain).set_index("check")
    assert found.loc["domain", "verdict"] == verdict
    assert said in found.loc["domain", "detail"]
    assert set(found.drop("domain")["verdict"]) == {"pass"}


def test_r2_needs_two_test_targets_and_repetitions_need_different_rows(tmp_path):
    audit_table(tmp_path)
    text = (tmp_path / "p.yaml").read_text()
    (tmp_path / "p.yaml").write_text(text.replace("data_seeds: [1]", "data_seeds: [1, 2]"))
    findings = audit(tmp_path / "p.yaml").set_index("check")
    assert findings.index[findings["verdict"] == "fail"].tolist() == ["duplicates"]
    assert findings.loc["duplicates", "detail"].startswith("data seeds 1, 2 have the same rows: ")
    (tmp_path / "p.yaml").write_text(text)
    pd.read_csv(tmp_path / "test.csv")[:1].to_csv(tmp_path / "test.csv", index=False)
    findings = audit(tmp_path / "p.yaml").set_index("check")
    assert findings.loc["target", "verdict"] == "fail"
    assert "fewer than two different targets" in findings.loc["target", "detail"]


def test_selecting_features_needs_irrelevant_ones(tmp_path):
    audit_table(tmp_path)
    text = (tmp_path / "p.yaml").read_text().replace("relevant: [a, b]", "relevant: [a, b, c]")
    (tmp_path / "p.yaml").write_text(text)
    found = audit(tmp_path / "p.yaml").set_index("check")
    assert found.index[found["verdict"] == "fail"].tolist() == ["features"]
    assert found.loc["features", "detail"].startswith("seed 1: no feature is irrelevant")


LINE = """
schema: 1
name: line
problems:
  - dataset: line
    truth: "2*u + 1"
    data_seeds: [1]
    data: {generator: formula, arguments: {features: {u: [uniform, 0, 1], v: [uniform, 0, 1]}}}
"""


def test_a_truth_that_is_one_feature_is_no_copy(tmp_path):
    (tmp_path / "p.yaml").write_text(LINE)
    found = audit(tmp_path / "p.yaml")
    assert set(found["verdict"]) == {"pass"}, found.to_string()


def test_gaps_in_one_dataset_leave_the_others_audited(tmp_path):
    def gap(table, random):
        table.loc[3, "a"] = np.nan
        return table

    with pytest.raises(InputError, match=r"dataset own, train rows: .* in row 4, column 'a'"):
        audit_table(tmp_path, gap)  # nothing else is there to audit
    text = (tmp_path / "p.yaml").read_text() + CLEAN.split("problems:")[1]
    (tmp_path / "both.yaml").write_text(text)
    found = audit(tmp_path / "both.yaml")
    own = found[found["dataset"] == "own"]
    assert own[["check", "verdict"]].to_numpy().tolist() == [["data", "fail"]]
    assert set(found.loc[found["dataset"] == "clean", "verdict"]) == {"pass"}


ELSEWHERE = """
schema: 1
name: elsewhere
problems:
  - dataset: far
    truth: "x1*x2 + 2*x1"
    noise_level: 0.11
    data_seeds: [1]
    data:
      generator: formula
      arguments:
        features: {x1: [uniform, 0, 1], x2: [uniform, 0, 1]}
        test: {x1: [uniform, 5, 20]}
"""


def test_noise_is_a_share_of_what_trains_where_the_test_is_drawn_elsewhere(tmp_path):
    (tmp_path / "p.yaml").write_text(ELSEWHERE)
    found = audit(tmp_path / "p.yaml").set_index("check")
    assert found.loc["noise", "verdict"] == "pass"


def test_a_surrogate_that_does_not_tempt_or_is_in_the_truth_is_named(tmp_path):
    text = CLEAN.replace("data_seeds: [1, 2]", "data_seeds: [1]\n    surrogates: [SURROGATE]")
    for surrogate, words in (("x4", "no temptation: x4"), ("x1", "in the truth: x1")):
        stated = text.replace("SURROGATE", surrogate).replace(
            "data:", f"relevant: [{'x2' if surrogate == 'x1' else 'x1, x2'}]\n    data:"
        )
        (tmp_path / "p.yaml").write_text(stated)
        found = audit(tmp_path / "p.yaml").set_index("check")
        assert found.loc["surrogates", "verdict"] == "fail"
        assert found.loc["surrogates", "detail"].endswith(words)


def test_extrapolation_rows_that_follow_another_law_fail_the_truth(tmp_path):
    """The rows are made by the stated law, and then those beyond the range are replaced."""
    (tmp_path / "p.yaml").write_text(CLEAN)
    file = generate(load_problems(tmp_path / "p.yaml"), tmp_path / "files", (1,))
    [path] = (tmp_path / "files").glob("1_clean_data_extrapolation.csv*")
    table = pd.read_csv(path)
    table.assign(**{table.columns[-1]: table["x1"] ** 2}).to_csv(path, index=False)
    found = audit(file).set_index("check")
    assert found.index[found["verdict"] == "fail"].tolist() == ["truth"]
    assert "on extrapolation rows" in found.loc["truth", "detail"]


def test_more_noise_than_stated_fails_the_truth_and_warns_of_the_noise(tmp_path):
    found = audit_table(tmp_path, share=0.2).set_index("check")
    assert found.loc[["truth", "noise"], "verdict"].tolist() == ["fail", "warn"]


def test_a_dataset_whose_checks_do_not_end_is_a_finding(tmp_path, monkeypatch):
    (tmp_path / "p.yaml").write_text(CLEAN)
    monkeypatch.setattr("srlib.audit.auditing.LIMIT_S", 0.01)
    found = audit(tmp_path / "p.yaml").set_index("check")
    assert found.loc["limits", "verdict"] == "fail"
    assert found.loc["limits", "detail"].startswith("could not be checked: stopped after 0.0")
