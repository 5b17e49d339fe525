"""Titles and axis labels: none runs into another or out of the figure, whatever a suite calls what they name."""

import json
import re

import pytest

from srlib.displays.figures.titles import LEAST
from srlib.displays.stated import STYLE
from srlib.displays.styling import style
from tests.displays.test_contract import MADE

LONG = "Genauigkeitsmass der Vorhersagen auf Testdaten"
ONE_WORD = "Vorhersagegenauigkeitsmass"
NAMED = ["CurvesDisplay", "DotsDisplay", "PropertyDisplay", "ScoresDisplay"]
CASES = [(name, "accuracy") for name in MADE]
CASES += [(name, label) for name in NAMED for label in ("Genauigkeitsmass", LONG, ONE_WORD)]


def titles(shown, width):
    """Measure all titles of a figure, as it is saved."""
    with style():
        figure = shown.plot(width=width).figure_
        figure.draw_without_rendering()
        found = [
            (title, title.get_window_extent())
            for axes in figure.axes
            for title in (axes.title, axes._left_title, axes._right_title)
            if title.get_text()
        ]
    return figure.bbox, found


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("name", sorted({*MADE} - {"SheetDisplay"}))  # a ballot's, in English
def test_axis_labels_stay_in_the_figure_and_apart(name, width, monkeypatch):
    """Each label of an axis is called by more words than there is room for in a line."""
    shown = MADE[name]()
    long = "Bestimmtheitsmaß auf den zurückgehaltenen Daten"
    plain = shown.plot(width=width).figure_
    said = {" ".join(label.get_text().split()) for _, label in axis_labels(plain)} - {""}
    words = {text: f"{number} {long}" for number, text in enumerate(said)}
    words |= {"simplified model size": long, "size": long, "R²": long}
    monkeypatch.setenv(STYLE, json.dumps({"labels": words}))
    with style():
        figure = MADE[name]().plot(width=width).figure_
        figure.draw_without_rendering()
        found = [(text.get_text(), text.get_window_extent()) for _, text in axis_labels(figure)]
    for number, (text, box) in enumerate(found):
        assert figure.bbox.x0 <= box.x0 + 1 and box.x1 <= figure.bbox.x1 + 1, text
        assert figure.bbox.y0 <= box.y0 + 1 and box.y1 <= figure.bbox.y1 + 1, text
        assert not any(box.overlaps(other) for _, other in found[:number]), text


def axis_labels(figure):
    """List the labels of axes that say something."""
    own = [(figure, text) for text in (figure._supxlabel, figure._supylabel) if text is not None]
    own += [(axes, axis.label) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    return [(owner, text) for owner, text in own if text.get_text() and text.get_visible()]


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize(("name", "label"), CASES)
def test_titles_keep_to_their_panels(name, label, width, monkeypatch):
    shown = MADE[name]()
    words = {
        one: label
        for one in [
            "accuracy",
            "simplicity",
            "property",
            "solution",
            "test R²",
            "size",
            "PR",
            "MAR",
        ]
    }
    words |= {f"{one} points": f"{to} (Punkte)" for one, to in words.items()}
    if label != "accuracy":
        monkeypatch.setenv(STYLE, json.dumps({"labels": words}))
    page, found = titles(shown, width)
    for number, (title, box) in enumerate(found):
        assert title.get_fontsize() >= LEAST
        if title.get_fontsize() == LEAST and width == "column":  # a word that is wider than that
            continue
        assert page.x0 <= box.x0 and box.x1 <= page.x1, title.get_text()
        assert not any(box.overlaps(other) for _, other in found[:number]), title.get_text()
    said = " ".join(re.sub(r"\s", "", title.get_text()) for title, _ in found)
    if name in ("ScoresDisplay", "DotsDisplay"):
        assert label == "accuracy" or re.sub(r"\s", "", label) in said
