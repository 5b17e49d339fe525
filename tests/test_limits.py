"""The table of limits in the manual: each number is the one in the code, each sentence is what a user sees."""

import re
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import feather

from srlib import limits
from srlib.assessing import assess
from srlib.audit import auditing
from srlib.errors import SrlibError
from srlib.expressions import evaluate, parse
from srlib.inference import exact
from srlib.inference.tasks import cases_of, read_answer
from srlib.inference.uai_files import load_problem
from srlib.judging import judge_runs
from srlib.problems import load_problems
from srlib.recording.record import TIME_LIMIT_S
from srlib.rules import Measure
from srlib.table_files import read_frame
from srlib.tables import Contract, conform
from srlib.workers import bounded_map
from srlib.yaml_files import load_yaml

MANUAL = Path(__file__).resolve().parent.parent / "docs" / "tables.md"
ROWS = {
    name: (number.split()[0].replace(",", ""), sentence)
    for name, number, sentence in re.findall(r"^\| (.+?) \| (\d[\d,*]*(?: .+?)?) \| (.+) \|$", MANUAL.read_text(), re.M)
}  # fmt: skip


def read_table(folder, text):
    (folder / "t.csv").write_text(text)
    read_frame(folder / "t.csv")


def read_feather(folder, rows):
    table = pd.DataFrame({"a": np.zeros(rows)})
    feather.write_feather(table, folder / "t.feather", compression="uncompressed")
    read_frame(folder / "t.feather")


def check_rows(folder, rows):
    conform(pd.DataFrame({"a": range(rows)}), Contract("run", {}), "t")


def rank_methods(folder, methods):
    texts = [
        f"M{i},{dataset},1,x1,0.5\n"
        for i in range(methods)
        for dataset in ("noise_easy", "noise_base")
    ]
    (folder / "runs.csv").write_text("method,dataset,repetition,model,r2_test\n" + "".join(texts))
    judge_runs(folder / "runs.csv")


def read_yaml(folder, text):
    (folder / "p.yaml").write_text(text)
    load_yaml(folder / "p.yaml")


def read_recipe(folder, size):
    features, rows = size
    (folder / "p.yaml").write_text(
        "{schema: 1, name: p, problems: [{dataset: d, data: {generator: formula, arguments: {formula: x1, "
        f"features: {{x1..x{features}: [uniform, 0, 1]}}, rows: {{train: {rows}}}}}}}}}]}}"
    )
    load_problems(folder / "p.yaml")


def evaluate_rows(folder, rows):
    evaluate(parse("x1 + 1"), {"x1": np.ones(rows)}, rows)


def infer(folder, texts):
    """Read a model, evidence and an answer, and compute what is to be inferred."""
    for suffix, text in zip(("", ".evid", ".PR"), texts, strict=True):
        (folder / f"p.uai{suffix}").write_text(text)
    problem = load_problem(folder / "p.uai")[0]
    answer = read_answer(folder / "p.uai.PR", cases_of(problem)[:1])[0]
    if answer.value is None:
        raise SrlibError(answer.note)
    exact.posterior(problem.model, problem.evidence)


def states(number, answer="PR\n1"):
    """Two variables, the second of so many states."""
    return (f"MARKOV\n2\n2 {number}\n1\n2 0 1\n{2 * number}" + " 1" * 2 * number, "0", answer)


def lone(states):
    return (f"MARKOV\n1\n{states}\n0\n", "0", "PR\n1")


def samples(number):
    return (states(2)[0], f"{number} " + "0 " * number, "PR\n" + "1\n" * number)


