"""What every Display has, whatever it draws; one that lacks a part, has no home, or does not fit is named here."""

import inspect
import re
import runpy
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from cycler import cycler
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from srlib import displays
from srlib.displays.styling import WIDTHS, look, style
from srlib.readers.row_checks import THE_TRUTH
from tests.builders import refused

LONG = "with a name of sixty letters " * 2
NAMES = ["method 0 with linear scaling", *(f"method {i} {LONG}" for i in range(1, 30))]
DATASETS = [f"dataset_{i}_of_the_property_of_a_competition" for i in range(5)]
PAGE = 10  # inches
ROOT = Path(__file__).parents[2]
RANGE = ("value", "low", "high")


def table(*columns, **keys):
    """A row for each combination of the keys, with random shares in the columns."""
    rows = pd.MultiIndex.from_product(keys.values(), names=keys).to_frame(index=False)
    shares = np.random.default_rng(6).uniform(size=(len(rows), len(columns)))
    return rows.join(pd.DataFrame(shares, columns=columns))


COLOURED = [
    displays.CriticalDifferenceDisplay(
        numbers=pd.DataFrame({"method": NAMES, "mean_rank": np.linspace(2, 28, 30)}),
        groups=[NAMES[:9], NAMES[5:20]], count=15, unit_name="datasets",
    ),
    displays.CurvesDisplay(numbers=table("score", task=["PR", "MAR", "MMAP"], solver=NAMES, time_limit_s=[20, 1200])),
    displays.DotsDisplay(numbers=table(*RANGE, panel=["test R²"], series=[""], method=NAMES)),
    displays.FitDisplay(
        numbers=table("r2_test", method=NAMES),
        curves=pd.DataFrame(0.5, index=[0.0, 1.0, 2.0], columns=[*NAMES, THE_TRUTH]),
        train=np.array([[0.5, 0.4], [1.5, 0.6]]),
    ),
    displays.NoiseDisplay(
        numbers=table(*RANGE, "runs", method=NAMES, noise_level=[0.0, 0.1]),
        truth=pd.Series([1, 0.9], [0.0, 0.1]),
    ),
    displays.ParetoDisplay(
        numbers=table("x", "x_low", "x_high", "y", "y_low", "y_high", panel=["R² against size"], method=NAMES)
        .assign(x_name="size (lower is better)", y_name="R² (higher is better)", front=1)
    ),
    displays.ProfilesDisplay.from_values(table(*NAMES, dataset=DATASETS)[NAMES].assign(**{NAMES[0]: 0.9})),
    displays.ScoresDisplay(numbers=table("score", "accuracy rank", "property rank", method=NAMES, dataset=DATASETS)),
    displays.StripDisplay(
        numbers=table(*RANGE, method=NAMES).assign(reason=[""] * 27 + ["not qualified"] * 3),
        open_places=[1, 2, 5, 6, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25],
    ),
]  # fmt: skip
MADE = [
    *COLOURED,
    displays.DotsDisplay(
        numbers=table(*RANGE, panel=["test R²", "size"], series=["0", "0.01"], method=NAMES)
    ),
    displays.FeatureUseDisplay(
        numbers=pd.concat(
            table(kind, method=NAMES, dataset=DATASETS, feature=[kind])
            for kind in ("relevant", "other")
        )
    ),
    displays.MatrixDisplay(numbers=table(*DATASETS, method=NAMES)),
    displays.PairsDisplay(
        numbers=pd.DataFrame(combinations(NAMES, 2), columns=["method_a", "method_b"]).assign(
            better=NAMES[0]
        ),
        order=tuple(NAMES),
        title="Signed-rank test",
    ),
    displays.SheetDisplay(
        numbers=table("true", "predicted", rows=["training", "test"], row=range(9)),
        influence=table(*NAMES, percentile=range(19)),
    ),
]


def of_each(shown):
    return pytest.mark.parametrize("shown", shown, ids=lambda one: type(one).__name__)


