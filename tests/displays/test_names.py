"""Names in figures: none is cut so that it looks like another; lines that meet differ."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from srlib.displays import (
    DotsDisplay,
    MatrixDisplay,
    PairsDisplay,
    ParetoDisplay,
    ProfilesDisplay,
)
from srlib.displays.figures.critical_difference import CriticalDifferenceDisplay
from srlib.displays.styling import labels
from tests.comparing.small import comparison_of

LONG = [
    "Operon with linear scaling",
    "Operon without linear scaling",
    "Bingo with fitness predictors",
    "uDSR with a pretrained network",
    "PySR with default operators",
    "PySR with extended operators",
    "QLattice by Abzu, version 2.9",
]
VALUES = pd.DataFrame(np.random.default_rng(0).random((30, 7)) + np.arange(7) / 5, columns=LONG)


def words(figure):
    return [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("shown", [
    ProfilesDisplay.from_values(VALUES / 3),
    PairsDisplay.from_comparison(comparison_of(VALUES)),
    CriticalDifferenceDisplay.from_comparison(comparison_of(VALUES)),
    MatrixDisplay(pd.DataFrame({"method": LONG, "place 1": np.arange(7) / 7})),
], ids=lambda shown: type(shown).__name__)  # fmt: skip
def test_a_long_name_stands_in_full(shown, width):
    said = words(shown.plot(width=width).figure_)
    assert [name for name in LONG if not any(name in text for text in said)] == []


def test_names_that_are_cut_differ():
    names = [f"{name} of the {end} team" for name in LONG for end in ("first", "second")]
    assert len(set(labels(names, 18))) == len(names)


def test_figures_without_variation_are_sentences():
    same = pd.DataFrame(0.5, index=range(12), columns=["a", "b", "c"])
    other = same.assign(c=[0.7] * 12)
    assert ProfilesDisplay.from_values(same).replacement.startswith("All 3 methods are alike")
    assert not ProfilesDisplay.from_values(other).replacement
    for made, said in (
        (
            lambda values: PairsDisplay.from_comparison(comparison_of(values)),
            "No pair of methods is told apart",
        ),
        (lambda values: DotsDisplay.from_values({"x": {"": values}}), "All 3 methods are alike"),
    ):
        assert made(same).replacement.startswith(said)
        assert not made(other).replacement


def test_without_a_second_objective_there_is_nothing_to_draw():
    assert ParetoDisplay.from_values([]).replacement == "There is nothing to draw."
