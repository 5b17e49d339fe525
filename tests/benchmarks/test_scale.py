"""From a thousand models to a hundred thousand: cost of isolation, cores, memory. Real texts with other constants."""

import contextlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.cache import Cache
from srlib.workers import bounded_map, usable_cpus
from tests.benchmarks import many
from tests.benchmarks.memory import PEAK
from tests.benchmarks.test_scoring import METHODS, REPETITIONS

SIZES = (1_000, 10_000, 100_000) if os.environ.get("SRLIB_BENCH_ALL") == "1" else (1_000, 4_000)
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
CHILD = f"""{PEAK}
import json, sys, time
from srlib.cli.main import main
start = time.perf_counter()
assert main(sys.argv[1:]) == 0
print(json.dumps(dict(seconds=time.perf_counter() - start, parent=peak_mib())))
"""


def largest_below(pid: int) -> float:
    """Largest peak memory (MB) of any process that descends from this one and lives now."""
    parents, peaks = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue  # it has ended
        parents[int(fields["Pid"])] = int(fields["PPid"])
        peaks[int(fields["Pid"])] = int(fields.get("VmHWM", "0 kB").split()[0]) / 1024
    below, added = {pid}, {pid}
    while added:
        added = {child for child, parent in parents.items() if parent in added}
        below |= added
    return max((peaks[one] for one in below - {pid}), default=0.0)


def texts(feather: pd.DataFrame, n: int) -> pd.DataFrame:
    """Short real models on their datasets, again and again with other constants, so that none is known."""
    short = feather.loc[feather["symbolic_model"].str.len() <= 40, ["dataset", "symbolic_model"]]
    short = (
        short[short["symbolic_model"].str.contains(NUMBER)].drop_duplicates().reset_index(drop=True)
    )
    generator = np.random.default_rng(13)
    models = [
        NUMBER.sub(
            lambda _: f"{generator.uniform(0.1, 9):.3f}", short["symbolic_model"][i % len(short)]
        )
        for i in range(n)
    ]
    datasets = [short["dataset"][i % len(short)] for i in range(n)]
    return pd.DataFrame(
        {"method": "M", "dataset": datasets, "repetition": range(n), "model": models}
    )


@pytest.fixture(scope="module")
def real(reference_data: Path) -> pd.DataFrame:
    return pd.read_feather(reference_data / "srbench" / "runs" / "rils-rols.feather")


def test_isolation_costs_little_and_cores_add_up(benchmark, say):
    """Overhead of a call in a worker against the plain call; throughput on all cores against one."""
    items = [float(n) for n in range(20_000)]
    start = time.perf_counter()
    for item in items:
        math.sqrt(item)
    plain = (time.perf_counter() - start) / len(items)
    start = time.perf_counter()
    list(bounded_map(math.sqrt, items, timeout=10, jobs=1))
    isolated = (time.perf_counter() - start) / len(items)
    say(f"isolation: {(isolated - plain) * 1e3:.3f} ms an item")
    work = [200_000] * 200

    def seconds(jobs: int) -> float:
        start = time.perf_counter()
        assert {
            outcome.status for _, outcome in bounded_map(_burn, work, timeout=60, jobs=jobs)
        } == {"ok"}
        return time.perf_counter() - start

    one, all_cores = seconds(1), benchmark.pedantic(lambda: seconds(usable_cpus()), rounds=1)
    say(f"throughput on {usable_cpus()} cores: {one / all_cores:.2f} times that of one")


def _burn(n: int) -> float:
    return sum(math.sqrt(i) for i in range(n))


def test_memory_and_cost_of_a_model_do_not_grow(benchmark, real, reference_data, tmp_path, say):
    """`srlib assess` with a cold cache on more and more models."""

    def assessed(n: int) -> dict[str, float]:
        table = tmp_path / f"{n}.parquet"
        texts(real, n).to_parquet(table)
        words = ["assess", str(table), "--problems", str(reference_data / "pmlb"), "--timeout", "2"]
        environment = os.environ | {"SRLIB_CACHE": str(tmp_path / f"cache-{n}")}
        call = [sys.executable, "-c", CHILD, *words, "--out", str(tmp_path / f"{n}-out.parquet")]
        others, own = 0.0, []
        with subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, text=True) as running:
            while running.poll() is None:
                others = max(others, largest_below(running.pid))
                with contextlib.suppress(OSError, AttributeError):  # it ends just now
                    status = Path(f"/proc/{running.pid}/status").read_text()
                    own.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024)
                time.sleep(0.5)
            assert running.returncode == 0
            figures = json.loads(running.stdout.read().splitlines()[-1])
        return figures | {"largest other": others, "while assessing": statistics.median(own)}

    found = {n: assessed(n) for n in SIZES[:-1]}
    found[SIZES[-1]] = benchmark.pedantic(assessed, args=(SIZES[-1],), rounds=1)
    for n, figures in found.items():
        say(
            f"{n} models: {figures['seconds'] / n * 1e3:.1f} ms a model, parent "
            f"{figures['while assessing']:.0f} MB while assessing, {figures['parent']:.0f} MB with its tables, "
            f"largest worker {figures['largest other']:.0f} MB"
        )
    assert len(pd.read_parquet(tmp_path / f"{SIZES[-1]}-out.parquet")) == SIZES[-1]


