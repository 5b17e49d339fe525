"""explore.ipynb in a running JupyterLab, as its users have it."""

import pandas as pd
from axe_playwright_python.sync_playwright import Axe

from srlib.cli.main import main
from srlib.files import DEMO
from tests.browser.conftest import FEWER

CELLS = "table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent))"
HOSTILE = '<img src=x onerror=alert(1)>_a"b'


def test_screen_follows_its_user(chromium, tmp_path, monkeypatch):
    """One session: a switch, the keyboard, a file that changes, a typed model, a rules file; and nobody is asked."""
    from tests.browser.lab import lab, run_all

    monkeypatch.chdir(tmp_path)
    runs = pd.read_parquet(DEMO / "runs.parquet")
    is_own = (runs["method"] == "deap") & runs["dataset"].isin(["noise_hard", "extrapolation_easy"])
    own = runs[is_own & (runs["repetition"] == runs["repetition"].min())].assign(method=HOSTILE)
    page, requests, dialogs = chromium.new_page(), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    screen = page.locator(".srlib-explorer").first
    verdict, ranking = screen.locator(".srlib-verdict b"), screen.locator("table").first

    def enter(label, text):
        screen.get_by_label(label, exact=True).fill(text)
        screen.get_by_label(label, exact=True).press("Enter")

    with lab(tmp_path) as address:
        run_all(page, address)
        verdict.get_by_text("ffx: place 4 of 4").wait_for()
        screen.get_by_text("What if the rules were otherwise").click()
        # the keyboard alone: sort by the score, choose a row; both stay when a switch fills the tables again
        ranking.get_by_role("button", name="Sort by score").focus()
        page.keyboard.press("Enter")
        ranking.locator("th[aria-sort=ascending]").wait_for()
        ranking.get_by_role("button", name="deap", exact=True).focus()
        page.keyboard.press("Enter")
        verdict.get_by_text("deap: place 2 of 4").wait_for()
        assert page.evaluate("document.activeElement.value") == "deap"
        screen.get_by_label("ties", exact=True).select_option("average")
        screen.get_by_text("ties is average, not dense.").wait_for()
        ranking.locator("th[aria-sort=ascending]", has_text="score").wait_for()

        enter("Rules file", "turned.yaml")
        screen.get_by_role("button", name="Save").click()
        screen.get_by_text("turned.yaml holds these rules.").wait_for()
        head, *rows = ranking.evaluate(CELLS)
        head = [name.strip("\u00a0↕↑↓ ") for name in head]
        shown = pd.DataFrame(rows, columns=head).set_index("method")["score"].iloc[:4].astype(float)

        enter("Your runs", "nowhere.csv")
        screen.locator("p[role=alert]", has_text="nowhere.csv").wait_for()
        own.to_csv("own.csv", index=False)
        enter("Your runs", "own.csv")
        verdict.get_by_text(HOSTILE).first.wait_for()
        before = verdict.text_content()
        own.assign(model="x1").to_csv("own.csv", index=False)  # nobody clicks
        page.wait_for_function(
            "before => document.querySelector('.srlib-verdict b').textContent !== before",
            arg=before,
        )
        ranking.get_by_role("button", name="ffx", exact=True).click()
        ranking.get_by_role("button", name=HOSTILE, exact=True).click()
        verdict.get_by_text(HOSTILE).first.wait_for()

        enter("Your model", "x1 + )")
        screen.locator("[role=alert] u", has_text=")").wait_for()
        enter("Your model", "0.4*x1")
        screen.get_by_text("not the truth; test R²").wait_for()
        screen.locator("img[alt*='(typed)']").wait_for()
        page.evaluate(FEWER)
        faults = Axe().run(page, context=".srlib-explorer").response["violations"]
        assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in faults] == []
        home = address.split("/lab/")[0]
        assert [url for url in requests if not url.startswith((home, "data:", "blob:"))] == []
        assert not dialogs
        page.close()
    options = "--problems synthetic-2022 --qualified demo --rules turned.yaml --out scores"
    assert main(["judge", "demo", *options.split()]) == 0
    judged = pd.read_csv("scores/ranking.csv").set_index("method")["score"].dropna().round(3)
    assert shown.to_dict() == judged.to_dict()
