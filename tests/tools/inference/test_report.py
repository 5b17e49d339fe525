"""What the report shows: resampling and curves that can be redone by hand, and its check cell."""

from io import StringIO

import nbformat
import pandas as pd
import pytest

from srlib import displays
from srlib.files import NOTEBOOKS
from srlib.tools.inference.resampling import resample_instances

SCORES = """\
solver task instance time_limit_s score
a      PR   x        1            100
a      PR   y        1            0
a      PR   x        9            100
a      PR   y        9            50
b      PR   x        1            50
b      PR   y        1            50
c      PR   x        1            0
c      PR   y        1            100
"""


@pytest.fixture
def scores():
    return pd.read_csv(StringIO(SCORES), sep=r"\s+")


def test_resampling_by_hand(scores):
    """With instance x a wins, with y c wins; half of the draws hold both."""
    few = scores[scores["time_limit_s"] == 1]
    draws = [resample_instances(few, None, 4000, seed) for seed in (1, 1, 2)]
    shares = draws[0].set_index("solver")["p_win"].to_dict()
    assert shares == pytest.approx({"a": 0.25 + 1 / 6, "b": 1 / 6, "c": 0.25 + 1 / 6}, abs=0.03)
    assert draws[0].equals(draws[1]) and not draws[0].equals(draws[2])


def test_curves_hold_their_numbers(scores):
    means = displays.CurvesDisplay.from_scores(scores[scores["solver"] == "a"]).numbers
    assert means[["time_limit_s", "score"]].to_numpy().tolist() == [[1, 50], [9, 75]]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Folder, check cell and variables of the notebook, executed without its figures, which have tests."""
    cells = nbformat.read(NOTEBOOKS / "inference.ipynb", as_version=4).cells
    parameters, *cells, check = [cell.source for cell in cells if cell.cell_type == "code"]
    folder, space = tmp_path_factory.mktemp("report"), {}
    exec(parameters, space)
    space |= {"output_dir": str(folder), "resamples": 200, "weights": {"1": 1, "10": 4, "100": 5}}
    for cell in cells:
        if "page.figure" not in cell:
            exec(cell, space)
    return folder, check, space


@pytest.mark.parametrize(
    ("name", "column"),
    [("scores", "score"), ("scores", "error"), ("scores", "max_error"), ("ranking", "score"),
     ("ranking", "rank"), ("ranking", "n_instances"), ("ranking", "p_win")],
)  # fmt: skip
def test_the_check_cell_finds_a_corrupted_number(executed, name, column):
    folder, check, space = executed
    exec(check, dict(space))  # nothing is wrong
    path = folder / "tables" / f"{name}.csv"
    text = path.read_text()
    table = pd.read_csv(path).astype({column: float})
    row = table.index[(table["solver"] == "mean-field") & (table["task"] == "PR")][0]
    table.loc[row, column] = 2 * table.loc[row, column] + 1
    table.to_csv(path, index=False)
    with pytest.raises(AssertionError, match="not confirmed"):
        exec(check, dict(space))
    path.write_text(text)
