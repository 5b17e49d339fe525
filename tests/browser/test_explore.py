"""The explorer in the page: its scorer gives what `srlib score` gives, whatever is chosen."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import srlib.rendering
from srlib.displays import explore
from srlib.judging import judge_runs
from srlib.judging.portable import portable
from srlib.letters import seen
from srlib.rendering.explore import explorer_html, with_explorer
from srlib.rendering.handover import report_json
from srlib.rendering.html import page
from srlib.rules import Judge
from tests.browser.choices import EXCUSED, TURNS, choices, copied, judged, made_up, official
from tests.rendering.people import ORIGIN

ODD = r"$'a\u202eb'"  # as a shell takes it
TEMPLATE = Path(srlib.rendering.__file__).parent / "template"
SCORE = (TEMPLATE / "explore-score.js").read_text(encoding="utf-8")
EVALUATE = """([script, all]) => {
  const scorer = new Function(script + '; return scorer')();
  return all.map(([given, cases]) => {
    const data = scorer.load(given);
    return cases.map(([judge, without]) => {
      const found = scorer.score(data, { judge, without });
      return found.refused || found.ranking.map(row => [given.methods[row.method], row.place, row.score]);
    });
  });
}"""
# Values of switches that the address does not bring back
LOST = """async () => {
  const lost = [], reset = document.querySelector("#explore button");
  const soon = () => new Promise(done => setTimeout(done, 5));
  for (const box of document.querySelectorAll("#explore select")) for (const option of box.options) {
    box.value = option.value;
    box.dispatchEvent(new Event("change"));
    const address = location.hash;
    reset.click();
    await soon();
    location.hash = address;
    await soon();
    if (box.value !== option.value) lost.push(`${box.id}: ${option.label}`);
    reset.click();
    await soon();
  }
  return lost; }"""
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def competitions():
    """The demo, and made-up ones by several rules, with one model a run or several."""
    yield judge_runs("demo"), 10, ("judging-2022",)
    several = (
        ("judging-2022", "proposal-2022"),
        ("competition-2022",),
        ("judging-2026", "competition-2023"),
    )
    for seed, rules in enumerate(several):
        yield judged(*made_up(seed, fronts=seed == 2), rules[0]), 40, rules


@pytest.fixture(name="tried", scope="module")
def tried_fixture(browser):
    """Each choice with what the page's scorer makes of it, and what srlib does."""
    generator, given, cases = np.random.default_rng(23), [], []
    for judgement, many, rules in competitions():
        data = portable(judgement)
        given.append((judgement, data))
        cases.append(choices(data, generator, many, rules))
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        ours = chromium.new_page().evaluate(
            EVALUATE, [SCORE, [[d, c] for (_, d), c in zip(given, cases, strict=True)]]
        )
        chromium.close()
    return [
        (judgement.rules.name, block, without, mine, official(judgement, data, block, without))
        for (judgement, data), some, found in zip(given, cases, ours, strict=True)
        for (block, without), mine in zip(some, found, strict=True)
    ]


def test_the_page_ranks_as_srlib_score_for_every_switch(tried):
    ranked = 0
    for name, block, without, mine, theirs in tried:
        about = (name, block, without, mine, theirs)
        if isinstance(theirs, str):
            assert isinstance(mine, str) and mine in theirs, about
            continue
        ranked += 1
        assert [row[:2] for row in mine] == [row[:2] for row in theirs], about
        scores = [[np.nan if row[2] is None else row[2] for row in rows] for rows in (mine, theirs)]
        assert np.allclose(*scores, rtol=1e-12, atol=1e-12, equal_nan=True), about
    assert ranked > 0.6 * len(tried)


def test_every_switch_is_turned_or_excused_by_name():
    known = {path[0] for path, _ in TURNS} | set(EXCUSED)
    assert known == {info.alias or name for name, info in Judge.model_fields.items()}


def test_the_rules_as_they_are_give_the_ranking_of_the_judgement(tried):
    given, mine = next((one[1], one[3]) for one in tried)
    ranking = judge_runs("demo").ranking
    assert given == portable(judge_runs("demo"))["judge"]
    assert [row[0] for row in mine] == ranking["method"].tolist()
    assert np.allclose([row[2] for row in mine], ranking["score"], rtol=1e-12)


