"""What a perfect answer scores in its own property: the truth goes the way of every model."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from srlib.assessing import assess
from srlib.audit.finding import Finding, chance, graded, pooled
from srlib.judging.properties import SCORERS
from srlib.problems import Partitions, Problem, Problems
from srlib.rules import load_rules


def perfect_answer(
    problems: Problems, data: Mapping[str, Mapping[int, Partitions]]
) -> list[Finding]:
    """Judge each truth by the rules judging-2022 as if a method had found it; value: mean score of its property.

    1 is expected, of extrapolation what the noise leaves of it, and of noise sensitivity no more than 1 (the
    noise itself is lost, and nothing else), with some slack.
    """
    asked = [p for p in problems.problems if p.known_truth is not None and p.dataset in data]
    runs = [
        {
            "method": "truth",
            "dataset": p.dataset,
            "repetition": seed,
            "data_seed": seed,
            "model": p.known_truth,
        }
        for p in asked
        for seed in data[p.dataset]
    ]
    if not runs:
        return []
    rules = load_rules("judging-2022")
    table = assess(pd.DataFrame(runs).assign(status="ok"), problems, rules.measure)
    accuracy = table.groupby("dataset")["r2_test"].mean()
    findings = []
    for problem in asked:
        noisy, reference = (
            problem.property == "noise_sensitivity",
            problems.find(problem.noise_reference or ""),
        )
        if problem.property is None or (
            noisy and (reference is None or reference.dataset not in accuracy)
        ):
            continue
        own, seeds = table[table["dataset"] == problem.dataset], data[problem.dataset]
        scorer, *_ = SCORERS[problem.property, getattr(rules.judge.properties, problem.property)]
        score, expected, slack = float(np.mean(scorer(own, problem))), 1.0, 1e-9
        if problem.property == "extrapolation":
            expected, slack = np.mean([_ceiling(problem, rows) for rows in seeds.values()], axis=0)
        short = expected - score
        if noisy and reference is not None:
            loss = abs(accuracy[problem.dataset] - accuracy[reference.dataset])
            score, slack = float(loss / abs(problem.noise_level - reference.noise_level)), 0.3
            short = score - expected
        detail = f"a perfect answer scores {score:.4g} in {problem.property}, where {expected:.4g} is expected"
        findings.append(
            Finding(problem.dataset, "property", graded(short, slack, slack + 0.01), score, detail)
        )
    return findings


def _ceiling(problem: Problem, data: Partitions) -> tuple[float, float]:
    """R2 that noise of the stated level leaves on the rows that extrapolate, and how far chance moves it."""
    y = (data.extrapolation or data.test).y
    lost = problem.noise_level * np.var(pooled(data)[1]) / np.var(y)
    return float(1 - lost), chance(float(lost), len(y))
