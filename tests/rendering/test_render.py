import json

import nbformat
import pytest
from bs4 import BeautifulSoup

from srlib.errors import InputError
from srlib.rendering import render as module
from srlib.rendering import render_suite
from srlib.rendering.refresh import refresh
from tests.rendering.small import CHECK, WORK, write_notebook, write_suite


@pytest.fixture(name="suite")
def suite_fixture(tmp_path):
    write_notebook(tmp_path / "good.ipynb", WORK, CHECK)
    write_notebook(tmp_path / "bad.ipynb", WORK, "1 / 0", CHECK)
    return write_suite(tmp_path, {"good": "{number: 2}", "bad": "{}"})


def tree(folder):
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_rendering_failing_leaving_and_repeating(suite, tmp_path):
    out = tmp_path / "out"
    (out / "good").mkdir(parents=True)
    (out / "good" / "mine.txt").write_text("not ours")
    results = {result.name: result for result in render_suite(suite, out)}
    assert {name: result.state for name, result in results.items()} == {"good": "executed", "bad": "failed"}
    handed = json.loads((out / "good.report.json").read_text())
    assert handed["checks"] == {"passed": 2, "total": 2} and handed["parameters"] == {"number": 2}
    assert "2.123456789" in (out / "good" / "tables" / "scores.csv").read_text()
    index = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    assert "1 failed" in index.get_text() and "ZeroDivisionError" in index.find("li", class_="bad").get_text()
    bad = BeautifulSoup((out / "bad.html").read_text(), "html.parser")
    assert "Do not use any number" in bad.find("h1").find_next_sibling().get_text()

    first = tree(out)
    assert not any(str(tmp_path).encode() in data for data in first.values())
    assert [result.state for result in render_suite(suite, out, only=["good"])] == ["unchanged"]
    assert (out / "good" / "mine.txt").read_text() == "not ours"
    (out / "good.html").write_text("tampered with")
    assert render_suite(suite, out, only=["good"])[0].state == "executed" and tree(out) == first


def test_whatever_ends_a_notebook_early_is_a_failure(tmp_path):
    endings = {
        "exit": ("import sys; sys.exit(0)", "SystemExit"),
        "death": ("import os; os._exit(3)", "The notebook stopped"),
        "check": ('print("checks passed: 1 of 2")', "Only 1 of 2 checks passed"),
    }
    for name, (cell, _) in endings.items():
        write_notebook(tmp_path / f"{name}.ipynb", cell)
    for result in render_suite(write_suite(tmp_path, dict.fromkeys(endings, "{}")), tmp_path / "out"):
        assert result.state == "failed" and endings[result.name][1] in result.handed["verdict"]
        assert "This report failed" in (tmp_path / "out" / f"{result.name}.html").read_text()


def test_a_process_that_dies_is_a_failure(tmp_path, monkeypatch):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    monkeypatch.setattr(module.sys, "executable", "/bin/false")
    result = render_suite(write_suite(tmp_path, {"a": "{}"}), tmp_path / "out")[0]
    assert result.state == "failed" and "ended with code 1" in result.handed["verdict"]


def test_an_interrupted_process_leaves_the_old_report(tmp_path):
    path = write_notebook(tmp_path / "a.ipynb", CHECK)
    suite = write_suite(tmp_path, {"a": "{}"})
    render_suite(suite, tmp_path / "out")
    before = tree(tmp_path / "out")
    write_notebook(
        path, "import os, signal; os.kill(os.getppid(), signal.SIGTERM)", "import time; time.sleep(60)"
    )
    with pytest.raises(KeyboardInterrupt):
        render_suite(suite, tmp_path / "out")
    assert tree(tmp_path / "out") == before


def test_unknown_parameters_are_refused_before_anything_is_executed(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    with pytest.raises(InputError, match="no parameter 'numbr'; it takes number, output_dir"):
        render_suite(write_suite(tmp_path, {"a": "{numbr: 2}"}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_refreshing_twice_gives_the_same_notebook(tmp_path):
    path = write_notebook(tmp_path / "a.ipynb", WORK, CHECK)
    refresh(path)
    first = path.read_bytes()
    refresh(path)
    notebook = nbformat.read(path, as_version=4)
    assert path.read_bytes() == first and str(tmp_path) not in first.decode()
    assert [cell["id"] for cell in notebook.cells] == [f"cell-0{i}" for i in range(1, 5)]
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert notebook.cells[1].metadata.tags == ["parameters"]
