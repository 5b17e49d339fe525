"""Every page of a suite for a competition unlike the demo; one team's text or gap never fails one."""

import json
import shutil

import pandas as pd
import pytest

from srlib.errors import NothingScoredError
from srlib.judging.robustness import switchboard
from tests.gauntlet.competition import FEW, PARAMETERS_OF, teams, write
from tests.gauntlet.equals import told_apart
from tests.gauntlet.pages import execute, passed, undrawn
from tests.processes import run

EQUAL = ("Alpha <b>", "Twin")  # the same texts in the same order
TRACK = ("synthetic", "properties", "noise", "benchmark", "robustness")


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
    assert "No usable run anywhere, so below the line: Empty, Latex." in page
    assert "one set (1 of 7: house)" in page
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
    people = {one["method"]: one["file"] for one in handed["synthetic"]["participants"]}
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    pages["theirs"] = "".join((folder / people[name]).read_text(encoding="utf-8") for name in EQUAL)
    assert {
        name: apart for name, page in pages.items() if (apart := told_apart(page, *EQUAL))
    } == {}
    assert sum("Alpha &lt;b&gt; and Twin" in page for page in pages.values()) >= 6
    for name, page in pages.items():  # as soon as one of them is crowned it is told
        if "Alpha &lt;b&gt; and Twin" in page:
            crowned = page.replace("Alpha &lt;b&gt; and Twin", "Twin", 1)
            assert told_apart(crowned, *EQUAL), name


@pytest.mark.parametrize(
    "crown",
    [
        "<p>By group, Twin is better than 2 of 5.</p>",
        "<ul><li>Twin leads Alpha &lt;b&gt; by 0.</li></ul>",
        "<p>Nobody leads: Alpha &lt;b&gt; and Twin share it; Twin is ahead of Beta.</p>",
        "<img alt='Final scores: Twin 2.0; Alpha &lt;b&gt; 1.9.'>",
        "<table><tr><th>winner</th></tr><tbody><tr class='marked'><th>Twin</th><td>1</td></tr>"
        "<tr><th>Alpha &lt;b&gt;</th><td>1</td></tr></tbody></table>",
    ],
)
def test_a_page_that_crowns_one_of_two_equal_methods_is_found(crown):
    assert told_apart(f"<p>Alpha &lt;b&gt; and Twin share the first place.</p>{crown}", *EQUAL)
    fair = "<p>Final scores: Twin 2.0; Alpha &lt;b&gt; 2.0.</p>"
    assert told_apart(f"<p>Beta, Twin and Alpha &lt;b&gt; lead.</p>{fair}", *EQUAL) == []


VARIANTS = {
    "one method": {"methods": {"Beta"}},
    "one dataset": {"datasets": {"rational"}},
    "a dataset without a property": {"datasets": {"house"}},
    "three datasets": {"datasets": {"rational", "trap", "cars"}},
    "one repetition": {"methods": {"OneRun"}},
    "nobody solves anything": {"methods": {"Constant", "Latex", "Empty"}},
}
NOT_THERE = {  # what a page is about may not be there; it says so
    "noise": "a dataset at two noise levels was expected",
    "properties": "no dataset that is scored has a property",
}


@pytest.mark.parametrize("name", VARIANTS)
def test_pages_of_smaller_competitions(name, tmp_path, monkeypatch):
    undrawn(monkeypatch)
    monkeypatch.setattr(switchboard, "READINGS", FEW)
    only = VARIANTS[name]
    write(tmp_path, only)
    for page in TRACK:
        datasets = only.get("datasets", {"loud", "trap", "cars"})
        needed = {"noise": {"loud"}, "properties": {"rational", "trap"}}
        without = page in needed and not needed[page] & datasets
        try:
            said = execute(page, tmp_path, **PARAMETERS_OF.get(page, {}))[1]
            assert passed(said) and not without, (page, said)
        except Exception as error:
            if not without or NOT_THERE[page] not in str(error):
                raise


@pytest.mark.parametrize("page", ["synthetic", "properties", "noise", "robustness"])
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


def test_who_did_not_qualify_is_on_no_place(tmp_path, monkeypatch):
    undrawn(monkeypatch)
    monkeypatch.setattr(switchboard, "READINGS", FEW)
    write(tmp_path)
    out = ["Twin", "Constant"]
    verdicts = "".join(f"{name},{name not in out}\n" for name in teams())
    (tmp_path / "verdicts.csv").write_text("method,qualified\n" + verdicts, encoding="utf-8")
    for page in ("synthetic", "properties", "robustness", "noise", "benchmark"):
        given = PARAMETERS_OF.get(page, {}) | {"qualified": str(tmp_path / "verdicts.csv")}
        space, said = execute(page, tmp_path, **given)
        assert passed(said), said
        ranking = space["ranking"] if "judgement" not in space else space["judgement"].ranking
        assert not set(out) & set(ranking["method"]) and len(ranking)
        shutil.rmtree(tmp_path / "out")


def test_names_that_a_suite_states_for_a_method(tmp_path, monkeypatch):
    """By the data `3*x1` on house is 3*area; what is stated decides, on every page that reads texts."""
    undrawn(monkeypatch)
    monkeypatch.setattr(switchboard, "READINGS", FEW)
    some = {"house", "trap", "calm", "loud", "clinic"}
    write(tmp_path, {"methods": {"Beta", "from_1"}, "datasets": some})
    table = pd.read_csv(tmp_path / "runs.csv").drop(columns="r2_test")
    table.loc[table["method"] == "from_1", "model"] = "3*x1"
    table.to_csv(tmp_path / "runs.csv", index=False)
    spaces = {}
    for page in (*TRACK, "real_world"):
        given = PARAMETERS_OF.get(page, {}) | {"names": {"from_1": "x0", "Nobody": "x1"}}
        spaces[page], said = execute(page, tmp_path, **given)
        assert passed(said), (page, said)
    judged = spaces["noise"]["noisy"].judgement
    for judgement in (
        judged,
        *(spaces[page]["judgement"] for page in TRACK if page not in ("noise", "benchmark")),
    ):
        read = judgement.assessments.set_index("method")
        assert set(read.loc["from_1", "names_evidence"]) == {"stated"}
        assert set(read.loc["from_1", "names_read"]) == {"x0"}
        assert any("no method 'Nobody' here" in line for line in judgement.notices)
    assert spaces["benchmark"]["values"].loc["house", "from_1"] < 0
    models = spaces["real_world"]["models"].set_index("method")
    assert "weight" in models.loc["from_1", "simplified_model"]
