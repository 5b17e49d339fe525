"""What is finished stays finished: killed processes, full disks, two processes on one cache, damaged entries."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from srlib.readers import read_runs
from srlib.table_files import write_frame
from tests.packed_cases import damage, entries, thinned
from tests.processes import start, worker_ids

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals and limits of POSIX"),
]
MODELS = 12
KILLS = 4


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Some short real models."""
    table = read_runs("demo", prefer="runs").frame
    chosen = (
        table.loc[table["model"].str.len().between(5, 60)].drop_duplicates("model").head(MODELS)
    )
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    write_frame(chosen[["method", "dataset", "repetition", "data_seed", "model", "names"]], path)
    return path


def started(runs: Path, cache: Path, out: Path, **limits: int) -> subprocess.Popen[str]:
    """Start `srlib assess`, perhaps on a disk that is full once a file has `file_bytes`."""
    words = ["assess", str(runs), "--problems", "synthetic-2022", "--out", str(out)]
    words += ["--jobs", "1", "--timeout", "60"]
    return start(words, environment={"SRLIB_CACHE": str(cache)}, **limits)


def finished(process: subprocess.Popen[str]) -> str:
    """What it said, once it is done and all is well."""
    said, complaint = process.communicate(timeout=300)
    assert (process.returncode, complaint) == (0, "")
    return said


@pytest.fixture(scope="module")
def undisturbed(runs, tmp_path_factory):
    """The table of a run that nobody disturbs, and how many results it kept."""
    folder = tmp_path_factory.mktemp("undisturbed")
    finished(started(runs, runs.parent / "cache", folder / "a.parquet"))
    return (
        pd.read_parquet(folder / "a.parquet"),
        len(entries(runs.parent / "cache")),
    )


def test_killed_at_some_moments_and_resumed_the_table_is_the_undisturbed_one(
    runs, undisturbed, tmp_path
):
    """Some as soon as it has begun, some a moment after it has kept one or two results more."""
    expected, kept = undisturbed
    moments = random.Random(2022)
    for kill in range(KILLS):
        enough = min(len(entries(tmp_path / "cache")) + kill % 3, kept)
        process = started(runs, tmp_path / "cache", tmp_path / "a.parquet")
        while len(entries(tmp_path / "cache")) < enough and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1 * moments.random())
        before = entries(tmp_path / "cache")
        process.kill()
        process.communicate()
        after = entries(tmp_path / "cache")
        assert before.items() <= after.items()
        if (tmp_path / "a.parquet").exists():
            pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), expected)
    known = entries(tmp_path / "cache")
    finished(started(runs, tmp_path / "cache", tmp_path / "a.parquet"))
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), expected)
    assert (
        known.items() <= entries(tmp_path / "cache").items()
        and len(entries(tmp_path / "cache")) == kept
    )


def test_a_full_disk_is_one_sentence_and_keeps_what_was_finished(runs, undisturbed, tmp_path):
    expected, kept = undisturbed
    (tmp_path / "a.parquet").write_bytes(b"an older table")
    shutil.copytree(runs.parent / "cache", tmp_path / "cache")
    before = thinned(tmp_path / "cache")
    process = started(runs, tmp_path / "cache", tmp_path / "a.parquet", file_bytes=2000)
    said, complaint = process.communicate(timeout=300)
    assert (process.returncode, said) == (2, "")
    assert len(complaint.splitlines()) == 1 and "cannot be written (File too large)" in complaint
    assert (tmp_path / "a.parquet").read_bytes() == b"an older table"
    known = entries(tmp_path / "cache")
    assert before.items() <= known.items() and 0 < len(before) < kept
    finished(started(runs, tmp_path / "cache", tmp_path / "a.parquet"))
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), expected)
    assert known.items() <= entries(tmp_path / "cache").items()


def test_two_processes_share_a_cache_and_a_damaged_entry_is_made_again(runs, undisturbed, tmp_path):
    expected, kept = undisturbed
    cache = tmp_path / "cache"
    both = [started(runs, cache, tmp_path / f"{name}.parquet") for name in "ab"]
    for process in both:
        finished(process)
    for name in "ab":
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / f"{name}.parquet"), expected)
    whole = entries(cache)
    assert len(whole) == kept
    cut = {name: text[:-7] for name, text in list(whole.items())[:3]}
    damage(cache, cut)
    finished(started(runs, cache, tmp_path / "c.parquet"))
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "c.parquet"), expected)
    assert set(entries(cache)) == set(whole)
    assert all(entries(cache)[name] != text for name, text in cut.items())


def test_killed_workers_change_no_result(runs, undisturbed, tmp_path):
    """As the kernel does when memory is short: the item is tried once more."""
    process = started(runs, tmp_path / "cache", tmp_path / "a.parquet")
    killed = 0
    while killed < 2 and process.poll() is None:
        for pid in worker_ids(process.pid)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        time.sleep(0.5)
    finished(process)
    assert killed == 2
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), undisturbed[0])
