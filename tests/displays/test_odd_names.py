"""Names of methods that are words of ours, and names that are written from right to left."""

import pandas as pd

from srlib.displays import headed
from srlib.displays.tables.table import html_table, latex_table


def test_a_method_may_be_called_as_a_column_is():
    square = pd.DataFrame({"method": [0.5], "a": [1.0]}, pd.Index(["a"], name="method"))
    square.columns.name = "method"
    table = headed(square)
    assert list(table) == ["method", "method (method)", "a"]
    page = html_table(table, "C", row_headers=1)
    assert page.count("0.500") == 1 and "method (method)" in page


def test_a_column_of_a_method_is_called_as_the_method():
    """Not as columns of srlib are, whose names become words."""
    scores = pd.DataFrame({"kite_hawk": [1.0], "n_runs": [0.5]}, pd.Index(["d_1"], name="dataset"))
    table = headed(scores)
    said = [html_table(table, "Scores"), latex_table(table, "Scores", label="s")]
    assert ">kite_hawk<" in said[0] and ">n_runs<" in said[0] and "kite hawk" not in said[0]
    assert r"& kite\_hawk & n\_runs \\" in said[1]
    assert ">runs<" in html_table(pd.DataFrame({"n_runs": [1]}), "Ours")
