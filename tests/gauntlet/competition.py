"""A competition unlike the demo in every respect, with all the odd teams and datasets that strangers bring."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from srlib.files import NOTEBOOKS, PARAMETERS
from srlib.judging.robustness import readings
from srlib.yaml_files import load_yaml

REPETITIONS = 2
# of 4,096
FEW = {path: readings.READINGS[path] for path in [("ties",), ("missing", "incomplete")]}
PROBLEMS: list[dict[str, Any]] = [
    {"dataset": "house", "features": ["area", "rooms", "age"]},  # no truth, no property
    {"dataset": "rational", "property": "solution", "features": ["x1", "x2"], "truth": "(x1+2*x2)/(1+x1^2)"},
    {"dataset": "Pick Me", "property": "relevant_features", "features": ["u", "v", "w"], "relevant": ["u"]},
    {"dataset": "trap", "property": "local_optima", "features": ["a", "b", "c"], "relevant": ["a"],
     "surrogates": ["c"]},
    {"dataset": "beyond", "property": "extrapolation", "features": ["t"], "difficulty": "hard"},
    {"dataset": "calm", "features": ["s"], "noise_level": 0.0, "scored": False},
    {"dataset": "loud", "property": "noise_sensitivity", "features": ["s"], "noise_level": 0.2,
     "noise_reference": "calm"},
    {"dataset": "cars", "features": ["speed", "mass"], "data": None},  # no data, no property: reported R2
    {"dataset": "silent", "property": "solution", "features": ["q"], "truth": "q^2"},  # nobody sent a run
    {"dataset": "clinic", "track": "real-world", "features": ["dose", "weight", "age"]},
    {"dataset": "line", "track": "qualification", "features": ["g"], "data": None},
    {"dataset": "curve", "track": "qualification", "features": ["g", "h"], "data": None},
]  # fmt: skip
TRUTHS = {
    "house": lambda area, rooms, age: 3 * area + rooms - 0.1 * age,
    "rational": lambda x1, x2: (x1 + 2 * x2) / (1 + x1**2),
    "Pick Me": lambda u, v, w: np.sin(u) + 0 * v,
    "trap": lambda a, b, c: a**2 + 0 * b,
    "beyond": lambda t: t**2,
    "calm": lambda s: s**2 + 1,
    "loud": lambda s: s**2 + 1 + 0.3 * np.sin(50 * s),
    "silent": lambda q: q**2,
    "clinic": lambda dose, weight, age: dose / (1 + weight) + 0 * age,
}
GOOD = {
    "house": "3.01*area + rooms - 0.1*age", "rational": "(x1 + 2.0*x2)/(1 + x1^2)", "Pick Me": "u - 0.15*u^3",
    "trap": "a^2 + 0.01*c", "beyond": "t^2", "calm": "s^2 + 1", "loud": "s^2 + 1.02", "cars": "speed*mass",
    "clinic": "dose/(1 + weight)", "line": "g", "curve": "g*h",
}  # fmt: skip
FAIR = {
    "house": "3*area + 0.2", "rational": "x1 + x2", "Pick Me": "0.8*u + 0.001*w", "trap": "a*a + b*0.1",
    "beyond": "2*t - 0.9", "calm": "1.3*s + 0.5", "loud": "1.1*s + 0.5", "cars": "speed + mass",
    "clinic": "dose - 0.1*weight", "line": "2*g", "curve": "g + h",
}  # fmt: skip
COUNTED = {  # as Fair, by positions counted from 1
    "house": "3*x1 + 0.2*x3", "rational": "x1 + x2", "Pick Me": "0.8*x1", "trap": "x1*x1",
    "beyond": "2*x1 - 0.9", "calm": "1.3*x1 + 0.5", "loud": "1.1*x1 + 0.5", "cars": "x1 + x2",
    "clinic": "x1 - 0.1*x3", "line": "2*x1", "curve": "x1 + x2",
}  # fmt: skip
SAME = {
    "Latex": r"\frac{x}{y",
    "Empty": "",
    "Constant": "3.25",
    "Infinite": "1e300^2",
    "LinearRegression": None,
}


def teams() -> dict[str, dict[str, str]]:
    """Give each team's model text on each dataset."""
    named = {"Alpha <b>": GOOD, "Beta": FAIR, "from_1": COUNTED, "Twin": GOOD}
    named["one set"] = {"house": FAIR["house"]}
    named["OneRun"] = FAIR
    named["Case"], named["case "] = {"trap": FAIR["trap"]}, {"house": FAIR["house"]}
    flat = {name: text for name, text in SAME.items() if text is not None}
    named |= {name: dict.fromkeys(GOOD, text) for name, text in flat.items()}
    named["LinearRegression"] = {"line": "2*g", "curve": "g"}
    return named


