"""Each planted fault turns its own check to fail, and no other; the audit of what was published and is shipped."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.problems import load_problems
from srlib.problems.problem_file import generate
from srlib.tools.audit import CHECKS, audit
from tests.builders import each, refused

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
LINE = """
schema: 1
name: line
problems:
  - dataset: line
    truth: "2*u + 1"
    data_seeds: [1]
    data: {generator: formula, arguments: {features: {u: [uniform, 0, 1], v: [uniform, 0, 1]}}}
"""
# where the test rows are drawn elsewhere, noise is a share of what trains
FAR = LINE.replace("2*u + 1", "u*v + 2*u").replace(
    "data_seeds", "noise_level: 0.11\n    data_seeds"
)
FAR = FAR.replace("arguments: {", "arguments: {test: {u: [uniform, 5, 20]}, ")
SURROGATE = CLEAN.replace("[1, 2]\n", "[1]\n    relevant: [x1, x2]\n    surrogates: [x4]\n")
TABLE = """
schema: 1
name: tables
problems:
  - dataset: own
    property: relevant_features
    truth: "a*b + 2*a + 3*b"
    relevant: [a, b]
    noise_level: 0.05
    data_seeds: [1]
    data: {train: train.csv, test: test.csv}
"""


@pytest.fixture
def faults(tmp_path, monkeypatch):
    """Audit a problem file; give a line for each check that does not pass."""
    monkeypatch.chdir(tmp_path)

    def call(text):
        Path("p.yaml").write_text(text)
        findings = audit("p.yaml")
        lines = findings["check"] + " " + findings["verdict"] + ": " + findings["detail"]
        return lines[findings["verdict"] != "pass"].tolist()

    return call


def write_tables(change=lambda table, noise: table, share=0.05):
    """Write 600 rows of a, b, an irrelevant c and y after `change` has been made to them."""
    for name, seed in (("train", 1), ("test", 2)):
        random = np.random.default_rng(seed)
        table = pd.DataFrame(random.uniform(-5, 5, (300, 3)), columns=list("abc"))
        signal = table.eval("a*b + 2*a + 3*b")
        noise, more = random.normal(size=(2, 300))
        table["y"] = signal + noise * np.sqrt(np.var(signal) * share / (1 - share))
        change(table, more).to_csv(f"{name}.csv", index=False)


def test_check_has_a_planted_fault():
    planted = {path.stem for path in FAULTS} | {"target", "columns", "domain"}
    assert planted == {*CHECKS, "duplicates"}


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_planted_fault_fails_its_own_check_only(path):
    findings = audit(path).groupby("verdict")["check"].agg(set)
    assert findings["fail"] == {path.stem} and {*findings.index} == {"fail", "pass"}


def test_problem_without_a_fault_passes_every_check(tmp_path):
    (tmp_path / "clean.yaml").write_text(CLEAN)
    findings = audit(tmp_path / "clean.yaml")
    assert findings["check"].tolist() == sorted([*CHECKS, "duplicates"])
    assert {*findings["verdict"]} == {"pass"}


def test_problem_without_data_seeds_is_checked_on_its_first_repetition(faults):
    write_tables()
    for name in ("train", "test"):
        Path(f"{name}.csv").rename(f"1_{name}.csv")
    named = TABLE.replace("    data_seeds: [1]\n", "").replace(
        "train.csv", "'{data_seed}_train.csv'"
    )
    assert faults(named.replace("test.csv", "'{data_seed}_test.csv'")) == []


# what stands in the irrelevant feature c, where e is noise, and the check that this fails
COLUMNS = """
y | target
3*y + 0.5 | target
2.718**(-y/9) | target
a | columns
a - 4*b + 1 | columns
2.5 + 0*a | columns
y + e |
a + 0.1*e |
a**3 |
1.0*(e > 0) |
"""


@each("column check", COLUMNS)
def test_planted_column_fails_its_own_check_only(faults, column, check):
    write_tables(lambda table, e: table.assign(c=table.assign(e=e).eval(column)))
    lines = faults(TABLE)
    assert [line.split()[0] for line in lines] == check.split()
    assert all("c" in line.split(": ")[-1] for line in lines)


@each(
    "old new share sentences",
    r"""
noise | domain: {a: [-5, 5], b: [-5, 5]}\n    noise | 0.05 |
noise | domain: {a: [-4.9, 5]}\n    noise | 0.05 | domain fail: .*the data leave the stated domain: a .on \d of 600
[a, b] | [a, b, c] | 0.05 | features fail: seed 1: no feature is irrelevant
[1] | [1, 2] | 0.05 | duplicates fail: data seeds 1, 2 have the same rows:
name | name | 0.2 | noise warn; truth fail
""",
)
def test_wrong_statement_about_tables_fails_its_check(faults, old, new, share, sentences):
    write_tables(share=float(share))
    assert_failures(faults(TABLE.replace(old, new)), sentences)


RECIPES = {"line": LINE, "far": FAR, "surrogate": SURROGATE}


@each(
    "name old new sentences",
    """
line | u | u |
far | u | u |
surrogate | x4 | x4 | surrogates fail: .*no temptation: x4$
surrogate | [x1, x2]\\n    surrogates: [x4 | [x2]\\n    surrogates: [x1 | extrapolation fail; features fail; surrogates
""",
)
def test_wrong_statement_about_a_recipe_fails_its_check(faults, name, old, new, sentences):
    """A truth that is one feature is no copy."""
    assert old in RECIPES[name]
    assert_failures(faults(RECIPES[name].replace(old, new)), sentences)


def assert_failures(lines, sentences):
    patterns = list(filter(None, sentences.split("; ")))
    assert len(lines) == len(patterns) and all(map(re.match, patterns, lines)), lines


def test_single_test_target_fails_the_check_of_the_target(faults):
    write_tables()
    pd.read_csv("test.csv")[:1].to_csv("test.csv", index=False)
    [line] = [line for line in faults(TABLE) if line.startswith("target fail")]
    assert "fewer than two different targets" in line


def test_gaps_in_one_dataset_leave_the_others_audited(faults):
    write_tables(lambda table, random: table.assign(a=table["a"].where(table.index != 3)))
    message = "dataset own, train rows: .* in row 4, column 'a'"
    with refused(message):
        faults(TABLE)  # nothing else is there to audit
    [line] = faults(TABLE + CLEAN.split("problems:")[1])
    assert re.match(f"data fail: .*{message}", line)


def test_extrapolation_rows_that_follow_another_law_fail_the_truth(faults):
    """The rows are made by the stated law, and then those beyond the range are replaced."""
    Path("clean.yaml").write_text(CLEAN)
    manifest = generate(load_problems("clean.yaml"), "files", (1,))
    path = Path("files/1_clean_data_extrapolation.csv")
    pd.read_csv(path).assign(y=lambda table: table["x1"] ** 2).to_csv(path, index=False)
    [line] = faults(manifest.read_text().replace("schema: 1", "schema: 1\ndata_root: files"))
    assert line.startswith("truth fail: ") and "on extrapolation rows" in line


def test_dataset_whose_checks_do_not_end_is_a_finding(faults, monkeypatch):
    monkeypatch.setattr("srlib.tools.audit.auditing.CPU_LIMIT_S", 0.01)
    [line] = faults(CLEAN)
    assert line.startswith("limits fail: could not be checked: stopped after 0.0")


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
