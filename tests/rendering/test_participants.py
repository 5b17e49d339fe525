"""A report for each method, and a folder with what it was made from: names, links, failures, and the same elsewhere."""

import json
import re
import shutil

import pytest
from bs4 import BeautifulSoup

from srlib.cli.main import main
from srlib.rendering.diff import diff
from srlib.rendering.render import report
from srlib.rendering.suite import expand_for_each, load_suite, page_names, with_style_and_links
from tests.builders import CHECK, each, refused, write_notebook, write_runs, write_suite

PLAIN = ["PySR", "gp-elite_1.0", "gp-", "x"]
ODD = ["Con", "nul", "aux.html", "..", ".a", "a.", "a/b", "a\\b", "é", "", "z" * 61, "a b", "a-0123ab", "ana ",
       "gp", "GP", "../gp", "../<b>&", "a\u202eb"]  # fmt: skip
PAGE = """from srlib.displays import Page
if method == "Bad":
    raise ValueError("broken")
page = Page({"output_dir": output_dir})
page.answer(None, method or "all", f"{method or sorted(page.style.participants.items())}")"""


def test_files_have_the_methods_name_where_it_is_safe_and_no_two_share_one():
    files = page_names(PLAIN + ODD)
    assert [files[name] for name in PLAIN] == PLAIN
    for name in ODD:
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,70}-[0-9a-f]{6}", files[name]), name
    assert len({file.lower() for file in files.values()}) == len(files)
    assert files == page_names(ODD[::-1] + PLAIN)


@pytest.fixture
def suite(tmp_path):
    """A suite with a report on all methods, and one for each."""
    for name in ("all", "each"):
        write_notebook(tmp_path / f"{name}.ipynb", PAGE, CHECK, texts="runs method")
    write_runs(tmp_path / "runs.csv", "Ben", "../<b>", "Bad", "Ben")
    path = write_suite(tmp_path, {"all": "{}", "each": "{}"}, "{runs: runs.csv}")
    path.write_text(path.read_text().replace("name: each,", "name: each, for_each: method,"))
    return path


def test_entry_becomes_a_report_for_each_method_of_the_runs(suite):
    expanded = expand_for_each(load_suite(suite))
    (every, odd, bad, ben) = expanded.reports
    assert (every.name, every.method, bad.name) == ("all", "", "each/Bad")
    assert (odd.name, odd.method) == (f"each/{page_names(['../<b>'])['../<b>']}", "../<b>")
    assert (ben.title, ben.parameters) == ("Ben", {"runs": "runs.csv", "method": "Ben"})
    assert expanded.select({"each"}) == (odd, bad, ben)
    assert expanded.select({"each/Ben"}) == (ben,)
    with refused("no report 'Ben'; its reports are all, each"):
        expanded.select({"Ben"})


@each(
    "old new message",
    """
{runs: runs.csv} | {} | report 'each': for_each: the parameter 'runs' has to name
name: all, | name: all, for_each: method, | its runs name no method
""",
)
def test_suite_without_methods_is_refused(suite, old, new, message):
    suite.with_name("runs.csv").write_text("no table\n")
    assert [report.name for report in expand_for_each(load_suite(suite)).reports] == ["all"]
    suite.write_text(suite.read_text().replace(old, new))
    with refused(message):
        expand_for_each(load_suite(suite))


def test_reports_of_the_same_runs_have_the_addresses_of_participants(suite):
    suite.write_text(f"{suite.read_text()}  - {{name: b, notebook: all, parameters: {{runs: b}}}}")
    suite.with_name("all").write_bytes(suite.with_name("all.ipynb").read_bytes())
    expanded = expand_for_each(load_suite(suite))
    pages = expanded.select({"each/Bad", "each/Ben"})
    *same, other = (json.loads(r.style) for r in with_style_and_links(expanded, pages).reports)
    addresses = {"Bad": "each/Bad.html", "Ben": "each/Ben.html"}
    expected = {"order": ["../<b>", "Bad", "Ben"], "participants": addresses}
    assert same == [expected] * len(same) and other["participants"] == {}


