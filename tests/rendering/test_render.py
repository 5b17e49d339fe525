"""Rendering and publishing: what is executed again, how failures end, what a killed command leaves, folders refused."""

import itertools
import json
import re
import runpy
import tempfile
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from srlib.cli.main import main
from srlib.errors import InterruptedResultsError
from srlib.files import CHECKOUT
from srlib.folders import LISTS_FOLDER, staging_folder
from srlib.rendering import render as module
from srlib.rendering import report
from srlib.rendering.render import publish
from srlib.workers import Outcome
from tests.builders import CHECK, WORK, each, refused, write_notebook, write_suite


def read_files(folder):
    """Every file of a rendered folder, without the state of commands."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and LISTS_FOLDER not in path.parts
    ]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def here(monkeypatch):
    """Make reports in this process, one after another: what is under test is not how they are started."""

    def make_all(function, jobs, **_):
        return ((place, Outcome("ok", function(job))) for place, job in enumerate(jobs))

    monkeypatch.setattr(module, "bounded_map", make_all)
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(name, "")  # set by what runs here, and put back afterwards
    monkeypatch.setattr(tempfile, "tempdir", None)


@pytest.mark.slow
def test_report_is_rendered_left_alone_and_repeated(tmp_path, here):
    write_notebook(tmp_path / "a.ipynb", WORK, CHECK)
    suite, out = (
        write_suite(tmp_path, {"a": "{number: 2}"}, "{}\nstyle: {size: 9}"),
        tmp_path / "out",
    )
    [outcome] = report(suite, out).outcomes
    content = json.loads((out / "a.report.json").read_text())
    assert (outcome.report, outcome.state) == ("a", "executed")
    assert content["checks"] == {"passed": 2, "total": 2}
    page = BeautifulSoup((out / "a.html").read_text(), "html.parser")
    # in one piece, although the notebook prints it in two
    assert "checks passed: 2 of 2\n" in [pre.get_text() for pre in page.find_all("pre")]
    assert json.loads((out / "a/style.json").read_text())["size"] == 9
    assert "2.123456789" in (out / "a/tables/scores.csv").read_text()
    (out / "mine.txt").write_text("not ours")
    first = read_files(out)
    assert not any(str(tmp_path).encode() in content for content in first.values())
    assert report(suite, out).outcomes[0].state == "unchanged" and read_files(out) == first
    (out / "a.html").unlink()
    (out / "a/left.csv").write_text("of an earlier report")
    assert report(suite, out).outcomes[0].state == "executed" and read_files(out) == first


ENDINGS = {
    "1 / 0": "Code cell 2 raised ZeroDivisionError: division by zero",
    "import sys; sys.exit(0)": "Code cell 2 raised SystemExit: 0",
    "import os; os._exit(3)": "The notebook stopped: DeadKernelError: Kernel died",
    "import os; os.kill(os.getppid(), 11)": "was killed by signal 11",
}


@pytest.mark.slow
def test_notebook_that_ends_early_is_a_failure(tmp_path):
    for place, cell in enumerate(ENDINGS):
        write_notebook(tmp_path / f"r{place}.ipynb", cell, CHECK)
    suite = write_suite(tmp_path, {f"r{place}": "{}" for place in range(4)})
    outcomes = report(suite, tmp_path / "out").outcomes
    for outcome, verdict in zip(outcomes, ENDINGS.values(), strict=True):
        assert outcome.state == "failed" and verdict in outcome.verdict
        assert "This report failed" in Path(outcome.file).read_text()
    assert "4 reports, 4 failed" in (tmp_path / "out/index.html").read_text()


@pytest.fixture
def old(tmp_path):
    """Notebook, suite, OUT with a report that was rendered, and its files."""
    notebook = write_notebook(tmp_path / "a.ipynb", CHECK)
    suite, out = write_suite(tmp_path, {"a": "{}"}), tmp_path / "out"
    report(suite, out)
    return notebook, suite, out, read_files(out)


@pytest.mark.slow
def test_process_that_was_killed_from_outside_leaves_the_old_report(old):
    notebook, suite, out, before = old
    write_notebook(notebook, "import os; os.kill(os.getppid(), 15)", "import time; time.sleep(60)")
    with pytest.raises(InterruptedResultsError):
        report(suite, out)
    after = read_files(out)
    assert "Outdated" in after["index.html"].decode()
    assert after == before | {"index.html": after["index.html"]}


@pytest.mark.slow
def test_notebook_refreshed_twice_is_the_same(tmp_path):
    path = write_notebook(tmp_path / "a.ipynb", WORK, CHECK)
    refresh = runpy.run_path(str(CHECKOUT / ".ci/refresh.py"))["refresh"]
    refresh(path)
    first = path.read_text()
    refresh(path)
    assert path.read_text() == first and str(tmp_path) not in first
    assert [cell.id for cell in nbformat.reads(first, as_version=4).cells] == [
        *("cell-01", "cell-02", "cell-03", "cell-04")
    ]


def test_verdicts_are_printed_in_order_as_soon_as_possible(tmp_path, monkeypatch, capsys):
    printed = []

    def make_all(_, jobs, **limits):
        assert limits["preload"]
        for place, job in reversed(list(enumerate(jobs))):
            job.output.mkdir(parents=True)
            for end in ("html", "report.json"):
                job.output.with_name(f"{job.report.name}.{end}").write_text("{}")
            yield place, Outcome("ok", {"failure": "x", "verdict": "Failed. \x1b[2Jx"})
            printed.append(re.sub(r"\x1b\[\d+m", "", capsys.readouterr().out).splitlines()[0])

    for name in ("last", "first"):
        write_notebook(tmp_path / f"{name}.ipynb", CHECK)
    monkeypatch.setattr(module, "bounded_map", make_all)
    path = write_suite(tmp_path, {"last": "{}", "first": "{}"})
    assert main(["report", str(path), "--out", str(tmp_path / "out")]) == 1
    assert printed == [f"{name}: failed. Failed. \\x1b[2Jx" for name in ("first", "last")]


@each(
    "file message",
    """
