"""Reports in a real browser: no request, no error, no accessibility violation, readable at any width."""

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import imsave
from matplotlib.text import Text
from PIL import Image

import srlib
from srlib.displays.tables.table import neutralise
from tests.browser.conftest import violations
from tests.browser.pages import INDEXES, NAMES, render_demo, write_pages
from tests.builders import each
from tests.displays.test_contract import MADE

TEMPLATE = Path(srlib.__file__).parent / "rendering/template"
# figures with letters in cells, and the one with training rows
WITH_OTHER_GROUNDS = {
    f"{name}Display" for name in ("Matrix", "Pairs", "FeatureUse", "Extrapolation")
}
of_each_page = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def pages(browser, tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        small = write_pages(tmp_path_factory.mktemp("pages"), monkeypatch)
    return small | render_demo(tmp_path_factory.mktemp("demo"))


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")


@pytest.mark.parametrize(("width", "script"), [(380, True), (1280, False)])
@of_each_page
def test_page_asks_for_nothing_fits_the_width_and_is_not_blank(
    open_page, pages, name, width, script
):
    size = {"width": width, "height": 900}
    page = open_page(pages[name], java_script_enabled=script, viewport=size)
    unfold(page)
    assert page.requests == [page.url] and page.messages == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = Image.open(io.BytesIO(page.screenshot())).convert("L")
    assert len(picture.getcolors()) > 20, "shades of grey"


@of_each_page
def test_page_violates_no_rule_of_accessibility(open_page, pages, name):
    page = open_page(pages[name])
    unfold(page)
    assert violations(page) == {}
    page.emulate_media(color_scheme="dark")
    assert violations(page, {"runOnly": ["color-contrast"]}) == {}, "all else is the same"


@of_each_page
def test_page_has_scopes_captions_texts_and_targets(open_page, pages, name):
    page = open_page(pages[name])
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("table:not(:has(caption))").count() == 0
    alts = page.locator("main figure img").evaluate_all("images => images.map(i => i.alt)")
    assert all(len(alt) > 30 for alt in alts)
    assert page.locator("script:not([type])").count() == (name not in INDEXES)
    links = page.locator("a[href^='#']").evaluate_all(
        "all => all.filter(a => !document.getElementById(a.getAttribute('href').slice(1)))"
    )
    assert links == []


@each("name words", "good | alpha wins\nbad | This report failed")
def test_verdict_or_failure_is_on_the_first_screen(open_page, pages, name, words):
    box = open_page(pages[name], viewport={"width": 390, "height": 700}).locator("main .box")
    assert words in box.inner_text() and box.bounding_box()["y"] + 80 < 700


def mark_colours(figure):
    """Colours of the lines, marks, intervals and letters of a figure; grids, bands and cells are grounds."""
    for axes in figure.axes:
        yield from (line.get_color() for line in axes.lines)
        for artist in axes.collections:
            if isinstance(artist, LineCollection | PathCollection):
                yield from (*artist.get_edgecolor(), *artist.get_facecolor())
    yield from (text.get_color() for text in figure.findobj(Text))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_intervals_and_letters_have_three_times_the_contrast(open_page, tmp_path, scheme):
    """The colours of all figures beside their ground, as a page shows them."""
    displays = [display for display in MADE if type(display).__name__ not in WITH_OTHER_GROUNDS]
    figures = [display.plot(methods=display.methods[:9]).figure_ for display in displays]
    colours = sorted({to_hex(colour) for figure in figures for colour in mark_colours(figure)})
    swatches = np.array([[to_rgb(colour) for colour in ("white", *colours)]])
    imsave(tmp_path / "swatches.png", swatches.repeat(20, axis=0).repeat(20, axis=1))
    css = (TEMPLATE / "report.css").read_text()
    path = tmp_path / "page.html"
    path.write_text(f"<style>{css}</style><picture><img src=swatches.png></picture>")
    shot = open_page(path, color_scheme=scheme).locator("img").screenshot()
    shown = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))[10, 10::20] / 255
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    ground, *marks = linear @ [0.2126, 0.7152, 0.0722] + 0.05
    ratios = np.fmax(marks / ground, ground / marks).round(2)
    assert len(ratios) > 8 and ratios.min() >= 3, dict(zip(colours, ratios, strict=True))


