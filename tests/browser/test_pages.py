"""Reports in a real browser: no request, no error, no accessibility violation, readable at any width."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from srlib.displays.tables.table import neutralise
from tests.browser.pages import INDEXES, NAMES, render_demo, write_pages

CONTRAST = {"runOnly": ["color-contrast"]}  # all else is the same in the dark
# Rows are made alike, and axe looks into no formula: without most of them it takes seconds and not minutes.
FEWER = """document.querySelectorAll('tbody tr:nth-child(n+7)').forEach(row => row.remove());
document.querySelectorAll('math').forEach(math => math.replaceChildren('x'))"""
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(name="chromium", scope="module")
def chromium_fixture(browser):
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(autouse=True)
def no_page_stays_open(chromium):
    """Close what a test opened: a hundred pages of a megabyte each would make the last tests slow."""
    yield
    for context in chromium.contexts:
        context.close()


@pytest.fixture(name="pages", scope="module")
def pages_fixture(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        small = write_pages(tmp_path_factory.mktemp("pages"), monkeypatch)
    return small | render_demo(tmp_path_factory.mktemp("demo"))


def opened(chromium, path: Path, **options):
    """Open a page and keep its requests and console messages."""
    page = chromium.new_context(**options).new_page()
    page.seen, page.said = [], []
    page.on("request", lambda request: page.seen.append(request.url))
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(path.as_uri(), wait_until="load")
    return page


def laid_out(page):
    """Unfold everything."""
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_no_request_leaves_the_folder_and_nothing_goes_wrong(chromium, pages, name, script):
    page = opened(chromium, pages[name], java_script_enabled=script)
    folder = pages[name].parent.as_uri()
    asked = [url for url in page.seen if not url.startswith("data:")]
    assert asked[0] == pages[name].as_uri() and all(url.startswith(folder) for url in asked)
    assert len(asked) == 1
    assert page.said == []


@pytest.mark.parametrize(
    ("name", "scheme"), [(name, scheme) for name in NAMES for scheme in ("light", "dark")]
)
def test_no_accessibility_violation(chromium, pages, name, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = opened(chromium, pages[name], color_scheme=scheme)
    laid_out(page)
    page.evaluate(FEWER)
    found = axe.Axe().run(page, options=None if scheme == "light" else CONTRAST)
    broken = {
        v["id"]: [node["html"][:120] for node in v["nodes"]][:3]
        for v in found.response["violations"]
    }
    assert broken == {} and len(found.response["passes"]) > (10 if scheme == "light" else 0)


@pytest.mark.parametrize("name", NAMES)
def test_what_axe_does_not_look_at(chromium, pages, name):
    page = opened(chromium, pages[name])
    assert page.locator("h1").count() == 1 and page.title()
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("table:not(:has(caption))").count() == 0
    alts = page.locator("main figure img").evaluate_all("images => images.map(i => i.alt)")
    assert all(len(alt) > 30 for alt in alts)
    levels = page.locator("h1, h2, h3").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    assert page.locator("script:not([type])").count() == (name not in INDEXES)
    links = page.locator("a[href^='#']").evaluate_all(
        "all => all.map(a => a.getAttribute('href').slice(1))"
    )
    assert (
        page.evaluate("names => names.filter(name => !document.getElementById(name))", links) == []
    )


@pytest.mark.parametrize("width", [380, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_fits_the_width_and_is_not_blank(chromium, pages, name, width):
    page = opened(chromium, pages[name], viewport={"width": width, "height": 900})
    laid_out(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("L"))
    assert picture.std() > 10 and len(np.unique(picture)) > 20


def test_the_verdict_or_the_failure_is_on_the_first_screen(chromium, pages):
    for name, words in (("good", "alpha wins"), ("bad", "This report failed")):
        page = opened(chromium, pages[name], viewport={"width": 390, "height": 700})
        box = page.locator("main .box")
        assert words in box.inner_text() and box.bounding_box()["y"] + 80 < 700


def test_answer_certainty_and_checks_are_on_the_first_screen_of_report_and_index(chromium, pages):
    for name in ("synthetic", "demo"):
        page = opened(chromium, pages[name], viewport={"width": 1280, "height": 800})
        for where in (".headline", ".certainty", ".places li:nth-child(3)", ".state"):
            box = page.locator(where).first.bounding_box()
            assert box is not None and box["y"] + box["height"] <= 800, where
        assert page.locator(".next a[href='robustness.html']").is_visible()


def test_the_switches_of_the_page_begin_with_its_ranking(chromium, pages):
    page = opened(chromium, pages["synthetic"])
    for cell, place in (("2", ".places li"), ("3", ".places .quiet")):
        shown = page.locator(f".what-if tbody tr:first-child td:nth-child({cell})").text_content()
        assert shown in page.locator(place).first.text_content()
    assert page.locator(".what-if select").count() > 3


def test_hostile_text_is_text(chromium, pages):
    page = opened(chromium, pages["good"])
    assert (
        page.locator("#table-ranking")
        .get_by_text("<script>alert(1)</script> $beta$ & =cmd()")
        .count()
        == 1
    )


def test_downloads_hold_the_table(chromium, pages):
    page = opened(chromium, pages["good"], accept_downloads=True)
    with page.expect_download() as caught:
        page.locator("#table-ranking a[download]").first.click()
    text = Path(caught.value.path()).read_bytes().decode()
    written = (pages["good"].parent / "good" / "tables" / "ranking.csv").read_text()
    assert caught.value.suggested_filename == "ranking.csv" and text == neutralise(written)
    beside = page.locator("#figure-scores a[download='scores.pdf']").get_attribute("href")
    assert (pages["good"].parent / beside).read_bytes().startswith(b"%PDF")


def test_the_page_prints(chromium, pages):
    page = opened(chromium, pages["good"])
    assert len(page.pdf(prefer_css_page_size=True)) > 20_000
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible() and page.locator("main .box").is_visible()
    assert not page.locator("#table-aspects table").is_visible()  # folded on paper, too
    page.locator("#table-aspects").evaluate("block => { block.closest('details').open = true }")
    assert page.locator("#table-aspects table").is_visible()


def test_a_dataset_of_the_heat_map_opens_its_table(chromium, pages):
    page = opened(chromium, pages["synthetic"])
    assert not page.locator("#table-aspects-noise_hard table").is_visible()
    page.locator("#table-score-of-each").get_by_role("link", name="noise_hard", exact=True).click()
    page.locator("#table-aspects-noise_hard table").wait_for(state="visible")


def test_a_cell_of_the_heat_map_opens_its_method_there(chromium, pages):
    """From the keyboard: the participant's page, with that dataset unfolded and on the screen."""
    page = opened(chromium, pages["synthetic"])
    page.get_by_role("link", name="pyoperon on noise_hard: ").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/participants/pyoperon.html#table-aspects-noise_hard")
    card = page.locator("#table-aspects-noise_hard")
    card.wait_for(state="visible")
    assert -80 < card.bounding_box()["y"] < 300
    assert card.locator("math").count() >= 2 and "accuracy" in card.inner_text()


