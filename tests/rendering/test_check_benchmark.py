"""The check cell of the benchmark notebook finds a corrupted number and a published statement that does not hold."""

import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from srlib import displays
from srlib.displays.show import show_table
from srlib.files import NOTEBOOKS

TABLES = {"values": "B", "ranking": "score", "pairs-r2-test-numbers": "p_value"}


@pytest.fixture(name="executed", scope="module")
def executed_fixture(tmp_path_factory):
    """Code cells of the notebook on a made-up table, up to the check cell; figures write their numbers only."""
    folder = tmp_path_factory.mktemp("benchmark")
    generator = np.random.default_rng(0)
    rows = [
        {"algorithm": f"*{m}" if m == "A" else m, "dataset": f"d{d}", "r2_test": value + generator.normal() / 5,
         "model_size": 5.0 + d, "training time (s)": 1.0}
        for m, value in (("A", 0.9), ("B", 0.5), ("dataset", 0.1))
        for d in range(9)
    ]  # fmt: skip
    pd.DataFrame(rows[:-1]).to_csv(folder / "published.csv", index=False)
    cells = [
        c.source
        for c in nbformat.read(NOTEBOOKS / "benchmark.ipynb", as_version=4).cells
        if c.cell_type == "code"
    ]
    claims = [
        {
            "claim": "A beats dataset",
            "metric": "r2_test",
            "better": ["A"],
            "than": ["dataset"],
            "p_at_most": 0.05,
        },
        {"claim": "A and B lead", "metric": "r2_test", "better": ["A", "B"], "first": 2},
    ]
    given = {
        "runs": str(folder),
        "tables": ["published.csv"],
        "problems": "",
        "output_dir": str(folder / "out"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            displays, "show_figure", lambda shown, output, name, **_: show_table(
                shown.numbers, output, name=f"{name}-numbers", caption=shown.alt
            ), raising=False,
        )  # fmt: skip
        space: dict = {}
        exec(cells[0], space)
        space |= given | {"statements": claims}
        for cell in cells[1:-1]:
            exec(cell, space)
    return folder / "out" / "tables", cells[-1], space


def check(executed, capsys):
    _, cell, space = executed
    exec(cell, dict(space))
    return capsys.readouterr().out


def test_the_check_cell_confirms_tables_and_statements(executed, capsys):
    said = check(executed, capsys)
    assert re.search(r"^checks passed: (\d+) of \1$", said, re.MULTILINE)
    assert "passed: published: A beats dataset" in said


@pytest.mark.parametrize("name", TABLES)
def test_a_corrupted_number_is_found(executed, capsys, name):
    path = executed[0] / f"{name}.csv"
    text = path.read_text()
    table = pd.read_csv(path)
    table.loc[0, TABLES[name]] += 1
    table.to_csv(path, index=False)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            check(executed, capsys)
    finally:
        path.write_text(text)


def test_a_corrected_p_value_is_worked_out_again(executed, capsys):
    path = executed[0] / "pairs-r2-test-numbers.csv"
    text = path.read_text()
    table = pd.read_csv(path)
    table["p_adjusted"] = table["p_value"]
    table.to_csv(path, index=False)
    with pytest.raises(AssertionError, match="Holm's correction"):
        check(executed, capsys)
    path.write_text(text)


def test_a_statement_that_does_not_hold_fails_the_report(executed, capsys):
    path = executed[0] / "statements.csv"
    text = path.read_text()
    path.write_text(text.replace("True", "False", 1))
    with pytest.raises(AssertionError, match="not confirmed: published: A beats dataset"):
        check(executed, capsys)
    path.write_text(text)
