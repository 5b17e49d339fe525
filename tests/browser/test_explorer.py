"""explore.ipynb in a running JupyterLab, as its users have it."""

import pandas as pd

from srlib.files import DEMO

CELLS = "table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent))"


def test_screen_shows_what_was_chosen(chromium, tmp_path):
    """One session: a switch, a weight, own runs, a model, an error, a rules file; and nobody is asked."""
    from tests.browser.lab import lab, run_all

    runs = pd.read_parquet(DEMO / "runs.parquet")
    own = runs[(runs["method"] == "deap") & (runs["dataset"] == "exact_formula_easier")]
    own.assign(method="mine").to_csv(tmp_path / "own.csv", index=False)
    page, requests = chromium.new_page(), []
    page.on("request", lambda request: requests.append(request.url))

    def enter(label, text):
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press("Enter")

    with lab(tmp_path) as address:
        run_all(page, address)
        page.get_by_label("rank_start", exact=True).select_option("0")
        page.get_by_text("rank_start is 0, not 1").wait_for()
        enter("accuracy.weight", "2.5")
        page.get_by_text("accuracy counts 2.5 times").wait_for()
        enter("file", "turned.yaml")
        page.get_by_text("turned.yaml is written.").wait_for()
        table = page.locator("table", has=page.locator("th", has_text="mean accuracy rank"))
        head, *rows = table.last.evaluate(CELLS)
        shown = pd.DataFrame(rows, columns=head).set_index("method")["score"].astype(float)

        enter("own", "nowhere.csv")
        page.locator("p[role=alert]", has_text="nowhere.csv").first.wait_for()
        enter("own", "own.csv")
        page.locator("pre", has_text="mine: place 7 of 7").wait_for()

        page.get_by_label("dataset", exact=True).select_option("exact_formula_easier")
        enter("model", "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 3.5")
        page.locator("td", has_text="offset").last.wait_for()
        prediction = page.locator("img[alt*='Prediction of']")
        prediction.wait_for()
        enter("model", "x1 + )")
        page.locator("[role=alert] u", has_text=")").wait_for()
        assert prediction.count() == 0
        home = address.split("/lab/")[0]
        assert [url for url in requests if not url.startswith((home, "data:", "blob:"))] == []
        page.close()
    assert len(shown) == 6 and shown.is_monotonic_decreasing
