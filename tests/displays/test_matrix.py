"""The matrix: numbers in its cells, few or many rows and columns, long names."""

import numpy as np
import pandas as pd

from srlib.displays import MatrixDisplay


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_a_matrix_of_nothing_is_drawn():
    display = MatrixDisplay(pd.DataFrame({"method": ["a", "b"], "1": [0.0, np.nan]})).plot()
    assert texts(display) == [] and display.left_out == ""
