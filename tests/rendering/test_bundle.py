"""A rendered folder that carries what it was made from: rendered again elsewhere, it says the same."""

import shutil

import pytest

from srlib.cli.main import main
from srlib.rendering.diff import diff
from tests.builders import write_notebook, write_suite

CELL = """import pandas as pd
from srlib.displays import Page
from srlib.problems import load_problems, partitions
table = pd.read_csv(runs)
held = [partitions(p, None) for p in load_problems(problems).problems]
table["mean of the test rows"] = [float(data.test.y.mean()) for data in held]
page = Page({"output_dir": output_dir})
page.table(table, "runs", "Runs")
page.answer(None, "Who?", f"{table.method[0]} of {len(table)} by {rules}.")
print("checks passed: 1 of 1")"""
DEFAULTS = "{runs: ../in/runs.csv, problems: ../in/p.yaml, rules: judging-2022, other: 3}"
PROBLEMS = """schema: 1
name: p
data_root: ../data
problems: [{dataset: d, data: {test: test_d.csv}}]
"""


@pytest.mark.slow
def test_bundle_has_what_paths_name_where_it_lay_and_renders_the_same_elsewhere(tmp_path):
    folder, bundle, elsewhere = (tmp_path / name for name in ("mine", "out/bundle", "else/where"))
    for name in ("pages", "in", "data"):
        (folder / name).mkdir(parents=True)
    write_notebook(folder / "pages/n.ipynb", CELL, texts="runs problems rules")
    (folder / "in/runs.csv").write_text("method,dataset\nA,d\n")
    (folder / "in/secret.csv").write_text("1")
    (folder / "in/p.yaml").write_text(PROBLEMS)
    (folder / "data/test_d.csv").write_text("x,y\n1,2\n2,6\n")
    suite = write_suite(folder / "pages", {"n": "{number: 2}"}, DEFAULTS)
    assert main(["report", str(suite), "--out", str(tmp_path / "out"), "--bundle"]) == 0
    files = {
        path.relative_to(bundle).as_posix(): path.read_text()
        for path in bundle.rglob("*.*")
        if path.is_file()
    }
    assert sorted(files) == [
        *(".srlib/bundle.json", "README.txt", "data/test_d.csv", "in/p.yaml", "in/runs.csv"),
        *("pages/n.ipynb", "pages/suite.yaml", "requirements.txt"),
    ]
    assert files["pages/suite.yaml"] == suite.read_text() and str(tmp_path) not in str(files)
    assert "srlib report pages/suite.yaml" in files["README.txt"]
    assert "numpy==" in files["requirements.txt"]
    shutil.move(bundle, elsewhere)
    shutil.rmtree(folder)
    again = ["report", str(elsewhere / "pages/suite.yaml"), "--out", str(tmp_path / "again")]
    assert main(again) == 0
    assert "4.0" in (tmp_path / "again/n/tables/runs.csv").read_text()
    assert diff(tmp_path / "out", tmp_path / "again").empty
