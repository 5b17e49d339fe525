"""A suite of all notebooks for a competition unlike the demo, rendered by the command."""

import json
import re

import pytest

from tests.pages.competition import draw_competition
from tests.processes import run

pytestmark = pytest.mark.slow
SUITE = """
schema: 1
suite: odd
title: Odd & own
defaults: {runs: ./runs, problems: ./problems.yaml, rules: ./rules.yaml}
reports:
  - {name: qualification, notebook: qualification}
  - {name: synthetic, notebook: synthetic}
  - {name: properties, notebook: properties}
  - {name: noise, notebook: noise}
  - {name: real_world, notebook: real_world}
  - {name: benchmark, notebook: benchmark}
  - {name: robustness, notebook: robustness, parameters: {resamples: 50}}
  - {name: participants, notebook: participant, for_each: method}
"""


def test_suite_renders_and_names_nobody_while_ballots_are_open(tmp_path, monkeypatch):
    drawn = draw_competition(0, tmp_path, monkeypatch, small=True)
    (tmp_path / "suite.yaml").write_text(SUITE)
    code, out, err = run(["report", str(tmp_path / "suite.yaml"), "--out", str(tmp_path / "pages")])
    assert code == 0, out + err
    for path in (tmp_path / "pages").glob("*.report.json"):
        page = json.loads(path.read_text())
        assert not page["failure"] and page["checks"]["passed"] == page["checks"]["total"] > 0
        assert not re.search(
            r"\(nan\)|\(None\)|nan:|Alpha <b>",
            path.with_suffix("").with_suffix(".html").read_text(),
        )
    blind = [*(tmp_path / "pages/real_world").rglob("*"), tmp_path / "pages/real_world.html"]
    texts = {
        path.name: path.read_text()
        for path in blind
        if path.suffix in {".csv", ".html", ".tex", ".json"}
        and path.name not in {"rules.csv", "style.json"}  # name the baseline, and who takes part
    }
    assert texts and not any("LinearRegression" in text for text in texts.values())
    assert "LinearRegression" in {*drawn.runs["method"]}


def test_page_of_nothing_has_the_sentence_and_no_traceback(tmp_path, monkeypatch):
    drawn = draw_competition(0, tmp_path, monkeypatch, small=True)
    drawn.runs.assign(model="nope(").drop(columns=["odd", "file", "row"]).to_csv(
        tmp_path / "runs.csv", index=False
    )
    (tmp_path / "suite.yaml").write_text(SUITE.replace("./runs,", "./runs.csv,"))
    out = tmp_path / "pages"
    suite = ["report", str(tmp_path / "suite.yaml"), "--out", str(out), "--only", "synthetic"]
    assert run(suite)[0] == 1
    page = (out / "synthetic.html").read_text()
    assert "No run could be scored, so there is no ranking." in page
    assert "Code cell" not in page and "Traceback" not in page
