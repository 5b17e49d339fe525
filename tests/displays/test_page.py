"""What a page shows in a notebook: the files beside it, the note for the report, and the text for nbval."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

from srlib.displays import DotsDisplay, Page, ScoresDisplay, Table
from srlib.displays.page import MOST_ROWS
from srlib.displays.styling import Style, label, look
from srlib.files import STYLE_FILE, file_name, sha256
from srlib.prose import Fact, join_statements, listed, state


@pytest.fixture
def page(tmp_path, outputs):
    return Page({"output_dir": str(tmp_path)})


def dots(*methods):
    numbers = {"panel": "R²", "series": "", "method": methods, "value": range(len(methods))}
    numbers = pd.DataFrame(numbers)
    return DotsDisplay(numbers=numbers.assign(low=numbers["value"], high=numbers["value"]))


@pytest.mark.slow
def test_figure_is_five_files_with_the_same_bytes_and_its_numbers(judgement, tmp_path, outputs):
    files = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        page = Page({"output_dir": str(folder)})
        page.figure(ScoresDisplay.from_judgement(judgement), "scores", "Scores & ranks")
        files.append({path.name: path.read_bytes() for path in folder.glob("figures/*")})
    first = files[0]
    assert first == files[1] and len(first) == 5
    for name, inches in (("scores", 7.13), ("scores-column", 3.48)):
        box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+)", first[f"{name}.pdf"])
        assert box and float(box[1]) / 72 == pytest.approx(inches, abs=0.01)
    assert b"/FontFile2" in first["scores.pdf"], "TrueType, as fonttype 42 asks"
    assert b"<script>alert" not in first["scores.svg"]
    picture, note = outputs[0]["data"], outputs[0]["metadata"]["srlib"]
    assert set(picture) == {"image/png", "text/plain"}, "nbval would compare HTML with a picture"
    assert base64.b64decode(picture["image/png"]) == first["scores.png"]
    assert "alpha | d1" in picture["text/plain"] and str(tmp_path) not in str(outputs)
    names = {f"figures/{name}" for name in first} | {"tables/scores-numbers.csv"}
    assert {*note["files"]} == names and "alpha" in note["alt"]


def test_table_is_written_verbatim_and_shown_rounded(page, outputs):
    frame = pd.DataFrame({"model": ["=x1"], "score": [0.123456789012345]})
    page.table(frame, "models", "Models", folded=True, see={"b first": "models", "a": "../Up"})
    text, tex = ((page.folder / "tables" / f"models.{end}").read_text() for end in ("csv", "tex"))
    assert text == "model,score\n=x1,0.123456789012345\n" and r"\toprule" in tex
    data, note = outputs[0]["data"], outputs[0]["metadata"]["srlib"]
    assert ">0.123<" in data["text/html"] and data["text/plain"] == "Models\n=x1 | 0.123"
    assert note["see"] == [["b first", "models"], ["a", file_name("../Up")]] and note["folded"]


def test_long_table_has_its_first_rows_on_the_page_and_all_in_the_csv(page, outputs):
    frame = pd.DataFrame({"method": [f"=cmd({i})" for i in range(MOST_ROWS + 1)]})
    page.table(Table(frame, marked=[MOST_ROWS]), "all", "All")
    html = outputs[0]["data"]["text/html"]
    assert f"the first {MOST_ROWS} of 201 rows" in html
    written = [(page.folder / "tables" / f"all.{end}").read_text() for end in ("tex", "csv")]
    counts = [text.count("=cmd") for text in (html, *written)]
    assert counts == [MOST_ROWS, 55, MOST_ROWS + 1] and "first 55 of 201 rows" in written[0]


def test_answer_has_ranking_details_inputs_and_facts(page, outputs, tmp_path):
    (tmp_path / "a.csv").write_text("a")
    ranking = {"method": ["b", "c", "a"], "score": [1.0, np.nan, 2.0], "rank": [2, 3, 1]}
    change = state("change", "{method}: s, {value}", method="<PR>", value=np.float64(-0.25))
    answer = {"details": [change] * 2, "facts": {"direction": "higher"}}
    answer |= {"ranking": pd.DataFrame(ranking), "inputs": [tmp_path / "a.csv"]}
    page.answer(None, "Q", "S.", **answer)
    note = outputs[0]["metadata"]["srlib"]
    places = [[*place.values()] for place in note["ranking"]]
    assert places == [["a", 2.0, 1], ["b", 1.0, 2], ["c", None, 3]]
    assert note["details"] == ["<PR>: s, −0.25"] * 2
    assert note["inputs"][0]["sha256"] == sha256(tmp_path / "a.csv")
    assert note["facts"]["change/value"] == {"value": -0.25, "text": "−0.25"}
    assert [*note["facts"]][3:] == ["change-2", "change-2/method", "change-2/value"]
    assert note["facts"]["change"]["text"] == note["details"][0] and json.dumps(note)
    lines = pd.read_csv(tmp_path / "tables/verdict.csv", index_col="name")["value"]
    assert lines["direction"] == "higher" and float(lines["score of a"]) == 2


def test_answer_shows_what_is_stated_in_place_of_what_the_result_has(page, outputs, judgement):
    page.answer(judgement, "Q", notices=["N."])
    page.answer(judgement, "Q", "S.", counts={"read": 2, "scored": 1, "excluded": 1})
    first, second = (output["metadata"]["srlib"] for output in outputs)
    assert first["verdict"].startswith("alpha wins") and "N." in first["details"]
    assert (second["verdict"], second["rows"]["read"]) == ("S.", 2)
    assert first["rules"] == second["rules"] and first["ranking"] == second["ranking"]


def test_names_are_printed_where_they_are_facts_and_raw_in_files(tmp_path, outputs):
    """No word and no number is taken for a name, and no name is printed twice."""
    names = {"first": "Uno", "a": "b", "b": "a", "2": "two", "local_optima": "traps"}
    (tmp_path / STYLE_FILE).write_text(json.dumps({"names": names}))
    page, winners = Page({"output_dir": str(tmp_path)}), ["first", "a", "é"]
    scope = state(
        "scope", "on {n} of {property}", n=2, property=Fact("local_optima", "local optima")
    )
    sentence = "{winners} are first {scope}."
    sentence = state("v", sentence, winners=Fact(tuple(winners), listed(winners, 2)), scope=scope)
    parts = [state("part", "{a} {x}", a=name, x=-2) for name in ("b", "c")]
    details = [state("d", "{parts}.", parts=join_statements(parts, "; "))]
    page.answer(None, "Q", sentence, details=details)
    note = outputs[0]["metadata"]["srlib"]
    assert note["verdict"] == "Uno, b and 1 more are first on 2 of traps."
    assert note["details"] == ["a −2; c −2."]
    assert note["facts"]["v/winners"] == {"value": winners, "text": "Uno, b and 1 more"}
    assert note["facts"]["d/a"] == {"value": "b", "text": "a"}
    text = (tmp_path / "tables/verdict.csv").read_text()
    assert "first, a and 1 more are first on 2 of local optima." in text
    dots("a", "first").plot()
    assert label("first") == "Uno" and "b 0; Uno 1" in dots("a", "first").alt
    Page({})


def test_style_is_that_of_the_folder_and_of_no_earlier_page(tmp_path):
    style = {"order": ["z"], "palette": ["#112233"], "methods": ["z"]}
    (tmp_path / STYLE_FILE).write_text(json.dumps(style))
    Page({"output_dir": str(tmp_path)})
    assert look("z")["color"] == "#112233" and dots("a", "z").drawn_methods == ["z"]
    Page({})
    assert Style.current == Style() and dots("a", "z").drawn_methods == ["a", "z"]
    assert look("z")["color"] != "#112233"
