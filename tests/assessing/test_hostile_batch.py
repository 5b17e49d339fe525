"""A batch with models that swell, hang or are no models completes, and neighbours do not notice."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.tables import RUNS, conform
from tests.expressions.cases import cells

pytestmark = pytest.mark.slow

SWITCHES = {"apply_calls": ("expand",), "simplify_work": 60_000}
MEASURE = load_rules("judging-2022").measure.model_copy(update=SWITCHES)
PROBLEM = """{schema: 1, name: p, problems: [{dataset: cube, property: extrapolation, features: [x, y, z], target: t,
  data_seeds: [1], data: {train: "1.csv", test: "1.csv"}}]}"""
HANGS = "0.09*x**5*sin(x*y)**8*cos(y/(z + 1.5))**7/((x + cos(y*z + z))*(z + sin(x)**3 + 1)*(y/(x + 2) + z)**4)"
# text, how it is read, how simplifying may end, a part of the reason
HOSTILE = f"""
    {HANGS} + {HANGS.replace("x", "y")} + {HANGS.replace("z", "x")}  ok  work
    9**9**9**9                            ok        error                too large for exact arithmetic
    x + 2.5*9**9**9**9                    ok        error                too large for exact arithmetic
    expand((x+y+z+1.1)**400)              ok        work timeout memory
    factorial(10**9)                      unparsed  skipped              a function that srlib knows was expected
    __import__('os').system('true')       unparsed  skipped              position 0
    {"sin(" * 3000}x{")" * 3000}          ok        error                nested too deeply
"""
NEIGHBOURS = ["x + y - x", "2.5*x*y + 0.1004", "sin(x)**2 + cos(x)**2 + z", "exp(x)/y"]


def assess_texts(texts, folder, **options):
    """Assess models of a dataset whose target is x*y."""
    frame = pd.DataFrame(np.random.default_rng(3).uniform(1, 2, (20, 3)), columns=["x", "y", "z"])
    frame.assign(t=frame["x"] * frame["y"]).to_csv(folder / "1.csv", index=False)
    (folder / "p.yaml").write_text(PROBLEM)
    runs = pd.DataFrame({"model": texts, "repetition": 1, "dataset": "cube", "status": "ok"})
    runs = conform(runs.assign(method=[f"M{i}" for i in runs.index]), RUNS, "runs")
    problems = load_problems(folder / "p.yaml")
    return assess(runs, problems, MEASURE, cache=Cache(None), **options)


def test_each_row_has_its_reason_and_the_neighbours_are_as_alone(tmp_path):
    hostile = [(*row, "")[:4] for row in cells(HOSTILE)]
    table = assess_texts([*(row[0] for row in hostile), *NEIGHBOURS], tmp_path, timeout=6, jobs=1)
    rows = table.to_dict("records")
    for row, (text, parsed, simplified, reason) in zip(rows, hostile, strict=False):
        assert row["parse_status"] == parsed and reason in row["detail"], text
        assert row["simplify_status"] in simplified.split(), text
        if parsed == "ok":
            assert row["complexity"] >= row["complexity_raw"]  # nodes, where they can be counted
            assert row["r2_source"] == "recomputed"
    alone = assess_texts(NEIGHBOURS, tmp_path, timeout=60, jobs=2).drop(columns="method")
    neighbours = table[alone.columns].tail(len(NEIGHBOURS)).reset_index(drop=True)
    pd.testing.assert_frame_equal(neighbours, alone)
