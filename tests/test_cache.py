"""The cache: what comes back, and what damaged entries and files, and a full disk, do."""

import random
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from srlib.cache import Cache, pop_warnings

NAME = "results.sqlite"
KEY = {"operation": "simplify", "tree": "x1+x1"}
USELESS = "SRLIB_CACHE names another folder"


def fill(folder, count):
    """A cache file with the numbers below a count."""
    with closing(Cache(folder)) as cache:
        for number in range(count):
            cache.put({"n": number}, number)
    return folder / NAME


def read_numbers(folder, count):
    with closing(Cache(folder)) as cache:
        return [cache.get({"n": number}) for number in range(count)]


@pytest.mark.parametrize("place", ["cache", None])
def test_value_comes_back_by_content(place, tmp_path):
    cache = Cache(place and tmp_path / place)
    assert cache.get(KEY) is None
    cache.put(KEY, {"text": "2*x1"})
    for _ in range(2):
        assert cache.get(dict(reversed(KEY.items()))) == {"text": "2*x1"}
        assert cache.get(KEY | {"tree": "x1"}) is None
        cache.close()


def test_damaged_entry_is_no_entry(tmp_path):
    with closing(Cache(tmp_path)) as cache:
        cache.put(KEY, {"text": "2*x1"})
        with closing(sqlite3.connect(tmp_path / NAME)) as file:
            [[entry]] = file.execute("SELECT text FROM results")
            parts = [entry[:length] for length in range(len(entry))]
            for text in (*parts, "x", "0000000000000000\n{}", "\x00"):
                with file:
                    file.execute("UPDATE results SET text = ?", (text,))
                assert cache.get(KEY) is None
            with file:  # bytes that are not UTF-8
                file.execute("UPDATE results SET text = CAST(x'3161ff0a31' AS TEXT)")
            assert cache.get(KEY) is None and pop_warnings() == []
        cache.put(KEY, 1)
        assert cache.get(KEY) == 1


def test_damaged_file_never_returns_a_wrong_value(tmp_path):
    """Random bytes all over the file: each value comes back as it was, or not at all."""
    path, draw = fill(tmp_path, 300), random.Random(2022)
    data = path.read_bytes()
    assert read_numbers(tmp_path, 301) == [*range(300), None]
    assert [file.name for file in tmp_path.iterdir()] == [NAME] and len(data) < 300 * 300
    for _ in range(30):
        damaged = bytearray(data)
        for _ in range(20):
            damaged[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(damaged)
        values = read_numbers(tmp_path, 300)
        assert all(value in (None, number) for number, value in enumerate(values))
    pop_warnings()


DAMAGES = {
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(20_000)),
    "overwritten": lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\x07" * 40_000),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "no folder": lambda path: (path.unlink(), path.parent.rmdir(), path.parent.touch()),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_useless_file_is_one_sentence_and_costs_only_the_cache(kind, tmp_path):
    path = fill(tmp_path / "cache", 500)
    DAMAGES[kind](path)
    damaged = path.is_file() and path.read_bytes()
    pop_warnings()
    assert {*read_numbers(path.parent, 500)} - {None} <= set(range(500))
    with closing(Cache(path.parent)) as cache:
        cache.put(KEY, 1)
        assert kind == "no folder" or cache.get(KEY) == 1
    warnings = pop_warnings()
    assert warnings and all(warning.endswith(USELESS) for warning in warnings)
    assert damaged == (path.is_file() and path.read_bytes())


FULL = """
import resource, sys
from pathlib import Path
from srlib.cache import Cache, pop_warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
cache = Cache(Path(sys.argv[1]))
for number in range(2000):
    cache.put({"n": number}, "x" * 200 + str(number))
print(pop_warnings(), cache.get({"n": 1999})[200:])
"""


def test_full_disk_is_one_sentence_and_keeps_what_was_written(tmp_path):
    output = subprocess.check_output([sys.executable, "-c", FULL, tmp_path], text=True)
    assert USELESS in output and output.endswith(" 1999\n")
    assert read_numbers(tmp_path, 1) == ["x" * 200 + "0"]
