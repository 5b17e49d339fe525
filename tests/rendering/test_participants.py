"""Pages of participants: the terminal's numbers, under safe names, framed, linked, sealed, and gone with a failure."""

import json
from dataclasses import replace
from html import unescape

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from srlib.displays.participants import show as module
from srlib.displays.participants.beside import by_property
from srlib.displays.participants.show import page_names, show_participants
from srlib.judging.robustness import certainty
from srlib.judging.robustness.standing import decided, on_a_screen, signed, standing
from srlib.rendering.handover import Failure
from srlib.rendering.index import write_index
from srlib.rendering.publish import state_of
from srlib.rendering.suite import load_suite
from tests.rendering.people import ODD, competition, rendered, shown
from tests.rendering.small import CHECK, write_notebook, write_suite

pytestmark = pytest.mark.slow


def words(page):
    return words_of(page.get_text(" ").replace("\u2212", "-").replace("_ ", "_"))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("PySR", True), ("gp-elite_1.0", True), ("x", True), ("Con", False), ("aux.html", False), ("..", False),
     (".a", False), ("a.", False), ("a/b", False), ("a\\b", False), ("é", False), ("", False), ("z" * 61, False),
     ("a b", False), ("nul", False), ("a-0123ab", False)],
)  # fmt: skip
def test_files_have_the_methods_name_where_it_is_safe(name, plain):
    file = page_names([name])[name]
    assert (file == name) == plain
    assert file.isascii() and "/" not in file and "\\" not in file and 0 < len(file) < 80
    assert not file.startswith(".") and not file.endswith(".")


def test_no_two_methods_share_a_file_wherever_capitals_do_not_tell():
    names = ["gp", "GP", "Gp ", "../gp", "gp-", *ODD]
    files = page_names(names)
    assert len({file.lower() for file in files.values()}) == len(names)
    assert files == {name: page_names(names[::-1])[name] for name in names}


def test_the_pages_say_what_the_terminal_says(tmp_path, monkeypatch):
    judgement = competition()
    pages, _ = shown(judgement, tmp_path, monkeypatch)
    placed = list(judgement.ranking["method"])
    assert len(pages) == len(ODD)
    for method in placed:
        page, found = pages[method], standing(judgement, method)
        text = words(page).replace("[U+202E]", "\u202e")
        first, *_, last = on_a_screen(found)
        assert words_of(first.partition(": ")[2].rstrip(".")) in text.replace("Place", "place")
        assert words_of(last) in text
        rows = [
            [cell.get_text().replace("\u2212", "-") for cell in line.find_all(["th", "td"])]
            for line in page.select("#datasets-table tbody tr")
        ]
        assert [[*line[:4], line[5]] for line in rows] == [
            [r.dataset, signed(r.difference), f"{r.score:.2f}", f"{r.rival:.2f}", decided(r)]
            for r in found.datasets.itertuples()
        ]


def words_of(text):
    return " ".join(text.split())


def test_sums_by_property_add_up_to_the_whole_difference():
    table = pd.DataFrame(
        {"property": ["solution", None, "solution"], "difference": [0.5, -1.25, 1]}
    )
    said = by_property(table, "Ben")
    assert said == (
        "Differences from Ben in dataset scores, summed by property: solution +1.50, no property −1.25."
    )
    assert by_property(table.dropna(), "Ben") == ""


def test_what_is_missing_is_said(tmp_path, monkeypatch):
    alone, _ = shown(competition(["Ana"]), tmp_path / "a", monkeypatch)
    assert "place 1 of 1" in words(alone["Ana"]).lower()
    assert "nobody to compare it with" in words(alone["Ana"])
    judgement = competition(["Ana", "Ben", "Cy"], idle=["Dee"], barred=["Cy"])
    pages, _ = shown(judgement, tmp_path / "b", monkeypatch)
    assert list(pages) == ["Ana", "Ben", "Dee", "Cy"]
    assert "No place: it has no usable run." in words(pages["Dee"])
    assert "failed_run" in words(pages["Dee"]) and "no model that could be read" in words(
        pages["Dee"]
    )
    assert "did not qualify; place 2 with" in words(pages["Cy"])
    assert "not_qualified" in words(pages["Cy"]) and pages["Cy"].select("math")


@pytest.fixture(name="rendered")
def rendered_fixture(tmp_path, monkeypatch):
    def render(failure=None, people="participants", judgement=None):
        return rendered(judgement or competition(), tmp_path / "out", monkeypatch, failure, people)

    return render


