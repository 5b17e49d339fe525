"""Random tables of runs with one hostile team, whose rows move no other team's value, ledger or place.

    python -m tests.fuzz.hostile --tables 1000 --seed 0

Each table is judged without the rows of team Z and with them, under one of the shipped rules. Ranks are counted from
the number of methods, so places may differ where Z is ranked; the values, the lines of the ledger and the numbers of
runs of the others may not, and where Z has no usable run the ranking of the others stays as it is.
Exit status 1 when something moves, or when the judge stops.
"""

import random
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import typer
import yaml

from srlib.competition import Competition, Resources
from srlib.errors import SrlibError
from tests.expressions.cases import cells

PROBLEMS = """
schema: 1
name: hostile
defaults: {track: synthetic, target: y, features: [a, b, c]}
problems:
  - {dataset: formula, property: solution, truth: a + b, domain: {a: [1, 3], b: [0, 2], c: [0, 1]}}
  - {dataset: select, property: relevant_features, relevant: [a, b]}
  - {dataset: beyond, property: extrapolation}
  - {dataset: clean, noise_level: 0.0, scored: false}
  - {dataset: noisy, property: noise_sensitivity, noise_level: 0.1, noise_reference: clean}
"""
[DATASETS] = cells("formula  select  beyond  clean  noisy")
[MODELS] = cells("a + b  a*b  2.5*a - b/3  7  a + c")
[RULES] = cells("judging-2022  judging-2022  proposal-2022  competition-2023  judging-2026")
REPETITIONS = (1, 2, 3)
# Lines that compare a method with the best one, as the rules ask for it.
RELATIVE = "of the best: worst rank in all aspects"


def row(method, dataset, repetition, **changes):
    values = {"model": "a + b", "r2_test": 0.9, "status": "ok"}
    key = {"method": method, "dataset": dataset, "repetition": repetition}
    return key | values | changes


def draw_honest(draw):
    """Draw runs of two or three teams; each has a usable run on every dataset."""
    return [
        row(method, dataset, n, model=draw.choice(MODELS), r2_test=round(draw.uniform(-1, 1), 3))
        for method in "ABC"[: draw.randint(2, 3)]
        for dataset in DATASETS
        for n in REPETITIONS
        if n == 1 or draw.random() < 0.9
    ]


def draw_cells(draw):
    """Draw rows of ordinary runs of a team."""
    return [
        row("Z", dataset, n, model=draw.choice(MODELS), r2_test=round(draw.uniform(-1, 1), 3))
        for dataset in DATASETS
        for n in REPETITIONS
    ]


def change_some(draw, rows, column, values):
    """Set a column of some rows, at least of the first, to one of these values."""
    return [
        row | {column: draw.choice(values)} if n == 0 or draw.random() < 0.5 else row
        for n, row in enumerate(rows)
    ]


# Columns that a kind changes in some rows of Z, and the values that they get.
CHANGES = yaml.safe_load(r"""
absurd_values: {r2_test: ["-1e60", "-1.7e308", "-0.0", "1", "0.9999999999999999", "1e300", "7"]}
damaged_cells: {r2_test: [abc, inf, "0,9", "1e999", --1, ""], repetition: [x, "1.5", "", "99999999999999999999", 1, 2]}
copied_names: {method: [a, "A ", "\u0410", "A\u200b", "\uff21", "A\u0301", "A\u00a0"]}
negative_repetitions: {repetition: [-1, -2, -3, 0, -1099511627776, 1]}
huge_models: {model: [LONG_SUM, DEEP_BRACKETS, MANY_SIGNS, DEEP_CALLS]}
failures: {status: [failed, FAILED, Timeout, memory, broken, "", "ok "]}
other_datasets: {dataset: [Formula, "formula ", formula@0.1, new, "", ../formula, select], repetition: [1, 2, 4, 99]}
unreadable_models: {model: ["", nan, a/0, "1e400", "[a, b]", import os, a +, "\u0430 + b", "lambda x: x"]}
markup: {method: [=1+1, "@SUM(A1)", <script>, "{A}", "%s", "Z\nA", '"', "A\u202eB"]}
few_runs: {}
clones: {}
duplicates: {}
""")
HUGE = {
    "LONG_SUM": "a" + " + a" * 3000,
    "DEEP_BRACKETS": "(" * 3000 + "a" + ")" * 3000,
    "MANY_SIGNS": "-" * 2000 + "b",
    "DEEP_CALLS": "exp(" * 300 + "a" + ")" * 300,
}


