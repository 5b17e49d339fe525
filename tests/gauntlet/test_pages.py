"""Every page of a suite for a competition unlike the demo; one team's text or gap never fails one."""

import json

import pytest

from srlib.errors import NothingScoredError
from srlib.judging.robustness import readings
from srlib.rendering.participants import page_names
from tests.gauntlet.competition import FEW, PARAMETERS_OF, write
from tests.gauntlet.equals import told_apart
from tests.gauntlet.pages import execute, passed, undrawn
from tests.processes import run

pytestmark = pytest.mark.slow

EQUAL = ("Alpha <b>", "Twin")  # the same texts in the same order


@pytest.fixture(name="rendered", scope="module")
def rendered_fixture(tmp_path_factory):
    """The whole suite, rendered by the command; one render for all tests, as it takes a minute."""
    folder = tmp_path_factory.mktemp("gauntlet")
    words = ["report", str(write(folder)), "--out", str(folder / "pages")]
    code = run(words)[0]
    handed = {
        path.name.split(".")[0]: json.loads(path.read_text(encoding="utf-8"))
        for path in (folder / "pages").glob("*.report.json")
    }
    return folder / "pages", code, handed


def test_every_page_renders_and_its_checks_pass(rendered):
    _, code, handed = rendered
    assert {name: page["failure"] for name, page in handed.items() if page["failure"]} == {}
    assert code == 0 and len(handed) == 7
    assert all(page["checks"]["passed"] == page["checks"]["total"] > 0 for page in handed.values())


def test_the_first_screen_says_who_sent_what(rendered):
    folder, _, handed = rendered
    page = (folder / "synthetic.html").read_text(encoding="utf-8")
    assert "Nobody sent a run for 1 of the 8 datasets that are scored: silent." in page
    assert "one set (1 of 7)" in page
    places = {row["method"]: row["rank"] for row in handed["synthetic"]["ranking"]}
    assert places["Alpha <b>"] == places["Twin"] == 1
    assert [places[name] for name in ("Empty", "Latex")] == [None] * 2


def test_titles_are_words(rendered):
    for path in rendered[0].glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "(nan)" not in text and "(None)" not in text and "nan:" not in text, path.name
    assert "Alpha <b>" not in (rendered[0] / "synthetic.html").read_text(encoding="utf-8")


def test_methods_that_are_equal_have_no_leader_whatever_the_page_says(rendered):
    folder, _, handed = rendered
    files = page_names([row["method"] for row in handed["synthetic"]["ranking"]])
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    pages["theirs"] = "".join(
        (folder / "participants" / f"{files[name]}.html").read_text(encoding="utf-8")
        for name in EQUAL
    )
    assert {
        name: apart for name, page in pages.items() if (apart := told_apart(page, *EQUAL))
    } == {}
    assert sum("Alpha &lt;b&gt; and Twin" in page for page in pages.values()) >= 6
    for name, page in pages.items():  # as soon as one of them is crowned it is told
        if "Alpha &lt;b&gt; and Twin" in page:
            crowned = page.replace("Alpha &lt;b&gt; and Twin", "Twin", 1)
            assert told_apart(crowned, *EQUAL), name


def test_one_method_on_one_dataset(tmp_path, monkeypatch):
    undrawn(monkeypatch)
    monkeypatch.setattr(readings, "READINGS", FEW)
    write(tmp_path, {"methods": {"OneRun"}, "datasets": {"rational"}})
    for page in ("synthetic", "participant", "properties", "benchmark", "robustness"):
        said = execute(page, tmp_path, **PARAMETERS_OF.get(page, {}))[1]
        assert passed(said), (page, said)


@pytest.mark.parametrize("page", ["synthetic", "participant", "properties", "noise", "robustness"])
def test_without_a_scored_run_every_page_says_so(page, tmp_path):
    write(tmp_path, {"methods": {"Latex", "Empty"}})
    with pytest.raises(
        NothingScoredError, match="No run could be scored, so there is no ranking. "
    ):
        execute(page, tmp_path)


def test_the_page_of_nothing_has_the_sentence_and_no_traceback(tmp_path):
    suite = write(tmp_path, {"methods": {"Latex"}})
    words = ["report", str(suite), "--out", str(tmp_path / "out"), "--only", "synthetic"]
    assert run(words)[0] == 1
    page = (tmp_path / "out" / "synthetic.html").read_text(encoding="utf-8")
    assert "No run could be scored, so there is no ranking." in page
    assert "Code cell" not in page and "Traceback" not in page
    assert "1. Latex" not in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
