"""The table of limits in the manual: each number is the one in the code, each sentence is what a user sees."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
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
from srlib.inference import exact, load_problem
from srlib.inference.answers import read_answer
from srlib.inference.tasks import cases_of
from srlib.judging.judgement import judge
from srlib.problems import load_problems
from srlib.recording.record import TIME_LIMIT_S
from srlib.rules import Measure, load_rules
from srlib.table_files import read_frame
from srlib.tables import Contract, conform
from srlib.workers import bounded_map
from srlib.yaml_files import load_yaml

parsing = import_module("srlib.expressions.parse")  # a function of the package has its name
MANUAL = Path(__file__).resolve().parent.parent / "docs" / "tables.md"
Attempt = Callable[[Path, bool], object]


def rows() -> dict[str, tuple[float, str]]:
    """What is limited, to how much, and the sentence, as the manual has it."""
    found = re.findall(r"^\| (.+?) \| (.+?) \| (.+) \|$", MANUAL.read_text(), flags=re.MULTILINE)
    table = {
        what: (number, said) for what, number, said in found if re.match(r"[\d,*]+( |$)", number)
    }
    return {
        what: (float(eval_power(number.split()[0].replace(",", ""))), said)
        for what, (number, said) in table.items()
    }


def eval_power(text: str) -> int:
    base, _, exponent = text.partition("**")
    return int(base) ** int(exponent or 1)


def table_of(folder: Path, text: str) -> object:
    (folder / "t.csv").write_text(text)
    return read_frame(folder / "t.csv")


def yaml_of(folder: Path, text: str) -> object:
    (folder / "p.yaml").write_text(text)
    return load_yaml(folder / "p.yaml")


def problems_of(folder: Path, text: str) -> object:
    (folder / "p.yaml").write_text(f"schema: 1\nname: p\n{text}")
    return load_problems(folder / "p.yaml")


def recipe(folder: Path, features: int, rows: int) -> object:
    arguments = (
        f"{{formula: x1, features: {{x1..x{features}: [uniform, 0, 1]}}, rows: {{train: {rows}}}}}"
    )
    return problems_of(
        folder, f"problems: [{{dataset: d, data: {{generator: formula, arguments: {arguments}}}}}]"
    )


def ranked(methods: int) -> object:
    """Judge as many methods on two datasets."""
    datasets = ["noise_easy", "noise_base"]
    runs = pd.DataFrame(
        {"method": f"M{i}", "dataset": dataset, "repetition": 1, "model": None, "status": "failed"}
        for i in range(methods)
        for dataset in datasets
    )
    problems, rules = load_problems("synthetic-2022"), load_rules("judging-2022")
    return judge(assess(runs, problems, rules.measure), problems, rules)


def feather_of(folder: Path) -> object:
    feather.write_feather(
        pd.DataFrame({"a": np.zeros(10)}), folder / "t.feather", compression="uncompressed"
    )
    return read_frame(folder / "t.feather")


def uai_of(folder: Path, states: int = 2, evidence: str = "0", answer: str = "PR\n1") -> object:
    (folder / "p.uai").write_text(
        f"MARKOV\n2\n{states} 2\n1\n2 0 1\n4 1 2 2 1\n"
        if states == 2
        else f"MARKOV\n1\n{states}\n0\n"
    )
    (folder / "p.uai.evid").write_text(evidence)
    (folder / "p.uai.PR").write_text(answer)
    problem = load_problem(folder / "p.uai")[0]
    said = read_answer(folder / "p.uai.PR", cases_of(problem)[:1])[0]
    if said.value is None:
        raise SrlibError(said.note)
    return exact.posterior(problem.model, problem.evidence)


def samples_of(folder: Path, more: bool) -> object:
    samples = 1000 + more
    return uai_of(folder, evidence=f"{samples} " + "0 " * samples, answer="PR\n" + "1\n" * 1001)


# By row of the table: what the code says, the module and name to make smaller for the test, the smaller value, and
# what is at the limit (False) or one beyond it (True).
CASES: dict[str, tuple[float, object, str, float | tuple[float, float] | None, Attempt]] = {
    "CSV, data or JSON file, unpacked": (
        limits.FILE_BYTES,
        limits,
        "FILE_BYTES",
        8,
        lambda f, more: table_of(f, "a,b\n1,2\n" + "3" * more),
    ),
    "Parquet or Feather table in memory": (
        limits.TABLE_BYTES,
        limits,
        "TABLE_BYTES",
        (80, 79),
        lambda f, more: feather_of(f),
    ),
    "cells of a table": (
        limits.TABLE_CELLS,
        limits,
        "TABLE_CELLS",
        4,
        lambda f, more: table_of(f, "a,b\n1,2\n" + "3\n" * more),
    ),
    "columns of a table": (
        limits.TABLE_COLUMNS,
        limits,
        "TABLE_COLUMNS",
        2,
        lambda f, more: table_of(f, "a,b" + ",c" * more + "\n1,2\n"),
    ),
    "rows of a table of runs, assessments or measures": (
        limits.RUNS,
        limits,
        "RUNS",
        2,
        lambda f, more: conform(pd.DataFrame({"a": range(2 + more)}), Contract("run", {}), "t"),
    ),
    "methods that are ranked": (
        limits.METHODS,
        limits,
        "METHODS",
        2,
        lambda f, more: ranked(2 + more),
    ),
    "methods times datasets": (
        limits.CELLS_RANKED,
        limits,
        "CELLS_RANKED",
        4,
        lambda f, more: ranked(2 + more),
    ),
    "YAML file": (
        limits.YAML_BYTES,
        limits,
        "YAML_BYTES",
        4,
        lambda f, more: yaml_of(f, "a: 1" + "0" * more),
    ),
    "keys and values in it, those that aliases repeat each time": (
        limits.YAML_VALUES,
        limits,
        "YAML_VALUES",
        4,
        lambda f, more: yaml_of(f, "a: [1" + ", 2" * more + "]"),
    ),
    "how deep they nest": (
        limits.YAML_DEPTH,
        limits,
        "YAML_DEPTH",
        None,
        lambda f, more: yaml_of(f, "a: " + "[" * (49 + more) + "]" * (49 + more)),
    ),
    "whole number or seed in it": (
        limits.WHOLE_NUMBER,
        limits,
        "WHOLE_NUMBER",
        None,
        lambda f, more: yaml_of(f, f"a: {limits.WHOLE_NUMBER + more}"),
    ),
    "features of a dataset; surrogates of a recipe": (
        limits.FEATURES,
        limits,
        "FEATURES",
        None,
        lambda f, more: recipe(f, 10_000 + more, 2),
    ),
    "rows of a partition that are generated": (
        limits.DATA_ROWS,
        limits,
        "DATA_ROWS",
        None,
        lambda f, more: recipe(f, 1, 10_000_000 + more),
    ),
    "cells that are generated": (
        limits.DATA_CELLS,
        limits,
        "DATA_CELLS",
        2010,
        lambda f, more: recipe(f, 1, 5 + more),
    ),
    "operators, numbers and features of a formula, times the rows it is evaluated on": (
        limits.STEPS,
        limits,
        "STEPS",
        12,
        lambda f, more: evaluate(parse("x1 + 1"), {"x1": np.ones(4 + more)}, 4 + more),
    ),
    "model text": (
        parsing.LONGEST_TEXT,
        parsing,
        "LONGEST_TEXT",
        5,
        lambda f, more: parse("x1+x2" + "0" * more),
    ),
    "open brackets and operators in it": (
        parsing.DEEPEST,
        parsing,
        "DEEPEST",
        None,
        lambda f, more: parse("(" * (100_000 + more) + "x" + ")" * (100_000 + more)),
    ),
    "states of a variable (UAI)": (
        limits.STATES,
        limits,
        "STATES",
        None,
        lambda f, more: uai_of(f, limits.STATES + more),
    ),
    "states of all variables together": (
        limits.ALL_STATES,
        "srlib.inference.uai_files",
        "ALL_STATES",
        (4, 3),
        lambda f, more: uai_of(f),
    ),
    "samples of evidence": (limits.SAMPLES, limits, "SAMPLES", None, samples_of),
    "answer of a solver": (
        limits.ANSWER_BYTES,
        "srlib.inference.answers",
        "ANSWER_BYTES",
        4,
        lambda f, more: uai_of(f, answer="PR 1" + "0" * more),
    ),
    "entries of a table of exact inference": (
        limits.WIDTH_BITS,
        exact,
        "WIDTH_BITS",
        (2.0, 1.0),
        lambda f, more: uai_of(f),
    ),
    "entries of all its tables": (
        limits.ENTRIES,
        exact,
        "ENTRIES",
        (6.0, 4.0),
        lambda f, more: uai_of(f),
    ),
}
DEFAULTS = {
    "work of simplifying one model (the rules' `simplify_work`)": Measure().simplify_work,
    "time of one operation on one model (`--timeout`; of simplifying at least 250 s)": inspect.signature(
        assess
    )
    .parameters["timeout"]
    .default,
    "time of the checks of one dataset (`srlib audit`)": auditing.LIMIT_S,
    "memory of the process that does it": inspect.signature(bounded_map)
    .parameters["memory_bytes"]
    .default,
    "time of one run that is recorded (`--time-limit`)": TIME_LIMIT_S,
}


def test_the_table_names_all_limits_and_their_numbers():
    code = {what: case[0] for what, case in CASES.items()} | DEFAULTS
    code["entries of a table of exact inference"] = 2**limits.WIDTH_BITS
    assert {what: number for what, (number, _) in rows().items()} == {
        what: float(n) for what, n in code.items()
    }


@pytest.mark.parametrize("what", CASES)
def test_each_limit_holds_and_says_what_the_table_says(what, tmp_path, monkeypatch):
    number, module, name, smaller, attempt = CASES[what]
    at, beyond = smaller if isinstance(smaller, tuple) else (smaller, smaller)
    place = import_module(module) if isinstance(module, str) else module
    if at is not None:
        monkeypatch.setattr(place, name, at)
    attempt(tmp_path, False)
    if beyond is not None:
        monkeypatch.setattr(place, name, beyond)
    with pytest.raises(SrlibError) as caught:
        attempt(tmp_path, True)
    said = re.match(r"`(.*?)`(?= \(|$)", rows()[what][1])
    assert said is not None
    expected = ".*".join(map(re.escape, said[1].split("...")))
    shown = str(caught.value)
    if beyond is not None:  # the test made the limit smaller
        expected = re.sub(r"(?<![\d*])[\d,]{2,}|(?<=2\\\*\\\*)\d+", r"[\\d,.]+", expected)
    assert re.fullmatch(expected + r"(?s:.*)" * said[1].endswith("..."), shown), shown
