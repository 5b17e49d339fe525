"""What goes on beside a command changes no result: killed, doubled, starved, silenced or elsewhere, it gives the same
bytes once it is repeated, or one sentence; it leaves no process and no file behind.

Commands run in forks of one process that has imported everything, so that a fault meets their work and not their
imports; where the interpreter itself matters (locale, hash seed), in processes of their own. SRLIB_FAULTS=n (`make
faults`) tries n moments a command instead of one, and every strange place instead of a few.
"""

import contextlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.ballot.made_up import filled
from tests.cli.test_diff import write_report
from tests.forking import Zygote, zygotes
from tests.inference.small import PAIR
from tests.recording.tiny import problem_text
from tests.rendering.small import CHECK, WORK, write_notebook, write_suite

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of POSIX")
TRIALS = int(os.environ.get("SRLIB_FAULTS", "0"))
ORPHANS_S = 15.0
LIMIT_S = 300
PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
  - {dataset: trusted, track: real-world, features: [a, b]}
"""
RUNS = "method,dataset,repetition,model,r2_test\n" + "".join(
    f"{method},{dataset},{repetition},{model},{r2}\n"
    for (method, model, r2), dataset, repetition in itertools.product(
        [("A", "a + b", 0.9), ("B", "2.5*a", 0.5), ("C", "a*b + 1", 0.7)],
        ["d", "e", "trusted"],
        [1, 2],
    )
)
METHODS = """
schema: 1
methods:
  - {name: linear, estimator: "sklearn.linear_model:LinearRegression", model: {text: linear}, names: features}
"""


@dataclass(frozen=True)
class Command:
    """What is called, in a folder with `given` and, where it writes, `out`; what differs between two good runs.

    Attributes
    ----------
    words : str
        After `srlib`; OUT stands for what it writes.
    out : str
        'folder' or the name of a file in it; empty where nothing is written.
    volatile : tuple of str
        Names of files that hold times; they are only there.
    """

    words: str
    out: str = "folder"
    volatile: tuple[str, ...] = ()


COMMON = "given/runs.csv --problems given/problems.yaml"
COMMANDS = {
    "report": Command("report given/suite.yaml --out OUT", volatile=("rendered.json",)),
    "run": Command("run given/methods.yaml given/tiny.yaml --out OUT --jobs 1", volatile=("*.json", "runs.parquet")),
    "qualify": Command(
        "qualify sklearn.linear_model:Ridge --problems given/pmlb --repetitions 1 --jobs 1 --out OUT",
        volatile=("*.json", "runs.parquet"),
    ),
    "assess": Command(f"assess {COMMON} --jobs 1 --out OUT", "a.parquet"),
    "score": Command(f"score {COMMON} --jobs 1 --out OUT"),
    "robustness": Command(
        f"robustness {COMMON} --rules competition-2023 --jobs 1 --resamples 20 --out OUT"
    ),
    "compare": Command("compare given/runs.csv --metric r2_test --out OUT", "c.csv"),
    "equivalent": Command("equivalent --truth a+b --model b+a+0.5 --domain a=1:5 --domain b=1:5", ""),
    "problems generate": Command("problems generate given/tiny.yaml --out OUT"),
    "audit": Command("audit given/tiny.yaml --out OUT", "a.csv"),
    "ballot make": Command(f"ballot make {COMMON} --out OUT"),
    "ballot read": Command("ballot read given/ballot.csv --key given/ballot/key.json --out OUT", "t.csv"),
    "inference score": Command("inference score --problems given/uai --answers given/answers --out OUT"),
    "inference reference": Command("inference reference --problems given/uai --out OUT"),
    "inference trivial": Command("inference trivial --problems given/uai --out OUT"),
    "inference validate": Command("inference validate --problems given/uai --answers given/answers", ""),
    "diff": Command("diff given/before given/after --out OUT"),
    "new": Command("new OUT"),
}  # fmt: skip
USELESS = "srlib: the cache is of no use"
ONCE = {"new", "ballot make"}  # a second command finds what the first one made, and says so


@dataclass
class Ended:
    """How a command ended.

    Attributes
    ----------
    code : int
        Its exit code, negative for a signal that killed it.
    error : str
        What it wrote on stderr.
    seconds : float
        It took.
    """

    code: int
    error: str
    seconds: float


class Place:
    """A folder to run commands in, with a temporary folder of its own."""

    def __init__(self, folder: Path, given: Path) -> None:
        self.folder, self.temporary = folder, folder.parent / f"{folder.name}-t"
        folder.mkdir(parents=True)
        self.temporary.mkdir()
        (folder / "given").symlink_to(given)

    def words(self, name: str) -> list[str]:
        command = COMMANDS[name]
        out = "out" if command.out in ("folder", "") else command.out
        return command.words.replace("OUT", out).split()

    def result(self, name: str) -> dict[str, bytes]:
        """All files that a command left, hidden ones too; those that hold times are only named, and not where."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            place = path.relative_to(self.folder)
            if place.parts[0] != "given" and path.is_file():
                volatile = any(path.match(pattern) for pattern in COMMANDS[name].volatile)
                content = b"" if volatile else path.read_bytes()
                # the index says whether a page was rendered this time or before
                found[place.as_posix()] = content.replace(b" Unchanged;", b" Fresh;")
        return found


