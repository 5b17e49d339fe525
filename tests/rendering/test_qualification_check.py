"""The check cell of the qualification's notebook finds a corrupted number, with failed runs in the table."""

import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from srlib.files import NOTEBOOKS

pytestmark = pytest.mark.slow

METHODS = {"LinearRegression": 0.5, "alpha": 0.6, "beta": 0.45}


@pytest.fixture(name="executed", scope="module")
def executed_fixture(tmp_path_factory):
    """The notebook's cells, executed on a made-up run table up to the check cell."""
    folder, generator = tmp_path_factory.mktemp("qualification"), np.random.default_rng(1)
    rows = [
        {"method": method, "dataset": dataset, "repetition": r, "model": None, "status": "ok",
         "r2_test": level + generator.normal(0, 0.1), "training_time_s": 1.0}
        for method, level in METHODS.items() for dataset in ("a", "b", "c") for r in (1, 2, 3)
    ]  # fmt: skip
    rows[10] |= {"status": "failed", "r2_test": None}
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    (folder / "p.yaml").write_text(
        "{schema: 1, name: small, defaults: {track: qualification, features: [x]}, "
        "problems: [{dataset: a}, {dataset: b}, {dataset: c}]}"
    )
    notebook = nbformat.read(NOTEBOOKS / "qualification.ipynb", as_version=4)
    cells = [
        cell.source for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()
    ]
    space = {}
    exec(cells[0], space)
    space |= {
        "runs": str(folder / "runs.csv"),
        "problems": str(folder / "p.yaml"),
        "output_dir": str(folder / "out"),
    }
    for cell in cells[1:-1]:
        exec(cell, space)
    return folder / "out", cells[-1], space


def test_the_check_cell_confirms_what_the_report_says(executed, capsys):
    exec(executed[1], dict(executed[2]))
    assert re.search(r"^checks passed: (\d+) of \1$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "column"),
    [
        ("qualification.csv", "median_r2"),
        ("qualification.csv", "rank_difference"),
        ("qualification.csv", "n_runs"),
        ("verdicts.csv", "margin"),
        ("verdicts.csv", "mean_rank"),
        ("verdicts.csv", "median_r2"),
        ("verdicts.csv", "wins"),
        ("verdicts.csv", "qualified"),
        ("tables/values.csv", "run"),
    ],
)
def test_a_corrupted_number_is_found(executed, file, column):
    path = executed[0] / file
    text = path.read_text()
    table = pd.read_csv(path)
    row = table.index[table["method"] == "alpha"][0]
    if column == "qualified":
        table.loc[row, column] = not table.loc[row, column]
    else:
        # all runs of a cell
        columns = [name for name in table if name == column or name.startswith(f"{column} ")]
        table[columns] = table[columns].astype("float64")
        table.loc[row, columns] += 1
    table.to_csv(path, index=False)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            exec(executed[1], dict(executed[2]))
    finally:
        path.write_text(text)
