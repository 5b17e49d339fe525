"""The check cell of the robustness notebook: it confirms a small competition, and finds a corrupted number."""

import re

import nbformat
import pandas as pd
import pytest

from srlib.files import NOTEBOOKS
from srlib.judging.robustness import readings
from tests.judging.robustness.cases import PROBLEMS

pytestmark = pytest.mark.slow

CORRUPTED = {
    "switchboard": ["score of A"],
    "resampling": ["p_win"],
    "leave_one_out": ["score", "rank"],
    "significance": ["p_adjusted", "wins"],
    "tables/sources": ["A"],
}


@pytest.fixture(name="executed", scope="module")
def executed_fixture(tmp_path_factory):
    """Every cell but the last, on made-up runs of reported accuracy; fewer switches and figures than in the demo."""
    folder = tmp_path_factory.mktemp("robustness")
    lines = [
        f"  - {{dataset: d{i}, property: solution, features: [a, b], truth: a*b + {i}}}\n"
        for i in range(1, 8)
    ]
    (folder / "problems.yaml").write_text(PROBLEMS + "".join(lines), encoding="utf-8")
    rows = [
        {"method": method, "dataset": f"d{i}", "repetition": r, "model": text,
         "r2_test": base + 0.07 * ((i * r) % 4) + up * (-1) ** i}
        for method, text, base, up in (("A", "a*b", 0.6, 0), ("B", "a*b", 0.6, 0.05), ("C", "a", 0.3, 0))
        for i in range(1, 8)
        for r in (1, 2)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    notebook = nbformat.read(NOTEBOOKS / "robustness.ipynb", as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    space = {}
    exec(cells[0], space)
    space |= {"runs": str(folder / "runs.csv"), "problems": str(folder / "problems.yaml")}
    space |= {"output_dir": str(folder / "out"), "resamples": 60}
    with pytest.MonkeyPatch.context() as patch:
        kept = [("ties",), ("rank_start",)]
        patch.setattr(readings, "READINGS", {paths: readings.READINGS[paths] for paths in kept})
        for cell in cells[1:-1]:
            exec(cell, space)
    return folder / "out", cells[-1], space


def test_the_check_cell_confirms_what_the_report_says(executed, capsys):
    _, cell, space = executed
    exec(cell, dict(space))
    assert re.search(r"^checks passed: (\d+) of \1$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "column"), [(name, column) for name in CORRUPTED for column in CORRUPTED[name]]
)
def test_a_corrupted_number_is_found(executed, capsys, name, column):
    folder, cell, space = executed
    path = folder / f"{name}.csv"
    text = path.read_text()
    table = pd.read_csv(path)
    assert len(table)
    table[column] = table[column].astype("float64")
    table.loc[table.index[0], column] -= 5
    table.to_csv(path, index=False)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            exec(cell, dict(space))
        assert "FAILED: " in capsys.readouterr().out
    finally:
        path.write_text(text)