def runs(only: dict[str, set[str]] | None = None) -> pd.DataFrame:
    """Make the run table; `only` may choose methods and datasets."""
    only, rows = only or {}, []
    r2 = {"Alpha <b>": 0.99, "Twin": 0.99, "Constant": 0.0, "LinearRegression": 0.5}
    for method, texts in teams().items():
        for dataset, text in texts.items():
            if method not in only.get("methods", {method}) or dataset not in only.get(
                "datasets", {dataset}
            ):
                continue
            for repetition in range(1, 2 if method == "OneRun" else REPETITIONS + 1):
                reported = r2.get(method, 0.8) - 0.01 * repetition
                rows.append(
                    {
                        "method": method,
                        "dataset": dataset,
                        "repetition": repetition,
                        "model": text,
                        "r2_test": reported if dataset in ("cars", "line", "curve") else np.nan,
                        "training_time_s": 1.5 * repetition + len(text),
                        "energy_kwh": 0.01 * repetition * len(dataset),  # a column of one's own
                        "value": reported * 100,  # a measure, to be taken as it stands
                    }
                )
    return pd.DataFrame(rows)


def write(
    folder: Path,
    only: dict[str, set[str]] | None = None,
    measure: dict[str, Any] | None = None,
    **judge: Any,
) -> Path:
    """Write suite, problems, rules, runs and data into a folder; `measure` and `judge` change switches.

    Returns the suite.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    generator, entries = np.random.default_rng(7), []
    for problem in PROBLEMS:
        entry = {key: value for key, value in problem.items() if value is not None}
        if "data" not in problem:
            entry["target"] = "y"
            entry["data"] = _data(folder / "data", problem, generator)
        entries.append(entry)
    content = {"schema": 1, "name": "gauntlet", "data_root": "data", "problems": entries}
    (folder / "problems.yaml").write_text(
        yaml.safe_dump(content, sort_keys=False), encoding="utf-8"
    )
    stated = load_yaml(PARAMETERS / "rules" / "judging-2022.yaml") | {"name": "own"}
    if "aspects" in judge:
        stated = {key: value for key, value in stated.items() if key != "sources"}
    stated["measure"] |= measure or {}
    for key, value in ({"repetitions": REPETITIONS} | judge).items():
        nested = isinstance(value, dict) and key != "aspects"
        stated["judge"][key] = stated["judge"][key] | value if nested else value
    (folder / "rules.yaml").write_text(yaml.safe_dump(stated, sort_keys=False), encoding="utf-8")
    runs(only).to_csv(folder / "runs.csv", index=False)
    pages = (
        "qualification",
        "synthetic",
        "properties",
        "noise",
        "real_world",
        "benchmark",
        "robustness",
    )
    reports = [
        {
            "name": name,
            "notebook": str(NOTEBOOKS / f"{name}.ipynb"),
            "parameters": PARAMETERS_OF.get(name, {}),
        }
        for name in pages
    ]
    entry = {"name": "participants", "notebook": "participant", "for_each": "method"}
    reports.append(entry)
    defaults = {"runs": "./runs.csv", "problems": "./problems.yaml", "rules": "./rules.yaml"}
    suite = {
        "schema": 1,
        "suite": "gauntlet",
        "title": "Odd & own",
        "defaults": defaults,
        "reports": reports,
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite, sort_keys=False), encoding="utf-8")
    return folder / "suite.yaml"


PARAMETERS_OF = {
    "robustness": {"resamples": 50},
}


def _data(folder: Path, problem: dict[str, Any], generator: np.random.Generator) -> dict[str, str]:
    name, files = problem["dataset"].replace(" ", "_"), {}
    parts = {"train": 40, "test": 20} | ({"extrapolation": 20} if name == "beyond" else {})
    for part, rows in parts.items():
        span = (2, 3) if part == "extrapolation" else (0, 2)
        table = pd.DataFrame(
            {feature: generator.uniform(*span, rows) for feature in problem["features"]}
        )
        if "c" in table:
            table["c"] = table["a"] ** 2 + generator.normal(0, 0.1, rows)
        table["y"] = TRUTHS[problem["dataset"]](*(table[f] for f in problem["features"]))
        files[part] = f"{name}_{part}.csv"
        table.to_csv(folder / files[part], index=False)
    return files
