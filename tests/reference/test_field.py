"""The field's own results (data/field): every text with a real value is read, and what is scored adds up."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.errors import ModelTextError
from srlib.expressions import count_text, evaluate, parse
from srlib.expressions.normal_form import shortest
from srlib.expressions.operators import OPERATORS
from srlib.files import PARAMETERS
from srlib.problems import domain_of, load_problems
from srlib.readers import read_results, read_runs

KNOWN = [f"x{i}" for i in range(12)]
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


@pytest.fixture(scope="module")
def field(reference_data):
    return reference_data / "field"


@pytest.mark.parametrize(
    ("name", "rows", "nonfinite"), [("physo", 680, 4), ("tpsr", 296, 0), ("pysr_paper", 216, 18)]
)
def test_all_of_it_imports_and_is_read(field, name, rows, nonfinite):
    frame, kinds = read_results(field / name).frame, Counter()
    assert len(frame) == rows and "invalid" not in set(frame["status"])
    for text in frame["model"].dropna():
        try:
            parse(text, KNOWN if name == "tpsr" else None)
        except ModelTextError as error:
            kinds[error.kind] += 1
    assert kinds == Counter(nonfinite=nonfinite)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "step"), [("physo", 40), ("tpsr", 36), ("pysr_paper", 24)])
def test_the_ledger_of_the_scores_adds_up(field, tmp_path, name, step, capsys):
    frame = read_runs(field / name).frame.sort_values(["dataset", "method", "repetition"])
    columns = ["method", "dataset", "repetition", "model", "r2_test", "names", "status", "reason"]
    sample = frame.iloc[::step].reindex(columns=columns)
    sample.to_csv(tmp_path / "sample.csv", index=False)
    (tmp_path / "laws.yaml").write_text(LAWS)
    problems = tmp_path / "laws.yaml" if name == "pysr_paper" else field.parent / "pmlb"
    # simplifying ends early: what the ledger adds up to does not depend on how far it came
    rules = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")
    short = rules.replace("simplify_work: 500000", "simplify_work: 5000")
    assert short != rules
    (tmp_path / "rules.yaml").write_text(short, encoding="utf-8")
    paths = {"--problems": problems, "--rules": tmp_path / "rules.yaml", "--out": tmp_path / "out"}
    options = [str(word) for option in paths.items() for word in option]
    code = main(["score", str(tmp_path / "sample.csv"), "--timeout", "0.5", *options])
    # without data and without a reported accuracy nothing can be ranked, and every row says so
    assert code == (1 if name == "pysr_paper" else 0)
    counts = re.search(
        r"(\d+) runs read = (\d+) scored \+ (\d+) excluded", "".join(capsys.readouterr())
    )
    read, scored, excluded = map(int, counts.groups())
    ledger = pd.read_csv(tmp_path / "out" / "ledger.csv")
    gone = ledger[(ledger["action"] == "excluded") & (ledger["level"] == "run")]
    assert read == len(sample) == scored + excluded
    assert (scored == 0) == (name == "pysr_paper")
    assert excluded == len(gone[["method", "dataset", "repetition"]].drop_duplicates())


@pytest.mark.slow
def test_texts_without_a_real_value_are_called_so(field):
    """Four are zoo; eleven of PhySO hold sympy's imaginary unit, and none is real after all.

    On II.13.17 the feature I is a current.
    """
    frame = read_runs(field / "physo").frame
    problems, complex_ones = load_problems(field.parent / "pmlb"), 0
    for dataset, text in frame[["dataset", "model"]].dropna().itertuples(index=False):
        if "zoo" in text:
            continue
        problem = problems.find(dataset)
        model = parse(text, problem.features)
        assert shortest(model).complexity <= count_text(model)
        if any(item is OPERATORS["imaginary"] for item in model.tape):
            complex_ones += 1
            middle = {name: np.array([sum(ends) / 2]) for name, ends in domain_of(problem).items()}
            assert np.isnan(evaluate(model, middle, 1)).all()
    assert complex_ones == 11
