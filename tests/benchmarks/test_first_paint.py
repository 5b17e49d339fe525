"""How soon a reader sees something: first contentful paint of the demo's pages, its index and an empty page."""

import statistics

import pytest

from tests.browser.pages import render_demo

SETTLE_MS = 1200
TIMES = 5
EMPTY = "<!doctype html><title>Empty</title><p>A line.</p>"
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def test_first_paint(benchmark, browser, tmp_path, say):
    """In a window that is there already, and in one that opens for the page and still loads the browser's own."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pages = render_demo(tmp_path) | {"an empty page": tmp_path / "empty.html"}
    pages["an empty page"].write_text(EMPTY, encoding="utf-8")
    seen: dict[str, dict[str, list[float]]] = {name: {"open": [], "new": []} for name in pages}

    def look() -> None:
        for name, path in pages.items():
            for window, found in seen[name].items():
                page = chromium.new_context().new_page()
                page.goto("about:blank")
                page.wait_for_timeout(SETTLE_MS if window == "open" else 0)
                page.goto(path.as_uri())
                page.wait_for_timeout(400)
                found.append(page.evaluate(FIRST_PAINT))
                page.context.close()

    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        benchmark.pedantic(look, rounds=TIMES)
        chromium.close()
    for name, windows in seen.items():
        there, new = (statistics.median(windows[window]) for window in ("open", "new"))
        say(
            f"{name}: first paint after {there:.0f} ms in an open window, {new:.0f} ms in a new one"
        )
        assert all(len(times) == TIMES for times in windows.values())
