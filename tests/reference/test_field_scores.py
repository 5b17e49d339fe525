"""The field's results go the whole way: imported, checked and scored, and every row stands in a sum that adds up."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.errors import ModelTextError
from srlib.expressions import count_text, evaluate, parse
from srlib.expressions.operators import OPERATORS
from srlib.expressions.shortest import shortest
from srlib.files import PARAMETERS
from srlib.problems import domain_of, load_problems
from srlib.readers import read_runs

pytestmark = pytest.mark.slow

# of the five laws only the form is known: their constants are free, and there are no data
LAWS = """
schema: 1
name: laws
problems:
  - {dataset: hubble, property: solution, features: [D], truth: "73.3*D"}
  - {dataset: newton, property: solution, features: [m1, m2, r], truth: "m1*m2/r**2"}
  - {dataset: ideal_gas, property: solution, features: [n, T, V], truth: "8.314*n*T/V"}
  - {dataset: planck, property: solution, features: [nu, T], truth: "nu**3/(exp(nu/T) - 1)"}
  - {dataset: schechter, property: solution, features: [L], truth: "L**(-1.2)*exp(-L)"}
"""
# source: rows, what `srlib check` finds of single rows, and each how many rows are scored below
FIELD = {
    "physo": (680, {"unparsed": 4, "empty_model": 1}, 40),
    "tpsr": (296, {}, 36),
    "pysr_paper": (216, {"unparsed": 18}, 24),
}


@pytest.fixture
def field(reference_data):
    return reference_data / "field"


def problems_of(name: str, field: Path, folder: Path) -> Path:
    if name != "pysr_paper":
        return field.parent / "pmlb"
    (folder / "laws.yaml").write_text(LAWS)
    return folder / "laws.yaml"


@pytest.mark.parametrize("name", FIELD)
def test_the_ledger_of_the_scores_adds_up(field, tmp_path, name, capsys):
    *_, every = FIELD[name]
    frame = read_runs(field / name).frame.sort_values(["dataset", "method", "repetition"])
    columns = ["method", "dataset", "repetition", "model", "r2_test", "names", "status", "reason"]
    sample = frame.iloc[::every].reindex(columns=columns)
    sample.to_csv(tmp_path / "sample.csv", index=False)
    problems = problems_of(name, field, tmp_path)
    # simplifying ends early: what the ledger adds up to does not depend on how far it came
    rules = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")
    short = rules.replace("simplify_work: 500000", "simplify_work: 5000")
    (tmp_path / "rules.yaml").write_text(short, encoding="utf-8")
    words = ["score", str(tmp_path / "sample.csv"), "--problems", str(problems), "--timeout", "0.5"]
    words += ["--rules", str(tmp_path / "rules.yaml")]
    code = main([*words, "--out", str(tmp_path / "scores")])
    assert short != rules
    out = "".join(capsys.readouterr())
    # without data and without a reported accuracy nothing can be ranked, and every row says so
    assert code == (1 if name == "pysr_paper" else 0)
    read, scored, excluded = map(
        int, re.search(r"(\d+) runs read = (\d+) scored \+ (\d+) excluded", out).groups()
    )
    ledger = pd.read_csv(tmp_path / "scores" / "ledger.csv")
    gone = ledger[(ledger["action"] == "excluded") & (ledger["level"] == "run")]
    assert read == len(sample) == scored + excluded
    assert (scored == 0) == (name == "pysr_paper")
    assert excluded == len(gone[["method", "dataset", "repetition"]].drop_duplicates())


def test_texts_without_a_real_value_are_called_so(field):
    """Four are zoo; eleven of PhySO hold sympy's imaginary unit, and none is real after all.

    On II.13.17 the feature I is a current.
    """
    frame = read_runs(field / "physo").frame
    problems = load_problems(field.parent / "pmlb")
    kinds, complex_ones = [], 0
    for dataset, text in frame[["dataset", "model"]].dropna().itertuples(index=False):
        problem = problems.find(dataset)
        try:
            model = parse(text, problem.features)
        except ModelTextError as error:
            kinds.append(error.kind)
            assert "zoo" in text
            continue
        assert shortest(model).complexity <= count_text(model)
        if any(item is OPERATORS["imaginary"] for item in model.tape):
            complex_ones += 1
            middle = {name: np.array([sum(ends) / 2]) for name, ends in domain_of(problem).items()}
            assert np.isnan(evaluate(model, middle, 1)).all()
    assert (kinds, complex_ones) == (["nonfinite"] * 4, 11)
