"""What goes on beside a command changes no result: killed, doubled, starved, silenced or elsewhere, it gives the same
bytes once it is repeated, or one sentence; it leaves no process and no file behind.
"""

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.processes import MARK, marked_processes, start
from tests.recording.tiny import problem_text
from tests.rendering.small import CHECK, WORK, write_notebook, write_suite

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX"),
]
ORPHANS_S = 15.0
PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
"""
RUNS = "method,dataset,repetition,model,r2_test\n" + "".join(
    f"{method},{dataset},{repetition},{model},{r2}\n"
    for (method, model, r2), dataset, repetition in itertools.product(
        [("A", "a + b", 0.9), ("B", "2.5*a", 0.5), ("C", "a*b + 1", 0.7)], ["d", "e"], [1, 2]
    )
)
METHODS = """
schema: 1
methods:
  - {name: linear, estimator: "sklearn.linear_model:LinearRegression", model: {text: linear}, names: features}
"""
COMMANDS = {
    "report": "report given/suite.yaml --out out",
    "run": "run given/methods.yaml given/tiny.yaml --out out --jobs 1",
    "score": "score given/runs.csv --problems given/problems.yaml --jobs 1 --out out",
}
VOLATILE = {"report": ("rendered.json",), "run": ("*.json", "runs.parquet")}  # these hold times
USELESS = "srlib: the cache cannot be used"


@dataclass
class Ended:
    """How a command ended: its exit code, what it wrote on stderr, and the seconds that it took."""

    code: int
    errors: str
    seconds: float


class Place:
    """A folder to run one command in, with a temporary folder of its own."""

    numbers = itertools.count()

    def __init__(self, name: str, given: Path, *below: str) -> None:
        number = next(self.numbers)
        self.name, self.given, self.mark = name, given, f"{os.getpid()}-{number}"
        self.folder = given.parent.joinpath(f"p{number}", *below)
        self.temporary = given.parent / f"t{number}"
        self.folder.mkdir(parents=True)
        self.temporary.mkdir()
        (self.folder / "given").symlink_to(given)

    def environment(self) -> dict[str, str]:
        cache = str(self.given.parent / "cache")
        return {"SRLIB_CACHE": cache, "TMPDIR": str(self.temporary), MARK: self.mark}

    def start(self, **fault: Any) -> subprocess.Popen[str]:
        words = COMMANDS[self.name].split()
        environment = self.environment() | fault.pop("environment", {})
        return start(words, folder=self.folder, environment=environment, **fault)

    def end(self, process: subprocess.Popen[str], begun: float = 0.0) -> Ended:
        """Wait for the end of a command, and until all that it started has ended, too."""
        if process.stdout is None or process.stdout.closed:
            assert process.stderr
            with process.stderr as stream:
                errors = stream.read()
            process.wait(300)
        else:
            errors = process.communicate(timeout=300)[1]
        seconds, until = time.monotonic() - begun, time.monotonic() + ORPHANS_S
        while left := marked_processes(self.mark):
            assert time.monotonic() < until, f"orphans: {left}"
            time.sleep(0.05)
        return Ended(process.returncode, errors, seconds)

    def run(self, **fault: Any) -> Ended:
        begun = time.monotonic()
        return self.end(self.start(**fault), begun)

    def result(self) -> dict[str, bytes]:
        """All files that a command left, hidden ones too; those that hold times are only named."""
        files = {}
        for path in sorted(self.folder.rglob("*")):
            place = path.relative_to(self.folder)
            if place.parts[0] != "given" and path.is_file():
                volatile = any(path.match(pattern) for pattern in VOLATILE.get(self.name, ()))
                content = b"" if volatile else path.read_bytes()
                # the index says whether a page was rendered this time or before
                files[place.as_posix()] = content.replace(b" Unchanged;", b" Fresh;")
        return files


def is_sentence(errors: str) -> bool:
    return errors.startswith("srlib: ") and errors.count("\n") == 1 and errors.endswith("\n")


@pytest.fixture(scope="module")
def given():
    base = Path(tempfile.mkdtemp(prefix="f"))  # short: sockets lie below it
    folder = base / "given"
    folder.mkdir()
    write_notebook(folder / "a.ipynb", WORK, CHECK)
    write_suite(folder, {"a": "{}"})
    texts = {"problems": PROBLEMS, "methods": METHODS, "tiny": problem_text([11, 12])}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    (folder / "runs.csv").write_text(RUNS)
    yield folder
    shutil.rmtree(base)


@pytest.fixture(scope="module", params=COMMANDS)
def undisturbed(request, given):
    """A command, how it ends when nobody disturbs it, and what it leaves; the cache is warm from then on."""
    place = Place(request.param, given)
    ended = place.run()
    assert ended.code == 0 and not ended.errors
    assert list(place.temporary.iterdir()) == []
    return request.param, ended, place.result()


def repeated(place: Place, ended: Ended, result: dict[str, bytes]) -> None:
    """Repeat a command that was disturbed: all is as if it had not been."""
    again = place.run()
    assert (again.code, again.errors) == (ended.code, ended.errors)
    assert place.result() == result
    assert list(place.temporary.iterdir()) == []


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("moment", [0.3, 0.6, 0.9])
def test_killed_at_any_moment(kind, moment, undisturbed, given):
    name, ended, result = undisturbed
    place, draw = Place(name, given), random.Random(f"{name} {kind} {moment}")
    process = place.start()
    time.sleep((moment + draw.uniform(-0.1, 0.1)) * ended.seconds)
    process.send_signal(kind)
    killed = place.end(process)
    # a process dies of SIGINT itself while Python starts or ends and does not handle it
    if (killed.code, killed.errors) not in ((-kind, ""), (ended.code, "")):
        assert kind == signal.SIGINT and killed.code == 128 + kind and is_sentence(killed.errors)
    repeated(place, ended, result)


def test_two_at_once(undisturbed, given):
    name, ended, result = undisturbed
    place = Place(name, given)
    both = [place.start(), place.start()]
    for one in [place.end(process) for process in both]:
        refused = name == "run" and one.code == 2 and is_sentence(one.errors)
        waited = ": in use by process " in one.errors and is_sentence(one.errors)
        assert refused or (one.code == ended.code and (waited or one.errors == ended.errors))
    assert place.result() == result
    assert list(place.temporary.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_leaves_nothing(undisturbed, given):
    name, ended, result = undisturbed
    place = Place(name, given)
    starved = place.run(file_bytes=40)
    assert starved.code == 2 and is_sentence(starved.errors)
    assert place.result() == {}
    repeated(place, ended, result)


def test_an_output_that_nobody_reads(undisturbed, given):
    name, ended, result = undisturbed
    place = Place(name, given)
    silenced = place.run(closed=True)
    assert silenced.code in (141, ended.code) and silenced.errors == ""
    repeated(place, ended, result)


def test_elsewhere(undisturbed, given):
    """No home, another language, time zone and hash seed, and a path with blanks, quotes, braces and snow."""
    name, ended, result = undisturbed
    place = Place(name, given, "a b", "'ü' {☃}")
    environment = {"LANG": "C", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7"}
    moved = place.run(environment=environment | {"HOME": "", "XDG_CACHE_HOME": ""})
    assert (moved.code, moved.errors) == (ended.code, ended.errors)
    assert place.result() == result
    assert list(place.temporary.iterdir()) == []