def test_pages_are_framed_linked_and_sealed(rendered, tmp_path):
    out = rendered()
    handed = json.loads((out / "r.report.json").read_text(encoding="utf-8"))
    files = {place["method"]: place["file"] for place in handed["participants"]}
    assert list(files) == list(competition().ranking["method"])
    assert set(files.values()) <= set(state_of(out, "r")["files"])
    assert not list((out / "r").rglob("*.html"))
    page = BeautifulSoup((out / "r.html").read_text(encoding="utf-8"), "html.parser")
    linked = [a["href"] for a in page.select("#table-final-ranking tbody th a")]
    assert linked == list(files.values())
    (tmp_path / "n.ipynb").write_text("{}")
    suite = load_suite(write_suite(tmp_path, {"n": "{}"}))
    report = replace(suite.reports[0], name="r")
    write_index(type(suite)(suite.name, suite.title, suite.path, (report,)), out)
    index = BeautifulSoup((out / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert set(files.values()) <= {a["href"] for a in index.select("a")}
    for method, file in files.items():
        text = (out / file).read_text(encoding="utf-8")
        page = BeautifulSoup(text, "html.parser")
        assert page.h1.get_text() == method.replace("\u202e", "[U+202E]")
        assert "\u202e" not in unescape(text)
        for a in page.select("a[href]"):
            target, _, place = a["href"].partition("#")
            there = (out / file).parent / target
            assert (target == "" and page.find(id=place)) or there.resolve().is_file(), a


def test_a_cell_opens_that_cell(rendered, tmp_path, monkeypatch):
    """Whatever the methods are called, and also where the page has no room for the dataset's card."""
    judgement = competition()
    for cards in (40, 1):
        monkeypatch.setattr(module, "CARDS", cards)
        out = rendered()
        page = BeautifulSoup((out / "r.html").read_text(encoding="utf-8"), "html.parser")
        cells = page.select("#table-score-of-each td a")
        assert len(cells) == len(judgement.datasets)
        for cell in cells:
            method, _, rest = cell["aria-label"].replace("[U+202E]", "\u202e").rpartition(" on ")
            dataset, _, score = rest.partition(": ")
            assert cell.get_text() == score
            file, _, place = cell["href"].partition("#")
            told = BeautifulSoup((out / file).read_text(encoding="utf-8"), "html.parser")
            assert told.h1.get_text().replace("[U+202E]", "\u202e") == method
            found = told.find(id=place)
            if cards == 1:
                assert found.name == "tr" or len(told.select("details.folded > div[id]")) == 1
                continue
            summary, text = words(found.parent.summary), words(found)
            assert summary.startswith(f"{dataset}: score {score[:4]}")
            for row in judgement.aspects.query(
                "method == @method & dataset == @dataset"
            ).itertuples():
                assert f"{row.aspect} {row.value_rounded:.3f} {row.aspect_rank:.0f}" in text
            assert "Run by run" in text and found.select("math")
    assert 'data-of="' not in str(page)


def test_who_leaves_takes_the_page_along_and_a_failure_all(rendered):
    out = rendered()
    assert len(list((out / "participants").iterdir())) == len(ODD)
    rendered(judgement=competition(["Ana", "Ben"]))
    assert sorted(p.name for p in (out / "participants").iterdir()) == ["Ana.html", "Ben.html"]
    rendered(people="r/participants", judgement=competition(["Ana", "Ben"]))
    assert not (out / "participants").exists()
    assert '"../../r.html"' in (out / "r" / "participants" / "Ana.html").read_text()
    rendered(Failure("Only 1 of 2 checks passed."))
    assert (
        not list(out.rglob("participants")) and "participants/" not in (out / "r.html").read_text()
    )


def test_the_first_report_of_a_suite_has_the_plain_folder(tmp_path):
    for name in "bc":
        write_notebook(tmp_path / f"{name}.ipynb", "show_participants(1)", CHECK)
    write_notebook(tmp_path / "a.ipynb", CHECK)
    suite = load_suite(write_suite(tmp_path, {"a": "{}", "b": "{}", "c": "{}"}))
    assert [report.people for report in suite.reports] == ["", "participants", "c/participants"]
    demo = {report.name: report.people for report in load_suite("demo").reports}
    assert {name for name in demo if demo[name]} == {"synthetic"}


def test_a_large_competition_stays_below_the_limit(tmp_path, monkeypatch):
    judgement = competition()
    monkeypatch.setattr(module, "CARDS", 1)
    monkeypatch.setattr(module, "PAGES", 2)
    show_participants(judgement, tmp_path / "few", certainty(judgement))
    assert len(list((tmp_path / "few").rglob("*.html"))) == 2
