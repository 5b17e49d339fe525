"""A made-up competition of any size, by default a large one: 30 methods, 300 datasets, 5 repetitions, 26,600 texts.

    python -m tests.benchmarks.large FOLDER                                  suite, problems, rules and runs
    srlib assess FOLDER/runs.parquet --problems FOLDER/problems.yaml --rules FOLDER/rules.yaml \
        --out FOLDER/assessments.parquet                                     minutes; the texts are short
    python -m tests.benchmarks.large FOLDER --known                          assessments at once: texts of known worth
    srlib report FOLDER/suite.yaml --out FOLDER/reports --only synthetic

With `--known` nothing is assessed. Each text is a sum of terms that is its own simplified form, its features and terms
are counted as it is made, it is a solution exactly where it is the truth, and its R2 is that on 100 drawn points.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from srlib.expressions import count_text, evaluate, parse, to_text
from srlib.files import NOTEBOOKS, PARAMETERS
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.tables import ASSESSMENTS, DTYPES
from srlib.yaml_files import load_yaml

METHODS, DATASETS, REPETITIONS = 30, 300, 5
SOLVED = (0.2, 0.62)  # share of the runs that find the truth, by skill: so many texts differ
PROPERTIES = ("solution", "relevant_features", "local_optima", "extrapolation", "noise_sensitivity")
PAGES = ("synthetic", "properties", "noise", "benchmark", "robustness")
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
    return pd.DataFrame(rows, columns=columns).assign(data_seed=1, status="ok")


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


def write(
    folder: Path,
    methods: int = METHODS,
    datasets: int = DATASETS,
    repetitions: int = REPETITIONS,
    known: bool = False,
) -> Path:
    """Write the competition into a folder and return its suite.

    Parameters
    ----------
    folder : Path
        Made where it is not there.
    methods, datasets, repetitions : int
        How large; noise is tested by pairs, whose references come on top.
    known : bool
        Whether assessments of known worth are written beside the runs, and the suite takes these.
    """
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    rules = load_yaml(PARAMETERS / "rules" / "judging-2022.yaml") | {"name": "large"}
    rules["judge"]["repetitions"] = repetitions
    runs, name = "assessments" if known else "runs", f"{methods} methods on {datasets} datasets"
    files = {
        "problems": {"schema": 1, "name": "large", "defaults": {"data_seeds": [1]},
                     "problems": problem_entries(datasets, random)},
        "rules": rules,
        "suite": {"schema": 1, "suite": "large", "title": name,
                  "defaults": {"runs": f"./{runs}.parquet", "problems": "./problems.yaml",
                               "rules": "./rules.yaml"},
                  "reports": [{"name": page, "notebook": str(NOTEBOOKS / f"{page}.ipynb")} for page in PAGES]},
    }  # fmt: skip
    for file, content in files.items():
        text = yaml.safe_dump(content, sort_keys=False)
        (folder / f"{file}.yaml").write_text(text, encoding="utf-8")
    problems = load_problems(folder / "problems.yaml")
    table = run_table(problems, methods, repetitions, random)
    table.to_parquet(folder / "runs.parquet", index=False)
    if known:
        measure = load_rules(folder / "rules.yaml").measure
        path = folder / "assessments.parquet"
        known_assessments(table, problems, measure).to_parquet(path, index=False)
    return folder / "suite.yaml"


def main() -> None:
    """Write a competition as the command line asks for."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("folder", type=Path)
    for name, value in (("methods", METHODS), ("datasets", DATASETS),
                        ("repetitions", REPETITIONS)):  # fmt: skip
        asked.add_argument(f"--{name}", type=int, default=value)
    asked.add_argument("--known", action="store_true")
    chosen = vars(asked.parse_args())
    suite = write(**chosen)
    table = pd.read_parquet(suite.parent / "runs.parquet")
    texts = len(table[["dataset", "model"]].drop_duplicates())
    print(f"{suite}: {len(table)} runs, {texts} different texts")


if __name__ == "__main__":
    main()