@pytest.mark.slow
def test_page_of_each_participant_is_rendered_linked_and_listed(suite, tmp_path):
    out, file = tmp_path / "out", f"each/{page_names(['../<b>'])['../<b>']}"
    assert report(suite, out, only=["all"]).outcomes[0].verdict == "[]"
    results = report(suite, out).outcomes
    states = {result.report: result.state for result in results}
    assert [*states] == ["all", file, "each/Bad", "each/Ben"]
    assert [*states.values()] == ["executed", "executed", "failed", "executed"]
    assert f"('../<b>', '{file}.html'), ('Bad', 'each/Bad.html')" in results[0].verdict
    page, index = (
        BeautifulSoup((out / f"{name}.html").read_text(), "html.parser") for name in (file, "index")
    )
    assert page.h1.get_text() == "../<b>"
    assert [a["href"] for a in page.select("a[href$='.html']")] == ["../index.html"]
    see = index.find("p", class_="see").get_text()
    assert see == "A page for each participant: ../<b> · Bad (✗ failed) · Ben"
    assert len(index.select("ul.pages li")) == 1 and "4 reports, 1 failed" in index.get_text()
    again = [result.state for result in report(suite, out, only=["each"]).outcomes]
    assert again == ["unchanged", "failed", "unchanged"]


CELL = """import pandas as pd
from srlib.displays import Page
from srlib.problems import load_problems, partitions
table = pd.read_csv(runs)
held = [partitions(p, None) for p in load_problems(problems).problems]
table["mean of the test rows"] = [float(data.test.y.mean()) for data in held]
page = Page({"output_dir": output_dir})
page.table(table, "runs", "Runs")
page.answer(None, "Who?", f"{table.method[0]} of {len(table)} by {rules}.")
print("checks passed: 1 of 1")"""
DEFAULTS = "{runs: ../in/runs.csv, problems: ../in/p.yaml, rules: judging-2022, other: 3}"
PROBLEMS = """schema: 1
name: p
data_root: ../data
problems: [{dataset: d, data: {test: test_d.csv}}]
"""


FILES = """.srlib/bundle.json README.txt data/test_d.csv in/labels.yaml in/p.yaml in/runs.csv
pages/n.ipynb pages/suite.yaml requirements.txt"""


@pytest.mark.slow
def test_bundle_has_what_paths_name_and_renders_the_same_elsewhere(tmp_path):
    folder, out, elsewhere = (tmp_path / name for name in ("mine", "out", "else"))
    inputs = {
        "in/runs.csv": "method,dataset\nA,d\n",
        "in/secret.csv": "1",
        "in/labels.yaml": "schema: 1\nlabels: {A: First}",
        "in/p.yaml": PROBLEMS,
        "data/test_d.csv": "x,y\n1,2\n2,6\n",
    }
    for name, text in inputs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "pages").mkdir()
    write_notebook(folder / "pages/n.ipynb", CELL, texts="runs problems rules")
    suite = write_suite(
        folder / "pages", {"n": "{number: 2}"}, f"{DEFAULTS}\nlabels: ../in/labels.yaml"
    )
    assert main(["report", str(suite), "--out", str(out), "--bundle"]) == 0
    paths = [path for path in (out / "bundle").rglob("*.*") if path.is_file()]
    files = {path.relative_to(out / "bundle").as_posix(): path.read_text() for path in paths}
    assert sorted(files) == FILES.split()
    assert files["pages/suite.yaml"] == suite.read_text() and str(tmp_path) not in str(files)
    assert "srlib report pages/suite.yaml" in files["README.txt"]
    assert "numpy==" in files["requirements.txt"]
    shutil.move(out / "bundle", elsewhere)
    shutil.rmtree(folder)
    assert (
        main(["report", str(elsewhere / "pages/suite.yaml"), "--out", str(tmp_path / "again")]) == 0
    )
    assert "4.0" in (tmp_path / "again/n/tables/runs.csv").read_text()
    assert diff(out, tmp_path / "again").empty
