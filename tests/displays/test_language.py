"""Figures in another language: every fixed text has a translation, no name is touched, English stays what it is."""

import json
import re

import pandas as pd
import pytest
from matplotlib.text import Text

from srlib.comparing.metrics import METRICS
from srlib.displays import DotsDisplay, ProfilesDisplay
from srlib.displays.language import FOLDER, HOLE, languages, said_in
from srlib.displays.stated import STYLE
from srlib.yamlfile import load_yaml
from tests.displays.test_contract import MADE, NAMES

OTHERS = [name for name in languages() if name != "en"]
KEPT = {"PR", "MAR", "MPE", "MMAP"}  # tasks


@pytest.fixture
def state(monkeypatch):
    """Hand over what a suite states."""
    return lambda **style: monkeypatch.setenv(STYLE, json.dumps(style))


def texts(shown, **options):
    """All that is written in a figure, in the order of the artists."""
    figure = shown.plot(**options).figure_
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize("name", MADE)
def test_no_fixed_text_of_a_figure_is_left_in_english(name, state):
    shown = MADE[name]()
    few = NAMES[:3]
    if name in ("MatrixDisplay", "SheetDisplay", "SeriesDisplay"):
        few = []
    state(methods=few)
    english = texts(shown)
    state(methods=few, language=OTHERS[0])
    other, words = texts(shown), load_yaml(FOLDER / f"{OTHERS[0]}.yaml")
    known = shown.kept | KEPT | {*words}
    left = {
        text
        for text, to in zip(english, other, strict=True)
        if text == to
        and text not in known
        and re.search("[a-z]{2}", text.replace("mathdefault", ""))
    }
    left = {text for text in left if not re.search(r"method .*…|method \d+ |dataset_\d", text)}
    assert not left, f"the files in {FOLDER.name} lack {left}"


@pytest.mark.parametrize("language", OTHERS)
def test_the_languages_say_the_same_texts(language, state):
    words, others = (load_yaml(FOLDER / f"{name}.yaml") for name in (language, OTHERS[0]))
    assert list(words) == list(others)
    assert all(text.count(HOLE) == to.count(HOLE) for text, to in words.items())
    state(language=language)
    for metric in METRICS.values():
        assert metric.label in words or said_in(metric.label) != metric.label, metric.label


def test_no_line_of_a_french_figure_can_begin_with_a_sign():
    """What stands before the sign is a space at which no line breaks."""
    said = list(load_yaml(FOLDER / "fr.yaml").values())
    assert not [text for text in said if re.search(" [;:!?%»]", text)]
    assert sum(text.count("\xa0;") for text in said) > 2


def test_names_stay_whatever_word_they_are(state):
    values = pd.DataFrame({"median": [0.1, 0.2, 0.3], "test R²": [0.3, 0.2, 0.1], "b": 0.5})
    state(language="de")
    shown = DotsDisplay.from_values({"test R²": {"": values[["median", "b"]]}})
    written = texts(shown)
    assert "median" in written and "Median" not in written and "R² (Test)" in written
    assert "Median über die Datensätze" in written
    assert "test R²" in texts(DotsDisplay.from_values({"solution": {"": values}}))


def test_a_suites_own_words_come_first_and_lines_stay_as_many(state):
    state(language="de", labels={"test R²": "Bestimmtheitsmaß", "accuracy": "Güte"})
    assert (
        said_in("test R²") == "Bestimmtheitsmaß" and said_in("accuracy points") == "Güte (Punkte)"
    )
    said = said_in("components of the simplified model\n(logarithmic)")
    assert said == "Anzahl der Bausteine des vereinfachten\nModells (logarithmisch)"
    assert said_in("gp\n0.3 s, power 1.20", {"gp"}) == "gp\n0.3 s, Exponent 1.20"
    assert (
        said_in("noise, 0.1") == "Rauschen, 0.1"
        and said_in("what nobody wrote") == "what nobody wrote"
    )
    assert said_in("without a; and 2 more solvers") == "ohne a; und 2 weitere"
    state(labels={"share of datasets that reach x": "share"})
    shown = ProfilesDisplay.from_values(pd.DataFrame({"a": [0.1, 0.9], "b": 0.5}))
    assert "share" in texts(shown)


@pytest.mark.parametrize("language", OTHERS)
def test_longer_words_of_a_legend_stay_in_the_figure(language, state):
    shown = MADE["QualificationRanksDisplay"]()
    state(methods=NAMES[:3], language=language)
    figure = shown.plot(width="column").figure_
    figure.draw_without_rendering()
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width
