"""The same work on Dask: the same results, whatever dies on the way."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.errors import InputError, SrlibError
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.recording import record
from srlib.rules import load_rules
from srlib.workers import dask_map
from srlib.workers.dask import CHUNK
from tests import workers_cases as cases
from tests.recording.test_record import PROBLEM, method

pytestmark = pytest.mark.slow

distributed = pytest.importorskip(
    "distributed", reason="dask.distributed is not installed: the extra 'cluster' has it"
)
CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(CHECKOUT))  # the workers' functions are in tests/
        folder = tmp_path_factory.mktemp("dask")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder)
        ) as made:
            yield made


def test_limits_hold_on_a_cluster(cluster):
    kinds = ["a", "exit", "memory", "hang", "raise", "b"]
    outcomes = dict(
        dask_map(cases.misbehave, kinds, timeout=3, scheduler=cluster.scheduler_address)
    )
    statuses = [outcomes[index].status for index in range(len(kinds))]
    assert statuses == ["ok", "crashed", "memory", "timeout", "error", "ok"]


def few_runs(per_dataset: int, longest: int = 30) -> pd.DataFrame:
    runs = read_runs("demo", prefer="runs").frame
    short = runs.loc[runs["model"].str.len().between(1, longest)].drop_duplicates(
        ["dataset", "model"]
    )
    return short.groupby("dataset").head(per_dataset).reset_index(drop=True)


def assessed(runs: pd.DataFrame, cache: Cache, **where) -> pd.DataFrame:
    measure = load_rules("judging-2022").measure
    return assess(runs, load_problems("synthetic-2022"), measure, cache=cache, timeout=60, **where)


def test_an_assessment_on_a_cluster_equals_the_local_one(cluster):
    few = few_runs(2).head(10)
    here = assessed(few, Cache(None), jobs=1)
    there = assessed(few, Cache(None), scheduler=cluster.scheduler_address)
    assert (here["simplify_status"] == "ok").all()
    pd.testing.assert_frame_equal(here, there)


def test_runs_on_a_cluster_equal_the_local_ones(cluster, tmp_path):
    """Methods that behave and methods that do not, on the workers of a scheduler."""
    (tmp_path / "line.yaml").write_text(PROBLEM)
    chosen = [method(kind) for kind in ("Good", "Raises", "Exits", "Writes")]
    here, there = (
        record(
            chosen,
            tmp_path / "line.yaml",
            tmp_path / name,
            repetitions=2,
            jobs=1,
            scheduler=scheduler,
        )
        for name, scheduler in (("here", None), ("there", cluster.scheduler_address))
    )
    assert dict(Counter(here["status"])) == {"ok": 4, "failed": 2, "crashed": 2}
    pd.testing.assert_frame_equal(
        here.drop(columns="training_time_s"), there.drop(columns="training_time_s")
    )
    assert not (tmp_path / "there" / "scratch").exists()


def test_a_killed_worker_loses_only_what_it_had_in_hand(cluster, tmp_path):
    items = [(str(tmp_path), number) for number in range(20 * CHUNK)]
    outcomes, finished = {}, Counter()
    for index, outcome in dask_map(
        cases.leave_a_mark, items, timeout=60, scheduler=cluster.scheduler_address
    ):
        outcomes[index] = outcome
        if len(outcomes) == 3 * CHUNK:
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            finished = Counter(outcomes)
    assert sorted(outcomes) == list(range(len(items)))
    assert {outcome.status for outcome in outcomes.values()} == {"ok"}
    marks = Counter(int(path.name.split("-")[0]) for path in tmp_path.iterdir())
    assert all(marks[index] == 1 for index in finished)
    # at most two chunks a thread were under way
    assert sum(marks.values()) <= len(items) + 2 * 2 * CHUNK


def test_nobody_at_the_address_is_one_sentence(monkeypatch):
    monkeypatch.setattr("srlib.workers.dask.CONNECT_S", 0.5)
    with pytest.raises(InputError, match="no Dask scheduler answers at tcp://127.0.0.1:9"):
        list(dask_map(cases.same, [1], timeout=1, scheduler="tcp://127.0.0.1:9"))


@pytest.mark.skipif(
    "SRLIB_CLUSTER" not in os.environ, reason="the scheduler is killed by `make test-cluster` only"
)
def test_a_killed_scheduler_costs_only_the_chunks_in_flight(tmp_path):
    marks, cache = tmp_path / "marks", Cache(tmp_path / "cache")
    marks.mkdir()
    items = [(str(marks), number) for number in range(30 * CHUNK)]

    def finish(port: int, stop_after: int | None) -> None:
        """Work through what the cache lacks, as an assessment does; perhaps the scheduler dies meanwhile."""
        with scheduler_with_workers(port) as scheduler:
            missing = [item for item in items if cache.get({"item": item[1]}) is None]
            outcomes = dask_map(
                cases.leave_a_mark, missing, timeout=60, scheduler=f"tcp://127.0.0.1:{port}"
            )
            for count, (index, outcome) in enumerate(outcomes):
                cache.put({"item": missing[index][1]}, outcome.value)
                if count == stop_after:
                    scheduler.kill()

    with pytest.raises(SrlibError, match="the same command goes on"):
        finish(18786, 5 * CHUNK)
    kept = [item[1] for item in items if cache.get({"item": item[1]}) is not None]
    assert 5 * CHUNK <= len(kept) < len(items)
    finish(18787, None)
    made = Counter(int(path.name.split("-")[0]) for path in marks.iterdir())
    assert [cache.get({"item": number}) for _, number in items] == [number for _, number in items]
    assert all(made[number] == 1 for number in kept)


@contextlib.contextmanager
def scheduler_with_workers(port):
    """A scheduler and two workers as processes of their own."""
    dask, address = [sys.executable, "-m", "dask"], f"tcp://127.0.0.1:{port}"
    host = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    limits = ["--nthreads", "1", "--no-dashboard", "--death-timeout", "60"]
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    processes = [
        subprocess.Popen([*dask, *words], env=environment, stderr=subprocess.DEVNULL)
        for words in (["scheduler", *host], *[["worker", address, *limits]] * 2)
    ]
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield processes[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()
