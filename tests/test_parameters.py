"""A wrong parameter of a notebook is one sentence, before anything runs."""

import nbformat
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.files import NOTEBOOKS
from srlib.inference.scoring import weights_of
from srlib.parameters import check_parameters

CASES = [
    ("robustness", {"resamples": 0}, "resamples must be 1 or more, got 0"),
    ("robustness", {"resamples": "abc"}, "resamples: input should be a valid integer, got 'abc'"),
    ("robustness", {"seed": True}, "seed: input should be a valid integer, got True"),
    ("inference", {"resamples": None}, "resamples must be 1 or more, got None"),
    ("benchmark", {"metrics": ["r2_test", 3]}, "metrics: input should be a valid string, got 3"),
    ("synthetic", {"runs": 3}, "runs: input should be a valid string, got 3"),
    ("properties", {"curves": "nope", "problems": "seir-2022"}, "curves: one of .*got 'nope'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "said"), CASES)
def test_a_wrong_parameter_is_a_sentence(name, given, said, tmp_path):
    cells = [
        c.source
        for c in nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
        if c.cell_type == "code" and c.source.strip()
    ]
    space: dict = {}
    exec(cells[0], space)
    first = "answers" if name == "inference" else "runs"
    space |= {first: str(tmp_path / "nowhere.csv"), **given}  # it would be missed if anything ran
    with pytest.raises(InputError) as raised:
        exec(cells[1], space)
    assert str(raised.value) == said or raised.match(said)
    assert raised.value._render_traceback_() == [f"InputError: {raised.value}"]


def test_what_is_allowed_passes():
    kinds = {"a": float, "b": list[str], "c": dict[str, list[float]], "d": list | str, "e": int}
    check_parameters(
        {"__annotations__": kinds, "a": 1, "b": ["x"], "c": {"k": [1, 2.5]}, "d": "x", "e": None}
    )


def test_weights_that_are_no_numbers_are_a_sentence():
    with pytest.raises(InputError, match="weights: one for each of the time limits 1 was expected"):
        weights_of(pd.Series([1.0]), {"abc": 1})
