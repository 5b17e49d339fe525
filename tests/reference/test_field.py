"""The field's own results (data/field): every text with a real value is read, and what is scored adds up."""

import numpy as np
import pytest

from srlib.errors import ModelTextError
from srlib.expressions import count_text, evaluate, parse
from srlib.expressions.normal_form import shortest
from srlib.expressions.operators import OPERATORS
from srlib.problems import domain_of, load_problems
from srlib.readers import read_results, read_runs
from tests.builders import each

KNOWN = [f"x{i}" for i in range(12)]


@each("name rows nonfinite", "physo | 680 | 4\ntpsr | 296 | 0\npysr_paper | 216 | 18")
def test_results_of_the_field_are_all_imported_and_read(reference_data, name, rows, nonfinite):
    frame, kinds = read_results(reference_data / "field" / name).frame, []
    assert len(frame) == int(rows) and "invalid" not in set(frame["status"])
    for text in frame["model"].dropna():
        try:
            parse(text, KNOWN if name == "tpsr" else None)
        except ModelTextError as error:
            kinds.append(error.kind)
    assert kinds == ["nonfinite"] * int(nonfinite)


@pytest.mark.slow
def test_texts_without_a_real_value_are_called_so(reference_data):
    """Four are zoo; eleven of PhySO hold sympy's imaginary unit, and none is real after all.

    On II.13.17 the feature I is a current.
    """
    frame = read_runs(reference_data / "field/physo").frame[["dataset", "model"]].dropna()
    problems, without_value = load_problems(reference_data / "pmlb"), []
    for dataset, text in frame[~frame["model"].str.contains("zoo")].itertuples(index=False):
        problem = problems.find(dataset)
        model = parse(text, problem.features)
        assert shortest(model).complexity <= count_text(model)
        if OPERATORS["imaginary"] in model.tape:
            middle = {name: np.array([sum(ends) / 2]) for name, ends in domain_of(problem).items()}
            without_value.append(np.isnan(evaluate(model, middle, 1)).all())
    assert without_value == [True] * 11
