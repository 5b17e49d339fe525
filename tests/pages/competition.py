"""Competitions drawn at random, with the odd names, rows, teams and rules that strangers bring."""

import json
import random
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pandas as pd
import yaml
from pydantic import BaseModel

from srlib.assessing.completing import complete_assessments
from srlib.files import PARAMETERS
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules
from srlib.rules.judge import JudgeRules
from srlib.table_files import write_frame
from srlib.yaml_files import load_yaml
from tests.pages.harness import measure_here

METHODS = yaml.safe_load("""
[Alpha <b>, LinearRegression, a = b, Émile Ü, "}%", "two  words", dataset, Ω, n_runs, zeta-1, γ/δ,
 a method with a name that is longer than any column of a table]
""")
# Texts from the truth downwards. A `formula` makes the rows; without it a dataset has no data, and R2 is reported.
PROBLEMS = """
- {dataset: calm, family: wave, features: [s], truth: s^2 + 1, formula: s^2 + 1, scored: false,
   texts: [s^2 + 1, 1.3*s^2 + 0.5, s]}
- {dataset: loud, family: wave, property: noise_sensitivity, features: [s], truth: s^2 + 1, formula: s^2 + 1,
   noise_level: 0.2, noise_reference: calm, texts: [s^2 + 1, 1.3*s^2 + 0.5, s]}
- {dataset: Pick Me, property: relevant_features, features: [u, v, w], relevant: [u], truth: sin(u), formula: sin(u),
   difficulty: easy, texts: [sin(u), u - 0.15*u^3, 0.8*u + 0.001*w, v]}
- {dataset: louder, family: wave, property: noise_sensitivity, features: [s], truth: s^2 + 1, formula: s^2 + 1,
   noise_level: 0.5, noise_reference: calm, difficulty: hard, texts: [s^2 + 1, 1.3*s^2 + 0.5, s]}
- {dataset: rational, property: solution, features: [x1, x2], truth: x1 + 2*x2, texts: [x1 + 2*x2, x1 + 2*x2 + 1, x2]}
- {dataset: house, features: [area, age], formula: 3*area - 0.1*age, texts: [3*area - 0.1*age, 3*area + 0.2, age]}
- {dataset: trap, property: local_optima, features: [a, b, c], relevant: [a], surrogates: [c], truth: a^2,
   formula: a^2, difficulty: hard, texts: [a^2, a^2 + 0.01*c, c]}
- {dataset: beyond, property: extrapolation, features: [t], truth: t^2, formula: t^2, texts: [t^2, 2*t - 0.9, '3']}
- {dataset: cars é, features: [speed, mass], texts: [speed*mass, speed + mass, mass]}
- {dataset: seir_1, family: seir, weight: 2, features: [q], truth: q^2, texts: [q^2, q, '1']}
"""
OTHER_TRACKS = """
- {dataset: clinic, track: real-world, features: [dose, age], formula: dose/(1 + age),
   texts: [dose/(1 + age), dose, age]}
- {dataset: line, track: qualification, features: [g], texts: [g, 2*g]}
- {dataset: curve, track: qualification, features: [g, h], texts: [g*h, g + h]}
"""
UNREADABLE = [r"\frac{x}{y", "nope("]
ODD_RUNS = {  # what an odd row is: its code in the ledger, and a word of that code's meaning
    "duplicate": ("invalid_value", "row"),
    "unknown": ("unknown_dataset", "dataset"),
    "unreadable": ("unparsed", "read"),
    "failed": ("failed_run", "failed"),
}
CHOICES: dict[str, list[Any]] = (
    yaml.safe_load("""  # values of switches that are no choice of a few words
tracks: [[synthetic], [synthetic, real-world]]
repetitions: [2, 1, 3]
minimal_accuracy: [null, 0.5]
noise_guard.min_accuracy: [0.5, 0.99]
qualification.baseline: [LinearRegression]
quirks: [[], [even_features_irrelevant], [noise_base_as_easy], [seir_left_out]]
aspects:
- &shipped
  accuracy: &accuracy {from: r2_test, direction: higher, digits: 3, round: after}
  simplicity: &simplicity {from: complexity, direction: lower, transform: neg_log, base: 5, digits: 1, round: after}
  property: &property {from: property, direction: by_property}
- {fit: {from: r2_test, direction: higher, digits: 2, round: before}, trait: *property, size: *simplicity}
- {accuracy: {from: r2_test, direction: higher}, size: {from: complexity_raw, direction: lower}}  # no property
- {accuracy: *accuracy, property: *property, energy: {from: energy_kwh, direction: lower, weight: 2}}
- {points: {from: value, direction: higher}, accuracy: *accuracy, simplicity: *simplicity, property: *property}
""")
)


