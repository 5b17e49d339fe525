# ruff: noqa: E501
"""Faults are named and sound tasks pass, on five seeds; the audit of what was published and is shipped.

Faults and sound tasks are lines of a table. TABLE has 300 training and 300 test rows of its own truth; what stands in
the second column is done to `train` and `test`, where `e` is noise, and what stands in the third to the statement.
"""

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

TABLE = """
  - dataset: NAME
    property: relevant_features
    truth: "a*b + 2*a + 3*b"
    relevant: [a, b]
    noise_level: 0.05
    domain: {a: [-40, 40]}
    data_seeds: [SEED]
    data: {train: NAME-train.csv, test: NAME-test.csv}
"""
RECIPE = """
  - dataset: NAME
    truth: "x1*x2 + 2*x1 + 3*x2"
    noise_level: 0.05
    data_seeds: [SEED]
    data:
      generator: formula
      arguments:
        features: {x1..x4: [uniform, -5, 5]}
        rows: {train: 300, test: 300, extrapolation: 60}
"""
TEMPTING = RECIPE.replace(
    "features", 'surrogates: {s1: "x1*x2", s2: "2*x1 + 3*x2"}\n        features'
)
TEMPTING = TEMPTING.replace("    truth", "    property: local_optima\n    truth")
BEYOND = RECIPE.replace("features", "extrapolation: {x1: [uniform, 5, 8]}\n        features")
PAIR = RECIPE.replace("NAME", "NAME-base").replace("0.05", "0.0") + RECIPE.replace(
    "    truth", "    noise_reference: NAME-base\n    property: noise_sensitivity\n    truth"
)
FAMILY = RECIPE.replace("    truth", "    family: f\n    difficulty: easy\n    truth")
FAMILY += (
    FAMILY.replace("NAME", "NAME-hard")
    .replace("y: easy", "y: hard")
    .replace("0.05", "0.1")
    .replace("[S", "[1S")
)
UNKNOWN = re.sub(r"    (truth|relevant|property):.*\n", "", TABLE)
FAULTS = r"""
truth | TABLE | train.y *= 2; test.y *= 2 |
truth | TABLE | train.y += 9; test.y += 9 |
truth | TABLE | test.y = test.y[::-1].values |
truth | TABLE | test[['a', 'b']] = test[['b', 'a']].values |
truth | TABLE | test.a *= 100 | -40, 40 -> -999, 999
truth | TABLE | test.y = test.a - test.b |
truth | TABLE | | a*b + -> a*b/a +
truth | TABLE | | a*b + -> log(a) +
truth | TABLE | | a*b + -> a*(b +
truth | RECIPE | | features -> formula: "2*x1*x2"\n        features
truth | TABLE | save(1, train, train); save(2, test, train); save(3, test, -train) | [SEED] -> [1, 2, 3]; NAME-train.csv, test: NAME-test.csv -> "{data_seed}NAME-train.csv", test: "{data_seed}NAME-test.csv"
noise | TABLE | train.y = train.eval('a*b + 2*a + 3*b + e'); test.y = test.eval('a*b + 2*a + 3*b + e') |
noise | TABLE | train.y += 20*train.e; test.y += 20*test.e |
noise | TABLE | test.y = test.eval('a*b + 2*a + 3*b') |
noise | RECIPE | | rows: -> ratio: 0.3\n        rows:
target | TABLE | train['c'] = train.y; test['c'] = test.y |
target | TABLE | train['c'] = 1 - 3*train.y; test['c'] = 1 - 3*test.y |
target | TABLE | train['c'] = np.exp(-train.y/9); test['c'] = np.exp(-test.y/9) |
target | TABLE | train['c'] = train.y + 0.01*train.e; test['c'] = test.y + 0.01*test.e |
target | TABLE | train['c'] = np.exp((train.y + 0.01*train.e)/30); test['c'] = train.c |
target | UNKNOWN | train['c'] = train.y + 0.01*train.e; test['c'] = test.y + 0.01*test.e |
target | TABLE | test.y = 7.0 |
columns | TABLE | train['c'] = train.a; test['c'] = test.a |
columns | TABLE | train['c'] = train.a - 4*train.b + 1 |
columns | TABLE | train['c'] = 2.5 |
columns | UNKNOWN | test.a *= 100 | -40, 40 -> -999, 999
columns | UNKNOWN | test[['a', 'y']] = test[['y', 'a']].values | -40, 40 -> -99, 99
leakage | TABLE | test[:] = train |
leakage | TABLE | test[:] = train + 1e-9 |
leakage | TABLE | test[:20] = train[:20] |
leakage | RECIPE | | 0.05 -> 0.0; uniform, -5, 5 -> integers, 1, 3
domain | TABLE | | -40, 40 -> -4, 4
domain | TABLE | test.a *= 9; test.y = test.eval('a*b + 2*a + 3*b') + 3*test.e |
features | TABLE | | [a, b] -> [a, b, c]
features | TABLE | | [a, b] -> [a]
features | TABLE | | 3*b" -> 3*b + 0*c"; [a, b] -> [a, b, c]; property: relevant_features -> track: t
duplicates | TABLE | | [SEED] -> [SEED, 5]
data | TABLE | train.loc[3, 'a'] = np.nan |
surrogates | TEMPTING | | features -> surrogate_ratio: 0\n        features
surrogates | TEMPTING | | , s2: "2*x1 + 3*x2"} -> }; features -> surrogate_ratio: 0\n        features
surrogates | TEMPTING | | , s2: "2*x1 + 3*x2"} -> }; features -> surrogate_ratio: 0.000001\n        features
surrogates | TEMPTING | | x2 + 2*x1 -> x2 + sin(x1*x2)*9 + 2*x1; features -> surrogate_ratio: 0\n        features
surrogates | TEMPTING | | s2: "2*x1 + 3*x2" -> s2: "x4"
surrogates | RECIPE | | truth -> property: local_optima\n    truth
surrogates | RECIPE | | truth -> relevant: [x1, x2]\n    surrogates: [x1]\n    property: local_optima\n    truth
extrapolation | BEYOND | | 5, 8 -> 2, 8
extrapolation | RECIPE | | truth -> property: extrapolation\n    truth
reference | PAIR | | x1*x2 + 2*x1 + 3*x2 -> x1*x2
reference | PAIR | | train: 300 -> train: 200
reference | PAIR | | uniform, -5, 5 -> uniform, -2, 5
leakage | PAIR | | noise_reference: NAME-base\n    property: noise_sensitivity -> track: t
difficulty | FAMILY | | y: easy -> y: harder
"""
SOUND = r"""
TABLE | |
TABLE | train.y = train.eval('a*b + 2*a + 3*b'); test.y = test.eval('a*b + 2*a + 3*b') | 0.05 -> 0
TABLE | test.a = test.a*2 + 15; test.y = test.eval('a*b + 2*a + 3*b') + 3.1*test.e |
TABLE | train['c'] = train.a + 0.1*train.e; test['c'] = test.a |
TABLE | train['c'] = train.a**3; test['c'] = test.a**3 |
TABLE | train['c'] = train.y + 30*train.e; test['c'] = test.y + 30*test.e |
TABLE | tables['train'] = train[:50] |
RECIPE | | 0.05 -> 0.25; x1*x2 + 2*x1 + 3*x2 -> x1^2 + x2; features -> test: {x1: [normal, 0, 1]}\n        features
RECIPE | | 0.05 -> 0.25; features -> test: {x1: [loguniform, 1, 9], x2: [uniform, 0, 1]}\n        features
RECIPE | | x1*x2 + 2*x1 + 3*x2 -> x1^2 - x1; x1..x4: [uniform -> x1: [grid; features -> test: {x1: [uniform, -5, 5]}\n        features
RECIPE | | uniform, -5, 5 -> integers, -9, 9; train: 300 -> train: 40
TEMPTING | |
BEYOND | | truth -> property: extrapolation\n    truth
PAIR | |
FAMILY | |
UNKNOWN | |
"""
# seed, and of how many lines one is tried: some of them with every change, all of them on five seeds
SEEDS = [(0, 7), *(pytest.param(seed, 1, marks=pytest.mark.slow) for seed in range(1, 6))]