def test_display_is_drawn_here_and_takes_keywords_alone():
    names = {name for name in displays.__all__ if name.endswith("Display")}
    assert names == {type(shown).__name__ for shown in MADE}
    for name in names:
        kinds = {p.kind for p in inspect.signature(getattr(displays, name)).parameters.values()}
        assert kinds == {inspect.Parameter.KEYWORD_ONLY}, name


@pytest.mark.parametrize("name", displays.__all__)
def test_exported_name_has_an_example_and_a_place_in_the_reference(name):
    exported = getattr(displays, name)
    assert ">>>" in (inspect.getdoc(exported) or "")
    line = rf"^\.\. auto\w+:: {exported.__module__}\.{name}$"
    assert len(re.findall(line, (ROOT / "docs/displays.md").read_text(), re.M)) == 1


def test_stub_is_as_refresh_writes_it():
    refresh = runpy.run_path(str(ROOT / ".ci/refresh.py"))
    stub = (ROOT / "srlib/displays/__init__.pyi").read_text()
    assert stub == refresh["displays_stub"](), "run `make refresh`"


def words(figure):
    """Draw a figure; return its texts that have a word, with their places."""
    with style():
        figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if re.search("[a-z]{2}", text.get_text())]
    shown = [text for text in texts if text.get_visible()]
    return [(text.get_text().replace("\n", " "), text.get_window_extent()) for text in shown]


@pytest.mark.parametrize("width", ["column", pytest.param("page", marks=pytest.mark.slow)])
@of_each(MADE)
def test_thirty_methods_with_long_names_fit(shown, width):
    assert 20 < len(shown.alt) < 3000 and "\n" not in shown.alt
    figure = shown.plot(width=width).figure_
    texts, box, inches = words(figure), figure.get_tightbbox(), figure.get_figheight()
    assert min(box.x0, box.y0) > -0.05 and box.x1 < WIDTHS[width] + 0.05
    assert box.y1 < inches + 0.05 and inches < PAGE
    assert any(NAMES[0] in text for text, _ in texts), "a name of usual length stands in full"
    for (text, place), (other, other_place) in combinations(texts, 2):
        assert not place.overlaps(other_place), (text, other)


@pytest.mark.slow
@of_each(MADE)
def test_display_draws_into_the_axes_of_its_caller(shown):
    count = len(shown.panels)
    with refused(f"Display needs {count} axes, got {count + 1}"):
        shown.plot(ax=Figure().subplots(1, count + 1))
    grid = Figure(figsize=(30, 30)).subplots(count, squeeze=False).ravel()
    assert shown.plot(ax=grid).figure_ is grid[0].figure
    assert all(axes.has_data() for axes in grid) and not grid[0].figure.legends


@of_each(MADE[:-1])
def test_methods_are_chosen_and_ordered(shown):
    with refused("methods: the methods are "):
        shown.plot(methods=["nobody"])
    chosen = shown.methods[4:1:-1]
    texts = "; ".join(text for text, _ in words(shown.plot(methods=chosen).figure_))
    written, expected = (re.findall(r"method \d+", text) for text in (texts, str(chosen)))
    assert [*dict.fromkeys(written)] == (expected if shown.reorderable else sorted(expected))


def colours(figure):
    """All colours of lines and points."""
    lines = [line.get_color() for line in figure.findobj(Line2D)]
    points = [c for many in figure.findobj(Collection) for c in many.get_facecolor()]
    return {to_hex(colour) for colour in [*lines, *points]}


@of_each(COLOURED)
def test_method_has_its_colour_in_every_figure(shown):
    with style():
        figure = shown.plot(methods=NAMES[3:6]).figure_
        assert look(NAMES[3])["color"].lower() in colours(figure)


def test_settings_of_the_user_are_respected():
    def font():
        text = COLOURED[0].plot().ax_.xaxis.label
        return text.get_fontfamily()[0], text.get_fontsize()

    assert font() == ("DejaVu Sans", 8)
    palette = cycler(color=["#abcdef"])
    with mpl.rc_context({"font.family": "serif", "axes.labelsize": 11, "axes.prop_cycle": palette}):
        assert font() == ("serif", 11) and "#abcdef" in colours(COLOURED[0].figure_)