def list_switches(block: type[BaseModel] = JudgeRules, prefix: str = "") -> dict[str, list[Any]]:
    """Return the values of each switch of the rules' judge block, by its dotted name."""
    switches = dict[str, list[Any]]()
    for name, field in block.model_fields.items():
        path, kind = f"{prefix}{name}", field.annotation
        if path in CHOICES:
            switches[path] = CHOICES[path]
        elif get_origin(kind) is Literal:
            switches[path] = list(get_args(kind))
        else:
            switches |= list_switches(kind, f"{path}.")  # type: ignore[arg-type]
    return switches


def draw_rules(seed: int) -> dict[str, Any]:
    """Return rules in which every value of every switch has been drawn after as many seeds as it has values."""
    rules: dict[str, Any] = load_yaml(PARAMETERS / "rules/judging-2022.yaml")
    rules["name"], judge = "own", rules["judge"]
    del rules["sources"]
    for path, values in list_switches().items():
        start = random.Random(path).randrange(len(values)) if seed else 0
        block, (*outer, key) = judge, path.split(".")
        for name in outer:
            block = block.setdefault(name, {})
        block[key] = values[(seed + start) % len(values)]
    if judge["combine"] == "one_harmonic":
        judge["rank_start"] = 1
    if "noise_base_as_easy" in judge["quirks"]:
        judge["properties"]["noise_sensitivity"] = "r2_test"
    return rules


@dataclass(frozen=True)
class Drawn:
    """A competition in a folder: its runs with a column `odd`, its rules, and the methods without a qualification row.

    `truthful` is a method that sends the truth in each run that is expected of it, where a truth is known.
    """

    folder: Path
    rules: dict[str, Any]
    runs: pd.DataFrame
    problems: list[dict[str, Any]]
    truthful: str
    has_gate: bool
    has_ballots: bool

    @property
    def aspects(self) -> set[str]:
        """Sources of the aspects."""
        return {aspect["from"] for aspect in self.rules["judge"]["aspects"].values()}


