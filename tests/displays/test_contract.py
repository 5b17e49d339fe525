"""What every Display has, whatever it draws; one that lacks a part, has no home, or does not fit is named here."""

import re
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from cycler import cycler
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srlib import displays
from srlib.displays.styling import WIDTHS, look, remember, style
from srlib.errors import InputError
from srlib.readers.row_checks import THE_TRUTH
from tests.comparing.small import comparison_of

FOLDER = Path(displays.__file__).parent
NAMES = [f"method {i} " + "with a name of sixty letters " * 2 for i in range(30)]
DATASETS = [f"dataset_{i}_of_the_property_of_a_competition" for i in range(5)]
PAGE = 10  # inches


def values(larger=False) -> pd.DataFrame:
    """Datasets x methods."""
    array = 0.9 - 0.02 * np.arange(30) + 0.1 * np.random.default_rng(5).normal(size=(15, 30))
    return pd.DataFrame(10 ** (4 * array) if larger else array, columns=NAMES)


def rows(**columns) -> pd.DataFrame:
    """A row for each method and dataset, with random numbers where a column is None."""
    table = pd.DataFrame([(m, d) for m in NAMES for d in DATASETS], columns=["method", "dataset"])
    random = np.random.default_rng(6).uniform(size=len(table))
    return table.assign(**{k: random if v is None else v for k, v in columns.items()})


def noise() -> pd.DataFrame:
    levels = [(m, n) for m in NAMES for n in (0.0, 0.01, 0.1)]
    table = pd.DataFrame(levels, columns=["method", "noise_level"])
    return table.assign(runs=30, low=0.8, value=0.9 - table["noise_level"], high=0.95)


def curves() -> pd.DataFrame:
    keys = [(t, m, x) for t in ("PR", "MAR", "MPE", "MMAP") for m in NAMES for x in (20, 1200)]
    return pd.DataFrame(keys, columns=["task", "solver", "time_limit_s"]).assign(score=50.0)


def critical(methods=30) -> displays.CriticalDifferenceDisplay:
    return displays.CriticalDifferenceDisplay.from_comparison(
        comparison_of(values().iloc[:, :methods])
    )


def scores() -> pd.DataFrame:
    return rows(score=None, **{f"{a} rank": None for a in ("accuracy", "simplicity", "property")})


MADE = {
    "CriticalDifferenceDisplay": critical,
    "CurvesDisplay": lambda: displays.CurvesDisplay(curves()),
    "DotsDisplay": lambda: displays.DotsDisplay.from_values(
        {"test R²": {"0": values(), "0.01": values()}, "size": {"0": values(True)}}
    ),
    "ExtrapolationDisplay": lambda: displays.ExtrapolationDisplay(
        pd.DataFrame({"method": NAMES, "repetition": 1, "r2_test": np.linspace(0, 1, 30)}),
        pd.DataFrame(0.5, index=[0.0, 1.0, 2.0], columns=[*NAMES, THE_TRUTH]),
        np.array([[0.5, 0.4], [1.5, 0.6]]),
    ),
    "FeatureUseDisplay": lambda: displays.FeatureUseDisplay(
        pd.concat([rows(feature="x1", relevant=None, other=np.nan),
                   rows(feature="x2", relevant=np.nan, other=None)])
    ),
    "MatrixDisplay": lambda: displays.MatrixDisplay(
        values().abs().T.rename_axis("method").reset_index()
    ),
    "NoiseDisplay": lambda: displays.NoiseDisplay(noise(), pd.Series([1.0, 0.9], [0.0, 0.1])),
    "PairsDisplay": lambda: displays.PairsDisplay.from_comparison(comparison_of(values())),
    "ParetoDisplay": lambda: displays.ParetoDisplay.from_values(
        [(("size", values(True), "lower"), ("R²", values(), "higher"))]
    ),
    "ProfilesDisplay": lambda: displays.ProfilesDisplay.from_values(values()),
    "ScoresDisplay": lambda: displays.ScoresDisplay(scores()),
    "SheetDisplay": lambda: displays.SheetDisplay(
        pd.DataFrame({"true": np.arange(9.0), "predicted": 4.0}),
        pd.DataFrame({name: range(19) for name in NAMES}),
    ),
}  # fmt: skip


@cache
def made(name: str) -> Any:
    """One display for both widths, which have to leave it as it is."""
    return MADE[name]()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", MADE)
