"""What a suite states of its figures' looks, and one look per method on all of its pages."""

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.text import Text

from srlib.displays import DotsDisplay, Page, PairsDisplay, ProfilesDisplay
from srlib.displays.styling import line_style, look, new_figure, style
from srlib.files import STYLE_FILE
from srlib.rendering.participants import expand_for_each, with_style_and_links
from srlib.rendering.suite import load_suite
from tests.builders import CHECK, write_notebook, write_runs, write_suite
from tests.comparing.small import comparison_of

METHODS = {"one": "ca", "two": "bac"}  # whose runs the reports read, in the order of their figures


@pytest.fixture
def hand(tmp_path):
    """Write a suite with this style, and begin the notebook of one of its reports."""

    def hand(block, page=0):
        for name, methods in METHODS.items():
            write_runs(tmp_path / f"{name}.csv", *methods)
            write_notebook(tmp_path / f"{name}.ipynb", CHECK, texts="runs")
        parameters = {name: f"{{runs: {name}.csv}}" for name in METHODS}
        path = write_suite(tmp_path, parameters, f"{{}}\nstyle: {block}")
        report = with_style_and_links(expand_for_each(load_suite(path)), []).reports[page]
        # a blank, as each kernel remembers its own looks
        (tmp_path / STYLE_FILE).write_text(report.style + " " * page)
        Page({"output_dir": str(tmp_path)})

    yield hand
    (tmp_path / STYLE_FILE).unlink()
    Page({"output_dir": str(tmp_path)})


def test_method_looks_the_same_on_all_pages_and_no_two_share_a_colour(hand):
    pages = []
    for page, methods in enumerate(METHODS.values()):
        hand("{}", page)
        pages.append({method: look(method) for method in methods})
    assert pages[1] == pages[1] | pages[0]
    assert len({each["color"] for each in pages[1].values()}) == 3


def test_suite_states_order_colours_widths_and_letters(hand):
    hand("{order: [c, a], palette: ['#111111', '#222222'], widths: {column: 4, page: 5}, size: 9}")
    assert [look(name)["color"] for name in "cab"] == ["#111111", "#222222", "#111111"]
    assert (look("c")["marker"], line_style("c")) == ("o", "-")
    assert new_figure("column", 1.0).get_figwidth() == 4
    with style():
        assert mpl.rcParams["font.size"] == 9
    hand("{palette: {b: red}}")
    assert look("b")["color"] == "#ff0000" != look("a")["color"]


def test_suite_chooses_the_methods_that_figures_show(hand):
    hand("{methods: [a, c]}")
    values = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [0.0, 1.0]})
    for display in (
        DotsDisplay.from_values({"x": {"": values}}),
        ProfilesDisplay.from_values(values),
        PairsDisplay.from_comparison(comparison_of(values)),
    ):
        texts = {text.get_text().strip() for text in display.plot().figure_.findobj(Text)}
        assert "b" not in texts and display.drawn_methods == ["a", "c"], type(display)
        assert "2 of 3 methods are drawn" in display.omissions
        assert "b" in set(display.numbers.to_numpy().ravel()), "the table has all"
