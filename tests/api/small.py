"""A small competition that is not the demo: two datasets without data files, three methods, named features."""

from pathlib import Path

import pandas as pd

PROBLEMS = """
schema: 1
name: springs
problems:
  - {dataset: hooke, property: solution, features: [k, d], truth: k*d, domain: {k: [1, 3], d: [0, 2]}}
  - {dataset: drag, property: solution, features: [v, c], truth: c*v**2, domain: {v: [1, 4], c: [1, 2]}}
"""
MODELS = {
    ("Exact", "hooke"): "k*d",
    ("Exact", "drag"): "v*v*c + 0.0",
    ("Near", "hooke"): "k*d + 1.5",
    ("Near", "drag"): "c*v**2.2",
    ("Broken", "hooke"): "k*(d",
    ("Broken", "drag"): None,
}


def runs() -> pd.DataFrame:
    """Two repetitions of each model; R2 as reported."""
    rows = [
        (method, dataset, repetition, model, 1.0 if method == "Exact" else 0.9)
        for (method, dataset), model in MODELS.items()
        for repetition in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["method", "dataset", "repetition", "model", "r2_test"])


def problems(folder: Path) -> Path:
    """Write the problem file."""
    path = folder / "springs.yaml"
    path.write_text(PROBLEMS, encoding="utf-8")
    return path