class Starter:
    """Starts commands as forks of one zygote; one at a time."""

    numbers = itertools.count()

    def __init__(self, zygote: Zygote, cache: Path) -> None:
        self.zygote, self.cache = zygote, cache

    def start(self, place: Place, words: list[str], **fault: Any) -> int:
        """Start a command; give its process id."""
        self.begun, self.mark = time.monotonic(), f"f{os.getpid()}-{next(self.numbers)}"
        environment = {"SRLIB_CACHE": str(self.cache), "TMPDIR": str(place.temporary)}
        environment |= {"SRLIB_FAULT": self.mark}
        how = {"folder": place.folder, "environment": environment, "mark": self.mark}
        if not fault.get("closed"):
            how["stdout"] = os.devnull
        self.forked = self.zygote.start(words, **(how | fault))
        return self.forked.pid

    def wait(self) -> Ended:
        """Wait for its end, and until all that it started has ended, too."""
        code, seconds = self.forked.wait(), time.monotonic() - self.begun
        error = self.forked.communicate()[1]
        until = time.monotonic() + ORPHANS_S
        while found := alive(self.mark):
            assert time.monotonic() < until, f"orphans: {found}"
            time.sleep(0.05)
        return Ended(code, error, seconds)

    def run(self, place: Place, name: str, **fault: Any) -> Ended:
        self.start(place, place.words(name), **fault)
        return self.wait()