def page_of(judgement, folder, monkeypatch, names=None):
    """Render the explorer alone, as the synthetic report has it."""
    outputs = []

    def keep(data, metadata=None, raw=False):
        outputs.append(new_output("display_data", data, metadata=metadata or {}))

    monkeypatch.setattr(explore, "display", keep)
    explore.show_explorer(judgement, folder / "r")
    words = new_markdown_cell("## What if?", metadata={"tags": ["folded"]})
    cell = new_code_cell("x", execution_count=1, outputs=outputs)
    notebook = new_notebook(cells=[words, cell])
    handed = report_json(notebook, "r", ORIGIN, None)
    path = folder / "r.html"
    path.write_text(page(notebook, handed, None, folder / "r", "Small"))
    return path


@pytest.fixture(name="opened")
def opened_fixture(browser):
    """Open a page at an address; what goes wrong in it fails the test."""
    wrong = []
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])

        def opened(path, address="", **options):
            shown = chromium.new_context(**options).new_page()
            shown.on("pageerror", lambda error: wrong.append(str(error)))
            shown.on("console", lambda message: wrong.append(message.text))
            shown.goto(f"{path.as_uri()}{address}")
            return shown

        yield opened
        chromium.close()
    assert wrong == []


def rows(shown):
    """Places and names of the explorer's table."""
    cells = "all => all.map(row => [row.cells[1].textContent, row.cells[0].textContent])"
    return [tuple(one) for one in shown.locator("#explore tbody tr").evaluate_all(cells)]


def as_shown(ranking):
    return [
        ("\u2013" if pd.isna(row.rank) else str(row.rank), seen(row.method))
        for row in ranking.itertuples()
    ]


@pytest.mark.parametrize("which", ["demo", "made up"])
def test_a_reader_turns_weighs_and_leaves_out_and_shares_the_address(
    which, opened, tmp_path, monkeypatch
):
    judgement = judge_runs("demo")
    if which == "made up":
        judgement = judged(*made_up(4), "judging-2022")
    path = page_of(judgement, tmp_path, monkeypatch)
    shown = opened(path)
    assert (
        shown.locator("#explore table").count() == 0
    )  # nothing is worked out before it is asked for
    shown.locator("summary:has(h2)").first.focus()
    shown.keyboard.press("Enter")
    shown.locator("#explore table").wait_for()
    assert rows(shown) == as_shown(judgement.ranking)
    assert "Nothing is changed" in shown.locator("#explore .told").inner_text()
    assert shown.get_by_role("button", name="Reset").is_disabled()
    shown.evaluate(
        "document.querySelectorAll('#explore details').forEach(part => { part.open = true })"
    )
    shown.get_by_label("ties").select_option(label="max")
    shown.get_by_label("accuracy: weight").fill("2.5")
    out = judgement.ranking["method"].iloc[0]
    shown.get_by_role("checkbox", name=seen(out), exact=True).uncheck()
    data = portable(judgement)
    block = copied(data["judge"])
    block["ties"] = "max"
    block["aspects"]["accuracy"]["weight"] = 2.5
    without = {"methods": [data["methods"].index(out)], "datasets": []}
    expected = official(judgement, data, block, without)
    assert rows(shown) == [
        ("\u2013" if place is None else str(place), seen(name)) for name, place, _ in expected
    ]
    told = shown.locator("#explore .told").inner_text()
    assert f"instead of {seen(out)}" in told and "2 switches changed, without 1 method" in told
    assert f"{seen(out)} 1, left out" in shown.locator("#explore svg").get_attribute("aria-label")
    same = shown.locator("#explore pre").inner_text()
    assert "judge.aspects.accuracy.weight: 2.5\njudge.ties: max\n" in same
    assert f"--without-method {dict(demo=out).get(which, ODD)} --out scores" in same
    address = shown.evaluate("location.hash")
    again = opened(path, address)
    again.locator("#explore table").wait_for()
    assert rows(again) == rows(shown) and again.evaluate("location.hash") == address
    shown.get_by_role("button", name="Reset").click()
    assert rows(shown) == as_shown(judgement.ranking)
    assert shown.evaluate("location.hash") == "#explore"
    assert shown.evaluate(LOST) == []


