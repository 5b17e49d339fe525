"""Publishing goes on when the command is killed, and two commands at once give the report that one gives."""

import json
import subprocess
import sys

import pytest

from srlib.folders import NEW, PARTIAL, STATE, changed, seal, stage, tidy
from srlib.rendering.execute import run
from srlib.rendering.publish import JOB
from tests import processes
from tests.rendering.small import CHECK, WORK, write_notebook, write_suite

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
FILES = 60


def staged(out):
    """Stage and seal a report whose files all say the same word; give the staging folder."""
    staging = stage(out, "r")
    for name in ["r.html", "r.report.json", *(f"r/tables/{number}.csv" for number in range(FILES))]:
        (staging.new / name).parent.mkdir(parents=True, exist_ok=True)
        (staging.new / name).write_text("new")
    seal(staging.folder, "r", fingerprint="new")
    staging.claim.release()
    return staging.folder


def published(out):
    return [p for p in out.rglob("*") if p.is_file() and STATE not in p.relative_to(out).parts]


def test_it_goes_on_when_whoever_wanted_the_report_is_killed(tmp_path):
    script = (
        "import sys, threading, time\nfrom pathlib import Path\nfrom srlib import folders\n"
        "from srlib.rendering import publish as module\n"
        "end, real = threading.Thread(target=module.end_with, args=(-1,)), folders.sync_folder\n"
        "def slow(*words):\n    end.start()\n    time.sleep(1)\n    real(*words)\n"  # the parent is gone: -1
        "    folders.sync_folder = real\n"
        "folders.sync_folder = slow\nmodule.publish_undisturbed(Path(sys.argv[1]))\ntime.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(staged(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr  # it ended itself, after its work
    assert len(published(tmp_path)) == FILES + 2 and not list(tmp_path.rglob(f"*{PARTIAL}"))


def test_what_was_sealed_is_published_by_the_next_command_and_what_was_not_is_removed(tmp_path):
    staged(tmp_path)
    unsealed = staged(tmp_path)  # tidies up behind the first
    assert len(published(tmp_path)) == FILES + 2
    (unsealed / "whole.json").unlink()
    (tmp_path / "r.html").write_text("old")
    tidy(tmp_path)
    assert (tmp_path / "r.html").read_text() == "old" and not list(tmp_path.rglob(f"*{PARTIAL}"))


@pytest.mark.slow
def test_two_commands_at_once_give_the_reports_that_one_gives(tmp_path):
    for name in "ab":
        write_notebook(tmp_path / f"{name}.ipynb", WORK, CHECK)
    suite = write_suite(tmp_path, dict.fromkeys("ab", "{}"))
    command = ["report", str(suite), "--out"]
    assert processes.run([*command, str(tmp_path / "alone")])[0] == 0
    both = [processes.start([*command, str(tmp_path / "both")]) for _ in range(2)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [("", 0)] * 2
    note = "rendered.json"  # it says when
    trees = [
        {
            p.relative_to(out): p.read_bytes()
            for p in out.rglob("*")
            if p.is_file() and p.name != note
        }
        for out in (tmp_path / "alone", tmp_path / "both")
    ]
    assert trees[0] == trees[1] and not list((tmp_path / "both").rglob(f"*{PARTIAL}"))
    assert changed(tmp_path / "both", "a") == changed(tmp_path / "both", "b") == []


def test_a_report_that_refers_to_a_file_that_is_not_there_is_a_failure(tmp_path, monkeypatch):
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, "")  # set by what runs here, and put back afterwards
    cell = "from IPython.display import display\n"
    cell += "display({'application/vnd.srlib.table+json': {'name': 't', 'caption': 'T', 'files': ['tables/t.csv']},"
    cell += " 'text/html': '<table></table>'}, raw=True)"
    notebook = write_notebook(tmp_path / "a.ipynb", cell, CHECK)
    staging = stage(tmp_path / "out", "a")
    job = {"name": "a", "notebook": str(notebook), "suite_title": "s", "shown": {}}
    origin = {"inputs": [], "versions": {}, "parameters": {}, "fingerprint": "f"}
    content = job | {"origin": origin, "parameters": {"output_dir": str(staging.new / "a")}}
    (staging.folder / JOB).write_text(json.dumps(content))
    run(staging.folder)
    handed = json.loads((staging.folder / NEW / "a.report.json").read_text())
    assert "did not write tables/t.csv, which" in handed["failure"]["what"]
    staging.discard()