def alive(mark: str) -> list[str]:
    """Processes that have inherited a mark, as their name or in their environment, where the system tells."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            named = (path / "comm").read_text() == f"{mark}\n"
            marked = f"SRLIB_FAULT={mark}".encode() in (path / "environ").read_bytes().split(b"\0")
            if named or marked:
                found.append((path / "cmdline").read_text().replace("\0", " ")[:100])
    return found


@dataclass
class House:
    """Where all trials happen: what is given, who starts commands, and how they end undisturbed."""

    base: Path
    zygotes: tuple[Starter, Starter]
    undisturbed: dict[str, tuple[Ended, dict[str, bytes]]]

    def __post_init__(self) -> None:
        self.numbers = itertools.count()

    def place(self, *more: str) -> Place:
        return Place(Path(self.base, f"p{next(self.numbers)}", *more), self.base / "given")

    def expected(self, name: str) -> tuple[Ended, dict[str, bytes]]:
        """How a command ends that nobody disturbs, and what it leaves; the cache is warm from then on."""
        if name not in self.undisturbed:
            place = self.place()
            ended = self.zygotes[0].run(place, name)
            assert ended.code in (0, 1) and not ended.error, ended
            assert list(place.temporary.iterdir()) == []
            if name not in ("run", "qualify"):  # the second time with a warm cache
                place = self.place()
                ended = self.zygotes[0].run(place, name)
            self.undisturbed[name] = ended, place.result(name)
        return self.undisturbed[name]

    def repeated(self, place: Place, name: str) -> None:
        """Repeat a command that was disturbed: all is as if it had not been."""
        ended, result = self.expected(name)
        again = self.zygotes[0].run(place, name)
        if name in ONCE and again.code == 2:
            assert is_sentence(again.error), again
        else:
            assert (again.code, again.error) == (ended.code, ended.error), (name, again)
        assert place.result(name) == result, name
        assert list(place.temporary.iterdir()) == []


def is_sentence(error: str) -> bool:
    return error.startswith("srlib: ") and error.count("\n") == 1 and error.endswith("\n")


@pytest.fixture(name="house", scope="session")
def house_fixture() -> Iterator[House]:
    base = Path(tempfile.mkdtemp(prefix="f"))  # short: sockets lie below it
    first, second = (Starter(zygote, base / "cache") for zygote in zygotes())
    house = House(base, (first, second), {})
    write_given(base / "given")
    place = Place(base / "ballot", base / "given")
    assert first.run(place, "ballot make").code == 0
    shutil.copytree(place.folder / "out", base / "given" / "ballot")
    ballot = pd.read_csv(base / "given" / "ballot" / "packet" / "ballot.csv")
    filled(ballot, "Ada", 1).to_csv(base / "given" / "ballot.csv", index=False)
    yield house
    shutil.rmtree(base)


def write_given(folder: Path) -> None:
    folder.mkdir()
    write_notebook(folder / "a.ipynb", WORK, CHECK)
    write_suite(folder, {"a": "{}"})
    texts = {"problems": PROBLEMS, "methods": METHODS, "tiny": problem_text([11, 12])}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    (folder / "runs.csv").write_text(RUNS)
    generator = np.random.default_rng(5)
    for name, power in (("line", 1), ("square", 2)):
        x = generator.uniform(-1, 1, (40, 2))
        (folder / "pmlb" / name).mkdir(parents=True)
        table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "target": x[:, 0] ** power + x[:, 1]})
        table.to_csv(folder / "pmlb" / name / f"{name}.tsv.gz", sep="\t", index=False)
    for name, text in {"uai/s.uai": PAIR, "answers/a/s.uai.PR": "PR 0"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    write_report(folder / "before")
    write_report(folder / "after", verdict="b wins.")


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment(name: str, house: House) -> None:
    ended, _ = house.expected(name)
    for trial in range(max(1, TRIALS)):
        draw, place = random.Random(f"{name} {trial}"), house.place()
        kind = draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
        pid = house.zygotes[0].start(place, place.words(name))
        time.sleep(draw.uniform(0, 1.1 * ended.seconds))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, kind)
        killed = house.zygotes[0].wait()
        said = killed.error.removeprefix(ended.error)
        if kind == signal.SIGKILL:
            assert killed.code in (-kind, ended.code) and said == "", killed
        else:
            assert killed.code in (128 + kind, ended.code), killed
            assert is_sentence(said) or (killed.code, said) == (ended.code, ""), killed
        house.repeated(place, name)


@pytest.mark.parametrize("name", COMMANDS)
def test_two_at_once(name: str, house: House) -> None:
    ended, result = house.expected(name)
    place = house.place()
    for zygote in house.zygotes:
        zygote.start(place, place.words(name))
    for zygote in house.zygotes:
        one = zygote.wait()
        refused = name in ONCE and one.code == 2 and is_sentence(one.error)
        assert refused or (one.code, one.error) == (ended.code, ended.error), one
    assert place.result(name) == result
    assert list(place.temporary.iterdir()) == []


FAULTS: dict[str, dict[str, Any]] = {
    "a full disk": {"bytes": 40},
    "a read-only folder": {"confined": True},
    "a closed output": {"closed": True},
    "a full output": {"stdout": "/dev/full"},
}


SAMPLE = [
    pytest.param(name, fault, id=f"{name} {fault}")
    for command, name in enumerate(COMMANDS)
    for number, fault in enumerate(FAULTS)
    if TRIALS or number == command % len(FAULTS)
]


@pytest.mark.parametrize(("name", "fault"), SAMPLE)
def test_starved(name: str, fault: str, house: House) -> None:
    if fault == "a full output" and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    ended, _ = house.expected(name)
    place = house.place()
    place.folder.chmod(0o555 if fault == "a read-only folder" else 0o755)
    starved = house.zygotes[0].run(place, name, **FAULTS[fault])
    left, said = place.result(name), starved.error.removeprefix(ended.error)
    place.folder.chmod(0o755)
    if fault == "a closed output":
        assert starved.code in (141, ended.code) and said == "", starved
    elif starved.code == 2:
        assert is_sentence(said), starved
    else:  # it had nothing to say, or nothing to write but what it keeps for another time
        assert starved.code == ended.code and (not said or USELESS in said), starved
        assert not COMMANDS[name].out or fault == "a full output"
    if fault in ("a full disk", "a read-only folder"):
        assert left == {}
    house.repeated(place, name)


@pytest.mark.parametrize("name", COMMANDS if TRIALS else ["report", "run", "score", "ballot make"])
def test_elsewhere(name: str, house: House) -> None:
    """No home, another language, time zone and hash seed, and a path with blanks, quotes, braces and snow."""
    ended, result = house.expected(name)
    for trial in range(max(1, TRIALS // 20)):
        place = house.place("a b", "'ü' {☃}")
        environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
        environment |= {
            "LANG": "C",
            "LC_ALL": "C",
            "TZ": "Asia/Kathmandu",
            "TMPDIR": str(place.temporary),
        }
        environment |= {"PYTHONHASHSEED": str(7 + trial), "SRLIB_CACHE": str(house.base / "cache")}
        start = "import sys\nfrom srlib.cli.start import main\nsys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", start, *place.words(name)],
            cwd=place.folder,
            env=environment,
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        assert (done.returncode, done.stderr.decode()) == (ended.code, ended.error)
        assert place.result(name) == result
        assert list(place.temporary.iterdir()) == []
