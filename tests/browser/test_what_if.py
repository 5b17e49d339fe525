"""The page's switches: what they show is what the scorer gave for that reading."""

import json

import pytest

from srlib.rendering.page import TEMPLATE

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
DATA = {
    "switches": {"rank_start": ["1", "0"], "ties": ["dense", "min"]},
    "methods": ["<b>A", "B"],
    "readings": [
        [0, 0, [[1, 2.5], [2, 2.0]]],
        [1, 0, [[1, 1.0], [1, 1.0]]],
        [0, 1, [[2, 1.0], [1, 1.25]]],
    ],
}


def test_turned_switches_show_the_ranking_of_that_reading(browser):
    block = json.dumps(DATA).replace("<", "\\u003c")
    script = (TEMPLATE / "what_if.js").read_text(encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = started.new_page()
        page.set_content(
            f'<div class="what-if"><script type="application/json">{block}</script></div>'
            f"<script>{script}</script>"
        )
        winner, table = page.get_by_role("status"), page.locator("table")
        assert winner.inner_text() == "<b>A wins."
        page.get_by_label("ties").select_option(label="min")
        assert winner.inner_text() == "B wins."
        assert table.locator("tbody").inner_text().split() == [
            *("1", "B", "1.250", "2"),
            *("2", "<b>A", "1.000", "1"),
        ]
        page.get_by_label("rank start").select_option(label="0")
        assert "not on the page" in winner.inner_text() and not table.locator("tr").count()
        page.get_by_label("ties").select_option(label="dense")
        assert winner.inner_text() == "<b>A, B share the first place: all are tied."
        page.get_by_role("button").click()
        page.wait_for_function("document.querySelector('.what-if p').textContent === '<b>A wins.'")
        started.close()
