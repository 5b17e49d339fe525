"""The ballot in a real browser: fill it, save it, read it back; keyboard alone; no request; no violation."""

import re
from pathlib import Path

import pandas as pd
import pytest

from srlib.ballot import make_packet, read_ballots
from srlib.judging.real_world import rank_by_trust
from tests.ballot.made_up import METHODS, RULES, assessments, problems

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ballot")
    make_packet(assessments(), problems(folder), RULES, folder / "out", seed=5)
    return folder / "out"


@pytest.fixture(name="chromium", scope="module")
def chromium_fixture(browser):
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield started
        started.close()


NAME = "(e => e.getAttribute('aria-label') || e.id || e.innerText)(document.activeElement)"


def opened(chromium, path, **options):
    page = chromium.new_context(**options).new_page()
    page.seen, page.said = [], []
    page.on("request", lambda request: page.seen.append(request.url))
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(path.as_uri(), wait_until="load")
    return page


@pytest.fixture(name="form")
def form_fixture(chromium, made):
    page = opened(chromium, made / "packet" / "ballot.html", accept_downloads=True)
    yield page
    assert page.said == []
    assert [url for url in page.seen if not url.startswith(("blob:", "data:"))] == [page.url]
    page.context.close()


def fill(page, expert="Ada"):
    """Rank as the sheets stand, but the last first; trust by rank."""
    page.get_by_label("Your name").fill(expert)
    for code in page.locator("li").evaluate_all("all => all.map(li => li.dataset.code)"):
        number = int(code[-1])
        page.get_by_label(f"Rank of {code}").fill(str(number % 3 + 1))
        page.get_by_label(f"Trust in {code}").select_option(str(5 - number % 3))
    page.get_by_label(re.compile(r"Comment on D1S1")).fill('an "odd" one, =cmd()')


def saved(page, folder, press=lambda page: page.get_by_role("button", name="Save").click()):
    with page.expect_download() as caught:
        press(page)
    assert caught.value.suggested_filename == "ballot.csv"
    path = folder / "ballot.csv"
    path.write_bytes(Path(caught.value.path()).read_bytes())
    return path


def test_make_fill_read_rank(form, made, tmp_path):
    fill(form)
    path = saved(form, tmp_path)
    ballot = pd.read_csv(path)
    assert (
        list(ballot.columns) == ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
        and len(ballot) == 6
    )
    assert ballot.loc[0, "comment"] == 'an "odd" one, =cmd()' and set(ballot["dataset"]) == {
        "first",
        "second & <i>",
    }
    trust, faults, _ = read_ballots([path], made / "key.json")
    assert (
        faults == []
        and set(trust["method"]) == set(METHODS)
        and (trust["trust"] == 6 - trust["rank"]).all()
    )
    by_hand = trust.groupby("method")["rank"].mean()
    ranking = rank_by_trust(trust, RULES.judge).ranking.set_index("method")["score"]
    assert ranking.to_dict() == by_hand.to_dict()


def test_nothing_is_saved_before_it_is_complete(form):
    form.get_by_role("button", name="Save").click()
    said = form.get_by_role("status").inner_text()
    assert (
        "Not saved yet." in said
        and "Please give your name." in said
        and "Please rank the models of one dataset at least." in said
    )
    assert form.evaluate("document.activeElement.id") == "expert"
    fill(form)
    form.get_by_label("Rank of D1S1").fill("1")
    form.get_by_role("button", name="Save").click()
    assert "share rank 1." in form.get_by_role("status").inner_text()
    form.get_by_label("Rank of D1S1").fill("1.5")
    form.get_by_role("button", name="Save").click()
    assert "D1S1 needs a rank from 1 to 3." in form.get_by_role("status").inner_text()


def test_the_keyboard_alone_suffices(form, made, tmp_path):
    keys = form.keyboard

    def go(label):
        for _ in range(80):
            if form.evaluate(NAME) == label:
                return
            keys.press("Tab")
        raise AssertionError(f"{label} cannot be reached")

    go("expert")
    keys.type("Bob")
    for dataset in (1, 2):
        go(f"Move D{dataset}S1 down")
        keys.press("Enter")
        keys.press("Space")  # the focus stays on the button that moved: now last
        for code in (2, 3, 1):
            go(f"Trust in D{dataset}S{code}")
            keys.type("4")
    go("Save")
    path = saved(form, tmp_path, lambda page: page.keyboard.press("Enter"))
    ranks = pd.read_csv(path).set_index("code")["rank"].to_dict()
    assert ranks == {f"D{d}S{s}": rank for d in (1, 2) for s, rank in ((1, 3), (2, 1), (3, 2))}
    assert read_ballots([path], made / "key.json")[1] == []


def test_dragging_gives_ranks(form):
    form.locator("[data-code=D1S3]").drag_to(
        form.locator("[data-code=D1S1]"),
        source_position={"x": 300, "y": 4},  # not on one of its boxes
        target_position={"x": 300, "y": 4},
    )
    ranks = form.locator("fieldset >> nth=0 >> input[name=rank]").evaluate_all(
        "all => all.map(i => i.value)"
    )
    order = form.locator("fieldset >> nth=0 >> li").evaluate_all(
        "all => all.map(li => li.dataset.code)"
    )
    assert ranks == ["1", "2", "3"] and order == [f"D1S{s}" for s in (3, 1, 2)]


def test_a_dataset_may_be_left_out_as_a_whole(form, made, tmp_path):
    fill(form)
    for item in form.locator("fieldset >> nth=1 >> li").all():
        item.locator("[name=rank]").fill("")
        item.locator("[name=trust]").select_option("")
    path = saved(form, tmp_path)
    trust, faults, notes = read_ballots([path], made / "key.json")
    assert faults == [] and set(trust["dataset"]) == {"first"}
    assert notes[0] == "expert Ada left out dataset second & <i>"


@pytest.mark.parametrize("name", ["ballot.html", "sheets-first.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation_and_no_request(chromium, made, name, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = opened(chromium, made / "packet" / name, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('math').forEach(math => math.replaceChildren('x'))")
    found = axe.Axe().run(page)
    assert {
        v["id"]: [node["html"][:120] for node in v["nodes"]] for v in found.response["violations"]
    } == {}
    assert [url for url in page.seen if not url.startswith("data:")] == [
        page.url
    ] and page.said == []


@pytest.mark.parametrize("name", ["ballot.html", "sheets-first.html"])
def test_it_fits_a_narrow_screen(chromium, made, name):
    page = opened(chromium, made / "packet" / name, viewport={"width": 380, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
