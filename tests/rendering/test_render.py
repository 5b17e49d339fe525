import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from srlib.cli.main import main
from srlib.displays.conventions import STYLE
from srlib.errors import InputError, InterruptedResultsError
from srlib.files import CHECKOUT, NOTEBOOKS
from srlib.rendering import render as module
from srlib.rendering import render_suite
from srlib.workers import Outcome
from tests.rendering.small import CHECK, PARAMETERS, WORK, write_notebook, write_suite

pytestmark = pytest.mark.slow

PATIENCE_S = 120


def wait_for(condition):
    """Give the first true value of a condition."""
    end = time.monotonic() + PATIENCE_S
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return value


def read(path):
    return path.read_text() if path.is_file() else ""


def alive(pid):
    state = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").is_file():  # a zombie that nobody waits for has ended
        return state.is_file() and state.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(name="suite")
def suite_fixture(tmp_path):
    write_notebook(tmp_path / "good.ipynb", WORK, CHECK)
    write_notebook(tmp_path / "bad.ipynb", "1 / 0", CHECK)
    return write_suite(tmp_path, {"good": "{number: 2}", "bad": "{}"})


def run_here(monkeypatch):
    """Make reports in this process, one after another: what is under test is not how they are started."""

    def make_all(function, items, **_):
        return ((place, Outcome("ok", function(job))) for place, job in enumerate(items))

    monkeypatch.setattr(module, "bounded_map", make_all)
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR", STYLE):
        monkeypatch.setenv(name, "")  # set by what runs here, and put back afterwards
    monkeypatch.setattr(tempfile, "tempdir", None)


@pytest.fixture(name="here")
def here_fixture(monkeypatch):
    run_here(monkeypatch)


