"""The matrix: numbers in its cells, few or many rows and columns, long names."""

import numpy as np
import pandas as pd
import pytest

from srlib.displays import MatrixDisplay


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_the_largest_share_is_the_darkest_and_cells_have_their_numbers():
    table = pd.DataFrame({"method": ["a", "b"], "1": [0.1, 0.05], "2": [0.025, 0.0]})
    display = MatrixDisplay(table).plot()
    mesh = display.ax_.collections[0]
    assert (mesh.norm(0.1), mesh.norm(0.05)) == pytest.approx((1, 0.5))
    assert texts(display) == ["10%", "2%", "5%"]


def test_of_many_columns_a_colour_bar_has_the_scale_and_small_shares_are_seen():
    """Twenty methods share the first places, and one is last in every draw."""
    shares = np.full((20, 20), 0.05)
    shares[-1], shares[:, -1] = 0.0, 0.0
    shares[-1, -1] = 1.0
    table = pd.DataFrame(shares, columns=[f"place {i}" for i in range(1, 21)])
    table.insert(0, "method", [f"m{i}" for i in range(20)])
    display = MatrixDisplay(table).plot()
    assert display.ax_.collections[0].norm(0.05) > 0.2 and texts(display) == []
    _, bar = display.figure_.axes
    assert [text.get_text() for text in bar.get_xticklabels()] == ["0%", "25%", "100%"]


def test_all_of_many_rows_are_drawn_and_no_names_lie_on_one_another():
    table = pd.DataFrame({"dataset": [f"d{i}" for i in range(300)], "a": np.linspace(1, 0.5, 300)})
    display = MatrixDisplay(table).plot()
    display.figure_.draw_without_rendering()
    assert display.ax_.collections[0].get_array().size == 300 and display.left_out == ""
    places = [text.get_window_extent() for text in display.ax_.get_yticklabels()]
    assert len(places) > 20 and display.figure_.get_figheight() < 9
    assert all(low.y0 >= high.y1 for high, low in zip(places[1:], places[:-1], strict=True))


def test_a_matrix_of_nothing_is_drawn():
    display = MatrixDisplay(pd.DataFrame({"method": ["a", "b"], "1": [0.0, np.nan]})).plot()
    assert texts(display) == [] and display.left_out == ""
