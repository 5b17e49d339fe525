"""The same work on Dask: the same results, whatever dies on the way."""

import os
import signal
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.errors import InterruptedResultsError
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.tools.recording import record
from srlib.workers.dask import CHUNK_SIZE, dask_map
from tests import workers_cases as cases
from tests.builders import recorded_method, recorded_problem, refused

pytestmark = pytest.mark.slow

distributed = pytest.importorskip(
    "distributed", reason="dask.distributed is not installed: the extra 'cluster' has it"
)
CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(CHECKOUT))  # the workers' functions are in tests/
        folder = str(tmp_path_factory.mktemp("dask"))
        options = {"threads_per_worker": 1, "dashboard_address": ":0", "local_directory": folder}
        with distributed.LocalCluster(n_workers=2, **options) as local:
            yield local


def test_runs_and_assessments_on_a_cluster_equal_local_ones(cluster, tmp_path, monkeypatch):
    """Methods that behave and methods that do not, on the workers of a scheduler; one client assesses all blocks."""
    monkeypatch.setattr(import_module("srlib.assessing.assess"), "BLOCK_SIZE", 1)
    clients, client = [], distributed.Client
    monkeypatch.setattr(distributed, "Client", lambda *a, **k: clients.append(a) or client(*a, **k))
    (tmp_path / "line.yaml").write_text(recorded_problem())
    problems, measure = load_problems(tmp_path / "line.yaml"), load_rules("judging-2022").measure
    methods, tables = [*map(recorded_method, ("Good", "Raises", "Exits", "Writes"))], []
    for folder, scheduler in (("here", None), ("there", cluster.scheduler_address)):
        options = {"jobs": 1, "scheduler": scheduler}
        runs = record(methods, problems, tmp_path / folder, repetitions=2, **options)
        runs = runs.drop(columns="training_time_s")
        clients.clear()
        tables.append([runs, assess(runs, problems, measure, cache=Cache(None), **options)])
    assert len(clients) == 1
    for here, there in zip(*tables, strict=True):
        pd.testing.assert_frame_equal(here, there)
    assert runs["status"].value_counts().to_dict() == {"ok": 4, "failed": 2, "crashed": 2}
    assert list(tmp_path.rglob("scratch")) == []


def test_killed_dask_worker_loses_only_its_unfinished_chunks(cluster, tmp_path):
    items = [(str(tmp_path), number) for number in range(20 * CHUNK_SIZE)]
    outcomes, finished, address = {}, [], cluster.scheduler_address
    for index, outcome in dask_map(cases.leave_a_mark, items, timeout=60, scheduler=address):
        outcomes[index] = outcome.status
        if len(outcomes) == 3 * CHUNK_SIZE:
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            finished = list(outcomes)
    assert outcomes == dict.fromkeys(range(len(items)), "ok")
    marks = Counter(int(path.name.split("-")[0]) for path in tmp_path.iterdir())
    assert {marks[index] for index in finished} == {1}
    # at most two chunks a thread were under way
    assert sum(marks.values()) <= len(items) + 2 * 2 * CHUNK_SIZE


def test_address_without_a_scheduler_is_one_sentence(monkeypatch):
    monkeypatch.setattr("srlib.workers.dask.CONNECT_TIMEOUT_S", 0.5)
    with refused("no Dask scheduler answers at tcp://127.0.0.1:9"):
        list(dask_map(cases.same, [1], timeout=1, scheduler="tcp://127.0.0.1:9"))


def test_scheduler_without_workers_is_named_after_seconds(tmp_path, monkeypatch, capsys):
    for name in ("SILENT_S", "IDLE_TIMEOUT_S"):
        monkeypatch.setattr(f"srlib.workers.dask.{name}", 0.5)
    options = {"dashboard_address": ":0", "local_directory": tmp_path}
    with distributed.LocalCluster(n_workers=0, **options) as cluster:
        address = cluster.scheduler_address
        with pytest.raises(InterruptedResultsError, match="or has had no worker for 0.5 s"):
            list(dask_map(cases.same, [1], timeout=1, scheduler=address))
    assert capsys.readouterr().err == f"srlib: {address}: waiting for workers\n"


def start_dask(*words):
    command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)


def test_killed_scheduler_ends_the_work_with_a_sentence(tmp_path, monkeypatch):
    """What came before is there; the same command goes on from it."""
    monkeypatch.setattr("srlib.workers.dask.CONNECT_TIMEOUT_S", 60)
    address = "tcp://127.0.0.1:18786"
    processes = [
        start_dask("scheduler", "--host", "127.0.0.1", "--port", "18786"),
        start_dask("worker", address, "--nthreads", "1", "--death-timeout", "60"),
    ]
    try:
        items = [(str(tmp_path), number) for number in range(30 * CHUNK_SIZE)]
        outcomes = dask_map(cases.leave_a_mark, items, timeout=60, scheduler=address)
        assert {next(outcomes)[1].status for _ in range(5 * CHUNK_SIZE)} == {"ok"}
        processes[0].kill()
        with pytest.raises(InterruptedResultsError, match="run the same command again"):
            list(outcomes)
    finally:
        for process in processes:
            process.kill()
            process.wait()
