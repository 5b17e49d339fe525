"""A rendered folder that carries what it was made from: rendered again elsewhere, it says the same."""

import re
import shutil

import pytest

from srlib.cli.main import main
from srlib.rendering import render_suite
from srlib.rendering.diff import diff, in_words
from tests.rendering.small import write_notebook

pytestmark = pytest.mark.slow

CELL = """import pandas as pd
from srlib.displays import show_answer, show_table
from pathlib import Path
from srlib.problems import load_problems, partitions
table = pd.read_csv(runs)
held = [partitions(p, None) for p in load_problems(problems).problems]
table["mean of the test rows"] = [float(data.test.y.mean()) for data in held]
show_table(table, Path(output_dir), name="runs", caption="Runs")
show_answer(title="Who?", sentence=f"{table.method[0]} of {len(table)} by {rules}.")
print("checks passed: 1 of 1")"""


@pytest.fixture()
def suite(tmp_path):
    """Suite, runs, problems and data, each in a folder of its own."""
    folder = tmp_path / "mine"
    write_notebook(folder / "pages" / "n.ipynb", CELL, texts="runs problems rules")
    for name in ("in", "data"):
        (folder / name).mkdir()
    (folder / "in" / "runs.csv").write_text("method,dataset\nA,d\n")
    (folder / "data" / "test_d.csv").write_text("x,y\n1,2\n2,6\n")
    (folder / "in" / "p.yaml").write_text(
        "schema: 1\nname: p\ndata_root: ../data\nproblems:\n  - {dataset: d, data: {test: test_d.csv}}\n"
    )
    path = folder / "suite.yaml"
    path.write_text(
        "schema: 1\nsuite: mine\ntitle: Mine\ncontact: me\n"
        "defaults: {runs: in/runs.csv, problems: in/p.yaml, rules: judging-2022, other: 3}\n"
        "reports:\n  - {name: n, title: Who wins?, notebook: pages/n.ipynb, parameters: {number: 2}}\n"
    )
    return path


def test_a_bundle_renders_the_same_elsewhere(suite, tmp_path):
    out = tmp_path / "out"
    assert main(["report", str(suite), "--out", str(out), "--bundle"]) == 0
    assert (out / "bundle" / "README.txt").is_file()
    elsewhere = tmp_path / "else" / "where"
    shutil.copytree(out / "bundle", elsewhere)
    shutil.rmtree(suite.parent)
    assert "srlib report suite.yaml" in (elsewhere / "README.txt").read_text()
    assert main(["report", str(elsewhere / "suite.yaml"), "--out", str(tmp_path / "again")]) == 0
    assert "4.0" in (out / "n" / "tables" / "runs.csv").read_text()
    shutil.rmtree(out / "bundle")
    assert "No difference" in in_words(diff(out, tmp_path / "again"))[0]


def test_a_bundle_has_what_paths_name_where_it_lay(suite, tmp_path):
    moved = suite.parent / "suites" / "mine.yaml"
    moved.parent.mkdir()
    text = re.sub(r"\b(in|pages)/", r"../\1/", suite.read_text()).replace("title: Who", "title: W")
    moved.write_text(
        text.replace("  - {name: n", "  - {name: s, notebook: synthetic}\n  - {name: n")
    )
    (suite.parent / "in" / "secret.csv").write_text("1")
    render_suite(moved, tmp_path / "out", only=["n"], bundle=True)
    bundle = tmp_path / "out" / "bundle"
    files = {p.relative_to(bundle).as_posix() for p in bundle.rglob("*") if p.is_file()}
    assert {file for file in files if file[0] != "."} == {
        "suites/mine.yaml", "pages/n.ipynb", "in/runs.csv", "in/p.yaml", "data/test_d.csv",
        "requirements.txt", "README.txt",
    }  # fmt: skip
    assert (bundle / "suites" / "mine.yaml").read_bytes() == moved.read_bytes()
    assert not any(str(tmp_path) in (bundle / file).read_text() for file in files)
    assert "srlib report suites/mine.yaml" in (bundle / "README.txt").read_text()
    assert "numpy==" in (bundle / "requirements.txt").read_text()
