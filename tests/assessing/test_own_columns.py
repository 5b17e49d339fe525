"""A table's own columns never get in the way of those that assessing writes, and no cell stops the others."""

from pathlib import Path

import pandas as pd

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.tables import ASSESSMENTS, RUNS, conform

PROBLEM = "{schema: 1, name: p, problems: [{dataset: d, features: [a, b], truth: a*b}]}"


def test_own_columns_and_odd_cells(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PROBLEM)
    runs = pd.DataFrame(
        {
            "method": "A",
            "dataset": "d",
            "repetition": [1, 2, 3],
            "model": ["a*b", "x1*x2", None],
            "status": ["ok", "ok", "failed"],
            "names": ["features", None, "x1"],
            "predictions": ["a\0b", "a/" * 5000, None],
            "complexity": ["mine", "mine", "mine"],
            "measure_digest": "mine",
            "detail": "mine",
            "r2_test": [0.5, 0.6, None],
            "r2_test_reported": "mine",
        }
    )
    measure = load_rules("judging-2022").measure
    found = assess(
        conform(runs, RUNS, "here"), load_problems(tmp_path / "p.yaml"), measure,
        cache=Cache(None), jobs=1, folder=tmp_path,
    )  # fmt: skip
    assert found["complexity"].tolist()[:2] == [3, 3]
    assert found["solution"].tolist()[:2] == [True, True]
    for name in ("complexity", "measure_digest", "detail", "r2_test_reported"):
        assert found[f"{name}_given"].unique().tolist() == ["mine"]
    conform(found, ASSESSMENTS, "assessments")
