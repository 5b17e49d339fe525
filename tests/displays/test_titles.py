"""Titles of panels: none runs into another or out of the figure, whatever a suite calls what they name."""

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
