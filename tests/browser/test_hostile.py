"""Names and models that want to be more than text, from a run table to a real report in a browser."""

import csv
import io

import pandas as pd
import pytest

from srlib.displays.tables.table import neutralise
from srlib.files import NOTEBOOKS
from srlib.prose import INVISIBLE, html_text, visible
from srlib.rendering import report as render
from tests.builders import each

SCRIPT = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
HEBREW = "\u05d0\u05d1 \u05d2"
METHODS = {
    SCRIPT: "x1",
    "</details></td></table></section>": "x1 + x2",
    "m" * 300: "0.4*x1*x2",
    "right\u202eto\u2067left\u200f": "0.4*x1*x2 - 1.5*x1",
    HEBREW: "x1",
    "a =cmd|' /C calc'!A0": "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }} ${7*7} $x_1$ `b` **b** & \" ' ]]>": "<script>window.ran = 1</script>",
}
ISOLATED = f"\u2068{HEBREW}\u2069"  # a name that is written from right to left
PROBLEMS = """
schema: 1
name: hostile
defaults: {track: synthetic, target: y, data_seeds: [1], property: solution, family: "<b>", difficulty: easy,
  features: [x1, x2], truth: "0.4*x1*x2 - 1.5*x1", relevant: [x1, x2], domain: {x1: [-5, 5], x2: [-5, 5]}}
problems:
  - dataset: "<script>window.ran = 1</script>"
  - dataset: "</summary></details>=d\\u202e"
"""
DATASETS = ("<script>window.ran = 1</script>", "</summary></details>=d\u202e")


@pytest.fixture(scope="module")
def report(browser, tmp_path_factory):
    """Folder of the synthetic report on hostile runs."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "problems.yaml").write_text(PROBLEMS)
    keys = [(method, dataset, r) for method in METHODS for dataset in DATASETS for r in (1, 2)]
    runs = pd.DataFrame(keys, columns=["method", "dataset", "repetition"]).assign(r2_test=0.5)
    runs["model"] = runs["method"].map(METHODS)
    runs.to_csv(folder / "runs.csv", index=False)
    parameters = "{runs: ./runs.csv, problems: ./problems.yaml}"
    (folder / "suite.yaml").write_text(
        f'schema: 1\nsuite: hostile\ntitle: "{SCRIPT}"\nreports:\n'
        f"  - {{name: synthetic, notebook: {NOTEBOOKS / 'synthetic.ipynb'}, parameters: {parameters}}}"
    )
    (outcome,) = render(folder / "suite.yaml", folder / "out").outcomes
    assert outcome.state == "executed", outcome.verdict
    return folder / "out"


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize(("name", "scripts"), [("index", 0), ("synthetic", 1)])
def test_hostile_text_is_shown_as_text_everywhere(open_page, report, name, scripts, script):
    screen = {"width": 380, "height": 800}
    page = open_page(report / f"{name}.html", java_script_enabled=script, viewport=screen)
    assert page.messages == [] and page.evaluate("window.ran") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]
    foreign = page.locator("script:not([type]), main img[onerror], iframe, object")
    assert foreign.count() == scripts, "the page's own script"
    text = page.locator("html").inner_html()
    assert not INVISIBLE.search(text.replace(ISOLATED, "name"))


def test_names_stay_in_their_cells(open_page, report):
    page = open_page(report / "synthetic.html")
    names = page.locator("#table-final-ranking tbody tr > :nth-child(2)").all_text_contents()
    assert {*names} == {*map(visible, METHODS.keys() - {HEBREW}), ISOLATED}
    assert page.locator("main").count() == page.locator(".provenance").count() == 1
    assert page.locator(".provenance table").count() == 3, "nothing closed a part of the page"


def test_downloads_are_neutralised_and_files_for_machines_verbatim(open_page, report):
    written = (report / "synthetic/tables/final-ranking.csv").read_text()
    assert {*pd.read_csv(io.StringIO(written))["method"]} == METHODS.keys()
    page = open_page(report / "synthetic.html")
    with page.expect_download() as download:
        page.locator("#table-final-ranking a[download='final-ranking.csv']").click()
    text = download.value.path().read_bytes().decode()
    assert text == neutralise(written)
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert METHODS.keys() <= {*cells} and not [cell for cell in cells if cell.startswith("=")]
    for path in report.rglob("*.svg"):
        assert b"<script" not in path.read_bytes()


PLACES = """() => {
  const text = document.querySelector('p').firstChild, range = document.createRange();
  const left = at => {
    range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect().left; };
  return [left(text.data.search(/[a\u05d0\u0627]/)), left(text.data.search(/[1w]/))]; }"""


@each(
    "name after",
    r"""
\u05d0\u05d1 | 12 wins
a\u202eb | wins
a\u2067b | wins
\u0627\u200f | 12
""",
)
def test_words_after_a_name_stay_after_it(open_page, tmp_path, name, after):
    text = html_text(f"{name.encode().decode('unicode_escape')} {after}")
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8><p>{text}</p>")
    start, follower = open_page(tmp_path / "page.html").evaluate(PLACES)
    assert start < follower