def draw_competition(seed: int, folder: Path, monkeypatch: Any, small: bool = False) -> Drawn:
    """Write problems, rules, assessed runs, gate and ballots into a folder."""
    draw, rules = random.Random(seed), draw_rules(seed)
    problems = yaml.safe_load(PROBLEMS)[: draw.randint(3, 4) if small else draw.randint(1, 10)]
    if not small and draw.random() < 0.3:  # twice as many, up to 20
        problems += [entry | {"dataset": f"{entry['dataset']} 2"} for entry in problems]
    methods = METHODS[: draw.randint(2, 3) if small else draw.randint(2, 12)]
    draw.shuffle(methods)
    others = yaml.safe_load(OTHER_TRACKS)
    if not any(problem.get("scored", True) for problem in problems):
        problems[0]["scored"] = True
    runs = draw_runs(draw, [*problems, *others], methods, rules["judge"]["repetitions"])
    for problem in [*problems, *others]:
        del problem["texts"]
        features = {name: ["uniform", 0, 2] for name in problem["features"]}
        recipe = {
            "features": features,
            "rows": {"train": 12, "test": 8},
            "ratio": problem.get("noise_level", 0),
        }
        if problem.get("property") == "extrapolation":
            beyond = {name: ["uniform", 2, 3] for name in features}
            recipe |= {
                "extrapolation": beyond,
                "rows": {"train": 12, "test": 8, "extrapolation": 8},
            }
        if formula := problem.pop("formula", ""):
            problem["data"] = {"generator": "formula", "arguments": {"formula": formula} | recipe}
            problem["data_seeds"] = [11, 12, 13]
    listing = {"schema": 1, "name": "drawn", "problems": [*problems, *others]}
    for name, content in (("problems", listing), ("rules", rules)):
        plain = json.loads(json.dumps(content))  # without aliases
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    runs.drop(columns=["odd", "file", "row"]).to_csv(folder / "sent.csv", index=False)
    monkeypatch.setattr(import_module("srlib.assessing.assess"), "bounded_map", measure_here)
    table = read_runs(folder / "sent.csv")
    parts = load_problems(folder / "problems.yaml"), load_rules(folder / "rules.yaml").measure
    assessments = complete_assessments(table, *parts)
    for file, rows in runs.groupby("file"):  # the last team has a file of its own
        write_frame(assessments.loc[rows.index], folder / "runs" / f"{file}.parquet")
    has_gate, has_ballots = draw.random() < 0.6, draw.random() < 0.5
    gate = [(name, draw.random() < 0.7, draw.choice([0.5, -1.0])) for name in methods]
    gate = [(methods[0], True, 0.5), *gate[1:-1]]  # one qualified, one has no row
    pd.DataFrame(gate, columns=["method", "qualified", "margin"]).to_csv(
        folder / "gate.csv", index=False
    )
    experts = runs[(runs["dataset"] == "clinic") & (runs["odd"] == "")].drop_duplicates("method")
    ballots = experts[["method", "dataset"]].assign(
        expert="E 1", trust=range(1, len(experts) + 1), rank=None
    )
    ballots.to_csv(folder / "trust.csv", index=False)
    return Drawn(
        folder,
        rules,
        runs,
        [*problems, *others],
        methods[0],
        has_gate,
        has_ballots and len(experts) > 1,
    )


def draw_runs(
    draw: random.Random, problems: list[dict[str, Any]], methods: list[str], repetitions: int
) -> pd.DataFrame:
    """Return the runs: the first method sends the truth everywhere, the last but one only unreadable texts at times."""
    rows = list[dict[str, Any]]()
    broken = methods[-1] if draw.random() < 0.4 and len(methods) > 2 else ""
    for method in methods:
        for problem in problems:
            texts, reported = problem["texts"], round(draw.uniform(-0.5, 0.99), 3)
            for repetition in range(1, repetitions + 1):
                row = {"method": method, "dataset": problem["dataset"], "repetition": repetition, "status": "ok",
                       "model": draw.choice(texts), "odd": "", "r2_test": reported}  # fmt: skip
                fate = draw.random()
                if method == methods[0]:
                    row["model"] = texts[0]
                elif method == broken:
                    row |= {"model": draw.choice(UNREADABLE), "odd": "unreadable"}
                elif fate < 0.05:
                    row |= {"status": "failed", "odd": "failed"}
                elif fate < 0.1:
                    row |= {"model": draw.choice(UNREADABLE), "odd": "unreadable"}
                elif fate < 0.15:
                    continue
                elif fate < 0.2:
                    rows.append(row)
                    row = row | {"odd": "duplicate"}
                elif fate < 0.25:
                    rows.append(row | {"dataset": f"nowhere {len(rows)}", "odd": "unknown"})
                rows.append(row)
    table = pd.DataFrame(rows)
    table["file"] = table["method"].eq(methods[-1]).map({True: "own", False: "all"})
    return table.assign(
        row=table.groupby("file").cumcount() + 1,
        training_time_s=1.5 * table["repetition"] + table["model"].str.len(),
        energy_kwh=0.01 * table["repetition"] * table["dataset"].str.len(),  # a column of one's own
        value=table["r2_test"] * 100,  # a measure, to be taken as it stands
    )