def write_task(number, base, change, edits, seed):
    """Write the data of a task, and return its statement."""
    name, random = f"t{number}", np.random.default_rng([seed, number])
    text = globals()[base]
    for edit in filter(None, edits.replace("\\n", "\n").split("; ")):
        old, new = edit.split(" -> ")
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    text = text.replace("NAME", name).replace("SEED", str(100 * seed + number + 9))
    if base in ("TABLE", "UNKNOWN"):
        tables = {}
        for part in ("train", "test"):
            table = pd.DataFrame(random.uniform(-5, 5, (300, 3)), columns=list("abc"))
            signal = table.eval("a*b + 2*a + 3*b")
            table["e"] = random.normal(size=300)
            table["y"] = signal + random.normal(size=300) * np.sqrt(signal.var() / 19)
            tables[part] = table

        def save(prefix, train, test):
            for part, table in (("train", train), ("test", test)):
                table.drop(columns="e").to_csv(f"{prefix}{name}-{part}.csv", index=False)

        exec(change, {"np": np, "save": save, "tables": tables, **tables})
        save("", **tables)
    return text


def audit_tasks(lines, seed, step=1):
    """Audit the tasks of a table; return the columns of the lines and the findings."""
    rows = [
        [cell.strip() for cell in line.split("|")] for line in lines.strip().splitlines()[::step]
    ]
    tasks = [write_task(number, *row[-3:], seed) for number, row in enumerate(rows)]
    Path("p.yaml").write_text("schema: 1\nname: tasks\nproblems:" + "".join(tasks))
    return rows, audit("p.yaml")


