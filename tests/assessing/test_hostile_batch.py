"""A batch with models that hang, swell, crash or are no models completes, and neighbours do not notice."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.problems import Problems, load_problems
from srlib.rules import load_rules
from srlib.tables import RUNS, conform
from tests.processes import worker_ids

pytestmark = pytest.mark.slow

FEW = {"apply_calls": ("expand",), "simplify_work": 60_000}
MEASURE = load_rules("judging-2022").measure.model_copy(update=FEW)
PROBLEMS = """
schema: 1
name: hostile
problems:
  - dataset: cube
    property: extrapolation
    features: [x, y, z]
    target: t
    data: {train: "{data_seed}_train.csv", test: "{data_seed}_test.csv"}
    data_seeds: [1]
"""
HANGS = "0.09*x**5*sin(x*y)**8*cos(y/(z + 1.5))**7/((x + cos(y*z + z))*(z + sin(x)**3 + 1)*(y/(x + 2) + z)**4)"
LIMIT = 6.0
HOSTILE = {
    "killed": f"{HANGS} + {HANGS.replace('x', 'y')} + {HANGS.replace('z', 'x')}",
    "hangs": f"{HANGS} + {HANGS.replace('x', 'z')} + {HANGS.replace('z', 'y')} + 0.5*x",
    "tower": "9**9**9**9",
    "tower in a model": "x + 2.5*9**9**9**9",
    "swells": "expand((x+y+z+1.1)**400)",
    "factorial": "factorial(10**9)",
    "code": "__import__('os').system('true')",
    "deep": "sin(" * 3000 + "x" + ")" * 3000,
}
NEIGHBOURS = ["x + y - x", "2.5*x*y + 0.1004", "sin(x)**2 + cos(x)**2 + z", "exp(x)/y"]


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Problems:
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(3)
    for part in ("train", "test"):
        frame = pd.DataFrame(rng.uniform(1, 2, (20, 3)), columns=["x", "y", "z"])
        frame.assign(t=frame["x"] * frame["y"]).to_csv(folder / f"1_{part}.csv", index=False)
    (folder / "hostile.yaml").write_text(PROBLEMS, encoding="utf-8")
    return load_problems(folder / "hostile.yaml")


def runs_with(texts: dict[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame({"method": list(texts), "model": texts.values()})
    return conform(frame.assign(dataset="cube", repetition=1, status="ok"), RUNS, "runs")


def kill_a_worker() -> None:
    """Kill the first worker that is at work."""
    for _ in range(600):
        if workers := worker_ids(os.getpid()):
            os.kill(workers[0], signal.SIGKILL)
            return
        time.sleep(0.05)


@pytest.fixture(scope="module")
def table(problems: Problems) -> pd.DataFrame:
    texts = list(HOSTILE.items())
    mixed = [texts[0]]
    for i, row in enumerate(texts[1:]):
        mixed += [(f"neighbour {i}", NEIGHBOURS[i % len(NEIGHBOURS)]), row]
    killer = threading.Thread(target=kill_a_worker, daemon=True)
    killer.start()
    result = assess(
        runs_with(dict(mixed)), problems, MEASURE, cache=Cache(None), timeout=LIMIT, jobs=1
    )
    killer.join()
    return result.set_index("method")


@pytest.mark.parametrize(
    ("name", "parsed", "simplified", "reason"),
    [
        ("killed", "ok", {"work"}, ""),
        ("hangs", "ok", {"work"}, ""),
        ("tower", "ok", {"error"}, "too large for exact arithmetic"),
        ("tower in a model", "ok", {"error"}, "too large for exact arithmetic"),
        ("swells", "ok", {"work", "timeout", "memory"}, ""),
        (
            "factorial",
            "unparsed",
            {"skipped"},
            "a function that srlib knows was expected, got 'factorial'",
        ),
        ("code", "unparsed", {"skipped"}, "position 0"),
        ("deep", "ok", {"error"}, "nested too deeply"),
    ],
)
def test_the_row_carries_a_reason(
    name: str, parsed: str, simplified: set[str], reason: str, table: pd.DataFrame
) -> None:
    row = table.loc[name]
    assert row["parse_status"] == parsed
    assert row["simplify_status"] in simplified
    assert reason in row["detail"]
    if parsed == "ok":
        assert row["complexity"] >= row["complexity_raw"]  # nodes, where they can be counted
        assert row["r2_source"] == "recomputed"


def test_neighbours_are_those_of_an_undisturbed_batch(
    table: pd.DataFrame, problems: Problems
) -> None:
    peaceful = {
        name: text for name, text in table["model"].items() if str(name).startswith("neighbour")
    }
    alone = assess(runs_with(peaceful), problems, MEASURE, cache=Cache(None), timeout=60, jobs=2)
    alone = alone.set_index("method")
    assert alone["simplify_status"].eq("ok").all()
    pd.testing.assert_frame_equal(table.loc[alone.index, alone.columns], alone)
