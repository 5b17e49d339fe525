"""Names and models that want to be more than text, from a run table to a real report in a browser."""

import base64
import csv
import io
from pathlib import Path

import pandas as pd
import pytest

from srlib.displays.tables.table import neutralise
from srlib.files import NOTEBOOKS
from srlib.prose import INVISIBLE, html_text, visible
from srlib.rendering import render_suite

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

SCRIPT = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
METHODS = {
    SCRIPT: "x1",
    "</details></td></table></section>": "x1 + x2",
    "m" * 300: "0.4*x1*x2",
    "right\u202eto\u2067left\u200f": "0.4*x1*x2 - 1.5*x1",
    "\u05d0\u05d1 \u05d2": "x1",
    "=cmd|' /C calc'!A0": "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }} ${7*7} $x_1$ `b` **b** & \" ' ]]>": "<script>window.ran = 1</script>",
}
ISOLATED = "\u2068\u05d0\u05d1 \u05d2\u2069"  # a name that is written from right to left
DATASETS = ("<script>window.ran = 1</script>", "</summary></details>=d\u202e")
PROBLEM = """  - {dataset: %s, property: solution, family: "<b>", difficulty: easy, features: [x1, x2],
     truth: "0.4*x1*x2 - 1.5*x1", relevant: [x1, x2], domain: {x1: [-5, 5], x2: [-5, 5]}}
"""


@pytest.fixture(name="report", scope="module")
def report_fixture(browser, tmp_path_factory):
    """Folder of the synthetic report on hostile runs, and the browser's path."""
    folder = tmp_path_factory.mktemp("hostile")
    head = "schema: 1\nname: hostile\ndefaults: {track: synthetic, target: y, data_seeds: [1]}\nproblems:\n"
    quoted = ['"' + name.replace("\u202e", "\\u202e") + '"' for name in DATASETS]
    (folder / "problems.yaml").write_text(head + "".join(PROBLEM % name for name in quoted))
    keys = [(method, dataset, r) for method in METHODS for dataset in DATASETS for r in (1, 2)]
    runs = pd.DataFrame(keys, columns=["method", "dataset", "repetition"]).assign(r2_test=0.5)
    runs["model"] = runs["method"].map(METHODS)
    runs.to_csv(folder / "runs.csv", index=False)
    notebook = NOTEBOOKS / "synthetic.ipynb"
    parameters = "{runs: ./runs.csv, problems: ./problems.yaml}"
    report = f"  - {{name: synthetic, notebook: {notebook}, parameters: {parameters}}}"
    (folder / "suite.yaml").write_text(
        f'schema: 1\nsuite: hostile\ntitle: "{SCRIPT}"\nreports:\n{report}\n'
    )
    (result,) = render_suite(folder / "suite.yaml", folder / "out")
    assert result.state == "executed", result.handed["verdict"]
    return folder / "out", browser


@pytest.mark.parametrize("script", [True, False])
def test_hostile_text_is_shown_as_text_everywhere(report, script):
    out, path = report
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in ("index", "synthetic"):
            context = browser.new_context(
                java_script_enabled=script, viewport={"width": 380, "height": 800}
            )
            page, said = context.new_page(), []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.goto((out / f"{name}.html").as_uri(), wait_until="load")
            assert said == [] and page.evaluate("window.ran") is None
            assert page.evaluate("document.documentElement.scrollWidth") <= 380
            own = page.locator("script:not([type]), main img[onerror], iframe, object")
            # the page's own script
            assert own.count() == {"index": 0, "synthetic": 1}[name]
        shown = page.locator("#table-final-ranking tbody tr > :nth-child(2)")
        assert set(shown.evaluate_all("all => all.map(cell => cell.textContent)")) == set(
            ISOLATED if "\u05d0" in name else visible(name) for name in METHODS
        )
        assert not INVISIBLE.search(page.locator("html").inner_html().replace(ISOLATED, "name"))
        assert page.locator("main").count() == page.locator(".provenance").count() == 1
        # nothing before it closed a part of the page
        assert page.locator(".provenance table").count() == 3
        link = page.locator("#table-final-ranking a[download='final-ranking.csv']").get_attribute(
            "href"
        )
        text = base64.b64decode(link.partition(",")[2]).decode()
        assert text == neutralise((out / "synthetic" / "tables" / "final-ranking.csv").read_text())
        browser.close()


def test_downloads_are_neutralised_and_files_for_machines_verbatim(report):
    out = report[0] / "synthetic"
    text = (out / "tables" / "final-ranking.csv").read_text()
    assert set(pd.read_csv(io.StringIO(text))["method"]) == set(METHODS)
    cells = [cell for row in csv.reader(io.StringIO(neutralise(text), newline="")) for cell in row]
    assert "'=cmd|' /C calc'!A0" in cells and "=cmd|' /C calc'!A0" not in cells
    for path in Path(out).rglob("*.svg"):
        assert b"<script" not in path.read_bytes()


NAMES = [
    ("\u05d0\u05d1", " 12 wins"),
    ("a\u202eb", " wins"),
    ("a\u2067b", " wins"),
    ("\u0627\u200f", " 12"),
]


@pytest.mark.parametrize(("name", "after"), NAMES)
def test_words_after_a_name_stay_after_it(browser, name, after):
    first = """() => {
      const text = document.querySelector('p').firstChild, range = document.createRange();
      const left = at => {
        range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect().left; };
      return [left(text.data.search(/[a\u05d0\u0627]/)), left(text.data.search(/[1w]/))]; }"""
    with sync_api.sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        page.set_content(f"<p>{html_text(name + after)}</p>")
        start, follower = page.evaluate(first)
        assert start < follower
