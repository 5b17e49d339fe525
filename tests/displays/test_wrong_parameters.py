"""A notebook's parameter that names nothing, or no number that can be: one sentence, before anything is shown."""

from types import SimpleNamespace

import pandas as pd
import pytest

from srlib.displays import ExtrapolationDisplay, resample_instances
from srlib.errors import InputError
from srlib.problems import load_problems


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ExtrapolationDisplay.from_judgement(
                SimpleNamespace(problems=load_problems("synthetic-2022")), "nope"
            ),
            "curves: dataset 'nope' is not known; known: ",
        ),
        (
            lambda: resample_instances(pd.DataFrame(), None, 0),
            "resamples must be 1 or more, got 0",
        ),
        (
            lambda: resample_instances(
                pd.DataFrame({"task": ["PR"], "instance": "a", "score": None})
            ),
            "no instance can be evaluated for every solver, so nobody can be ranked",
        ),
        (
            lambda: load_problems("synthetic-2022", "no/such/folder"),
            "data_root: no/such/folder: no such folder",
        ),
    ],
)
def test_one_sentence(call, said):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(said)
