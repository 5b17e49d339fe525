"""The page's switches: what they show is what the scorer gave for that reading."""

import json

from srlib.rendering.page import TEMPLATE

DATA = {
    "switches": {"rank_start": ["1", "0"], "ties": ["dense", "min"]},
    "methods": ["<b>A", "B"],
    "readings": [
        [0, 0, [[1, 2.5], [2, 2.0]]],
        [1, 0, [[1, 1.0], [1, 1.0]]],
        [0, 1, [[2, 1.0], [1, 1.25]]],
    ],
}


def test_turned_switches_show_the_ranking_of_that_reading(open_page, tmp_path):
    block = json.dumps(DATA).replace("<", "\\u003c")
    script = (TEMPLATE / "what_if.js").read_text()
    (tmp_path / "page.html").write_text(
        f'<div class="what-if"><script type="application/json">{block}</script></div>'
        f"<script>{script}</script>"
    )
    page = open_page(tmp_path / "page.html")

    def turn(switch, value):
        page.get_by_label(switch).select_option(label=value)
        return page.get_by_role("status").inner_text()

    table = page.locator("tbody")
    assert page.get_by_role("status").inner_text() == "<b>A wins."
    assert turn("ties", "min") == "B wins."
    assert table.inner_text().split() == ["1", "B", "1.250", "2", "2", "<b>A", "1.000", "1"]
    assert "not on the page" in turn("rank start", "0") and not table.locator("tr").count()
    assert turn("ties", "dense") == "<b>A, B share the first place: all are tied."
    page.get_by_role("button").click()
    page.wait_for_function("document.querySelector('.what-if p').textContent === '<b>A wins.'")