def test_what_the_rules_refuse_has_no_winner(opened, tmp_path, monkeypatch):
    shown = opened(
        page_of(judge_runs("demo"), tmp_path, monkeypatch),
        "#explore?combine=mean&aspects.accuracy.weight=3",
    )
    told = shown.locator("#explore .told")
    told.wait_for()
    assert "these switches exclude each other (combine mean has no weights" in told.inner_text()
    assert shown.locator("#explore table, #explore svg").count() == 0
    shown.goto(
        shown.url.partition("#")[0]
        + "#explore?ties=nonsense&x&without-method=%ZZ&aspects.accuracy.weight=-1"
    )
    assert "Nothing is changed" in told.inner_text()
    weight = shown.locator("#explore-aspects-accuracy-weight")
    shown.evaluate("document.querySelectorAll('#explore details').forEach(one => one.open = true)")
    weight.fill("-1")
    assert re.search(r"No ranking: .* takes a number, not below 0; this is -1", told.inner_text())
    assert shown.locator("#explore table, #explore svg").count() == 0
    weight.fill("1")
    assert "Nothing is changed" in told.inner_text()


def test_the_explorer_is_accessible_narrow_and_calls_methods_as_the_suite_does(
    opened, tmp_path, monkeypatch
):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    path = page_of(judge_runs("demo"), tmp_path, monkeypatch, {"ffx": "FFX <2>"})
    for scheme in ("light", "dark"):
        shown = opened(
            path,
            "#explore?ties=min&without-method=gplearn",
            color_scheme=scheme,
            viewport={"width": 380, "height": 800},
        )
        shown.locator("#explore table").wait_for()
        shown.evaluate(
            "document.querySelectorAll('#explore details').forEach(part => { part.open = true })"
        )
        assert shown.evaluate("document.documentElement.scrollWidth") <= 380
        found = axe.Axe().run(shown).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:99]) for one in found] == []
        assert "FFX <2>" in [name for _, name in rows(shown)]
    plain = opened(path, java_script_enabled=False)
    assert plain.locator("#explore noscript").count() == 1


def test_a_page_without_its_data_is_written_all_the_same(tmp_path):
    place = explorer_html({"said": "Said <once>."})
    assert with_explorer(place, tmp_path, {}, 1) == place and "&lt;once&gt;" in place


def test_a_page_that_would_be_too_large_has_a_sentence(tmp_path):
    (tmp_path / "explorer.json").write_text("{}")
    found = with_explorer(f"<i>{explorer_html({'said': 'Said.'})}</i>", tmp_path, {}, 1000)
    assert found == f"<i><p>Said.</p><p>{explore.TOO_MANY}</p></i>"


def test_downloads_that_can_lie_beside_a_page_do_not_push_the_explorer_out(tmp_path):
    (tmp_path / "explorer.json").write_text("{}")
    table = f'<a download="t.tex" href="data:application/x-tex;base64,{"A" * 99_000}">LaTeX</a>'
    page = f"<html><body>{explorer_html({'said': 'Said.'})}{table}</body></html>"
    assert explore.TOO_MANY not in with_explorer(page, tmp_path, {}, 100_000)


def test_too_many_runs_are_a_sentence(tmp_path, monkeypatch, opened):
    monkeypatch.setattr("srlib.judging.portable.MOST", 10)
    shown = opened(page_of(judge_runs("demo"), tmp_path, monkeypatch))
    assert shown.locator("#explore").count() == 0 and "too many runs" in shown.content()


@pytest.mark.parametrize("name", ["judging-2022", "competition-2022", "competition-2023"])
def test_every_switch_of_the_rules_can_be_turned_on_the_page_or_is_excused_by_name(name):
    judgement = judged(*made_up(2, fronts=True), name)
    data = portable(judgement)
    offered = {
        ".".join(one["path"]) for group in explore.switches(data) for one in group["switches"]
    }
    offered |= {path.split(".")[0] for path in offered if path.startswith("quirks.")}
    fixed = ("from", "transform", "base", "direction")  # of an aspect that is no size
    left = [
        path
        for path in judgement.rules.settings
        if (first := path.split(".")[0]) in Judge.model_fields
        and path not in offered
        and first not in explore.ELSEWHERE
        and path.split(".")[-1] not in fixed
    ]
    if "property" not in judgement.rules.judge.aspects:
        left = [path for path in left if not path.startswith(("properties.", "noise_guard."))]
    assert left == []
    assert set(explore.ELSEWHERE) == set(EXCUSED)
