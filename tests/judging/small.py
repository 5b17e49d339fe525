"""A small competition for the tests of rules: its problems, and rows that are changed where a test asks for it."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from srlib.judging import Judgement, judge
from srlib.problems import Problems, load_problems
from srlib.rules import Rules, load_rules

PROBLEMS = """
schema: 1
name: small
defaults: {track: synthetic, target: y}
problems:
  - {dataset: formula, property: solution, features: [a, b], truth: a + b}
  - {dataset: select, property: relevant_features, features: [a, b, c, d], relevant: [a, b]}
  - {dataset: optima, property: local_optima, features: [a, b, c], surrogates: [c]}
  - {dataset: beyond, property: extrapolation, features: [a]}
  - {dataset: noise_base, features: [a], noise_level: 0.0, scored: false}
  - {dataset: noise_easy, property: noise_sensitivity, features: [a], noise_level: 0.05, noise_reference: noise_base}
  - {dataset: noise_hard, property: noise_sensitivity, features: [a], noise_level: 0.15, noise_reference: noise_base}
  - {dataset: seir_S, property: solution, family: seirS, features: [a, b], truth: a*b}
"""
DTYPES = {
    "bad_predictions": "Int64",
    "complexity": "Int64",
    "complexity_raw": "Int64",
    "solution": "boolean",
    "text_matches_predictions": "boolean",
    "r2_test": float,
    "r2_extrapolation": float,
} | {
    name: "str"
    for name in (
        "model",
        "reason",
        "detail",
        "features_used",
        "solution_kind",
        "simplify_status",
        "problem_digest",
    )
}


@lru_cache
def problems() -> Problems:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.yaml"
        path.write_text(PROBLEMS, encoding="utf-8")
        return load_problems(path)


def open_problems() -> Problems:
    """Return the same problems as a folder would state them: every repetition counts."""
    return replace(problems(), path=Path())


loaded = lru_cache(load_rules)


def rules(name: str, **changes: object) -> Rules:
    """Return shipped rules with some switches of the judge block set otherwise, checked like a file."""
    given = loaded(name)
    block = type(given.judge).model_validate(given.judge.model_dump(by_alias=True) | changes)
    return given.model_copy(update={"judge": block})


def row(method: str, dataset: str, repetition: int, **changes: object) -> dict[str, object]:
    values = {
        "method": method,
        "dataset": dataset,
        "repetition": repetition,
        "model": "a",
        "status": "ok",
        "reason": None,
        "parse_status": "ok",
        "r2_test": 0.9,
        "r2_source": "reported",
        "r2_extrapolation": None,
        "bad_predictions": 0,
        "complexity_raw": 5,
        "complexity": 5,
        "simplify_status": "ok",
        "features_used": '["a"]',
        "solution": False,
        "solution_kind": "different",
        "text_matches_predictions": None,
        "detail": None,
        "measure_digest": "m",
        "problem_digest": "p",
        "file": "t.csv",
        "row": 1,
    }
    return values | changes


def runs(table: dict[tuple[str, str], dict[str, list]], repetitions: int) -> pd.DataFrame:
    """Rows from {(method, dataset): {column: one value a repetition}}."""
    rows = [
        row(method, dataset, n, **{name: values[n] for name, values in columns.items()})
        for (method, dataset), columns in table.items()
        for n in range(repetitions)
    ]
    return pd.DataFrame(rows).astype(DTYPES)


def verdict(table: dict, repetitions: int, chosen: Rules) -> Judgement:
    return judge(runs(table, repetitions), problems(), chosen)


def ranks(judgement: Judgement, dataset: str, aspect: str) -> list[float]:
    a = judgement.aspects
    return (
        a[(a["dataset"] == dataset) & (a["aspect"] == aspect)]
        .sort_values("method")["aspect_rank"]
        .tolist()
    )


def scores(judgement: Judgement, dataset: str) -> list[float]:
    d = judgement.datasets
    return d[d["dataset"] == dataset].sort_values("method")["score"].tolist()
