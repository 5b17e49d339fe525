"""What a reviewer holds: no file of a report can be edited without the seal or the check cell noticing."""

import inspect
import json
import shutil

import nbformat
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.errors import InputError
from srlib.judging import judge_runs, verdict
from srlib.rendering import render_suite
from srlib.rendering.diff import diff
from srlib.yamlfile import load_yaml, yaml_text


@pytest.fixture(name="own", scope="module")
def own_fixture(tmp_path_factory):
    """A rendered competition of one's own: a run that cannot be read, and two methods whose scores are nearly equal."""
    folder = tmp_path_factory.mktemp("edited") / "own"
    assert main(["new", str(folder)]) == 0
    runs = pd.read_csv(folder / "runs.csv")
    near = runs[runs["method"] == "careful"].assign(method="near")
    near["model"] = near["model"] + " + 0.5*x2*x3"
    broken = runs[runs["method"] == "wordy"].assign(method="broken")
    broken.loc[broken.index[0], "model"] = "x1 + )"
    pd.concat([runs, near, broken]).to_csv(folder / "runs.csv", index=False)
    rules = load_yaml(folder / "rules.yaml")
    rules["judge"]["aspects"] = {
        name: aspect | {"weight": 0.01 if name != "accuracy" else 1}
        for name, aspect in rules["judge"]["aspects"].items()
    }
    (folder / "rules.yaml").write_text(yaml_text(rules))
    (result,) = render_suite(folder / "suite.yaml", folder / "out")
    assert result.state == "executed", result.handed["verdict"]
    return folder


@pytest.fixture(name="copies")
def copies_fixture(own, tmp_path):
    """Two copies of the folder: as it was written, and as it comes without hidden files."""
    for name in ("sealed", "bare"):
        shutil.copytree(own / "out", tmp_path / name)
    shutil.rmtree(tmp_path / "bare" / ".srlib")
    return tmp_path / "sealed", tmp_path / "bare"


def test_every_table_that_is_edited_is_named(own, copies):
    for copy in copies:
        assert diff(own / "out", copy).empty
        tables = sorted((copy / "synthetic").rglob("*.csv"))
        assert len(tables) > 15
        for path in tables:
            text = path.read_bytes()
            path.write_bytes(text + b"edited\n")
            with pytest.raises(InputError, match=path.name):
                diff(own / "out", copy)
            path.write_bytes(text)


def test_every_field_of_the_report_that_is_edited_is_noticed(own, copies):
    for copy in copies:
        path = copy / "synthetic.report.json"
        text = path.read_text()
        for key in json.loads(text):
            path.write_text(json.dumps(json.loads(text) | {key: "edited"}))
            with pytest.raises(InputError):
                diff(own / "out", copy)
        path.write_text(text)


def check(own, folder):
    """Execute the last cell of the notebook on a folder."""
    notebook = nbformat.read(own / "notebooks" / "synthetic.ipynb", as_version=4)
    cells = [c.source for c in notebook.cells if c.cell_type == "code" and c.source.strip()]
    exec(cells[-1], {"output": folder})


@pytest.mark.parametrize(
    ("file", "column", "said"),
    [
        ("aspects.csv", "value", "values follow from the runs"),
        ("tables/every-run.csv", "aspect: property", "values follow from the runs"),
        ("tables/final-ranking.csv", "score", "the page's ranking"),
        ("tables/models-wave.csv", "r2_test", "the R2 of the best models"),
        ("ledger.csv", "code", "the codes of the runs"),
    ],
)
def test_the_check_cell_notices_what_nobody_rounds(own, copies, file, column, said):
    folder = copies[0] / "synthetic"
    check(own, folder)
    table = pd.read_csv(folder / file)
    if column == "code":
        table[column] = "failed_run"
    else:
        table[column] = table[column].astype(float) + 1e-6
    table.to_csv(folder / file, index=False)
    with pytest.raises(AssertionError, match=said):
        check(own, folder)


def test_places_by_scores_of_one_decimal_are_noticed(own, copies, monkeypatch):
    folder = copies[0] / "synthetic"
    source = inspect.getsource(verdict.placed).replace("round(12)", "round(1)")
    names = dict(vars(verdict))
    exec(source, names)
    monkeypatch.setattr(verdict, "placed", names["placed"])
    given = [str(own / name) for name in ("runs.csv", "problems.yaml", "rules.yaml")]
    judge_runs(*given).write(folder)
    with pytest.raises(AssertionError, match="places follow from the final scores"):
        check(own, folder)
