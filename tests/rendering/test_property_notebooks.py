"""The notebooks about properties and noise on small tables: they run, and their check cells find a corrupted number."""

import re

import nbformat
import pandas as pd
import pytest

from srlib.files import NOTEBOOKS
from tests.gauntlet.pages import drawn_once

pytestmark = pytest.mark.slow

MODELS = {
    "alpha": {
        "exact_formula_easier": "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1",
        "featureselection_easy": "0.11*x1^3 + 0.1*x12",
    },
    "beta": {
        "exact_formula_easier": "2.5*x2 - 1.5*x1 + sin(x1)",
        "featureselection_easy": "x2*x3 + 0.2*x11 + x15",
    },
}


def execute(name, folder, **parameters):
    """Run all code cells but the last, with these parameters; give the last and its names."""
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    cells = [cell.source for cell in cells if cell.cell_type == "code"]
    space = {}
    exec(cells[0], space)
    assert set(parameters) <= set(space)
    space |= parameters | {"output_dir": str(folder / "out")}
    with drawn_once():
        for cell in cells[1:-1]:
            exec(cell, space)
    return cells[-1], space


@pytest.fixture(name="properties", scope="module")
def properties_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("properties")
    rows = [
        {"method": method, "dataset": dataset, "repetition": 1, "model": text, "data_seed": 2082}
        for method, texts in MODELS.items()
        for dataset, text in texts.items()
    ]
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    return folder, *execute("properties", folder, runs=str(folder / "runs.csv"))


@pytest.fixture(name="noise", scope="module")
def noise_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("noise")
    return folder, *execute("noise", folder)


GAPPY = """
schema: 1
name: kitchen
defaults:
  data_seeds: [1]
  data: {generator: formula, arguments: {features: {heat: [uniform, 1, 5], "cook time": [uniform, 0, 3]}}}
problems:
  - {dataset: bread, property: solution, truth: "2*heat"}
  - {dataset: calm, scored: false, truth: "heat*`cook time`"}
  - {dataset: rough, property: noise_sensitivity, noise_reference: calm, noise_level: 0.07, truth: "heat*`cook time`"}
"""


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        ("Ana: bread calm rough; Ben: bread", "Least sensitive to noise: Ana, "),
        ("Ana: bread rough; Ben: bread calm", "Nobody's sensitivity is known"),
    ],
)
def test_teams_without_runs_at_a_noise_level_stop_no_page(cells, answer, tmp_path, capsys):
    (tmp_path / "problems.yaml").write_text(GAPPY)
    parts = (team.strip().partition(": ") for team in cells.split(";"))
    rows = [(team, name, 1, "heat") for team, _, names in parts for name in names.split()]
    columns = ["method", "dataset", "repetition", "model"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "runs.csv", index=False)
    places = {"runs": str(tmp_path / "runs.csv"), "problems": str(tmp_path / "problems.yaml")}
    cell, space = execute("noise", tmp_path, **places)
    assert answer in space["sentence"]
    exec(cell, dict(space))
    assert "checks passed: 8 of 8" in capsys.readouterr().out


def corrupt(path, column):
    table = pd.read_csv(path)
    table[column] = table[column].astype("float64")
    table.loc[0, column] += 1
    table.to_csv(path, index=False)


@pytest.mark.parametrize("name", ["properties", "noise"])
def test_the_check_cell_confirms(name, request, capsys):
    _, cell, space = request.getfixturevalue(name)
    exec(cell, dict(space))
    assert re.search(r"^checks passed: (\d+) of \1$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "file", "column"),
    [
        ("properties", "aspects", "aspect_rank"),
        ("properties", "tables/mean-points", "alpha"),
        ("noise", "tables/cells", "sensitivity"),
        ("noise", "tables/cells", "accuracy"),
        ("noise", "tables/overall", "sensitivity"),
        ("noise", "tables/overall", "distance"),
        ("noise", "tables/overall", "rank"),
        ("noise", "tables/quality", "value"),
    ],
)
def test_a_corrupted_number_is_found(name, file, column, request, capsys):
    folder, cell, space = request.getfixturevalue(name)
    path = folder / "out" / f"{file}.csv"
    text = path.read_text()
    if file == "aspects":
        table = pd.read_csv(path).sort_values(
            "aspect", key=lambda names: names != "property", kind="stable"
        )
        table.to_csv(path, index=False)
    corrupt(path, column)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            exec(cell, dict(space))
    finally:
        path.write_text(text)
    capsys.readouterr()
