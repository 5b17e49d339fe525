"""`srlib.report` of runs without a suite: what is rendered is a suite that keeps them."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import srlib
from srlib.api import reporting
from srlib.rendering.suite import load_suite
from tests.api import small


def test_runs_become_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def rendered(*given: Any) -> list[Any]:
        asked.extend(given)
        handed = {"verdict": "Exact wins."}
        return [reporting.Result("synthetic", "failed", handed, 1.0)]

    monkeypatch.setattr(reporting, "render_suite", rendered)
    out, problems = tmp_path / "out", small.problems(tmp_path)
    found = srlib.report(small.runs(), out, problems=problems, title="Springs")
    suite = load_suite(asked[0])
    assert suite.title == "Springs"
    assert [one.name for one in suite.reports] == list(reporting.PAGES)
    stated = suite.reports[0].stated()
    assert stated["rules"] == "judging-2022"
    kept = pd.read_parquet(stated["runs"])
    pd.testing.assert_frame_equal(
        srlib.judge(kept, stated["problems"]).ranking,
        srlib.judge(small.runs(), problems).ranking,
    )
    assert asked[1] == out
    assert found.failed == ("synthetic",)
    assert "Exact wins." in found.to_html()
    assert found.sentences == [f"1 report, listed in {out / 'index.html'}.", "Failed: synthetic."]


@pytest.mark.parametrize(
    ("given", "said"),
    [({}, "a suite file, or runs with problems"), ({"problems": "demo"}, "need a folder")],
)
def test_runs_need_problems_and_a_folder(given: dict[str, str], said: str) -> None:
    with pytest.raises(srlib.SrlibError, match=said):
        srlib.report(small.runs(), **given)
