"""explore.ipynb in a running JupyterLab, as its users have it."""

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
LINES = [
    f"{method},exact_formula_easier,{r},x{r}*{r + 1}.5 + {text},2082"
    for method, text in (("mine", "x2"), ("theirs", "sin(x1)"))
    for r in range(1, 5)
]


def test_what_stands_on_the_screen_is_what_was_chosen(browser, tmp_path):
    """One session: a switch, a model, a slow load, an error; and nobody is asked."""
    from tests.browser.lab import lab, run_all

    runs = tmp_path / "late.csv"
    runs.write_text("\n".join(["method,dataset,repetition,model,data_seed", *LINES]) + "\n")
    with lab(tmp_path) as address, sync_api.sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        run_all(page, address)
        ranking = page.locator(".widget-html", has=page.locator("svg"))
        working = page.get_by_role("status")
        before = ranking.locator("h3").text_content()
        page.get_by_role("tab", name="Switches").click()
        page.get_by_text("As in the rules: dense").wait_for()
        page.get_by_label("rank_start").select_option("0")
        changed = "was => document.querySelector('.widget-html h3').textContent !== was"
        page.wait_for_function(changed, arg=before)
        ranking.get_by_text("rank_start = 0").wait_for()
        page.get_by_role("button", name="Reset").click()
        page.wait_for_function(changed.replace("!==", "==="), arg=before)

        model = page.get_by_label("model", exact=True)
        model.fill("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 3.5")
        page.get_by_label("dataset", exact=True).select_option("exact_formula_easier")
        page.get_by_role("button", name="Judge it").click()
        verdict = page.locator(".widget-html td", has_text="offset")
        verdict.wait_for()
        page.locator("img[alt*='over the test data']").wait_for()
        model.fill("x1 + )")
        page.locator("[role=alert] u", has_text=")").wait_for()
        page.get_by_role("button", name="Judge it").click()
        verdict.wait_for(state="detached")
        page.wait_for_function("!document.body.innerText.includes('Working')")
        assert page.locator("p[role=alert]", has_text="position").count() == 1
        assert verdict.count() == 0 and page.locator("img[alt*='over the test']").count() == 0

        page.get_by_role("tab", name="Tables").click()
        box = page.get_by_label("runs", exact=True)
        box.fill(str(runs))
        box.press("Enter")
        working.filter(has_text="Working").first.wait_for()
        ranking.get_by_text(f"Made with runs {runs}").wait_for()
        box.fill("nowhere.csv")
        box.press("Enter")
        page.locator("p[role=alert]", has_text="nowhere.csv").first.wait_for()
        assert f"Made with runs {runs}" in ranking.text_content()
        home = address.split("/lab/")[0]
        elsewhere = [url for url in asked if not url.startswith((home, "data:", "blob:"))]
        assert elsewhere == []
