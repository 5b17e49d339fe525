"""The matrix: numbers in its cells, few or many rows and columns, long names."""

import numpy as np
import pandas as pd
import pytest

from srlib.displays import MatrixDisplay


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_where_all_shares_are_small_the_largest_is_the_darkest():
    def drawn(top):
        table = pd.DataFrame({"method": ["a", "b"], "1": [top, top / 2], "2": [top / 4, 0.0]})
        display = MatrixDisplay(table).plot()
        mesh = display.ax_.collections[0]
        return display.left_out, mesh.norm(top)

    said, dark = drawn(0.1)
    assert said == "The darkest cell stands for the largest share, 10%."
    assert dark == pytest.approx(drawn(1.0)[1])
    assert drawn(1.0)[0] == drawn(0.6)[0] == "" and drawn(0.6)[1] < 0.6


def test_one_large_share_does_not_leave_all_others_white():
    """Twenty methods share the first places, and one is last in every draw."""
    shares = np.full((20, 20), 0.05)
    shares[-1], shares[:, -1] = 0.0, 0.0
    shares[-1, -1] = 1.0
    table = pd.DataFrame(shares, columns=[f"place {i}" for i in range(1, 21)])
    table.insert(0, "method", [f"m{i}" for i in range(20)])
    display = MatrixDisplay(table).plot()
    mesh = display.ax_.collections[0]
    assert "square root" in display.left_out
    assert mesh.norm(0.05) > 0.2 and mesh.norm(1.0) == pytest.approx(1 / 1.15**0.5)


def test_a_matrix_of_nothing_is_drawn():
    display = MatrixDisplay(pd.DataFrame({"method": ["a", "b"], "1": [0.0, np.nan]})).plot()
    assert texts(display) == [] and display.left_out == ""
