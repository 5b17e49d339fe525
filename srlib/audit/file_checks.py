"""The checks of a whole problem file: what a perfect answer scores, and datasets with the same data."""

from collections.abc import Callable
from hashlib import sha256

import numpy as np
import pandas as pd

from srlib.assessing import assess
from srlib.audit.checks import Data, Finding, chance, grade, pool
from srlib.judging.properties import SCORERS
from srlib.problems import Partitions, Problem, Problems
from srlib.rules import load_rules


def check_property(problems: Problems, data: Data) -> dict[str, Finding]:
    """Judge each truth by the rules judging-2026 as if a method had found it; value: mean score of its property.

    1 is expected, of extrapolation what the noise leaves of it, and of noise sensitivity no more than 1 (the
    noise itself is lost, and nothing else), with some slack.
    """
    audited = [p for p in problems.problems if p.known_truth is not None and p.dataset in data]
    runs = [
        ("truth", problem.dataset, seed, seed, problem.known_truth, "ok")
        for problem in audited
        for seed in data[problem.dataset]
    ]
    if not runs:
        return {}
    names = ["method", "dataset", "repetition", "data_seed", "model", "status"]
    rules = load_rules("judging-2026")
    table = assess(pd.DataFrame(runs, columns=pd.Index(names)), problems, rules.measure)
    accuracy = table.groupby("dataset")["r2_test"].mean()
    findings = {}
    for problem in audited:
        if problem.property is None:
            continue
        expected, slack = 1.0, 1e-9
        if problem.property == "noise_sensitivity":
            reference = problems.find(problem.noise_reference or "")
            if reference is None or reference.dataset not in accuracy:
                continue
            loss = abs(accuracy[problem.dataset] - accuracy[reference.dataset])
            score = float(loss / abs(problem.noise_level - reference.noise_level))
            shortfall, slack = score - expected, 0.3
        else:
            key = problem.property, getattr(rules.judge.properties, problem.property)
            own = table[table["dataset"] == problem.dataset]
            score = float(np.mean(SCORERS[key][0](own, problem)))
            if problem.property == "extrapolation":
                ceilings = [find_ceiling(problem, rows) for rows in data[problem.dataset].values()]
                expected, slack = np.mean(ceilings, axis=0)
            shortfall = expected - score
        detail = f"a perfect answer scores {score:.4g} in {problem.property}, where {expected:.4g} is expected"
        findings[problem.dataset] = Finding(grade(shortfall, slack, slack + 0.01), score, detail)
    return findings


def find_ceiling(problem: Problem, data: Partitions) -> tuple[float, float]:
    """R2 that noise of the stated level leaves on the rows that extrapolate, and how far chance moves it."""
    y = (data.extrapolation or data.test).y
    loss = float(problem.noise_level * np.var(pool(data)[1]) / np.var(y))
    return 1 - loss, chance(loss, len(y))


def check_duplicates(problems: Problems, data: Data) -> dict[str, Finding]:
    """Find datasets with the same columns and target, in whatever order of rows and columns; value: how many.

    Two data seeds of a dataset with the same rows fail, too: repetitions on them are one.
    """
    prints = {dataset: hash_columns(parts[min(parts)]) for dataset, parts in data.items()}
    findings = {}
    for dataset, parts in data.items():
        twins = [name for name in prints if prints[name] == prints[dataset] and name != dataset]
        details = [f"the same data as {', '.join(twins)}"] * bool(twins)
        number = len(twins) + len(parts) - len({part.sha256 for part in parts.values()})
        if number > len(twins):
            seeds = f"data seeds {', '.join(map(str, parts))} have the same rows"
            details.append(f"{seeds}: state data_seeds only for rows that differ")
        detail = "; ".join(details) or "no other dataset has these data"
        findings[dataset] = Finding(grade(number, 0, 0), number, detail)
    return findings


def hash_columns(data: Partitions) -> str:
    """Hash of the sorted values of every column (to single precision) and of the target.

    Independent of names and of the order of rows and columns.
    """
    X, y = pool(data)
    *columns, target = (
        sha256(np.sort(column.astype(np.float32)).tobytes()).hexdigest() for column in [*X.T, y]
    )
    return " ".join([*sorted(columns), target])


FILE_CHECKS: dict[str, Callable[[Problems, Data], dict[str, Finding]]] = {
    "property": check_property,
    "duplicates": check_duplicates,
}
