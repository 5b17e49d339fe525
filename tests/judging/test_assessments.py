"""Which runs are measured again: what srlib ships was measured, and what others send was not."""

import pandas as pd

from srlib.judging import assessments, judge_runs


def test_beside_the_demo_only_ones_own_runs_are_measured(tmp_path, monkeypatch):
    own = {"method": "ME", "dataset": "noise_easy", "repetition": 1, "model": "x1", "r2_test": 1.0}
    own |= {"r2_test_reported": 0.9, "detail": "mine"}  # columns that srlib writes itself
    pd.DataFrame([own]).to_csv(tmp_path / "own.csv", index=False)
    measured = []

    def record(frame, *arguments, **settings):
        measured.extend(frame["method"])
        return assess(frame, *arguments, **settings)

    assess = assessments.assess
    monkeypatch.setattr(assessments, "assess", record)
    alone, beside = (judge_runs(runs) for runs in ("demo", ["demo", str(tmp_path / "own.csv")]))
    assert measured == ["ME"]
    key = ["method", "dataset", "repetition"]
    values = [
        j.assessments[j.assessments["method"] != "ME"].set_index(key)["complexity"]
        for j in (alone, beside)
    ]
    pd.testing.assert_series_equal(values[0].sort_index(), values[1].sort_index())
    claimed = beside.assessments.set_index("method").loc["ME"]
    assert claimed["r2_test"] < 1 == claimed["r2_test_reported"]
    assert claimed[["r2_test_reported_given", "detail_given"]].tolist() == ["0.9", "mine"]