IN_PARTS = f"""{PEAK}
import json, sys, time
from srlib.api.judging import Judged
from srlib.judging import large
from tests.benchmarks.test_scoring import RULES, problems_of
large.LARGE = 1
start = time.process_time()
with large.large_table([sys.argv[1]], problems_of(int(sys.argv[3]))) as table:
    judgement = table.judge(RULES)
Judged(judgement).write(sys.argv[2])
cpu = time.process_time() - start
print(json.dumps(dict(cpu=cpu, peak=peak_mib(), scored=judgement.counts["scored"])))
"""


def test_ten_million_runs_are_scored(benchmark, tmp_path, say):
    """From Parquet to the four tables, dataset by dataset, in a process of its own."""
    datasets = 10_000 if os.environ.get("SRLIB_BENCH_ALL") == "1" else 1_000
    path = tmp_path / "runs.parquet"
    many.write(path, METHODS, datasets, REPETITIONS)
    root = Path(__file__).resolve().parents[2]

    def child() -> dict:
        call = [sys.executable, "-c", IN_PARTS, str(path), str(tmp_path / "out"), str(datasets)]
        environment = os.environ | {"PYTHONPATH": "."}
        done = subprocess.run(
            call, cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    found = benchmark.pedantic(child, rounds=1)
    n = METHODS * datasets * REPETITIONS
    say(f"{n} runs scored from Parquet in {found['cpu']:.1f} CPU s, peak {found['peak']:.0f} MB")
    assert found["scored"] == n
    assert found["peak"] < 1000


ASSESSED_IN_PARTS = f"""{PEAK}
import json, sys, time
from srlib.assessing import parts
from srlib.cli.main import main
parts.LARGE = 1
assert main(["assess", *sys.argv[1:], "--jobs", "1"]) == 0
print(json.dumps(dict(cpu=time.process_time(), peak=peak_mib())))
"""


def test_memory_of_the_parent_is_flat_while_assessing(benchmark, tmp_path, say):
    """Texts that are only read, as no problem file knows their datasets; three times as many take no more."""
    n = 30 * SIZES[-1]
    named = tmp_path / "p.yaml"
    problems = [{"dataset": "another", "features": ["x", "y"]}]
    named.write_text(json.dumps({"schema": 1, "name": "p", "problems": problems}))

    def peak(rows: int) -> float:
        place, path = np.arange(rows), tmp_path / "runs.parquet"
        table = pd.DataFrame({"method": place % 10, "dataset": place // 10 % 60})
        table = "m" + table["method"].astype("str"), "d" + table["dataset"].astype("str")
        columns = dict(zip(("method", "dataset"), table, strict=True)) | {
            "repetition": place // 600
        }
        texts = "sin(" + pd.Series(place).astype("str") + "*x) + y"
        pd.DataFrame(columns | {"model": texts}).to_parquet(path, row_group_size=100_000)
        words = [str(path), "--problems", str(named), "--out", str(tmp_path / "out.parquet")]
        call = [sys.executable, "-c", ASSESSED_IN_PARTS, *words]
        environment = os.environ | {"SRLIB_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        say(
            f"{rows} runs read and written in {found['cpu']:.0f} CPU s, peak {found['peak']:.0f} MB"
        )
        return found["peak"]

    few, many_ = peak(n // 3), benchmark.pedantic(lambda: peak(n), rounds=1)
    assert many_ < 1.2 * few + 50


def test_a_cache_entry_costs_little(benchmark, tmp_path):
    """Writing and reading back one result on disk."""
    cache = Cache(tmp_path)

    def both(rounds: int = 1000) -> None:
        for number in range(rounds):
            cache.put({"n": number}, {"text": "x1 + x2", "complexity": 3})
            assert cache.get({"n": number}) is not None
        cache.close()

    benchmark.pedantic(both, rounds=1)
