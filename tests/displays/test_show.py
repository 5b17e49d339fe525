import base64
import re

import pandas as pd
import pytest

from srlib.displays import show as module
from srlib.displays.bundles import FIGURE, REPORT, TABLE
from srlib.displays.figures.scores import ScoresDisplay
from srlib.displays.figures.simplicity_curve import SimplicityCurveDisplay
from srlib.displays.show import file_name, show_figure, show_table, show_verdict
from srlib.displays.tables import answer as answer_module


@pytest.fixture(name="shown")
def shown_fixture(monkeypatch):
    outputs = []
    for home in (module, answer_module):
        monkeypatch.setattr(
            home, "display", lambda data, metadata=None, raw=False: outputs.append((data, metadata))
        )
    return outputs


@pytest.mark.slow
def test_a_figure_is_five_files_and_prints_its_numbers(judgement, tmp_path, shown):
    show_figure(
        ScoresDisplay.from_judgement(judgement), tmp_path, name="scores", caption="Scores & ranks"
    )
    (picture, metadata), (numbers, _) = shown
    names = ["scores.pdf", "scores.svg", "scores.png", "scores-column.pdf", "scores-column.svg",
             "scores-column.png"]  # fmt: skip
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == sorted(names)
    assert (
        base64.b64decode(picture["image/png"]) == (tmp_path / "figures" / "scores.png").read_bytes()
    )
    assert picture[FIGURE]["files"] == [f"figures/{name}" for name in names]
    assert "alpha" in picture[FIGURE]["alt"] == metadata["image/png"]["alt"]
    assert "text/html" not in picture  # nbval would compare the picture's bytes
    assert numbers[TABLE]["folded"] and (tmp_path / "tables" / "scores-numbers.csv").is_file()
    assert not any(str(tmp_path) in str(data) for data, _ in shown)


@pytest.mark.slow
def test_figures_have_the_same_bytes_twice(judgement, tmp_path, shown):
    for folder in ("a", "b"):
        show_figure(
            ScoresDisplay.from_judgement(judgement),
            tmp_path / folder,
            name="scores",
            caption="Scores",
        )
    for suffix in ("pdf", "svg", "png"):
        first, second = ((tmp_path / f / "figures" / f"scores.{suffix}").read_bytes() for f in "ab")
        assert first == second


@pytest.mark.slow
def test_figures_have_the_widths_of_the_page_and_of_a_column(judgement, tmp_path, shown):
    for display in (
        ScoresDisplay.from_judgement(judgement),
        SimplicityCurveDisplay.from_judgement(judgement),
    ):
        show_figure(display, tmp_path, name="f", caption="A figure")
        for name, inches in (("f", 7.16), ("f-column", 3.5)):
            box = re.search(
                rb"/MediaBox \[ 0 0 ([0-9.]+)", (tmp_path / "figures" / f"{name}.pdf").read_bytes()
            )
            assert float(box[1]) / 72 == pytest.approx(inches, abs=0.01)


@pytest.mark.slow
def test_fonts_are_embedded_as_outlines(judgement, tmp_path, shown):
    show_figure(ScoresDisplay.from_judgement(judgement), tmp_path, name="scores", caption="Scores")
    # TrueType, as fonttype 42 asks
    assert b"/FontFile2" in (tmp_path / "figures" / "scores.pdf").read_bytes()
    assert b"<script>alert" not in (tmp_path / "figures" / "scores.svg").read_bytes()


def test_a_table_is_written_verbatim_and_shown_rounded(tmp_path, shown):
    frame = pd.DataFrame({"model": ["=x1"], "score": [0.123456789012345]})
    show_table(frame, tmp_path, name="models", caption="Models")
    assert (
        tmp_path / "tables" / "models.csv"
    ).read_text() == "model,score\n=x1,0.123456789012345\n"
    assert r"\toprule" in (tmp_path / "tables" / "models.tex").read_text()
    assert "0.123<" in shown[0][0]["text/html"] and "0.1234567" not in shown[0][0]["text/html"]


def test_the_verdict_hands_over_what_the_index_needs(judgement, shown):
    show_verdict(judgement, "Made up")
    bundle = shown[0][0][REPORT]
    assert bundle["title"] == "Made up" and bundle["rows"] == {
        "read": 9,
        "scored": 8,
        "excluded": 1,
    }
    assert bundle["ranking"][0] == {"method": "alpha", "score": 2.0, "rank": 1}
    assert bundle["rules"]["digest"] == judgement.rules.digest
    ties = next(row for row in bundle["rules"]["switches"] if row["switch"] == "ties")
    assert ties["value"] == "dense" and ties["source"]
    assert "<script>" not in shown[0][0]["text/html"]
    assert "9 runs read = 8 scored + 1 excluded" in shown[0][0]["text/html"]


def test_links_below_a_table_name_the_files_of_others(tmp_path, shown):
    show_table(
        pd.DataFrame({"a": [1]}),
        tmp_path,
        name="t",
        caption="c",
        see={"b first": "t", "a": "../Up"},
    )
    assert shown[0][0][TABLE]["see"] == [["b first", "t"], ["a", file_name("../Up")]]


def test_file_names_are_plain_and_never_meet(tmp_path, shown):
    names = ["", "../x", "A b", "a b", ".x", "x" * 300, "d@0.1", "d-0.1"]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(made) and made[-1] == "d-0.1"
    assert all(len(name) < 80 and "/" not in name and not name.startswith(".") for name in made)
    show_table(pd.DataFrame({"a": [1]}), tmp_path, name="../up", caption="c")
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
