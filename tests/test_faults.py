"""What goes on beside a command changes no result: killed, doubled, starved, silenced or elsewhere, it gives the same
bytes once it is repeated, or one sentence; it leaves no process and no file behind.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.builders import (
    CHECK,
    PROBLEMS_OF_TWO,
    WORK,
    recorded_problem,
    write_notebook,
    write_suite,
)
from tests.processes import MARK, marked_processes, start, unread_pipe, worker_ids

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX"),
]
ORPHANS_S = 15.0
MODELS = {"A": "a + b,0.9", "B": "2.5*a,0.5", "C": "(a + b + 1)**9*sin(a*b)**5/(a + b),0.7"}
ROWS = [f"{m},{d},{r},{text}" for m, text in MODELS.items() for d in "de" for r in (1, 2)]
METHODS = """
schema: 1
methods:
  - {name: linear, estimator: "sklearn.linear_model:LinearRegression", model: {text: linear}, names: features}
"""
COMMANDS = {
    "assess": "assess given/runs.csv --problems given/problems.yaml --jobs 1 --out out.csv",
    "report": "report given/suite.yaml --out out",
    "run": "run given/methods.yaml given/tiny.yaml --out out --jobs 1",
    "score": "judge given/runs.csv --problems given/problems.yaml --jobs 1 --out out",
}


class Place:
    """A folder to run one command in, with a temporary folder of its own."""

    def __init__(self, name, given, below="here"):
        self.name, base = name, Path(tempfile.mkdtemp(dir=given.parent))
        self.folder, self.temporary = base / below, base / "t"
        self.folder.mkdir(parents=True)
        self.temporary.mkdir()
        (self.folder / "given").symlink_to(given)
        # assessing is disturbed while it measures, all others while they read what is stored
        cache = (base if name == "assess" else given.parent) / "cache"
        self.environment = {
            "SRLIB_CACHE": str(cache),
            "TMPDIR": str(self.temporary),
            MARK: str(base),
        }

    def start(self, environment=(), **fault):
        environment = self.environment | dict(environment)
        return start(
            COMMANDS[self.name].split(), folder=self.folder, environment=environment, **fault
        )

    def end(self, process):
        """Wait for the end of a command and of all that it started; return exit code and errors."""
        errors = process.communicate(timeout=300)[1]
        until = time.monotonic() + ORPHANS_S
        while orphans := marked_processes(self.environment[MARK]):
            assert time.monotonic() < until, orphans
            time.sleep(0.05)
        return process.returncode, errors

    def run(self, **fault):
        return self.end(self.start(**fault))

    def files(self):
        """Give all files that a command left, hidden ones too; nothing is left beside them.

        Files that hold times are only named; the index says whether a page was rendered this time or before.
        """
        files = {}
        for path in self.folder.rglob("*"):
            place = path.relative_to(self.folder)
            if place.parts[0] != "given" and path.is_file():
                timed = self.name == "run" and path.suffix in (".json", ".parquet")
                content = b"" if timed else path.read_bytes()
                files[place.as_posix()] = content.replace(b" Unchanged;", b" Fresh;")
        assert list(self.temporary.iterdir()) == []
        return files


def is_sentence(errors):
    return errors.startswith("srlib: ") and errors.find("\n") == len(errors) - 1


@pytest.fixture(scope="module")
def given():
    base = Path(tempfile.mkdtemp(prefix="f"))  # short: sockets lie below it
    folder = base / "given"
    folder.mkdir()
    write_notebook(folder / "a.ipynb", WORK, CHECK)
    write_suite(folder, {"a": "{}"})
    texts = {"problems": PROBLEMS_OF_TWO, "methods": METHODS, "tiny": recorded_problem([11, 12])}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    (folder / "runs.csv").write_text("\n".join(["method,dataset,repetition,model,r2_test", *ROWS]))
    yield folder
    shutil.rmtree(base)


@pytest.fixture(scope="module", params=COMMANDS)
def undisturbed(request, given):
    """A command, how long it takes when nobody disturbs it, and what it leaves."""
    place, begun = Place(request.param, given), time.monotonic()
    assert place.run() == (0, "")
    return request.param, time.monotonic() - begun, place.files()


def repeat(place, result):
    """Repeat a command that was disturbed: all is as if it had not been."""
    assert place.run() == (0, "")
    assert place.files() == result


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("moment", [0.3, 0.6, 0.9])
def test_command_killed_at_any_moment_changes_no_result(kind, moment, undisturbed, given):
    name, seconds, result = undisturbed
    place, draw = Place(name, given), random.Random(f"{name} {kind} {moment}")
    process = place.start()
    time.sleep((moment + draw.uniform(-0.1, 0.1)) * seconds)
    process.send_signal(kind)
    code, errors = place.end(process)
    # a process dies of SIGINT itself while Python starts or ends and does not handle it
    if (code, errors) not in ((-kind, ""), (0, "")):
        assert kind == signal.SIGINT and code == 128 + kind and is_sentence(errors)
    repeat(place, result)


@pytest.mark.parametrize("undisturbed", ["assess", "run"], indirect=True)
def test_killed_worker_changes_no_result(undisturbed, given):
    """As the kernel does when memory is short: the item is tried once more."""
    name, _, result = undisturbed
    place = Place(name, given)
    process = place.start()
    while not (workers := worker_ids(process.pid)) and process.poll() is None:
        time.sleep(0.01)
    os.kill(workers[0], signal.SIGKILL)
    assert place.end(process) == (0, "")
    assert place.files() == result


def test_two_commands_at_once_give_one_result(undisturbed, given):
    name, _, result = undisturbed
    place = Place(name, given)
    for code, errors in [place.end(process) for process in (place.start(), place.start())]:
        refused = name == "run" and code == 2 and is_sentence(errors)
        waited = ": in use by another " in errors and is_sentence(errors)
        assert refused or (code == 0 and (waited or not errors))
    assert place.files() == result


def test_full_disk_is_one_sentence_and_leaves_nothing(undisturbed, given):
    name, _, result = undisturbed
    place = Place(name, given)
    code, errors = place.run(file_bytes=40)
    assert code == 2 and errors.splitlines()[-1].startswith("srlib: ")
    assert place.files() == {}
    repeat(place, result)


def test_output_that_nobody_reads_changes_no_result(undisturbed, given):
    name, _, result = undisturbed
    place = Place(name, given)
    code, errors = place.run(output=unread_pipe())
    assert code in (0, 141) and errors == ""
    repeat(place, result)


def test_environment_and_path_change_no_result(undisturbed, given):
    """No home, another language, time zone and hash seed, and a path with blanks, quotes, braces and snow."""
    name, _, result = undisturbed
    place = Place(name, given, "a b/'ü' {☃}")
    environment = {"LANG": "C", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7"}
    assert place.run(environment=environment | {"HOME": "", "XDG_CACHE_HOME": ""}) == (0, "")
    assert place.files() == result
