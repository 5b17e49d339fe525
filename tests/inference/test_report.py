"""What the report shows: comparisons that can be redone by hand, figures, resampling, and its check cell."""

import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from srlib import displays
from srlib.files import NOTEBOOKS


def scores_of(rows) -> pd.DataFrame:
    """Scores of (solver, task, instance, limit, error) with a trivial error of 2 everywhere."""
    table = pd.DataFrame(rows, columns=["solver", "task", "instance", "time_limit_s", "error"])
    score = (100 * (1 - table["error"] / 2)).clip(lower=0)
    return table.assign(max_error=2.0, score=score, status="ok", note="")


@pytest.fixture
def scores():
    errors = {"a": (0, 2, 0, 1), "b": (1, 1, 1, 1), "c": (2, 0, 2, 1)}
    keys = [("x", 1.0), ("y", 1.0), ("x", 9.0), ("y", 9.0)]
    return scores_of(
        [(s, "PR", *k, e) for s, row in errors.items() for k, e in zip(keys, row, strict=True)]
    )


def test_resampling_by_hand(scores):
    """With instance x a wins, with y c wins; half of the draws hold both."""
    few = scores[scores["time_limit_s"] == 1.0]
    found = displays.resample_instances(few, None, resamples=4000, seed=1).set_index("solver")
    assert found["p_win"].to_dict() == pytest.approx(
        {"a": 0.25 + 1 / 6, "b": 1 / 6, "c": 0.25 + 1 / 6}, abs=0.03
    )
    again = displays.resample_instances(few, None, resamples=4000, seed=1).set_index("solver")
    pd.testing.assert_frame_equal(found, again)
    assert (
        found["p_win"].to_dict()
        != displays.resample_instances(few, None, 4000, 2).set_index("solver")["p_win"].to_dict()
    )


def test_curves_hold_their_numbers(scores):
    anytime = displays.CurvesDisplay.from_scores(scores).numbers
    assert anytime[anytime["solver"] == "a"][["time_limit_s", "score"]].to_numpy().tolist() == [
        [1, 50],
        [9, 75],
    ]


def execute(folder, **parameters):
    """Execute the code cells of the notebook up to the check cell."""
    cells = nbformat.read(NOTEBOOKS / "inference.ipynb", as_version=4).cells
    cells = [cell.source for cell in cells if cell.cell_type == "code"]
    space = {}
    exec(cells[0], space)
    space |= {"output_dir": str(folder), "resamples": 200} | parameters
    for cell in cells[1:-1]:
        if "show_figure" not in cell:  # figures have tests of their own
            exec(cell, space)
    return folder, cells[-1], space


@pytest.fixture(name="executed", scope="module")
def executed_fixture(tmp_path_factory):
    return execute(tmp_path_factory.mktemp("report"), weights={"1": 1, "10": 4, "100": 5})


def test_the_check_cell_confirms_what_the_report_says(executed, capsys):
    _, cell, space = executed
    exec(cell, dict(space))
    assert re.search(r"^checks passed: (\d+) of \1$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "column"),
    [("scores", "score"), ("scores", "error"), ("scores", "max_error"), ("ranking", "score"), ("ranking", "rank"),
     ("ranking", "n_instances"), ("ranking", "p_win")],
)  # fmt: skip
def test_a_corrupted_number_is_found(executed, capsys, name, column):
    folder, cell, space = executed
    path = folder / "tables" / f"{name}.csv"
    text = path.read_text()
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    row = table.index[(table["solver"] == "mean-field") & (table["task"] == "PR")][0]
    table[column] = table[column].astype("float64")
    table.loc[row, column] += 1 + np.abs(table.loc[row, column])
    table.to_csv(path, index=False)
    with pytest.raises(AssertionError, match="not confirmed"):
        exec(cell, dict(space))
    path.write_text(text)
    assert "FAILED: " in capsys.readouterr().out
