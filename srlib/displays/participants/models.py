"""Each participant's best model on a dataset, beside the truth."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from html import escape
from typing import Any

import pandas as pd

from srlib.displays.participants.cell import cell_facts
from srlib.displays.tables.equations import equation
from srlib.displays.tables.models import best_models
from srlib.displays.tables.table import absent, text_of
from srlib.expressions.evidence import SOLUTIONS

KEY = ["method", "dataset", "repetition"]
FORM = "a form, in which constants may have any value"


def model_cards(judgement: Any, wanted: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
    """Write a folded card for each method and dataset that are wanted: the cell's values, its best model, its runs.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the models come from.
    wanted : mapping of str to collection of str
        Datasets by method.

    Returns
    -------
    dict of str to dict of str to str
        HTML by method and dataset.
    """
    found: dict[str, dict[str, str]] = {method: {} for method in wanted}
    if judgement.everyone is not None:  # who did not qualify has models, too
        judgement = replace(judgement, ranking=judgement.everyone)
    best = best_models(judgement).dropna(subset="repetition").rename(columns={"model": "shown"})
    runs = judgement.assessments
    kept = [*KEY, *({"solution_kind"} & set(runs.columns))]
    best = best.astype({"repetition": "int64"}).merge(runs[kept].drop_duplicates(KEY), "left", KEY)
    drawn: dict[tuple[str, str], tuple[str, str]] = {}
    for dataset, rows in best.groupby("dataset", sort=False):
        problem, truth = judgement.problems.find(str(dataset)), ""
        for row in rows.to_dict("records"):
            if dataset not in wanted.get(row["method"], ()):
                continue
            truth = truth or _truth(problem)
            drawn[row["method"], str(dataset)] = _said(row), _card(row, truth)
    scores = judgement.datasets.set_index(["method", "dataset"])["score"].to_dict()
    for cell, (values, runs_said) in cell_facts(judgement, wanted).items():
        said, model = drawn.get(cell, ("no model that could be read", ""))
        score = scores.get(cell)
        if not absent(score):
            said = f"score {text_of(float(score))}; {said}"
        summary = f"<summary>{escape(cell[1])}: {said}</summary>"
        found[cell[0]][cell[1]] = f"{summary}<div>{values}{model}{runs_said}</div>"
    return found


def _truth(problem: Any) -> str:
    if problem is None or not problem.truth:
        return "<p>The truth of this dataset is not known.</p>"
    if problem.known_truth is None:
        return f"<p>The truth is {FORM}: <code>{escape(problem.truth)}</code></p>"
    return f"<p>The truth:</p>{equation(problem.known_truth)}"


def _said(row: Mapping[Any, Any]) -> str:
    facts = [f"test R² {text_of(float(row['r2_test']))}"]
    if not pd.isna(row["complexity"]):
        facts.append(f"{int(row['complexity'])} components")
    solved = row.get("solution_kind") in SOLUTIONS
    facts += [
        f"<strong>✓ symbolic solution ({escape(str(row.get('solution_kind')))})</strong>"
    ] * solved
    return ", ".join(facts)


def _card(row: Mapping[Any, Any], truth: str) -> str:
    return (
        f"<p>The model (repetition {row['repetition']}, the one with the best test R²):</p>"
        f"{equation(str(row['shown']))}{truth}"
    )
