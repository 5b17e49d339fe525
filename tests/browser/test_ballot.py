"""The ballot in a real browser: fill it, save it, read it back; keyboard alone; no request; no violation."""

import pandas as pd
import pytest

from srlib.judging.real_world import rank_by_trust
from srlib.tools.ballot import make_packet, read_ballots
from tests.browser.conftest import violations
from tests.tools.ballot.made_up import RULES, competition

FOCUSED = "(e => e.getAttribute('aria-label') || e.id || e.innerText)(document.activeElement)"


@pytest.fixture(scope="module")
def packet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ballot")
    make_packet(competition(folder), folder / "out", seed=5)
    return folder / "out/packet"


@pytest.fixture
def form(open_page, packet):
    page = open_page(packet / "ballot.html", accept_downloads=True)
    yield page
    assert page.messages == [] and page.requests == [page.url]


def fill(form):
    """Rank as the sheets stand, but the last first; trust by rank."""
    form.get_by_label("Your name").fill("Ada")
    for dataset in (1, 2):
        for sheet, rank in ((1, 2), (2, 3), (3, 1)):
            form.get_by_label(f"Rank of D{dataset}S{sheet}").fill(str(rank))
            form.get_by_label(f"Trust in D{dataset}S{sheet}").select_option(str(6 - rank))
    form.get_by_label("Comment on D1S1").fill('an "odd" one, =cmd()')


def save(form):
    form.get_by_role("button", name="Save").press("Enter")


def saved(form, packet):
    """Save the ballot; return what was written and what `srlib.tools.ballot.read_ballots` makes of it."""
    with form.expect_download() as download:
        save(form)
    assert download.value.suggested_filename == "ballot.csv"
    path = packet.with_name("ballot.csv")
    download.value.save_as(path)
    return pd.read_csv(path), *read_ballots([path], packet.with_name("key.json"))


def test_ballot_that_is_filled_is_read_and_ranked(form, packet):
    fill(form)
    ballot, trust, faults, _ = saved(form, packet)
    columns = ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
    assert [*ballot] == columns and len(ballot) == 6
    assert ballot["comment"][0] == 'an "odd" one, =cmd()'
    assert {*ballot["dataset"]} == {"first", "second & <i>"}
    assert faults == [] and (trust["trust"] == 6 - trust["rank"]).all()
    by_hand = trust.groupby("method")["rank"].mean()
    ranking = rank_by_trust(trust, RULES.judge).ranking.set_index("method")["score"]
    assert ranking.to_dict() == by_hand.to_dict() and len(by_hand) == 3


def test_incomplete_ballot_is_not_saved(form):
    def refusal():
        save(form)
        return form.get_by_role("status").inner_text()

    text = refusal()
    assert "Not saved yet." in text and "Please give your name." in text
    assert "Please rank the models of one dataset at least." in text
    assert form.evaluate(FOCUSED) == "expert"
    fill(form)
    for rank, sentence in (("1", "share rank 1."), ("1.5", "D1S1 needs a rank from 1 to 3.")):
        form.get_by_label("Rank of D1S1").fill(rank)
        assert sentence in refusal()


def test_keyboard_alone_fills_a_ballot(form, packet):
    def go(label):
        for _ in range(80):
            if form.evaluate(FOCUSED) == label:
                return
            form.keyboard.press("Tab")
        raise AssertionError(f"{label} cannot be reached")

    go("expert")
    form.keyboard.type("Bob")
    for dataset in (1, 2):
        go(f"Move D{dataset}S1 down")
        form.keyboard.press("Enter")
        form.keyboard.press("Space")  # the focus stays on the button that moved: now last
        for sheet in (2, 3, 1):
            go(f"Trust in D{dataset}S{sheet}")
            form.keyboard.type("4")
    go("Save")
    ballot, _, faults, _ = saved(form, packet)
    ranks = ballot.set_index("code")["rank"].to_dict()
    assert ranks == {"D1S1": 3, "D1S2": 1, "D1S3": 2, "D2S1": 3, "D2S2": 1, "D2S3": 2}
    assert faults == []


def test_dragging_gives_ranks(form):
    corner = {"x": 300, "y": 4}  # not on one of its boxes
    form.locator("[data-code=D1S3]").drag_to(
        form.locator("[data-code=D1S1]"), source_position=corner, target_position=corner
    )
    ranks = form.locator("fieldset >> nth=0 >> li").evaluate_all(
        "all => all.map(li => [li.dataset.code, li.querySelector('[name=rank]').value])"
    )
    assert ranks == [["D1S3", "1"], ["D1S1", "2"], ["D1S2", "3"]]


def test_dataset_may_be_left_out_as_a_whole(form, packet):
    fill(form)
    for item in form.locator("fieldset >> nth=1 >> li").all():
        item.locator("[name=rank]").fill("")
        item.locator("[name=trust]").select_option("")
    _, trust, faults, notes = saved(form, packet)
    assert faults == [] and {*trust["dataset"]} == {"first"}
    assert notes[0] == "expert Ada left out dataset second & <i>"


@pytest.mark.parametrize("name", ["ballot.html", "sheets-first.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_accessible_fits_a_narrow_screen_and_asks_for_nothing(
    open_page, packet, name, scheme
):
    size = {"width": 380, "height": 900}
    page = open_page(packet / name, color_scheme=scheme, viewport=size)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    assert violations(page) == {}
    assert page.requests == [page.url] and page.messages == []
