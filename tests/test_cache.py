"""The cache: what comes back, and what damaged entries and files, and killed processes, do."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from srlib.cache import Cache, pop_warnings
from srlib.files import cache_folder
from tests.packed_cases import NAME, damage, entries

KEY = {"operation": "simplify", "tree": "x1+x1"}
WRITER = """
import sys
from pathlib import Path
from srlib.cache import Cache
cache, first = Cache(Path(sys.argv[1])), int(sys.argv[2])
for number in range(first, first + int(sys.argv[3])):
    cache.put({"n": number}, {"text": "x" * 200, "n": number})
    if number % 50 == 0:
        print(number, flush=True)
cache.close()
"""


@pytest.fixture(params=["disk", "memory"])
def cache(request, tmp_path):
    return Cache(tmp_path / "cache" if request.param == "disk" else None)


def test_values_come_back_by_content(cache):
    assert cache.get(KEY) is None
    for number in range(5):
        cache.put(KEY | {"n": number}, {"text": "2*x1", "complexity": number})
    for close in (False, True):
        assert cache.get(dict(reversed((KEY | {"n": 4}).items()))) == {
            "text": "2*x1",
            "complexity": 4,
        }
        assert cache.get(KEY | {"tree": "x1"}) is None
        if close:
            cache.close()


@pytest.mark.parametrize("text", ["", "x", "0000000000000000\n{}", "\x00"])
def test_a_damaged_entry_is_no_entry(text, tmp_path):
    cache = Cache(tmp_path)
    cache.put(KEY, {"text": "2*x1"})
    ((name, whole),) = entries(tmp_path).items()
    for cut in (text, *(whole[:length] for length in range(len(whole)))):
        damage(tmp_path, {name: cut})
        assert cache.get(KEY) is None
    cache.put(KEY, 1)
    cache.close()
    assert cache.get(KEY) == 1
    cache.close()


def test_a_damaged_file_never_returns_a_wrong_value(tmp_path):
    """Random bytes all over the file: each value comes back as it was, or not at all."""
    cache = Cache(tmp_path)
    for number in range(300):
        cache.put({"n": number}, {"text": "x" * number})
    cache.close()
    data, draw = (tmp_path / NAME).read_bytes(), random.Random(2022)
    for _ in range(30):
        damaged = bytearray(data)
        for _ in range(20):
            damaged[draw.randrange(len(data))] = draw.randrange(256)
        (tmp_path / NAME).write_bytes(damaged)
        cache = Cache(tmp_path)
        for number in range(300):
            assert cache.get({"n": number}) in (None, {"text": "x" * number})
        cache.close()
    pop_warnings()


def test_results_lie_in_one_file(tmp_path):
    cache = Cache(tmp_path)
    for number in range(3000):
        cache.put({"n": number}, number)
    cache.close()
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).stat().st_size < 3000 * 150
    assert [Cache(tmp_path).get({"n": number}) for number in (0, 2999, 3000)] == [0, 2999, None]


DAMAGES = {
    "text": lambda path: path.write_text("method,dataset\n" * 100),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(20_000)),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "overwritten": lambda path: path.write_bytes(
        path.read_bytes()[:4096] + b"\x07" * (path.stat().st_size - 4096)
    ),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_file_that_is_of_no_use_is_one_sentence_and_costs_only_the_cache(kind, tmp_path):
    pop_warnings()
    cache = Cache(tmp_path)
    for number in range(500):
        cache.put({"n": number}, number)
    cache.close()
    DAMAGES[kind](tmp_path / NAME)
    there = (tmp_path / NAME).is_dir() or (tmp_path / NAME).read_bytes()
    again = Cache(tmp_path)
    assert {again.get({"n": number}) for number in range(500)} - {None} <= set(range(500))
    again.put({"n": 500}, 500)
    again.put({"n": 501}, 501)
    assert (again.get({"n": 500}), again.get({"n": 501})) == (500, 501)
    again.close()
    (said,) = pop_warnings()
    assert NAME in said and said.endswith("SRLIB_CACHE names another folder")
    assert there == ((tmp_path / NAME).is_dir() or (tmp_path / NAME).read_bytes())


def started(folder: Path, first: int, count: int) -> subprocess.Popen:
    words = [sys.executable, "-c", WRITER, str(folder), str(first), str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_processes_share_a_file_and_may_be_killed(tmp_path):
    folder = tmp_path / "cache"
    moments = random.Random(2022)
    with started(folder, 0, 3000) as steady:
        for attempt in range(6):
            with started(folder, 10_000 * (1 + attempt), 1_000_000) as killed:
                killed.stdout.readline()  # type: ignore[union-attr]
                time.sleep(0.3 * moments.random())
                killed.send_signal(signal.SIGKILL)
        steady.communicate(timeout=100)
        assert steady.returncode == 0
    assert pop_warnings() == []
    cache = Cache(folder)
    assert all(cache.get({"n": number})["n"] == number for number in range(3000))
    assert all(cache.get({"n": 10_000 * attempt})["n"] for attempt in range(1, 7))
    cache.close()
    assert all(
        len(json.loads(text.partition("\n")[2])["text"]) == 200 for text in entries(folder).values()
    )


def test_a_folder_that_cannot_be_written_is_named_once_and_work_goes_on(tmp_path):
    pop_warnings()
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file")
    cache.put(KEY, 1)
    cache.put(KEY, 1)
    (said,) = pop_warnings()
    assert "cannot be used" in said and said.endswith("SRLIB_CACHE names another folder")
    assert pop_warnings() == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a POSIX system")
def test_a_full_disk_is_one_sentence_and_keeps_what_was_written(tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
    says = (
        WRITER
        + "\nfrom srlib.cache import pop_warnings\nprint(pop_warnings(), cache.get({'n': 1900})['n'])\n"
    )
    words = [sys.executable, "-c", limit + says, str(tmp_path), "0", "2000"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert "cannot be used" in done.stdout and done.stdout.endswith(" 1900\n")
    assert Cache(tmp_path).get({"n": 0})["n"] == 0


def test_default_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path))
    assert Cache(cache_folder()).path == tmp_path / NAME
