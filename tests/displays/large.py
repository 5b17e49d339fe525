"""A made-up competition with as many methods, datasets and repetitions as a test wants, and with its assessments.

Nothing is assessed. Each text is a sum of terms that is its own simplified form, its features and terms are counted as
it is made, it is a solution exactly where it is the truth, and its R2 is that on 100 drawn points.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from srlib.expressions import count_text, evaluate, parse, to_text
from srlib.files import PARAMETERS
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.tables import ASSESSMENTS, DTYPES
from srlib.yaml_files import load_yaml

SOLVED = (0.2, 0.62)  # share of the runs that find the truth, by skill: so many texts differ
PROPERTIES = ("solution", "relevant_features", "local_optima", "extrapolation", "noise_sensitivity")
FEATURES = ("x1", "x2", "x3", "x4")
TERMS = ("x1", "x2", "x3", "x1*x2", "x1^2", "x2^2", "sin(x3)", "cos(x1)", "x2*x3", "exp(-x1)")


def total(terms: dict[str, float]) -> str:
    """Write a sum of terms, each with its factor."""
    return " + ".join(f"{factor:.3f}*{term}" for term, factor in terms.items())


def problem_entries(datasets: int, random: np.random.Generator) -> list[dict[str, Any]]:
    """State the datasets; those that test noise are pairs, whose reference is not counted."""
    entries: list[dict[str, Any]] = []
    for number in range(datasets):
        tested = PROPERTIES[number % len(PROPERTIES)]
        chosen = random.choice(len(TERMS), size=2 + number % 2, replace=False)
        truth = total({TERMS[i]: float(random.uniform(0.5, 3)) for i in sorted(chosen)})
        recipe: dict[str, Any] = {
            "features": {name: ["uniform", -3, 3] for name in FEATURES},
            "rows": {"train": 60, "test": 60},
        }
        entry: dict[str, Any] = {
            "dataset": f"{tested[:5]}_{number:03d}",
            "property": tested,
            "family": tested,
            "difficulty": ("easy", "medium", "hard")[number // len(PROPERTIES) % 3],
            "truth": truth,
            "data": {"generator": "formula", "arguments": recipe},
        }
        if tested == "local_optima":
            recipe["surrogates"] = {"s1": truth.split(" + ")[0]}
        if tested == "extrapolation":
            recipe["extrapolation"] = {"x1": ["uniform", 3, 4]}
            recipe["rows"]["extrapolation"] = 60
        if tested == "noise_sensitivity":
            calm = {key: value for key, value in entry.items() if key != "property"}
            entries.append(calm | {"dataset": f"{entry['dataset']}_calm", "scored": False})
            entry |= {"noise_level": 0.1, "noise_reference": f"{entry['dataset']}_calm"}
        entries.append(entry)
    return entries


def model_text(truth: str, skill: float, random: np.random.Generator) -> str:
    """Vary the truth: a good method finds it, others lose a term, add one, or miss the factors."""
    terms = {
        term: float(factor)
        for factor, _, term in (part.partition("*") for part in truth.split(" + "))
    }
    if random.random() < SOLVED[0] + SOLVED[1] * skill:
        return truth
    if random.random() > skill and len(terms) > 1:
        terms.pop(str(random.choice(sorted(terms))))
    if random.random() > skill:
        terms |= {TERMS[int(random.integers(len(TERMS)))]: float(random.uniform(0.01, 0.5))}
    spread = random.normal(0, 0.3 * (1 - skill), len(terms))
    return total(
        {
            term: round(factor * (1 + error), 3) or 0.1
            for (term, factor), error in zip(terms.items(), spread, strict=True)
        }
    )


def run_table(
    problems: Any, methods: int, repetitions: int, random: np.random.Generator
) -> pd.DataFrame:
    """Give every method runs on every dataset."""
    rows = []
    for problem in problems.problems:
        for method in range(methods):
            skill = (method + 1) / (methods + 1)
            for repetition in range(1, repetitions + 1):
                text = model_text(problem.truth, skill, random)
                seconds = float(random.gamma(2, 10))
                rows.append((f"Method{method:02d}", problem.dataset, repetition, text, seconds))
    columns = ["method", "dataset", "repetition", "model", "training_time_s"]
    runs = pd.DataFrame(rows, columns=columns)
    return runs.assign(data_seed=runs["repetition"], status="ok")


def known_assessments(runs: pd.DataFrame, problems: Any, measure: Any) -> pd.DataFrame:
    """Say of each run what is known of its text, in the columns that `srlib assess` writes."""
    found, random = {}, np.random.default_rng(2)
    for dataset, text in runs[["dataset", "model"]].drop_duplicates().itertuples(index=False):
        problem = problems.find(dataset)
        points = {name: random.uniform(-3, 3, 100) for name in problem.features}
        model, truth = (parse(side, problem.features) for side in (text, problem.truth))
        values, target = (evaluate(side, points, 100) for side in (model, truth))
        noise = random.normal(0, np.sqrt(problem.noise_level / (1 - problem.noise_level)), 100)
        target = target + noise * target.std()
        r2 = float(1 - ((values - target) ** 2).mean() / target.var())
        solved = text == problem.truth
        witness = {"point": {"x1": 1.0}, "truth": 2.0, "model": 3.0, "difference": 1.0}
        found[dataset, text] = {
            "r2_train": r2, "r2_test": r2, "complexity": count_text(model), "complexity_raw": count_text(model),
            "r2_extrapolation": r2 - 0.05 if problem.property == "extrapolation" else np.nan,
            "bad_predictions": 0, "model_id": model.model_id, "parse_status": "ok", "r2_source": "recomputed",
            "simplified_model": to_text(model), "shown_model": to_text(model), "shown_form": "rounded",
            "simplify_status": "ok", "features_used": json.dumps(sorted(model.features)),
            "solution": solved, "solution_simplified": solved,
            "solution_kind": "identical" if solved else "different",
            "solution_evidence": json.dumps({"proof": "symbolic" if solved else "witness", "points": 96, "digits": 15,
                                             "moved": [],
                                             "witness": None if solved else witness}),
            "measure_digest": measure.digest, "problem_digest": problem.digest,
            "names_read": "features", "names_evidence": "text",
        }  # fmt: skip
    keys = zip(runs["dataset"], runs["model"], strict=True)
    measured = pd.DataFrame([found[key] for key in keys], index=runs.index)
    table = pd.concat([runs, measured], axis=1)
    absent = [name for name in ASSESSMENTS.columns if name not in table]
    return table.reindex(columns=[*table.columns, *absent]).astype(
        {name: DTYPES[kind] for name, kind in ASSESSMENTS.columns.items()}
    )


def write(folder: Path, methods: int, datasets: int, repetitions: int) -> None:
    """Write assessments, problems and rules into a folder; noise is tested by pairs, whose references come on top."""
    random = np.random.default_rng(1)
    rules = load_yaml(PARAMETERS / "rules" / "judging-2022.yaml") | {"name": "large"}
    rules["judge"]["repetitions"] = repetitions
    entries = problem_entries(datasets, random)
    defaults = {"data_seeds": [*range(1, repetitions + 1)]}
    problems = {"schema": 1, "name": "large", "defaults": defaults, "problems": entries}
    for file, content in (("problems", problems), ("rules", rules)):
        text = yaml.safe_dump(content, sort_keys=False)
        (folder / f"{file}.yaml").write_text(text, encoding="utf-8")
    read = load_problems(folder / "problems.yaml")
    runs = run_table(read, methods, repetitions, random)
    measure = load_rules(folder / "rules.yaml").measure
    known_assessments(runs, read, measure).to_parquet(folder / "assessments.parquet", index=False)
