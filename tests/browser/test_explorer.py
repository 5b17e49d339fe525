"""explore.ipynb in a running JupyterLab, as its users have it."""

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def test_the_explorer_works_in_jupyterlab_and_asks_nobody_else(browser, tmp_path):
    from tests.browser.lab import lab, run_all

    with lab(tmp_path) as address, sync_api.sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        run_all(page, address)
        ranking = page.locator(".widget-html", has=page.locator("svg"))
        before = ranking.locator("h3").text_content()
        page.get_by_role("tab", name="Switches").click()
        page.get_by_label("rank_start").select_option("0")
        changed = "was => document.querySelector('.widget-html h3').textContent !== was"
        page.wait_for_function(changed, arg=before)
        model = page.get_by_label("model", exact=True)
        model.fill("x1 + )")
        page.locator("[role=alert] u", has_text=")").wait_for()
        model.fill("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 3.5")
        page.get_by_label("dataset", exact=True).select_option("exact_formula_easier")
        page.get_by_role("button", name="Judge it").click()
        page.locator(".widget-html td", has_text="offset").wait_for()
        page.locator("img.widget-image").wait_for()
        home = address.split("/lab/")[0]
        elsewhere = [url for url in asked if not url.startswith((home, "data:", "blob:"))]
        assert elsewhere == []
