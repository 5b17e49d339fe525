"""The verdict as files to share: what is on them, that nothing leaves the page, and that they are sealed."""

import re
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_notebook, new_output

from srlib.displays.bundles import REPORT
from srlib.displays.card import Card
from srlib.displays.styling import style
from srlib.errors import InputError
from srlib.folders import publish, stage
from srlib.rendering.cards import CARD
from srlib.rendering.diff import diff
from srlib.rendering.execute import write_page
from srlib.rendering.handover import Failure
from srlib.rendering.index import write_index
from srlib.rendering.provenance import Provenance
from srlib.rendering.suite import Report, Suite

PLACES = [("Ana", 4.5, 1), ("Ben", 4.5, 1), ("Cem", 2.25, 3), ("Dora", 1.0, 4), ("Ed", None, None)]
RANKING = [{"method": m, "score": s, "rank": r} for m, s, r in PLACES]
SURE = {"word": "open", "said": "First in half of 200 draws.", "rule": "By draws."}
SHARED = Card(
    "Ours", "Who wins?", "Ana and Ben share it.", RANKING, ["Ana leads on 2."], SURE, "9 runs read"
)


def texts(card):
    """Every text of the card with its place, in inches, as it is drawn."""
    with style(), mpl.rc_context({"text.hinting": "none"}):
        page = card.fitted()
        drawn = page.figure.canvas.get_renderer()
        boxes = [text.get_window_extent(drawn) for text in page.figure.texts]
    return [
        (text.get_text(), text.get_position()[1], box, page.figure.bbox)
        for text, box in zip(page.figure.texts, boxes, strict=True)
    ]


def test_the_card_says_who_shares_the_place_and_how_sure_that_is():
    said = [text for text, *_ in texts(SHARED)]
    assert "Ana and Ben" in said and "Certainty: open" in said and "Ana leads on 2." in said
    assert [line for line in said if re.match(r"\d\. ", line)] == ["1. Ana", "1. Ben", "3. Cem"]
    assert said.count("4.500") == 2 and "Ours" in said and "9 runs read" in said


def test_a_name_of_the_suite_stands_on_the_card(monkeypatch):
    monkeypatch.setenv("SRLIB_STYLE", '{"names": {"Ana": "The method of Ana"}}')
    assert "1. The method of Ana" in [text for text, *_ in texts(SHARED)]


@pytest.mark.parametrize("word", ["W" * 40, "a b ", "$x\u6f22\x1b[2J\u202e"])
def test_nothing_leaves_the_page_and_no_text_stands_on_another(word):
    ranking = [{"method": word * 20 + str(i), "score": 1e13 / 3, "rank": 1} for i in range(9)]
    many = word * 300
    sure = {"word": "narrow", "said": many}
    card = Card(many, many, many, ranking, [many] * 9, sure, many)
    seen = texts(card)
    assert "and 5 more" in " ".join(text for text, *_ in seen)
    for _, _, box, page in seen:
        assert box.x0 > 0 and box.y0 > 0 and box.x1 < page.width and box.y1 < page.height
    lines = sorted({low for _, low, *_ in seen})
    assert min(b - a for a, b in zip(lines, lines[1:], strict=False)) * page.height > 8


def test_the_same_card_is_the_same_file_and_says_nothing_of_the_day():
    files = SHARED.files()
    assert files == replace(SHARED).files() and sorted(files) == ["pdf", "png", "svg"]
    assert files["pdf"].count(b"/Type /Page\n") + files["pdf"].count(b"/Type /Page ") == 1
    assert b"CreationDate" not in files["pdf"] and b"<dc:date>" not in files["svg"]
    assert files["png"].startswith(b"\x89PNG") and b"<image" not in files["svg"]


def published(out: Path, failure=None, style="", **handed):
    """Publish a report `r` that handed over a verdict."""
    bundle = {"title": "Who wins?", "verdict": "Ana & Ben.", "ranking": RANKING, "story": ["So."]}
    data = {REPORT: bundle | handed}
    cell = new_code_cell("x", execution_count=1, outputs=[new_output("display_data", data)])
    staging = stage(out, "r")
    (staging.new / "r").mkdir()
    job = {"name": "r", "suite_title": "Ours", "leads": not handed, "style": style}
    origin = Provenance((), {"python": "3"}, {}, "f")
    write_page(staging.folder, job, new_notebook(cells=[cell]), origin, failure)
    publish(staging.folder)
    staging.discard()
    write_index(Suite("s", "Ours", out, (Report("r", out / "n.ipynb", {}, {}, out),)), out)
    return BeautifulSoup((out / "index.html").read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize("handed", [{"certainty": SURE}, {}])
def test_the_index_leads_to_the_files_which_are_sealed(tmp_path, handed):
    """A report that says how sure it is has them, and so has the first of a suite without one."""
    index = published(tmp_path, **handed)
    links = [a["href"] for a in index.select(".hero a") if CARD in a["href"]]
    assert links == [f"r/{CARD}.{suffix}" for suffix in ("png", "svg", "pdf")]
    assert ("Certainty: open" in index.select_one(".hero").get_text()) == bool(handed)
    # green says that checks passed, and nothing else
    assert not index.select(".hero.good")
    assert diff(tmp_path, tmp_path).empty
    for link in links:
        was = (tmp_path / link).read_bytes()
        (tmp_path / link).write_bytes(was + b" ")
        with pytest.raises(InputError, match=rf"{link} is not as the report r wrote it"):
            diff(tmp_path, tmp_path)
        (tmp_path / link).write_bytes(was)


def test_sentences_call_methods_as_the_suite_does(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(Card, "files", lambda card: said.append(card) or {})
    published(tmp_path, style='{"names": {"Ana": "Method <A>"}}')
    assert said[0].verdict == "Method <A> & Ben." and said[0].ranking == RANKING


def test_what_has_no_winner_has_no_card(tmp_path):
    published(tmp_path, ranking=[], certainty=SURE)
    assert not list(tmp_path.rglob(f"{CARD}.*"))
    published(tmp_path)
    assert list(tmp_path.rglob(f"{CARD}.*"))
    index = published(tmp_path, failure=Failure("No."))
    assert not list(tmp_path.rglob(f"{CARD}.*")) and not index.select(".hero")