def tree(folder):
    """Every file."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file()]
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


def test_rendering_failing_leaving_and_repeating(suite, tmp_path, monkeypatch):
    out = tmp_path / "out"
    results = {result.name: result for result in render_suite(suite, out)}
    assert {name: result.state for name, result in results.items()} == {
        "good": "executed",
        "bad": "failed",
    }
    handed = json.loads((out / "good.report.json").read_text())
    assert handed["checks"] == {"passed": 2, "total": 2} and handed["parameters"] == {"number": 2}
    page = BeautifulSoup((out / "good.html").read_text(), "html.parser")
    # in one piece, although the notebook prints it in two
    assert "checks passed: 2 of 2\n" in [pre.get_text() for pre in page.find_all("pre")]
    source = nbformat.read(out / "good" / "notebook.ipynb", as_version=4)
    assert [cell.source for cell in source.cells][1:3] == [PARAMETERS, "number = 2"]
    assert "2.123456789" in (out / "good" / "tables" / "scores.csv").read_text()
    index = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    assert (
        "1 failed" in index.get_text()
        and "ZeroDivisionError" in index.find("li", class_="bad").get_text()
    )
    assert "✗ Failed. Code cell 2 raised" in index.find("li", class_="bad").get_text()
    assert "2 of 2 checks passed" in index.find("li", class_="good").get_text()
    bad = BeautifulSoup((out / "bad.html").read_text(), "html.parser")
    assert "Do not use any number" in bad.find("h1").find_next_sibling().get_text()

    (out / "mine.txt").write_text("not ours")
    first = tree(out)
    run_here(monkeypatch)
    assert not any(str(tmp_path).encode() in data for data in first.values())
    assert [result.state for result in render_suite(suite, out, only=["good"])] == ["unchanged"]
    again = tree(out)
    assert again == first
    assert (out / "mine.txt").read_text() == "not ours"
    (out / "good.html").unlink()
    (out / "good" / "left.csv").write_text("of an earlier report")
    assert render_suite(suite, out, only=["good"])[0].state == "executed" and tree(out) == first


def test_whatever_ends_a_notebook_early_is_a_failure(tmp_path, here):
    endings = {
        "exit": ("import sys; sys.exit(0)", "SystemExit"),
        "death": ("import os; os._exit(3)", "The notebook stopped"),
        "check": ('print("checks passed: 1 of 2")', "Only 1 of 2 checks passed"),
    }
    for name, (cell, _) in endings.items():
        write_notebook(tmp_path / f"{name}.ipynb", cell)
    for result in render_suite(
        write_suite(tmp_path, dict.fromkeys(endings, "{}")), tmp_path / "out"
    ):
        assert result.state == "failed" and endings[result.name][1] in result.handed["verdict"]
        assert "This report failed" in (tmp_path / "out" / f"{result.name}.html").read_text()


def test_a_process_that_crashes_is_a_failure(tmp_path):
    write_notebook(tmp_path / "a.ipynb", "import os; os.kill(os.getppid(), 11)", CHECK)
    result = render_suite(write_suite(tmp_path, {"a": "{}"}), tmp_path / "out")[0]
    assert result.state == "failed" and "was killed by signal 11" in result.handed["verdict"]
    assert "This report failed" in (tmp_path / "out" / "a.html").read_text()


def test_a_process_that_was_killed_from_outside_leaves_the_old_report(tmp_path):
    path = write_notebook(tmp_path / "a.ipynb", CHECK)
    suite, out = write_suite(tmp_path, {"a": "{}"}), tmp_path / "out"
    with pytest.MonkeyPatch.context() as patch:
        run_here(patch)
        render_suite(suite, out)
    before = tree(out)
    write_notebook(path, "import os; os.kill(os.getppid(), 15)", "import time; time.sleep(60)")
    with pytest.raises(InterruptedResultsError):
        render_suite(suite, out)
    after = tree(out)
    assert "Outdated" in after.pop("index.html").decode() and before.pop("index.html")
    assert after == before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_killed_command_leaves_the_old_report_and_nobody_who_writes(tmp_path, here):
    path = write_notebook(tmp_path / "a.ipynb", CHECK)
    suite, out = write_suite(tmp_path, {"a": "{}"}), tmp_path / "out"
    render_suite(suite, out)
    pages = {
        name: data
        for name, data in tree(out).items()
        if "staging" not in name and "lock" not in name
    }
    marker = "import os, time; open('pids', 'w').write(f'{os.getpid()} {os.getppid()} .'); time.sleep(60)"
    write_notebook(path, marker, CHECK)
    command = (
        f"from srlib.rendering import render_suite; render_suite({str(suite)!r}, {str(out)!r})"
    )
    with subprocess.Popen([sys.executable, "-c", command]) as process:
        pids = wait_for(
            lambda: (text := read(tmp_path / "pids")).endswith(".") and text.split()[:2]
        )
        process.kill()
    assert {
        name: data
        for name, data in tree(out).items()
        if "staging" not in name and "lock" not in name
    } == pages
    assert wait_for(lambda: not any(map(alive, pids)))
    assert {
        name: data
        for name, data in tree(out).items()
        if "staging" not in name and "lock" not in name
    } == pages
    write_notebook(path, CHECK)
    assert render_suite(suite, out)[0].state == "unchanged"


def test_reports_that_were_not_asked_for_are_outdated_in_the_index_once_their_inputs_change(
    tmp_path, here
):
    for name in "ab":
        write_notebook(tmp_path / f"{name}.ipynb", CHECK)
    suite, out = write_suite(tmp_path, dict.fromkeys("ab", "{}")), tmp_path / "out"
    render_suite(suite, out)
    assert "not up to date" not in (out / "index.html").read_text()
    write_notebook(tmp_path / "b.ipynb", CHECK, CHECK)
    render_suite(suite, out, only=["a"])
    card = BeautifulSoup((out / "index.html").read_text(), "html.parser").find(
        "li", class_="waiting"
    )
    assert "Outdated" in card.get_text() and "b.html" in card.a["href"]


def test_unknown_parameters_are_refused_before_anything_is_executed(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    with pytest.raises(InputError, match="no parameter 'numbr'; it takes number"):
        render_suite(write_suite(tmp_path, {"a": "{numbr: 2}"}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("notebook", "given", "said"),
    [
        ("benchmark", "tables: 1", "tables: input should be a valid list, got 1"),
        ("benchmark", "runs: 7", "runs: input should be a valid string, got 7"),
        ("robustness", "seed: abc", "seed: input should be a valid integer, got 'abc'"),
        ("robustness", "seed: true", "seed: input should be a valid integer, got True"),
    ],
)
def test_parameters_of_another_type_are_refused_before_anything_is_executed(
    notebook, given, said, tmp_path
):
    shutil.copy(NOTEBOOKS / f"{notebook}.ipynb", tmp_path / "a.ipynb")
    with pytest.raises(InputError, match=f"report 'a': {re.escape(said)}$"):
        render_suite(write_suite(tmp_path, {"a": f"{{{given}}}"}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_refreshing_twice_gives_the_same_notebook(tmp_path):
    path = write_notebook(tmp_path / "a.ipynb", WORK, CHECK)
    refresh = runpy.run_path(str(CHECKOUT / ".ci" / "refresh.py"))["refresh"]
    refresh(path)
    first = path.read_bytes()
    refresh(path)
    notebook = nbformat.read(path, as_version=4)
    assert path.read_bytes() == first and str(tmp_path) not in first.decode()
    assert [cell["id"] for cell in notebook.cells] == [f"cell-0{i}" for i in range(1, 5)]
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert notebook.cells[1].metadata.tags == ["parameters"]


def test_each_verdict_is_told_when_it_is_there(tmp_path, monkeypatch, capsys):
    printed = []

    def make_all(_, items, **limits):
        assert limits["preload"]
        for place, job in reversed(list(enumerate(items))):
            handed = {"failure": "x", "verdict": "Failed. \x1b[2Jx"}
            job.output.mkdir(parents=True)
            for end in ("html", "report.json"):
                job.output.with_name(f"{job.report.name}.{end}").write_text("{}")
            yield place, Outcome("ok", (handed, 1.0))
            printed.append(re.sub(r"\x1b\[\d+m", "", capsys.readouterr().out).splitlines()[0])

    for name in ("last", "first"):
        write_notebook(tmp_path / f"{name}.ipynb", CHECK)
    monkeypatch.setattr(module, "bounded_map", make_all)
    path = write_suite(tmp_path, {"last": "{}", "first": "{}"})
    assert main(["report", str(path), "--out", str(tmp_path / "out")]) == 1
    assert printed == [f"{name}: failed. Failed. \\x1b[2Jx" for name in ("first", "last")]


def test_a_file_in_the_way_of_the_pages_is_named(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    path = write_suite(tmp_path, {"a": "{}"})
    (tmp_path / "reports").write_text("a file")
    with pytest.raises(InputError, match="small: cannot be written"):
        render_suite(path, tmp_path / "reports" / "small")
    for name in ("index.html", "a/mine"):
        own = tmp_path / "own" / name
        own.parent.mkdir(parents=True)
        own.write_text("mine")
        first = name.partition("/")[0]
        with pytest.raises(
            InputError, match=f"own: it holds {first}, which `srlib report` did not"
        ):
            render_suite(path, tmp_path / "own")
        assert own.read_text() == "mine"
        shutil.rmtree(tmp_path / "own")
