"""Every page of a suite for a competition unlike the demo; one team's text or gap never fails one."""

import json
import re
import shutil

import pandas as pd
import pytest

from srlib.errors import NothingScoredError
from tests.builders import each
from tests.gauntlet.competition import write
from tests.gauntlet.pages import execute, sources
from tests.processes import run

pytestmark = pytest.mark.slow

SWAPPED = {"Alpha <b>": "Twin", "Twin": "Alpha <b>"}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """The whole suite, rendered by the command; one render for all tests, as it takes a minute."""
    folder = tmp_path_factory.mktemp("gauntlet")
    code = run(["report", str(write(folder)), "--out", str(folder / "pages")])[0]
    paths = (folder / "pages").glob("*.report.json")
    answers = {path.name.split(".")[0]: json.loads(path.read_text()) for path in paths}
    return folder / "pages", code, answers


def test_page_renders_and_its_checks_pass(rendered):
    folder, code, answers = rendered
    assert {name: page["failure"] for name, page in answers.items() if page["failure"]} == {}
    assert code == 0 and len(answers) == 7
    assert all(page["checks"]["passed"] == page["checks"]["total"] > 0 for page in answers.values())
    for path in folder.glob("*.html"):
        text = path.read_text()
        assert not re.search(r"\(nan\)|\(None\)|nan:|Alpha <b>", text), path.name


def test_first_screen_says_who_sent_what(rendered):
    folder, _, answers = rendered
    page = (folder / "synthetic.html").read_text()
    assert "Nobody sent a run for 1 of the 8 datasets that are scored: silent." in page
    assert "one set (1 of 7)" in page
    places = {row["method"]: row["rank"] for row in answers["synthetic"]["ranking"]}
    assert [places[name] for name in ("Alpha <b>", "Twin", "Empty", "Latex")] == [1, 1, None, None]


def test_answer_says_the_same_of_equal_methods(rendered):
    """Alpha <b> and Twin sent the same texts in the same order."""
    for name, page in rendered[2].items():
        rows = {row["method"]: (row["rank"], row["score"]) for row in page["ranking"]}
        assert rows.get("Alpha <b>") == rows.get("Twin"), name
        text = " ".join([page["verdict"], page["certainty"], *page["details"]])
        sentences = re.split(r"[.;] ", text)
        for sentence in sentences:
            swapped = re.sub("Alpha <b>|Twin", lambda name: SWAPPED[name[0]], sentence)
            both = sentence.count("Alpha <b>") == sentence.count("Twin")
            assert both or swapped in sentences, (name, sentence)


@each(
    "name column",
    """
switchboard | score of Twin
resampling | p_win
leave_one_out | score
leave_one_out | rank
significance | p_value
significance | wins
tables/sources | Twin
""",
)
def test_corrupted_number_of_the_robustness_page_is_found(rendered, name, column, tmp_path):
    output = shutil.copytree(rendered[0] / "robustness", tmp_path / "robustness")
    table = pd.read_csv(output / f"{name}.csv")
    table.loc[table[column].first_valid_index(), column] -= 5
    table.to_csv(output / f"{name}.csv", index=False)
    with pytest.raises(AssertionError, match="not confirmed"):
        exec(sources("robustness")[-1], {"output": output})


@pytest.mark.parametrize("page", ["synthetic", "participant", "properties", "noise", "robustness"])
def test_page_without_a_scored_run_says_so(page, tmp_path):
    write(tmp_path, ["Latex", "Empty"])
    with pytest.raises(
        NothingScoredError, match="No run could be scored, so there is no ranking. "
    ):
        execute(page, tmp_path)


def test_page_of_nothing_has_the_sentence_and_no_traceback(tmp_path):
    out = tmp_path / "out"
    suite = str(write(tmp_path, ["Latex"]))
    assert run(["report", suite, "--out", str(out), "--only", "synthetic"])[0] == 1
    page = (out / "synthetic.html").read_text()
    assert "No run could be scored, so there is no ranking." in page
    assert "Code cell" not in page and "Traceback" not in page
    assert "1. Latex" not in (out / "index.html").read_text()
