"""Which runs are measured again: what srlib ships was measured, and what others send was not."""

import pandas as pd

from srlib.assessing import completing
from tests.builders import judge_competition


def test_beside_the_demo_only_ones_own_runs_are_measured(monkeypatch):
    """The columns `r2_test_reported` and `detail` are some that srlib writes itself."""
    own = {"method": "ME", "dataset": "noise_easy", "repetition": 1, "model": "x1", "r2_test": 1.0}
    own |= {"r2_test_reported": 0.9, "detail": "mine"}
    measured, assess = [], completing.assess

    def record(frame, *arguments, **settings):
        measured.extend(frame["method"])
        return assess(frame, *arguments, **settings)

    monkeypatch.setattr(completing, "assess", record)
    beside = judge_competition(["demo", pd.DataFrame([own])]).assessments.set_index("method")
    assert measured == ["ME"]
    claimed = beside.loc["ME"]
    assert claimed["r2_test"] < 1 == claimed["r2_test_reported"]
    assert claimed[["r2_test_reported_given", "detail_given"]].tolist() == [0.9, "mine"]