def column(page, table, number):
    """Visible cells of a column, from 1, as text."""
    cells = page.locator(f"#table-{table} tbody tr:not([hidden]) > :nth-child({number})")
    return cells.evaluate_all("all => all.map(cell => cell.textContent)")


def test_long_tables_are_sorted_and_searched_from_the_keyboard(chromium, pages):
    page = opened(chromium, pages["good"])
    head = page.locator("#table-long th").nth(1)
    written = column(page, "long", 2)
    assert len(written) == 20
    assert page.locator("#table-ranking .sort").count() == 0  # two rows need no sorting
    head.get_by_role("button", name="Sort by value").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "long", 2) == [
        *("−∞", "−1,000.500", "−2.000", "0.000", "0.001", "1.000", "9.000", "10.000", "20.000", "30.000"),
        *("31.000", "32.000", "33.000", "34.000", "35.000", "1,234.000", "1.000e+09", "∞", "–", "–"),
    ]  # fmt: skip
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "long", 2)[:2] == ["∞", "1.000e+09"] and column(page, "long", 2)[-1] == "–"
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") is None and column(page, "long", 2) == written
    page.get_by_label("Search this table").fill("ROW 12")
    assert column(page, "long", 1) == ["row 12"]
    assert page.get_by_role("status").inner_text().strip() == "1 of 20 rows"
    with page.expect_download() as caught:
        page.locator("#table-long a[download]").first.click()
    assert len(Path(caught.value.path()).read_text().splitlines()) == 21


def test_without_scripts_long_tables_are_whole_and_plain(chromium, pages):
    page = opened(chromium, pages["good"], java_script_enabled=False)
    assert (
        page.locator("#table-long tbody tr").count() == 20
        and page.locator("#table-long button").count() == 0
    )


def test_a_link_unfolds_what_it_leads_to(chromium, pages):
    page = opened(chromium, pages["good"])
    assert not page.locator("#table-aspects table").is_visible()
    page.goto(f"{pages['good'].as_uri()}#table-aspects")
    page.locator("#table-aspects table").wait_for(state="visible")


def test_no_foreign_script_runs(chromium, pages):
    page = opened(chromium, pages["good"])
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))"
    )
    assert page.evaluate("window.ran") is None and "Content Security Policy" in page.said[0]
