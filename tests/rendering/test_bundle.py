"""A rendered folder that carries what it was made from: rendered again elsewhere, it says the same."""

import hashlib
import json
import shutil

import pytest

from srlib.cli.main import main
from srlib.problems import load_problems, partitions
from srlib.rendering import render_suite
from srlib.yaml_files import load_yaml
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
    assert main(["report", str(elsewhere / "suite.yaml"), "--out", str(tmp_path / "again")]) == 0
    first, second = (
        json.loads((f / "n.report.json").read_text()) for f in (out, tmp_path / "again")
    )
    assert first["verdict"].startswith("A of 1 by ") and first["checks"]["passed"] == 1
    for key in ("title", "checks", "ranking", "tables", "versions"):
        assert first[key] == second[key]
    assert "<h1>Who wins?</h1>" in (tmp_path / "again" / "n.html").read_text()
    tables = [(f / "n" / "tables" / "runs.csv").read_bytes() for f in (out, tmp_path / "again")]
    assert tables[0] == tables[1] and b"4.0" in tables[0]


def test_a_bundle_has_everything_and_its_hashes(suite, tmp_path):
    render_suite(suite, tmp_path / "out", bundle=True)
    bundle = tmp_path / "out" / "bundle"
    files = {p.relative_to(bundle).as_posix() for p in bundle.rglob("*") if p.is_file()}
    assert {"suite.yaml", "notebooks/n.ipynb", "runs/runs.csv", "problems/p.yaml", "requirements.txt", "README.txt",
            "problems/p-data/test_d.csv", "rules/judging-2022.yaml", "SHA256SUMS"} <= files  # fmt: skip
    lines = [line.split("  ") for line in (bundle / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in lines} == {f for f in files if f[0] != "."} - {"SHA256SUMS"}
    for digest, name in lines:
        assert hashlib.sha256((bundle / name).read_bytes()).hexdigest() == digest
    stated = load_yaml(bundle / "suite.yaml")
    assert stated["contact"] == "me" and "other" not in stated["reports"][0]["parameters"]
    assert not any(str(tmp_path) in (bundle / f).read_text() for f in files if f[0] != ".")
    assert (
        partitions(load_problems(bundle / "problems" / "p.yaml").problems[0], None).test.y.sum()
        == 8
    )
    assert "numpy==" in (bundle / "requirements.txt").read_text()


def test_predictions_are_carried_and_nothing_from_outside(suite, tmp_path):
    given = suite.parent / "in"
    (given / "p").mkdir()
    (given / "p" / "1.csv").write_text("4.5\n")
    outside = tmp_path.parent / f"{tmp_path.name}.csv"
    outside.write_text("1\n")
    (suite.parent / "secret.csv").write_text("2\n")
    (given / "link.csv").symlink_to(outside)
    away = [f"../../../{outside.name}", "../secret.csv", "p/../../secret.csv", "link.csv"]
    lines = [f"A,d,{name}\n" for name in ["p/1.csv", "p/gone.csv", *away, ""]]
    (given / "runs.csv").write_text("".join(["method,dataset,predictions\n", *lines]))
    render_suite(suite, tmp_path / "out", bundle=True)
    (table,) = (tmp_path / "out" / "bundle" / "runs").rglob("runs.csv")
    assert (table.parent / "p" / "1.csv").read_text() == "4.5\n"
    for name in (outside.name, "secret.csv", "link.csv"):
        assert not list((tmp_path / "out").rglob(name))