out | out: cannot be written
out/notes.txt | out: it holds notes.txt, which `srlib report` did not write
out/a/mine | out: it holds a, which `srlib report` did not
""",
)
def test_folder_of_other_files_is_refused_and_stays(file, message, tmp_path):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("mine")
    write_notebook(tmp_path / "a.ipynb", CHECK)
    with refused(message):
        report(write_suite(tmp_path, {"a": "{}"}), tmp_path / "out")
    assert path.read_text() == "mine"


MOVES = 3


def publish_word(out, word, *tables):
    """Publish a report whose files all hold the same word."""
    with staging_folder(out / LISTS_FOLDER, out) as staging:
        assert not list(staging.iterdir()), "a killed command's files are gone"
        (staging / "0/r/tables").mkdir(parents=True)
        for name in ("r.html", "r.report.json", *(f"r/tables/{table}.csv" for table in tables)):
            (staging / "0" / name).write_text(word)
        publish(staging / "0", out, "r")


def test_report_whose_publishing_ended_early_is_not_taken_for_complete(tmp_path, monkeypatch):
    """The k-th move fails, for every k: the next command sees that the report is not whole."""
    (tmp_path / ".srlib/new/0").mkdir(parents=True)
    publish_word(tmp_path, "old", "a", "b")
    real = Path.replace
    for last in range(MOVES):
        moves = itertools.count()

        def fail(path, target, moves=moves, last=last):
            if LISTS_FOLDER in path.parts and next(moves) == last:
                raise OSError("killed")
            return real(path, target)

        monkeypatch.setattr(Path, "replace", fail)
        with refused("cannot be written"):
            publish_word(tmp_path, "new", "a")
        assert (tmp_path / "r.report.json").read_text() == "{}\n"
    monkeypatch.setattr(Path, "replace", real)
    publish_word(tmp_path, "new", "a")
    words = {path.name: path.read_text() for path in tmp_path.rglob("*.*") if path.is_file()}
    assert words == dict.fromkeys(["r.html", "r.report.json", "a.csv"], "new")
