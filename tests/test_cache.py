"""The cache: what comes back, and what damaged entries, files, disks and killed processes do."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from srlib import disks, packed
from srlib.cache import Cache, default_cache, told
from srlib.files import digest
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
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache" if request.param == "disk" else None)


def test_values_come_back_by_content(cache: Cache) -> None:
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
def test_a_damaged_entry_is_no_entry(text: str, tmp_path: Path) -> None:
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


def test_results_are_packed(tmp_path: Path) -> None:
    """A thousand results are few writes of one file, not a thousand files."""
    cache = Cache(tmp_path)
    for number in range(3000):
        cache.put({"n": number}, number)
    cache.close()
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).stat().st_size < 3000 * 150
    assert [Cache(tmp_path).get({"n": number}) for number in (0, 2999, 3000)] == [0, 2999, None]


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE letters (text)")
    file.close()


DAMAGES = {
    "text": lambda path: path.write_text("method,dataset\n" * 100),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(20_000)),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "overwritten": lambda path: path.write_bytes(
        path.read_bytes()[:4096] + b"\x07" * (path.stat().st_size - 4096)
    ),
    "foreign": lambda path: (path.unlink(), foreign(path)),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_file_that_is_of_no_use_is_one_sentence_and_costs_only_the_cache(
    kind: str, tmp_path: Path
) -> None:
    told()
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
    (said,) = told()
    assert NAME in said and said.endswith("SRLIB_CACHE names another folder")
    assert there == ((tmp_path / NAME).is_dir() or (tmp_path / NAME).read_bytes())


def test_what_an_older_version_kept_in_files_is_taken_over(tmp_path: Path) -> None:
    name = digest(KEY)
    Cache(tmp_path).put(KEY, {"text": "2*x1"})
    ((_, entry),) = entries(tmp_path).items()
    (tmp_path / NAME).unlink()
    older = tmp_path / name[:2] / name[2:]
    older.parent.mkdir()
    older.write_text(entry)
    cache = Cache(tmp_path)
    assert cache.get(KEY) == {"text": "2*x1"} and cache.get({"n": 1}) is None
    cache.close()
    older.unlink()
    assert Cache(tmp_path).get(KEY) == {"text": "2*x1"}


def started(folder: Path, first: int, count: int, limit: str = "") -> subprocess.Popen:
    words = [sys.executable, "-c", limit + WRITER, str(folder), str(first), str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("mount", ["ext4", "nfs4"])
def test_processes_share_a_file_and_may_be_killed(
    mount: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted(tmp_path, mount, "rw", monkeypatch)
    folder = tmp_path / "cache"
    limit = f"from pathlib import Path; from srlib import disks; disks.MOUNTS = Path({str(disks.MOUNTS)!r})\n"
    moments = random.Random(2022)
    with started(folder, 0, 3000, limit) as steady:
        for attempt in range(6):
            with started(folder, 10_000 * (1 + attempt), 1_000_000, limit) as killed:
                killed.stdout.readline()  # type: ignore[union-attr]
                time.sleep(0.3 * moments.random())
                killed.send_signal(signal.SIGKILL)
        steady.communicate(timeout=100)
        assert steady.returncode == 0
    assert told() == []
    cache = Cache(folder)
    assert all(cache.get({"n": number})["n"] == number for number in range(3000))
    assert all(cache.get({"n": 10_000 * attempt})["n"] for attempt in range(1, 7))
    cache.close()
    (path,) = (path for path in folder.iterdir() if path.suffix == ".sqlite")
    with sqlite3.connect(path) as file:
        (mode,) = file.execute("PRAGMA journal_mode").fetchone()
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        texts = [text.partition("\n")[2] for (text,) in file.execute("SELECT text FROM results")]
    file.close()
    assert all(len(json.loads(text)["text"]) == 200 for text in texts)
    assert mode == {"ext4": "wal", "nfs4": "delete"}[mount]


def mounted(folder: Path, kind: str, options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a folder, whose name may hold blanks, be a disk of some kind."""
    table = folder / "mounts"
    place = str(folder).replace(" ", "\\040")
    table.write_text(f"/dev/a / ext4 rw 0 0\nserver:/x {place} {kind} {options} 0 0\nshort\n")
    monkeypatch.setattr(disks, "MOUNTS", table)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("nfs", "rw,nolock"), ("nfs4", "rw,local_lock=all"), ("cifs", "nobrl"), ("fuse.sshfs", "rw")],
)
def test_a_network_disk_without_locks_is_refused_by_name(
    kind: str, options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told()
    folder = tmp_path / "a b"
    folder.mkdir()
    mounted(folder, kind, options, monkeypatch)
    cache = Cache(folder / "cache")
    cache.put(KEY, 1)
    assert cache.get(KEY) == 1 and not (folder / "cache").exists()
    (said,) = told()
    assert kind in said and "without locks" in said and "SRLIB_CACHE" in said
    assert disks.disk_of(tmp_path) == ("ext4", False, True)
    monkeypatch.setattr(disks, "MOUNTS", tmp_path / "none")
    assert disks.disk_of(folder) == ("", False, True)


def test_a_folder_that_cannot_be_written_is_named_once_and_work_goes_on(tmp_path: Path) -> None:
    told()
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file")
    cache.put(KEY, 1)
    cache.put(KEY, 1)
    (said,) = told()
    assert "cannot be written" in said and said.endswith("SRLIB_CACHE names another folder")
    assert told() == []


def test_what_can_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told()
    Cache(tmp_path).put(KEY, 1)
    monkeypatch.setattr(packed.os, "access", lambda path, mode: False)
    cache = Cache(tmp_path)
    assert cache.get(KEY) == 1 and told() == []
    cache.put(KEY | {"n": 2}, 2)
    assert (cache.get(KEY), cache.get(KEY | {"n": 2})) == (1, 2)
    cache.close()
    (said,) = told()
    assert "readonly" in said


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a POSIX system")
def test_a_full_disk_is_one_sentence_and_keeps_what_was_written(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
    says = WRITER + "\nfrom srlib.cache import told\nprint(told(), cache.get({'n': 1900})['n'])\n"
    words = [sys.executable, "-c", limit + says, str(tmp_path), "0", "2000"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert "cannot be written" in done.stdout and done.stdout.endswith(" 1900\n")
    assert Cache(tmp_path).get({"n": 0})["n"] == 0


def test_default_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path))
    assert default_cache().folder == tmp_path
