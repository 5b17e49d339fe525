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
from tests.builders import each, judge_competition

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


def read_nested_yaml(folder, depth):
    read_yaml(folder, "a: " + "[" * int(depth) + "]" * int(depth))


def read_feather(folder, rows):
    table = pd.DataFrame({"a": np.zeros(int(rows))})
    feather.write_feather(table, folder / "t.feather", compression="uncompressed")
    read_frame(folder / "t.feather")


def check_rows(folder, rows):
    conform(pd.DataFrame({"a": range(int(rows))}), Contract("run", {}), "t")


def rank_methods(folder, methods):
    rows = [f"M{i},{d},1,x1,0.5" for i in range(int(methods)) for d in ("noise_easy", "noise_base")]
    (folder / "runs.csv").write_text("\n".join(["method,dataset,repetition,model,r2_test", *rows]))
    judge_competition(folder / "runs.csv")


def read_recipe(folder, size):
    features, rows = size.split()
    text = (
        "{schema: 1, name: p, problems: [{dataset: d, data: {generator: formula, arguments: {formula: x1, "
        f"features: {{x1..x{features}: [uniform, 0, 1]}}, rows: {{train: {rows}}}}}}}}}]}}"
    )
    read_yaml(folder, text, load_problems)


def evaluate_rows(folder, rows):
    evaluate(parse("x1 + 1"), {"x1": np.ones(int(rows))}, int(rows))


def parse_long(folder, length):
    parse(" " * (int(length) - 1) + "x")


def parse_nested(folder, depth):
    parse("(" * int(depth) + "x" + ")" * int(depth))


def infer(folder, states, evidence="0", answer="PR\n1"):
    """Read a model of one variable, evidence and an answer."""
    texts = {"": f"MARKOV\n1\n{states}\n0\n", ".evid": evidence, ".PR": answer}
    for suffix, text in texts.items():
        (folder / f"p.uai{suffix}").write_text(text)
    problem = load_problem(folder / "p.uai")[0]
    result = read_answer(folder / "p.uai.PR", cases_of(problem)[:1])[0]
    if result.value is None:
        raise SrlibError(result.note)


def infer_samples(folder, count):
    infer(folder, "2", f"{count} " + "0 " * int(count), "PR\n" + "1\n" * int(count))


def read_long_answer(folder, answer):
    infer(folder, "2", answer=answer)


# Row of the table, name of the limit, what it is set to for the test, a function of a folder and a text, and texts at
# the limit and beyond it.
CASES = r"""
CSV, data or JSON file, unpacked | limits:FILE_BYTES | 8 | read_table | a,b\n1,2\n | a,b\n1,2\n3
Parquet or Feather table in memory | limits:TABLE_BYTES | 80 | read_feather | 10 | 11
cells of a table | limits:TABLE_CELLS | 4 | read_table | a,b\n1,2\n | a,b\n1,2\n3\n
cells of a table | limits:TABLE_CELLS | 10 | read_feather | 10 | 11
columns of a table | limits:TABLE_COLUMNS | 2 | read_table | a,b\n1,2\n | a,b,c\n1,2\n
rows of a table of runs, assessments or measures | limits:RUNS | 2 | check_rows | 2 | 3
methods that are ranked | limits:METHODS | 2 | rank_methods | 2 | 3
methods times datasets | limits:CELLS_RANKED | 4 | rank_methods | 2 | 3
YAML file | limits:YAML_BYTES | 4 | read_yaml | a: 1 | a: 10
keys and values in it, those that aliases repeat each time | limits:YAML_VALUES | 4 | read_yaml | a: [1] | a: [1, 2]
how deep they nest | limits:YAML_DEPTH | | read_nested_yaml | 49 | 50
whole number or seed in it | limits:WHOLE_NUMBER | | read_yaml | a: 9223372036854775807 | a: 9223372036854775808
features of a dataset; surrogates of a recipe | limits:FEATURES | | read_recipe | 10000 2 | 10001 2
rows of a partition that are generated | limits:DATA_ROWS | | read_recipe | 1 10000000 | 1 10000001
cells that are generated | limits:DATA_CELLS | 2010 | read_recipe | 1 5 | 1 6
operators, numbers and features of a formula, times the rows it is evaluated on |limits:STEPS|12|evaluate_rows|4|5
model text | expressions.parse:LONGEST_TEXT | | parse_long | 1000000 | 1000001
open brackets and operators in it | expressions.parse:DEEPEST_NESTING | | parse_nested | 100000 | 100001
states of a variable (UAI) | limits:STATES | | infer | 1048576 | 1048577
states of all variables together | tools.inference.uai_files:ALL_STATES | 4 | infer | 4 | 5
samples of evidence | limits:SAMPLES | | infer_samples | 1000 | 1001
answer of a solver | tools.inference.tasks:ANSWER_BYTES | 4 | read_long_answer | PR\n1 | PR 10
"""


def test_number_of_a_row_is_the_one_of_the_code():
    rows = [re.split(r" ?\| ?", row) for row in CASES.strip().splitlines()]
    numbers = {row: int(ROWS[row][0]) for row, *_ in rows}
    assert numbers == {row: resolve_name(f"srlib.{name}") for row, name, *_ in rows}


@each("row name smaller attempt at beyond", CASES)
def test_limit_holds_and_says_what_the_table_says(
    row, name, smaller, attempt, at, beyond, tmp_path, monkeypatch
):
    sentence = re.match(r"`(.*?)`(?= \(|$)", ROWS[row][1])[1]
    pattern = ".*".join(map(re.escape, sentence.split("...")))
    if smaller:
        monkeypatch.setattr(f"srlib.{name}".replace(":", "."), int(smaller))
        pattern = re.sub(r"(?<![\d*])[\d,]{2,}|(?<=2\\\*\\\*)\d+", r"[\\d,.]+", pattern)
    globals()[attempt](tmp_path, at)
    with pytest.raises(SrlibError) as caught:
        globals()[attempt](tmp_path, beyond)
    assert re.match(pattern, str(caught.value)), caught.value
