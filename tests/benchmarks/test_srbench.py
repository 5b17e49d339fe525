"""Reading SRBench's JSON files and comparing all pairs: seconds, and what bounds them."""

import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.comparing.metrics import Metric
from srlib.comparing.paired_tests import compare_pairs
from srlib.readers import read_runs

FILES = 10_000


@pytest.fixture(scope="module")
def folder(reference_data, tmp_path_factory):
    """Ten thousand files made from SRBench's examples, with other seeds."""
    place = tmp_path_factory.mktemp("json")
    examples = sorted((reference_data / "srbench" / "json").rglob("*.json"))
    for number in range(FILES):
        path = examples[number % len(examples)]
        content = json.loads(path.read_text())
        seed = content["random_state"] + 100_000 * (number // len(examples))
        out = (
            place / content["dataset"] / path.name.replace(str(content["random_state"]), str(seed))
        )
        out.parent.mkdir(exist_ok=True)
        out.write_text(json.dumps(content | {"random_state": seed}, indent=4))
    return place


def in_a_loop(folder: Path) -> pd.DataFrame:
    rows = []
    for path in folder.glob("*/*.json"):
        with path.open() as stream:
            rows.append(json.load(stream))
    return pd.DataFrame.from_records(rows)


def best(function, *arguments, repeats: int = 3) -> tuple[float, float]:
    """Least wall-clock and CPU seconds of some calls."""
    times = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        function(*arguments)
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(times)[0], min(cpu for _, cpu in times)


def test_ten_thousand_json_files(benchmark, folder, say):
    """Beside what a loop does, the reader checks names, noise, statuses and rows."""
    loop = best(in_a_loop, folder)
    ours = best(read_runs, folder)
    say(
        f"{FILES} JSON files: loop {loop[0]:.2f} s (CPU {loop[1]:.2f}), srlib {ours[0]:.2f} s (CPU {ours[1]:.2f})"
    )
    assert len(benchmark.pedantic(read_runs, args=(folder,), rounds=1).frame) == FILES


def test_all_pairs_of_sixty_methods_on_five_hundred_datasets(benchmark, say):
    generator = np.random.default_rng(0)
    array = generator.normal(size=(500, 60))
    array[generator.random(array.shape) < 0.05] = np.nan
    frame = pd.DataFrame(array)
    wall, cpu = best(compare_pairs, frame, Metric("score"), repeats=2)
    say(f"1,770 pairs over 500 datasets: {wall:.2f} s (CPU {cpu:.2f})")
    assert len(benchmark.pedantic(compare_pairs, args=(frame, Metric("score")), rounds=1)) == 1770