def draw_hostile(draw, kind, honest):
    """Draw the rows of Z: ordinary runs in which the columns of its kind are changed."""
    if kind == "clones":
        return [
            row | {"method": f"Z{n}"} for n in range(4) for row in honest if row["method"] == "A"
        ]
    rows = draw_cells(draw)[: 4 if kind == "huge_models" else None]
    if kind == "few_runs":
        return draw.sample(rows, draw.randint(1, 4))
    if kind == "duplicates":
        return rows + change_some(draw, rows, "r2_test", ["-1e9", "1.0", "0.5"])
    for column, values in CHANGES[kind].items():
        rows = change_some(draw, rows, column, [HUGE.get(value, value) for value in values])
    return rows


def judge_tables(folder, rules, tables):
    """Judge tables of rows, each written to a file of its own."""
    (folder / "problems.yaml").write_text(PROBLEMS, encoding="utf-8")
    paths = [folder / f"{name}.csv" for name in tables]
    for path, rows in zip(paths, tables.values(), strict=True):
        pd.DataFrame(rows).to_csv(path, index=False)
    resources = Resources(jobs=1)
    competition = Competition.read(paths, folder / "problems.yaml", rules, resources=resources)
    return competition.with_switches({"repetitions": len(REPETITIONS)}).judge()


def select_ledger(judgement, methods):
    """Return the ledger of some methods, without lines that compare them with the best one."""
    ledger = judgement.ledger
    is_relative = ledger["detail"].str.endswith(RELATIVE)
    return ledger[ledger["method"].isin(methods) & ~is_relative].reset_index(drop=True)


@lru_cache(maxsize=2)
def judge_honest(seed):
    """Draw and judge a table without Z: the rules, the rows and the judgement."""
    draw = random.Random(seed)
    rules, honest = draw.choice(RULES), draw_honest(draw)
    with tempfile.TemporaryDirectory() as folder:
        return rules, honest, judge_tables(Path(folder), rules, {"honest": honest})


def find_fault(kind, seed):
    """Return a sentence about what Z's rows moved in one table, or an empty one."""
    rules, honest, before = judge_honest(seed)
    methods = {row["method"] for row in honest}
    hostile = draw_hostile(random.Random(f"{kind}/{seed}"), kind, honest)
    place = f"{kind}, seed {seed}, {rules}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            after = judge_tables(Path(folder), rules, {"honest": honest, "hostile": hostile})
        except SrlibError as error:
            return f"{place}: the judge stops: {error}"
    keys = ["method", "dataset", "aspect"]
    both = before.aspects.merge(after.aspects, on=keys, suffixes=("", " after"))
    if len(both) < len(before.aspects):
        return f"{place}: values are lost"
    for column in ("n_runs", "value", "value_rounded"):
        old, new = (both[name].to_numpy(float) for name in (column, f"{column} after"))
        moved = both[~np.isclose(old, new, rtol=1e-12, atol=0, equal_nan=True)]
        if len(moved):
            return f"{place}: {column} moves:\n{moved.to_string()}"
    ledgers = [select_ledger(judgement, methods) for judgement in (before, after)]
    if not ledgers[0].equals(ledgers[1]):
        return f"{place}: the ledger moves:\n{pd.concat(ledgers).drop_duplicates(keep=False)}"
    others = after.ranking[after.ranking["method"].isin(methods)].reset_index(drop=True)
    if not set(after.screened.usable["method"]) - methods and not others.equals(before.ranking):
        return f"{place}: places move without a usable run of Z:\n{others}\n{before.ranking}"
    return ""


def main(tables: int = 120, seed: int = 0):
    """Judge the tables, a kind after the other, and print what moved."""
    kinds = list(CHANGES)
    faults = [
        fault
        for n in range(tables)
        if (fault := find_fault(kinds[n % len(kinds)], seed + n // len(kinds)))
    ]
    print(*faults, f"{tables} tables, {len(faults)} faults", sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    typer.run(main)