@pytest.mark.parametrize(("seed", "step"), SEEDS)
def test_planted_fault_is_named_by_its_check(seed, step, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows, findings = audit_tasks(FAULTS, seed, step)
    faulty = findings[findings["verdict"] != "pass"]
    accused = {*zip(faulty["dataset"], faulty["check"], strict=True)}
    missed = [row for number, row in enumerate(rows) if (f"t{number}", row[0]) not in accused]
    assert missed == []


@pytest.mark.parametrize(("seed", "step"), SEEDS)
def test_sound_task_is_not_accused(seed, step, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    findings = audit_tasks(SOUND, seed, step)[1]
    assert findings[findings["verdict"] != "pass"].to_dict("records") == []
    assert step > 1 or {*findings["check"]} == {*CHECKS, "duplicates", "reference"}


def test_gaps_in_every_dataset_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refused("dataset t0, train rows: .* in row 4, column 'a'"):
        audit_tasks("data | TABLE | train.loc[3, 'a'] = np.nan |", 1)


def test_extrapolation_rows_that_follow_another_law_fail_the_truth(tmp_path, monkeypatch):
    """The rows are made by the stated law, and then those beyond the range are replaced."""
    monkeypatch.chdir(tmp_path)
    audit_tasks("BEYOND | |", 1)
    manifest = generate(load_problems("p.yaml"), "files", (1,))
    path = Path("files/1_t0_data_extrapolation.csv")
    pd.read_csv(path).assign(y=lambda table: table["x1"] ** 2).to_csv(path, index=False)
    findings = audit(manifest).set_index("check")
    assert findings["verdict"]["truth"] == "fail"
    assert "on the extrapolation rows" in findings["detail"]["truth"]


def test_dataset_whose_checks_do_not_end_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("srlib.tools.audit.auditing.CPU_LIMIT_S", 0.01)
    [detail] = audit_tasks("RECIPE | |", 1)[1]["detail"]
    assert detail.startswith("could not be checked: stopped after 0.0")


@pytest.mark.slow
@each("dataset r2", "seirdS_easy | 0.77\nseirdE_medium | 0.01\nseirdI_hard | 0.11")
def test_published_seir_truth_fails(reference_data, dataset, r2):
    published = load_problems("seir-2022", reference_data / "competition2022/synthetic")
    problems = replace(published, problems=(published.find(dataset),))
    findings = audit(problems, seeds=1).set_index("check")
    assert findings.loc[["truth", "noise"], "verdict"].tolist() == ["fail", "warn"]
    assert findings.loc["truth", "value"] == pytest.approx(float(r2), abs=0.01)


@pytest.mark.slow
@each("name kinds", "synthetic-2022 | leakage\nexample-tasks |")
def test_shipped_problems_are_clean(name, kinds):
    """In 2022 datasets of several levels of noise shared their rows, which is a warning."""
    problems = load_problems(name)
    findings = audit(problems).set_index("verdict")
    assert "fail" not in findings.index
    assert {*findings.loc[findings.index == "warn", "check"]} == {*kinds.split()}
    assert {*findings["dataset"]} == {problem.dataset for problem in problems.problems}
