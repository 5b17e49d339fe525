"""The table of limits in the manual: each number is the one in the code, each sentence is what a user sees."""

import re
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
from pyarrow import feather

from srlib.errors import SrlibError
from srlib.expressions import evaluate, parse
from srlib.problems import load_problems
from srlib.table_files import read_frame
from srlib.tables import Contract, conform
from srlib.tools.inference.tasks import cases_of, read_answer
from srlib.tools.inference.uai_files import load_problem
from srlib.yaml_files import load_yaml
from tests.builders import judge_competition

MANUAL = Path(__file__).resolve().parent.parent / "docs/tables.md"
ROWS = {
    name: (number.split()[0].replace(",", ""), sentence)
    for name, number, sentence in re.findall(r"^\| (.+?) \| (\d[\d,*]*(?: .+?)?) \| (.+) \|$", MANUAL.read_text(), re.M)
}  # fmt: skip


def read_table(folder, text, name="t.csv", read=read_frame):
    (folder / name).write_text(text)
    read(folder / name)


def read_yaml(folder, text, read=load_yaml):
    read_table(folder, text, "p.yaml", read)


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
    judge_competition(folder / "runs.csv")


def read_recipe(folder, size):
    features, rows = size
    text = (
        "{schema: 1, name: p, problems: [{dataset: d, data: {generator: formula, arguments: {formula: x1, "
        f"features: {{x1..x{features}: [uniform, 0, 1]}}, rows: {{train: {rows}}}}}}}}}]}}"
    )
    read_yaml(folder, text, load_problems)


def evaluate_rows(folder, rows):
    evaluate(parse("x1 + 1"), {"x1": np.ones(rows)}, rows)


def infer(folder, texts):
    """Read a model, evidence and an answer."""
    for suffix, text in zip(("", ".evid", ".PR"), texts, strict=True):
        (folder / f"p.uai{suffix}").write_text(text)
    problem = load_problem(folder / "p.uai")[0]
    answer = read_answer(folder / "p.uai.PR", cases_of(problem)[:1])[0]
    if answer.value is None:
        raise SrlibError(answer.note)


def states(number, answer="PR\n1"):
    return (f"MARKOV\n1\n{number}\n0\n", "0", answer)


def samples(number):
    return ("MARKOV\n1\n2\n0\n", f"{number} " + "0 " * number, "PR\n" + "1\n" * number)


# Row of the table, name of the limit, what it is set to for the test, a function of a folder and a value, and values
# at the limit and beyond it.
CASES = [
    ("CSV, data or JSON file, unpacked", "limits:FILE_BYTES", 8, read_table, "a,b\n1,2\n", "a,b\n1,2\n3"),
    ("Parquet or Feather table in memory", "limits:TABLE_BYTES", 80, read_feather, 10, 11),
    ("cells of a table", "limits:TABLE_CELLS", 4, read_table, "a,b\n1,2\n", "a,b\n1,2\n3\n"),
    ("cells of a table", "limits:TABLE_CELLS", 10, read_feather, 10, 11),
    ("columns of a table", "limits:TABLE_COLUMNS", 2, read_table, "a,b\n1,2\n", "a,b,c\n1,2\n"),
    ("rows of a table of runs, assessments or measures", "limits:RUNS", 2, check_rows, 2, 3),
    ("methods that are ranked", "limits:METHODS", 2, rank_methods, 2, 3),
    ("methods times datasets", "limits:CELLS_RANKED", 4, rank_methods, 2, 3),
    ("YAML file", "limits:YAML_BYTES", 4, read_yaml, "a: 1", "a: 10"),
    ("keys and values in it, those that aliases repeat each time", "limits:YAML_VALUES", 4, read_yaml,
     "a: [1]", "a: [1, 2]"),
    ("how deep they nest", "limits:YAML_DEPTH", None, read_yaml, "a: " + "[" * 49 + "]" * 49,
     "a: " + "[" * 50 + "]" * 50),
    ("whole number or seed in it", "limits:WHOLE_NUMBER", None, read_yaml, f"a: {2**63 - 1}", f"a: {2**63}"),
    ("features of a dataset; surrogates of a recipe", "limits:FEATURES", None, read_recipe, (10_000, 2),
     (10_001, 2)),
    ("rows of a partition that are generated", "limits:DATA_ROWS", None, read_recipe, (1, 10**7),
     (1, 10**7 + 1)),
    ("cells that are generated", "limits:DATA_CELLS", 2010, read_recipe, (1, 5), (1, 6)),
    ("operators, numbers and features of a formula, times the rows it is evaluated on", "limits:STEPS", 12,
     evaluate_rows, 4, 5),
    ("model text", "expressions.parse:LONGEST_TEXT", None, lambda _, text: parse(text),
     " " * 999_999 + "x", " " * 10**6 + "x"),
    ("open brackets and operators in it", "expressions.parse:DEEPEST_NESTING", None, lambda _, text: parse(text),
     "(" * 100_000 + "x" + ")" * 100_000, "(" * 100_001 + "x" + ")" * 100_001),
    ("states of a variable (UAI)", "limits:STATES", None, infer, states(2**20), states(2**20 + 1)),
    ("states of all variables together", "tools.inference.uai_files:ALL_STATES", 4, infer, states(4), states(5)),
    ("samples of evidence", "limits:SAMPLES", None, infer, samples(1000), samples(1001)),
    ("answer of a solver", "tools.inference.tasks:ANSWER_BYTES", 4, infer, states(2), states(2, "PR 10")),
]  # fmt: skip


def test_the_numbers_of_the_table_are_those_of_the_code():
    numbers = {row: int(ROWS[row][0]) for row, *_ in CASES}
    assert numbers == {row: resolve_name(f"srlib.{name}") for row, name, *_ in CASES}


@pytest.mark.parametrize(
    ("row", "name", "smaller", "attempt", "at", "beyond"), CASES, ids=[case[0] for case in CASES]
)
def test_each_limit_holds_and_says_what_the_table_says(
    row, name, smaller, attempt, at, beyond, tmp_path, monkeypatch
):
    sentence = re.match(r"`(.*?)`(?= \(|$)", ROWS[row][1])[1]
    pattern = ".*".join(map(re.escape, sentence.split("...")))
    if smaller is not None:
        monkeypatch.setattr(f"srlib.{name}".replace(":", "."), smaller)
        pattern = re.sub(r"(?<![\d*])[\d,]{2,}|(?<=2\\\*\\\*)\d+", r"[\\d,.]+", pattern)
    attempt(tmp_path, at)
    with pytest.raises(SrlibError) as caught:
        attempt(tmp_path, beyond)
    assert re.match(pattern, str(caught.value)), caught.value