# Row of the table, name of the limit, what it is set to for the test, a function of a folder and a value, and values
# at the limit and beyond it.
CASES = [
    ("CSV, data or JSON file, unpacked", "FILE_BYTES", 8, read_table, "a,b\n1,2\n", "a,b\n1,2\n3"),
    ("Parquet or Feather table in memory", "TABLE_BYTES", 80, read_feather, 10, 11),
    ("cells of a table", "TABLE_CELLS", 4, read_table, "a,b\n1,2\n", "a,b\n1,2\n3\n"),
    ("columns of a table", "TABLE_COLUMNS", 2, read_table, "a,b\n1,2\n", "a,b,c\n1,2\n"),
    ("rows of a table of runs, assessments or measures", "RUNS", 2, check_rows, 2, 3),
    ("methods that are ranked", "METHODS", 2, rank_methods, 2, 3),
    ("methods times datasets", "CELLS_RANKED", 4, rank_methods, 2, 3),
    ("YAML file", "YAML_BYTES", 4, read_yaml, "a: 1", "a: 10"),
    ("keys and values in it, those that aliases repeat each time", "YAML_VALUES", 4, read_yaml,
     "a: [1]", "a: [1, 2]"),
    ("how deep they nest", "YAML_DEPTH", None, read_yaml, "a: " + "[" * 49 + "]" * 49,
     "a: " + "[" * 50 + "]" * 50),
    ("whole number or seed in it", "WHOLE_NUMBER", None, read_yaml, f"a: {2**63 - 1}", f"a: {2**63}"),
    ("features of a dataset; surrogates of a recipe", "FEATURES", None, read_recipe, (10_000, 2),
     (10_001, 2)),
    ("rows of a partition that are generated", "DATA_ROWS", None, read_recipe, (1, 10**7),
     (1, 10**7 + 1)),
    ("cells that are generated", "DATA_CELLS", 2010, read_recipe, (1, 5), (1, 6)),
    ("operators, numbers and features of a formula, times the rows it is evaluated on", "STEPS", 12,
     evaluate_rows, 4, 5),
    ("model text", "LONGEST_TEXT", 5, lambda _, text: parse(text), "x1+x2", "x1+x20"),
    ("open brackets and operators in it", "DEEPEST", None, lambda _, text: parse(text),
     "(" * 100_000 + "x" + ")" * 100_000, "(" * 100_001 + "x" + ")" * 100_001),
    ("states of a variable (UAI)", "STATES", None, infer, *map(lone, (2**20, 2**20 + 1))),
    ("states of all variables together", "ALL_STATES", 4, infer, states(2), states(3)),
    ("samples of evidence", "SAMPLES", None, infer, samples(1000), samples(1001)),
    ("answer of a solver", "ANSWER_BYTES", 4, infer, states(2), states(2, "PR 10")),
    ("entries of a table of exact inference", "WIDTH_BITS", 2.0, infer, states(2), states(3)),
    ("entries of all its tables", "ENTRIES", 6.0, infer, states(2), states(3)),
]  # fmt: skip


ELSEWHERE = {  # limits that another module than srlib.limits holds
    "LONGEST_TEXT": "srlib.expressions.parse",
    "DEEPEST": "srlib.expressions.parse",
    "ALL_STATES": "srlib.inference.uai_files",
    "ANSWER_BYTES": "srlib.inference.tasks",
    "WIDTH_BITS": "srlib.inference.exact",
    "ENTRIES": "srlib.inference.exact",
}


def module_of(name):
    return import_module(ELSEWHERE.get(name, "srlib.limits"))


DEFAULTS = {
    "work of simplifying one model (the rules' `simplify_work`)": Measure().simplify_work,
    "time of one operation on one model (`--timeout`; of simplifying at least 250 s)":
        signature(assess).parameters["timeout"].default,
    "time of the checks of one dataset (`srlib audit`)": auditing.LIMIT_S,
    "memory of the process that does it": 
        signature(bounded_map).parameters["memory_bytes"].default,
    "time of one run that is recorded (`--time-limit`)": TIME_LIMIT_S,
}  # fmt: skip


def test_the_table_names_all_limits_and_their_numbers():
    code = {row: getattr(module_of(name), name) for row, name, *_ in CASES}
    code["entries of a table of exact inference"] = 2**limits.WIDTH_BITS
    numbers = {}
    for row, (number, _) in ROWS.items():
        base, _, exponent = number.partition("**")
        numbers[row] = int(base) ** int(exponent or 1)
    assert numbers == code | DEFAULTS


@pytest.mark.parametrize(
    ("row", "name", "smaller", "attempt", "at", "beyond"), CASES, ids=[case[0] for case in CASES]
)
def test_each_limit_holds_and_says_what_the_table_says(
    row, name, smaller, attempt, at, beyond, tmp_path, monkeypatch
):
    sentence = re.match(r"`(.*?)`(?= \(|$)", ROWS[row][1])[1]
    pattern = ".*".join(map(re.escape, sentence.split("...")))
    if smaller is not None:
        monkeypatch.setattr(module_of(name), name, smaller)
        pattern = re.sub(r"(?<![\d*])[\d,]{2,}|(?<=2\\\*\\\*)\d+", r"[\\d,.]+", pattern)
    attempt(tmp_path, at)
    with pytest.raises(SrlibError) as caught:
        attempt(tmp_path, beyond)
    assert re.match(pattern, str(caught.value)), caught.value
