"""The check cell of the committed notebooks: it stands on its own, and finds a corrupted number."""

import ast
import re

import nbformat
import pandas as pd
import pytest

from srlib import displays
from srlib.displays.conventions import file_name
from srlib.files import NOTEBOOKS
from srlib.judging.robustness import readings
from tests.gauntlet.competition import FEW
from tests.gauntlet.pages import drawn_once

pytestmark = pytest.mark.slow

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
REPORTS = [path for path in PATHS if path.stem != "explore"]
MODELS = {
    "alpha": {
        "exact_formula_easier": "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1",
        "featureselection_easy": "0.11*x1^3",
    },
    "beta": {
        "exact_formula_easier": "2.5*x2 - 1.5*x1 + sin(x1)",
        "featureselection_easy": "x2*x3 + 0.2*x11",
    },
    "gamma": {"exact_formula_easier": "2.5*x2", "featureselection_easy": "0.91*x2*x3 + 0.11*x1^3"},
}


def few_runs(folder):
    """Write a run table of three methods on two datasets."""
    rows = [
        {"method": method, "dataset": dataset, "repetition": r, "model": text, "data_seed": 2082}
        for method, texts in MODELS.items()
        for dataset, text in texts.items()
        for r in (1, 2, 3)
    ]
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    return str(folder / "runs.csv")


def code_cells(path):
    return [
        c
        for c in nbformat.read(path, as_version=4).cells
        if c.cell_type == "code" and c.source.strip()
    ]


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_the_check_cell_stands_on_its_own(path):
    last = code_cells(path)[-1]
    tree = ast.parse(last.source)
    imported = {
        alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
    }
    assert {"pandas"} <= imported <= {"numpy", "pandas"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))
    assert re.search(r"^checks passed: (\d+) of \1$", last.outputs[0].text, re.MULTILINE)


# the fixture `executed` does the same for synthetic
OTHERS = [path for path in REPORTS if path.stem != "synthetic"]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_the_check_cell_needs_nothing_but_the_files(path, tmp_path, monkeypatch, capsys):
    """It runs with the parameters and `output` alone, after the page was made (but for the pictures)."""

    def only_numbers(shown, output, *, name, caption, alt=None):
        displays.show_table(
            shown.numbers, output, name=f"{file_name(name)}-numbers", caption=caption
        )

    monkeypatch.setattr(displays, "show_figure", only_numbers)
    monkeypatch.setattr(readings, "READINGS", FEW)  # tests/gauntlet renders the page with all
    monkeypatch.chdir(NOTEBOOKS)
    first, *cells, last = [cell.source for cell in code_cells(path)]
    parameters = {}
    exec(first, parameters)
    output = tmp_path / "out"
    parameters |= {"output_dir": str(output)}
    if "resamples" in parameters:
        parameters["resamples"] = 200
    if path.stem in ("robustness", "properties"):
        parameters["runs"] = few_runs(tmp_path)
    space = dict(parameters)
    for cell in cells:
        exec(cell, space)
    capsys.readouterr()
    exec(last, parameters | {"output": output})
    assert re.search(r"^checks passed: (\d+) of \1$", capsys.readouterr().out, re.MULTILINE)


@pytest.fixture(name="executed", scope="module")
def executed_fixture(tmp_path_factory):
    """Code cells of the synthetic notebook, executed on a made-up run table up to the check cell."""
    folder = tmp_path_factory.mktemp("synthetic")
    few_runs(folder)
    cells = [cell.source for cell in code_cells(NOTEBOOKS / "synthetic.ipynb")]
    parameters = {}
    exec(cells[0], parameters)
    parameters |= {"runs": str(folder / "runs.csv"), "output_dir": str(folder / "out")}
    space = dict(parameters)
    with drawn_once():
        for cell in cells[1:-1]:
            exec(cell, space)
    return folder / "out", cells[-1], parameters


def check(executed, capsys):
    folder, cell, parameters = executed
    exec(cell, parameters | {"output": folder})
    return capsys.readouterr().out


def test_the_check_cell_confirms_what_the_report_says(executed, capsys):
    assert re.search(r"^checks passed: (\d+) of \1$", check(executed, capsys), re.MULTILINE)


@pytest.mark.parametrize("column", ["value", "value_rounded", "aspect_rank", "n_runs"])
@pytest.mark.parametrize("aspect", ["accuracy", "simplicity", "property"])
def test_a_corrupted_number_is_found(executed, capsys, column, aspect):
    path = executed[0] / "aspects.csv"
    text = path.read_text()
    table = pd.read_csv(path)
    row = table.index[(table["aspect"] == aspect) & (table["method"] == "beta")][0]
    table[column] = table[column].astype("float64")
    table.loc[row, column] += 1
    table.to_csv(path, index=False)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            check(executed, capsys)
        assert "FAILED: " in capsys.readouterr().out
    finally:
        path.write_text(text)
