"""Pages of random competitions: each confirms its own numbers, or says in a sentence why there is nothing to show."""

import random

import pandas as pd
import pytest

from srlib.errors import InputError, NothingScoredError
from srlib.judging import readings
from tests.expressions.cases import cells
from tests.gauntlet.competition import FEW
from tests.gauntlet.pages import execute, passed, undrawn

pytestmark = pytest.mark.slow

PROPERTIES = cells("""
    solution           truth: a*b, features: [a, b]
    relevant_features  features: [a, b, c], relevant: [a]
    local_optima       features: [a, b, c], relevant: [a, b], surrogates: [c]
    extrapolation      features: [a, b]
    noise_sensitivity  features: [a, b], noise_level: 0.1, noise_reference: clean
""")
SEEDS = ("", "data_seeds: [7], ", "data_seeds: [1, 2, 3], ", "data_seeds: [11, 12], ")
[TEXTS] = cells("a*b  a + b  7  a/0  nope(  x1 + x2  2.5*a - b/3")
[RULES] = cells("judging-2022  competition-2022  competition-2023  proposal-2022  judging-2026")
[PAGES] = cells("synthetic  properties  noise  robustness  benchmark  participant")


def write_problems(draw: random.Random, path):
    """Write a problem file of one to six datasets, and return their names."""
    names = [f"d{number}" for number in range(draw.randint(1, 6))]
    entries = [f"{{dataset: clean, features: [a, b], scored: {draw.choice(['true', 'false'])}}}"]
    for name in names:
        kind, facts = draw.choice(PROPERTIES)
        seeds, weight = draw.choice(SEEDS), draw.choice(("", "weight: 2, ", "family: f, "))
        entries.append(f"{{dataset: {name}, {seeds}{weight}property: {kind}, {facts}}}")
    path.write_text(f"schema: 1\nname: random\nproblems: [{', '.join(entries)}]\n")
    return ["clean", *names, "unknown"]


def draw_runs(draw: random.Random, datasets):
    """Draw runs of one to five methods, some absent, failed or without R2."""
    rows = [
        {
            "method": method,
            "dataset": dataset,
            "repetition": repetition,
            "model": draw.choice(TEXTS[:3] if draw.random() < 0.7 else ["", *TEXTS]),
            "r2_test": draw.choice([draw.random(), draw.random(), 0.5, -3.0, -1e200, None]),
            "status": "failed" if draw.random() < 0.1 else "ok",
        }
        for method in "ABCDE"[: draw.randint(1, 5)]
        for dataset in datasets
        for repetition in draw.choice([(1,), (1, 2), (0, 1), (1, 2, 5), (11, 12)])
        if draw.random() < 0.9
    ]
    return pd.DataFrame(rows)


def draw_gate(draw: random.Random, methods):
    """Draw who qualified: verdicts, with a margin or without, or R2 beside those of the baseline."""
    if draw.random() < 0.5:
        verdicts = [(m, draw.random() < 0.7, draw.choice([0.5, -1, None])) for m in methods]
        return pd.DataFrame(verdicts, columns=["method", "qualified", "margin"])
    entered = [*methods, "LinearRegression", "ElasticNet"]
    scores = [(m, d, draw.choice([draw.random(), None])) for m in entered for d in "xyz"]
    return pd.DataFrame(scores, columns=["method", "dataset", "median_r2"])


@pytest.mark.parametrize("seed", range(6))
def test_page_confirms_its_numbers_or_says_why_there_are_none(seed, tmp_path, monkeypatch):
    draw = random.Random(seed)
    undrawn(monkeypatch)
    monkeypatch.setattr(readings, "READINGS", FEW)
    runs = draw_runs(draw, write_problems(draw, tmp_path / "problems.yaml"))
    runs.to_csv(tmp_path / "runs.csv", index=False)
    draw_gate(draw, runs["method"].unique()).to_csv(tmp_path / "gate.csv", index=False)
    given = {"rules": draw.choice(RULES), "resamples": 20}
    for name in PAGES:
        gate = draw.choice(["", str(tmp_path / "gate.csv")])
        try:
            said = execute(name, tmp_path, **given, qualified=gate)[1]
        except (InputError, NothingScoredError) as error:
            assert str(error)
        else:
            assert passed(said), (name, said)