@pytest.mark.parametrize("name", ["synthetic", "demo"])
def test_answer_certainty_and_checks_are_on_the_first_screen(open_page, pages, name):
    page = open_page(pages[name], viewport={"width": 1280, "height": 800})
    for where in (".headline", ".certainty", ".places li:nth-child(3)", ".state"):
        box = page.locator(where).first.bounding_box()
        assert box and box["y"] + box["height"] <= 800, where
    assert page.locator(".next a[href='robustness.html']").is_visible()


def test_switches_of_the_page_begin_with_its_ranking(open_page, pages):
    page = open_page(pages["synthetic"])
    first = page.locator(".places li").first.text_content()
    method, score = page.locator(".what-if tbody tr:first-child td").all_text_contents()[1:3]
    assert method in first and score in first
    assert page.locator(".what-if select").count() > 3


def test_page_is_printed_without_its_navigation(open_page, pages):
    page = open_page(pages["good"])
    assert len(page.pdf(prefer_css_page_size=True)) > 20_000
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible() and page.locator("main .box").is_visible()
    table = page.locator("#table-aspects table")
    assert not table.is_visible(), "folded on paper, too"
    unfold(page)
    assert table.is_visible()


def test_heat_map_opens_the_table_of_a_dataset_and_the_page_of_a_method(open_page, pages):
    page = open_page(pages["synthetic"])
    card = page.locator("#table-aspects-noise_hard")
    assert not card.locator("table").is_visible()
    page.locator("#table-score-of-each").get_by_role("link", name="noise_hard", exact=True).click()
    card.locator("table").wait_for(state="visible")
    page.get_by_role("link", name="pyoperon on noise_hard: ").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/participants/pyoperon.html#table-aspects-noise_hard")
    card.wait_for(state="visible")
    assert -80 < card.bounding_box()["y"] < 300, "unfolded and on the screen"
    assert card.locator("math").count() >= 2 and "accuracy" in card.inner_text()


UPWARDS = (
    "−∞ −1,000.500 −2.000 0.000 0.001 1.000 9.000 10.000 20.000 30.000 "
    "31.000 32.000 33.000 34.000 35.000 1,234.000 1.000e+09 ∞ – –"
)
DOWNWARDS = (
    "∞ 1.000e+09 1,234.000 35.000 34.000 33.000 32.000 31.000 30.000 20.000 "
    "10.000 9.000 1.000 0.001 0.000 −2.000 −1,000.500 −∞ – –"
)


def test_long_tables_are_sorted_searched_and_downloaded_from_the_keyboard(open_page, pages):
    page = open_page(pages["good"])

    def column(number):
        """Visible cells of a column."""
        cells = page.locator(f"#table-long tbody tr:not([hidden]) > :nth-child({number})")
        return " ".join(cells.all_text_contents())

    written, head = column(2), page.locator("#table-long th").nth(1)
    head.get_by_role("button", name="Sort by value").focus()
    for order, cells in (("ascending", UPWARDS), ("descending", DOWNWARDS), (None, written)):
        page.keyboard.press("Enter")
        assert (head.get_attribute("aria-sort"), column(2)) == (order, cells)
    assert page.locator("#table-ranking .sort").count() == 0, "two rows need no sorting"
    page.get_by_label("Search this table").fill("ROW 12")
    assert column(1) == "row 12"
    assert page.get_by_role("status").inner_text().strip() == "1 of 20 rows"
    with page.expect_download() as download:
        page.locator("#table-long a[download='long.csv']").press("Enter")
    csv = pages["good"].parent / "good/tables/long.csv"
    assert Path(download.value.path()).read_bytes().decode() == neutralise(csv.read_text())
