"""A report for each method: safe names of files, methods from the run table, links, and what a failure does."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from srlib.errors import InputError
from srlib.rendering import render_suite
from srlib.rendering.participants import expand_for_each, methods_of, page_names, with_looks
from srlib.rendering.suite import load_suite
from tests.rendering.small import CHECK, write_notebook, write_suite

ODD = ["Ana", "../<b>&", "ana ", "CON", "x_y.1", "a\u202eb", "z" * 70]
SHOWN = """from srlib.displays import participant_pages, show_answer
if method == "Bad":
    raise ValueError("broken")
show_answer(title=method or "all", sentence=f"{method or sorted(participant_pages().items())}")"""


@pytest.mark.parametrize(
    ("name", "plain"),
    [("PySR", True), ("gp-elite_1.0", True), ("x", True), ("Con", False), ("aux.html", False), ("..", False),
     (".a", False), ("a.", False), ("a/b", False), ("a\\b", False), ("é", False), ("", False), ("z" * 61, False),
     ("a b", False), ("nul", False), ("a-0123ab", False)],
)  # fmt: skip
def test_files_have_the_methods_name_where_it_is_safe(name, plain):
    file = page_names([name])[name]
    assert (file == name) == plain
    assert file.isascii() and "/" not in file and "\\" not in file and 0 < len(file) < 80
    assert not file.startswith(".") and not file.endswith(".")


def test_no_two_methods_share_a_file_wherever_capitals_do_not_tell():
    names = ["gp", "GP", "Gp ", "../gp", "gp-", *ODD]
    files = page_names(names)
    assert len({file.lower() for file in files.values()}) == len(names)
    assert files == {name: page_names(names[::-1])[name] for name in names}


def suite_for(folder: Path, *methods: str) -> Path:
    """Write a suite with a report on all methods, and one for each."""
    for name in ("all", "each"):
        write_notebook(folder / f"{name}.ipynb", SHOWN, CHECK, texts="runs method")
    rows = "".join(f"{method},d,1,x\n" for method in methods)
    (folder / "runs.csv").write_text(f"method,dataset,repetition,model\n{rows}")
    path = write_suite(folder, {"all": "{}", "each": "{}"}, "{runs: runs.csv}")
    path.write_text(path.read_text().replace("name: each,", "name: each, for_each: method,"))
    return path


def test_a_suite_without_any_report_is_refused(tmp_path):
    path = suite_for(tmp_path)
    path.write_text(path.read_text().replace("name: all,", "name: all, for_each: method,"))
    with pytest.raises(InputError, match="runs name no method"):
        expand_for_each(load_suite(path))


def test_an_entry_becomes_a_report_for_each_method_of_the_runs(tmp_path):
    path = suite_for(tmp_path, "Ben", "../Ana", "Ben")
    suite = expand_for_each(load_suite(path))
    names = {report.name: report.method for report in suite.reports}
    assert names == {"all": "", "each/ana-574447": "../Ana", "each/Ben": "Ben"}
    assert (
        suite.reports[2].parameters == {"runs": "runs.csv", "method": "Ben"}
        and suite.reports[2].title == "Ben"
    )
    assert [r.name for r in suite.chosen(("each",))] == ["each/ana-574447", "each/Ben"]
    assert [r.name for r in suite.chosen(("each/Ben",))] == ["each/Ben"]
    with pytest.raises(InputError, match="no report 'Ben'; its reports are all, each"):
        suite.chosen(("Ben",))
    (tmp_path / "runs.csv").write_text("no table\n")
    assert [r.name for r in expand_for_each(load_suite(path)).reports] == ["all"]


def test_a_report_without_runs_reads_none_where_the_command_is_called(tmp_path, monkeypatch):
    path = suite_for(tmp_path, "Ana")
    monkeypatch.chdir(tmp_path)
    (report, *_) = load_suite(path).reports
    assert methods_of(report) == ["Ana"]
    assert methods_of(replace(report, parameters={})) == []


def test_reports_of_the_same_runs_are_told_the_addresses(tmp_path):
    suite = expand_for_each(load_suite(suite_for(tmp_path, "Ben", "Ana")))
    addresses = {"Ana": "each/Ana.html", "Ben": "each/Ben.html"}
    for report in with_looks(suite, suite.reports).reports:
        assert json.loads(report.style) == {"order": ["Ana", "Ben"], "participants": addresses}
    (first, *_) = with_looks(suite, suite.reports[:1]).reports
    assert json.loads(first.style)["participants"] == {}
    other = replace(suite.reports[0], parameters={"runs": "second-round.csv"})
    (first, *_) = with_looks(replace(suite, reports=(other,)), suite.reports).reports
    assert json.loads(first.style)["participants"] == {}


@pytest.mark.slow
def test_pages_are_rendered_linked_and_listed(tmp_path):
    path = suite_for(tmp_path, "Ben", "../<b>", "Bad")
    out = tmp_path / "out"
    results = {one.name: one for one in render_suite(path, out)}
    file = f"each/{page_names(['../<b>'])['../<b>']}"
    assert {name: one.state for name, one in results.items()} == {
        "all": "executed", "each/Bad": "failed", "each/Ben": "executed", file: "executed",
    }  # fmt: skip
    assert results["all"].handed["verdict"] == str(
        [("../<b>", f"{file}.html"), ("Bad", "each/Bad.html"), ("Ben", "each/Ben.html")]
    )
    for name, heading in (("each/Ben", "Ben"), (file, "../<b>")):
        page = BeautifulSoup((out / f"{name}.html").read_text(), "html.parser")
        assert page.h1.get_text() == heading
        links = [a["href"] for a in page.select("a[href$='.html']")]
        assert links == ["../index.html"]
    index = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    said = index.find("p", class_="see").get_text()
    assert said == "A page for each participant: ../<b> · Bad (✗ failed) · Ben"
    assert len(index.select("ul.pages li")) == 1 and "4 reports, 1 failed" in index.get_text()
    again = {one.name: one.state for one in render_suite(path, out, only=["each"])}
    assert again == {"each/Bad": "failed", "each/Ben": "unchanged", file: "unchanged"}


@pytest.mark.slow
def test_addresses_are_those_of_pages_that_there_are(tmp_path):
    path, out = suite_for(tmp_path, "Ben"), tmp_path / "out"
    assert render_suite(path, out, only=["all"])[0].handed["verdict"] == "[]"
    render_suite(path, out, only=["each"])
    assert "Outdated" in (out / "index.html").read_text()
    (every, _) = render_suite(path, out)
    assert every.handed["verdict"] == "[('Ben', 'each/Ben.html')]"
