"""What a notebook shows: the files beside it, the note for the page, and the text for nbval."""

import base64
import re

import pandas as pd
import pytest

from srlib.displays import ScoresDisplay, show_answer, show_figure, show_table
from srlib.displays.show import MOST_ROWS
from srlib.files import file_name, sha256


@pytest.mark.slow
def test_a_figure_is_six_files_and_its_numbers(judgement, tmp_path, outputs):
    shown = ScoresDisplay.from_judgement(judgement)
    for folder in "ab":
        show_figure(shown, tmp_path / folder, name="scores", caption="Scores & ranks")
    names = [f"scores{end}.{suffix}" for end in ("", "-column") for suffix in ("pdf", "svg", "png")]
    first, second = (
        {path.name: path.read_bytes() for path in tmp_path.glob(f"{folder}/figures/*")}
        for folder in "ab"
    )
    assert {*first} == {*names} and first == second, "same bytes twice"
    for name, inches in (("scores", 7.16), ("scores-column", 3.5)):
        box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+)", first[f"{name}.pdf"])
        assert box and float(box[1]) / 72 == pytest.approx(inches, abs=0.01)
    assert b"/FontFile2" in first["scores.pdf"], "TrueType, as fonttype 42 asks"
    assert b"<script>alert" not in first["scores.svg"]
    picture, note = outputs[0]["data"], outputs[0]["metadata"]["srlib"]
    assert set(picture) == {"image/png", "text/plain"}, "nbval would compare HTML with a picture"
    assert base64.b64decode(picture["image/png"]) == first["scores.png"]
    assert "alpha | d1" in picture["text/plain"] and str(tmp_path) not in str(outputs)
    files = [*(f"figures/{name}" for name in names), "tables/scores-numbers.csv"]
    assert note["files"] == files and "alpha" in note["alt"]
    assert all((tmp_path / "a" / file).is_file() for file in files)


def test_a_table_is_written_verbatim_and_shown_rounded(tmp_path, outputs):
    frame = pd.DataFrame({"model": ["=x1"], "score": [0.123456789012345]})
    see = {"b first": "models", "a": "../Up"}
    show_table(frame, tmp_path, name="models", caption="Models", folded=True, see=see)
    tables = tmp_path / "tables"
    assert (tables / "models.csv").read_text() == "model,score\n=x1,0.123456789012345\n"
    assert r"\toprule" in (tables / "models.tex").read_text()
    data, note = outputs[0]["data"], outputs[0]["metadata"]["srlib"]
    assert ">0.123<" in data["text/html"] and data["text/plain"] == "Models\n=x1 | 0.123"
    assert note["see"] == [["b first", "models"], ["a", file_name("../Up")]] and note["folded"]


def test_of_a_long_table_the_page_has_the_first_rows_and_the_csv_all(tmp_path, outputs):
    frame = pd.DataFrame({"method": [f"=cmd({i})" for i in range(MOST_ROWS + 1)]})
    show_table(frame, tmp_path, name="all", caption="All")
    page = outputs[0]["data"]["text/html"]
    assert page.count("=cmd") == MOST_ROWS and f"the first {MOST_ROWS} of 201 rows" in page
    assert (tmp_path / "tables" / "all.csv").read_text().count("=cmd") == MOST_ROWS + 1
    assert (tmp_path / "tables" / "all.tex").read_text().count("=cmd") == MOST_ROWS


def test_an_answer_may_be_a_sentence_alone(outputs):
    show_answer(title="Q?", sentence="A <b>plain</b> answer.")
    note = outputs[0]["metadata"]["srlib"]
    assert note["verdict"] == "A <b>plain</b> answer." == outputs[0]["data"]["text/plain"]
    assert not any(note[name] for name in ("rows", "ranking", "rules", "details"))


def test_an_answer_has_its_ranking_details_and_inputs(tmp_path, outputs):
    (tmp_path / "a.csv").write_text("a")
    ranking = pd.DataFrame(
        {"method": ["b", "c", "a"], "score": [1.0, float("nan"), 2.0], "rank": [2, 3, 1]}
    )
    paths = [tmp_path, tmp_path / "a.csv"]
    show_answer(title="Q", sentence="S.", ranking=ranking, details=["<PR>: s, -0.25"], inputs=paths)
    note = outputs[0]["metadata"]["srlib"]
    assert [[*place.values()] for place in note["ranking"]] == [
        ["a", 2.0, 1],
        ["b", 1.0, 2],
        ["c", None, 3],
    ]
    assert note["details"] == ["<PR>: s, −0.25"]
    assert note["inputs"] == [{"name": path.name, "sha256": sha256(path)} for path in paths]


def test_file_names_are_plain_and_never_meet(tmp_path, outputs):
    names = ["()", "../x", "A b", "a b", ".x", "x" * 300, "d@0.1", "d-0.1"]
    plain = [file_name(name) for name in names]
    assert len(set(plain)) == len(names) and plain[-1] == "d-0.1"
    assert all(re.fullmatch("[a-z0-9][a-z0-9._-]{0,70}", name) for name in plain)
    show_table(pd.DataFrame({"a": [1]}), tmp_path, name="../up", caption="c")
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
