"""A competition unlike the demo in every respect, with all the odd teams and datasets that strangers bring."""

from typing import Any

import numpy as np
import pandas as pd
import yaml

from srlib.files import PARAMETERS
from srlib.judging import readings
from srlib.yaml_files import load_yaml

# of 4,096
FEW = {path: readings.READINGS[path] for path in [("ties",), ("missing", "incomplete")]}
# a `rule` makes the target; without it a dataset has no data, and R2 is reported
PROBLEMS = """
- {dataset: house, features: [area, rooms, age], rule: 3*area + rooms - 0.1*age}  # no truth, no property
- {dataset: rational, property: solution, features: [x1, x2], truth: (x1+2*x2)/(1+x1^2),
   rule: (x1 + 2*x2)/(1 + x1**2)}
- {dataset: Pick Me, property: relevant_features, features: [u, v, w], relevant: [u], rule: sin(u)}
- {dataset: trap, property: local_optima, features: [a, b, c], relevant: [a], surrogates: [c], rule: a**2}
- {dataset: beyond, property: extrapolation, features: [t], difficulty: hard, rule: t**2}
- {dataset: calm, features: [s], noise_level: 0.0, scored: false, rule: s**2 + 1}
- {dataset: loud, property: noise_sensitivity, features: [s], noise_level: 0.2, noise_reference: calm,
   rule: s**2 + 1 + 0.3*sin(50*s)}
- {dataset: cars, features: [speed, mass]}
- {dataset: silent, property: solution, features: [q], truth: q^2, rule: q**2}  # nobody sent a run
- {dataset: clinic, track: real-world, features: [dose, weight, age], rule: dose/(1 + weight)}
- {dataset: line, track: qualification, features: [g]}
- {dataset: curve, track: qualification, features: [g, h]}
"""
MODELS = """
good: {house: 3.01*area + rooms - 0.1*age, rational: (x1 + 2.0*x2)/(1 + x1^2), Pick Me: u - 0.15*u^3,
  trap: a^2 + 0.01*c, beyond: t^2, calm: s^2 + 1, loud: s^2 + 1.02, cars: speed*mass, clinic: dose/(1 + weight),
  line: g, curve: g*h}
fair: {house: 3*area + 0.2, rational: x1 + x2, Pick Me: 0.8*u + 0.001*w, trap: a*a + b*0.1, beyond: 2*t - 0.9,
  calm: 1.3*s + 0.5, loud: 1.1*s + 0.5, cars: speed + mass, clinic: dose - 0.1*weight, line: 2*g, curve: g + h}
# as fair, by positions counted from 1
counted: {house: 3*x1 + 0.2*x3, rational: x1 + x2, Pick Me: 0.8*x1, trap: x1*x1, beyond: 2*x1 - 0.9,
  calm: 1.3*x1 + 0.5, loud: 1.1*x1 + 0.5, cars: x1 + x2, clinic: x1 - 0.1*x3, line: 2*x1, curve: x1 + x2}
baseline: {line: 2*g, curve: g}
house alone: {house: 3*area + 0.2}
trap alone: {trap: a*a + b*0.1}
"""
# the models of each team, and what others send everywhere
TEAMS = yaml.safe_load("""
{Alpha <b>: good, Beta: fair, from_1: counted, Twin: good, one set: house alone, OneRun: fair, Case: trap alone,
 "case ": house alone, LinearRegression: baseline}
""")
SAME = yaml.safe_load(r"{Latex: '\frac{x}{y', Empty: '', Constant: '3.25', Infinite: 1e300^2}")
SUITE = """
schema: 1
suite: gauntlet
title: Odd & own
defaults: {runs: ./runs.csv, problems: ./problems.yaml, rules: ./rules.yaml}
reports:
  - {name: qualification, notebook: qualification}
  - {name: synthetic, notebook: synthetic}
  - {name: properties, notebook: properties}
  - {name: noise, notebook: noise}
  - {name: real_world, notebook: real_world}
  - {name: benchmark, notebook: benchmark}
  - {name: robustness, notebook: robustness, parameters: {resamples: 50}}
  - {name: participants, notebook: participant, for_each: method}
"""


def runs(methods=(), datasets=()):
    """Make the run table, of some methods and datasets or of all."""
    models = yaml.safe_load(MODELS)
    texts = {team: models[name] for team, name in TEAMS.items()}
    texts |= {team: dict.fromkeys(models["good"], text) for team, text in SAME.items()}
    rows = [
        (method, dataset, repetition, text)
        for method in methods or texts
        for dataset, text in texts[method].items()
        if dataset in (datasets or models["good"])
        for repetition in ((1,) if method == "OneRun" else (1, 2))
    ]
    table = pd.DataFrame(rows, columns=["method", "dataset", "repetition", "model"])
    r2 = {"Alpha <b>": 0.99, "Twin": 0.99, "Constant": 0.0, "LinearRegression": 0.5}
    reported = table["method"].map(r2).fillna(0.8) - 0.01 * table["repetition"]
    return table.assign(
        r2_test=reported.where(table["dataset"].isin(["cars", "line", "curve"])),
        training_time_s=1.5 * table["repetition"] + table["model"].str.len(),
        energy_kwh=0.01 * table["repetition"] * table["dataset"].str.len(),  # a column of one's own
        value=reported * 100,  # a measure, to be taken as it stands
    )


def write(folder, methods=(), datasets=(), measure=None, **judge):
    """Write suite, problems, rules, runs and data into a folder; `measure` and `judge` change switches.

    Returns the suite.
    """
    (folder / "data").mkdir(exist_ok=True, parents=True)
    generator, problems = np.random.default_rng(7), yaml.safe_load(PROBLEMS)
    for problem in problems:
        if "rule" in problem:
            problem |= {"target": "y", "data": {}}
            write_data(folder / "data", problem, problem.pop("rule"), generator)
    rules: dict[str, Any] = load_yaml(PARAMETERS / "rules/judging-2022.yaml")
    rules["name"] = "own"
    if "aspects" in judge:
        del rules["sources"]
    rules["measure"] |= measure or {}
    for key, value in ({"repetitions": 2} | judge).items():
        nested = isinstance(value, dict) and key != "aspects"
        rules["judge"][key] = rules["judge"].get(key, {}) | value if nested else value
    listing = {"schema": 1, "name": "gauntlet", "data_root": "data", "problems": problems}
    for name, content in (("problems", listing), ("rules", rules)):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    runs(methods, datasets).to_csv(folder / "runs.csv", index=False)
    (folder / "suite.yaml").write_text(SUITE)
    return folder / "suite.yaml"


def write_data(folder, problem, rule, generator):
    """Write the files of a problem, and name them in it."""
    parts = [("train", 40, 0, 2), ("test", 20, 0, 2), ("extrapolation", 20, 2, 3)]
    for part, rows, low, high in parts[: 3 if problem["dataset"] == "beyond" else 2]:
        columns = {name: generator.uniform(low, high, rows) for name in problem["features"]}
        table = pd.DataFrame(columns)
        if "c" in table:
            table["c"] = table["a"] ** 2 + generator.normal(0, 0.1, rows)
        table["y"] = table.eval(rule)
        problem["data"][part] = f"{problem['dataset']}_{part}.csv".replace(" ", "_")
        table.to_csv(folder / problem["data"][part], index=False)