def test_thirty_methods_with_long_names_fit(name, width):
    shown = made(name)
    assert isinstance(shown.numbers, pd.DataFrame) and len(shown.numbers)
    assert 20 < len(shown.alt) < 3000 and "\n" not in shown.alt
    with style():
        assert shown.plot(width=width) is shown
        figure = shown.figure_
        figure.draw_without_rendering()
        box, inches = figure.get_tightbbox(), figure.get_figheight()
    assert box.x0 > -0.05 and box.x1 < WIDTHS[width] + 0.05, "drawn beyond the sides"
    assert box.y0 > -0.05 and box.y1 < inches + 0.05, "drawn beyond the top or the bottom"
    assert inches < PAGE
    for axes in figure.axes:
        shown = [text for text in axes.get_yticklabels() if text.get_text() and text.get_visible()]
        places = sorted((text.get_window_extent() for text in shown), key=lambda place: place.y0)
        assert all(
            low.y1 <= high.y0 + 0.5 for low, high in zip(places, places[1:], strict=False)
        ), "names on one another"
    texts = [axes.title for axes in figure.axes] + [axes._left_title for axes in figure.axes]
    texts += [axis.label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    texts += [text for text in (figure._supxlabel, figure._supylabel) if text is not None]
    texts = [text for text in texts if text.get_text() and text.get_visible()]
    found = [(text.get_text(), text.get_window_extent()) for text in texts]
    for number, (text, label_box) in enumerate(found if name != "SheetDisplay" else ()):
        assert figure.bbox.x0 <= label_box.x0 + 1 and label_box.x1 <= figure.bbox.x1 + 1, text
        assert figure.bbox.y0 <= label_box.y0 + 1 and label_box.y1 <= figure.bbox.y1 + 1, text
        assert not any(label_box.overlaps(other) for _, other in found[:number]), text


@pytest.mark.parametrize("name", MADE)
def test_equal_values_are_a_sentence_or_a_figure(name):
    shown = copy(made(name))
    shown.numbers = shown.numbers.copy()
    shown.numbers[shown.numbers.select_dtypes("number").columns] = 0.5
    if not shown.replacement:
        with style():
            shown.plot().figure_.draw_without_rendering()


ALONE = {"CriticalDifferenceDisplay"}  # their order is what they show
MADE_SMALL = MADE | {
    "DotsDisplay": lambda: displays.DotsDisplay.from_values({"test R²": {"": values()}}),
}
COLOURED = ["CurvesDisplay", "CriticalDifferenceDisplay", "DotsDisplay", "ExtrapolationDisplay", "NoiseDisplay",
            "ParetoDisplay", "ProfilesDisplay", "ScoresDisplay"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_it_draws_into_the_callers_axes(name):
    shown = MADE[name]()
    axes, count = Figure().subplots(), len(shown.panels)
    if count > 1:
        with pytest.raises(InputError, match=f"ax: {name} needs {count} axes, got 1"):
            shown.plot(ax=axes)
    grid = Figure(figsize=(30, 30)).subplots(count, squeeze=False).ravel()
    assert shown.plot(ax=grid).figure_ is grid[0].figure
    assert all(axes.has_data() for axes in grid) and not grid[0].figure.legends


@pytest.mark.parametrize("name", sorted(set(MADE) - {"SheetDisplay"}))
def test_methods_are_chosen_and_ordered(name):
    shown = MADE_SMALL[name]()
    chosen = shown.methods[4:1:-1]
    with pytest.raises(InputError, match="methods: the methods are "):
        shown.plot(methods=["nobody"])
    figure = shown.plot(methods=chosen).figure_
    texts = [t for axes in figure.axes for t in axes.get_yticklabels()]
    texts += [t for legend in figure.legends for t in legend.get_texts()]
    texts += [axes.title for axes in figure.axes] + [axes._left_title for axes in figure.axes]
    numbers = [re.match(r"method\s(\d+)", text.get_text()) for text in texts]
    written = list(dict.fromkeys(f"method {n[1]}" for n in numbers if n))
    wanted = [" ".join(method.split()[:2]) for method in chosen]
    assert set(written) <= set(wanted)
    if name not in ALONE:
        assert written == [method for method in wanted if method in written]


def colours(figure: Figure) -> set[str]:
    """All colours of lines and points."""
    found = [line.get_color() for line in figure.findobj(Line2D)]
    found += [c for many in figure.findobj(Collection) for c in many.get_facecolor()]
    return {to_hex(colour) for colour in found}


@pytest.mark.parametrize("name", COLOURED)
def test_a_method_has_its_colour_in_every_figure(name):
    shown = MADE_SMALL[name]()
    method = shown.methods[3]
    with style():
        assert look(method)["color"].lower() in colours(shown.plot().figure_)


def test_looks_stay_when_a_method_is_missing():
    before = remember("abc")["b"]
    assert remember("bcd")["b"] == before and len({str(look(name)) for name in "abcd"}) == 4


def test_settings_of_the_user_are_respected():
    def font(shown):
        text = shown.plot().ax_.xaxis.label
        return text.get_fontfamily()[0], text.get_fontsize()

    shown = MADE["ProfilesDisplay"]()
    assert font(shown) == ("DejaVu Sans", 7.5)
    own = {
        "font.family": "serif",
        "axes.labelsize": 11,
        "axes.prop_cycle": cycler(color=["#abcdef"]),
    }
    with mpl.rc_context(own):
        assert font(shown) == ("serif", 11) and "#abcdef" in colours(shown.figure_)
