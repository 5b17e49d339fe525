"""What a notebook shows: the files beside it, the note for the page, and the text for nbval."""

import base64
import re

import pandas as pd
import pytest

from srlib.displays import show_answer, show_figure, show_table
from srlib.displays.conventions import file_name
from srlib.displays.figures.dots import ScoresDisplay
from srlib.files import sha256


@pytest.mark.slow
def test_a_figure_is_six_files_and_its_numbers(judgement, tmp_path, outputs):
    shown = ScoresDisplay.from_judgement(judgement)
    for folder in "ab":
        show_figure(shown, tmp_path / folder, name="scores", caption="Scores & ranks")
    names = [f"scores{end}.{suffix}" for end in ("", "-column") for suffix in ("pdf", "svg", "png")]
    first, second = (
        {p.name: p.read_bytes() for p in (tmp_path / f / "figures").iterdir()} for f in "ab"
    )
    assert sorted(first) == sorted(names) and first == second, "same bytes twice"
    for name, inches in (("scores", 7.16), ("scores-column", 3.5)):
        box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+)", first[f"{name}.pdf"])
        assert float(box[1]) / 72 == pytest.approx(inches, abs=0.01)
    assert b"/FontFile2" in first["scores.pdf"], "TrueType, as fonttype 42 asks"
    assert b"<script>alert" not in first["scores.svg"]
    picture, note = outputs[0]["data"], outputs[0]["metadata"]["srlib"]
    assert base64.b64decode(picture["image/png"]) == first["scores.png"]
    numbers = "tables/scores-numbers.csv"
    assert note["files"] == [*(f"figures/{name}" for name in names), numbers]
    assert (tmp_path / "a" / numbers).is_file() and "alpha" in note["alt"]
    assert set(picture) == {"image/png", "text/plain"}, "nbval would compare HTML with a picture"
    assert "alpha | d1" in picture["text/plain"] and str(tmp_path) not in str(outputs)


def test_a_table_is_written_verbatim_and_shown_rounded(tmp_path, outputs):
    frame = pd.DataFrame({"model": ["=x1"], "score": [0.123456789012345]})
    see = {"b first": "models", "a": "../Up"}
    show_table(frame, tmp_path, name="models", caption="Models", folded=True, see=see)
    table = tmp_path / "tables" / "models.csv"
    assert table.read_text() == "model,score\n=x1,0.123456789012345\n"
    assert r"\toprule" in (tmp_path / "tables" / "models.tex").read_text()
    data, note = outputs[0]["data"], outputs[0]["metadata"]["srlib"]
    assert "0.123<" in data["text/html"] and "0.1234567" not in data["text/html"]
    assert data["text/plain"] == "Models\n=x1 | 0.123"
    assert note["see"] == [["b first", "models"], ["a", file_name("../Up")]] and note["folded"]


def test_an_answer_may_be_a_sentence_alone_or_have_a_ranking_inputs_and_a_short_table(
    tmp_path, outputs
):
    show_answer(title="Q?", sentence="A <b>plain</b> answer.")
    note = outputs[0]["metadata"]["srlib"]
    assert note["verdict"] == "A <b>plain</b> answer." == outputs[0]["data"]["text/plain"]
    assert (note["rows"], note["ranking"], note["rules"], note["details"]) == ({}, [], {}, [])
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.csv").write_text("a")
    ranking = pd.DataFrame(
        {"method": ["b", "c", "a"], "score": [1.0, float("nan"), 2.0], "rank": [2, 3, 1]}
    )
    paths = [tmp_path / "given", tmp_path / "given" / "a.csv"]
    show_answer(title="Q", sentence="S.", ranking=ranking, details=["<PR>: s, -0.25"], inputs=paths)
    note = outputs[1]["metadata"]["srlib"]
    assert [place["method"] for place in note["ranking"]] == ["a", "b", "c"]
    assert note["ranking"][2] == {"method": "c", "score": None, "rank": 3}
    assert note["details"] == ["<PR>: s, −0.25"]
    expected = [{"name": path.name, "sha256": sha256(path)} for path in paths]
    assert note["inputs"] == expected


def test_runs_that_went_missing_are_no_answer(outputs):
    with pytest.raises(ValueError, match="5 read, 3 scored, 1 excluded"):
        show_answer(title="Q", sentence="S.", rows={"read": 5, "scored": 3, "excluded": 1})
    assert outputs == []


def test_file_names_are_plain_and_never_meet(tmp_path, outputs):
    names = ["", "../x", "A b", "a b", ".x", "x" * 300, "d@0.1", "d-0.1"]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(made) and made[-1] == "d-0.1"
    assert all(len(name) < 80 and "/" not in name and not name.startswith(".") for name in made)
    show_table(pd.DataFrame({"a": [1]}), tmp_path, name="../up", caption="c")
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
