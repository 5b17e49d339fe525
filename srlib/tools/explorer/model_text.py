"""Description of a typed model: equation, judgement and figure, or the first letter that cannot be parsed."""

from dataclasses import replace
from html import escape

import pandas as pd

from srlib.competition import Competition
from srlib.displays import SheetDisplay, equation, html_table
from srlib.displays.tables.runs import describe_evidence
from srlib.displays.tables.table import text_of
from srlib.errors import ModelTextError
from srlib.expressions import count_text, parse
from srlib.problems import Problem
from srlib.readers import read_runs

ROW_TITLES = {
    "shown_model": "model, simplified",
    "r2_train": "r2 train",
    "r2_test": "r2 test",
    "r2_extrapolation": "r2 extrapolation",
    "complexity_raw": "complexity raw",
    "complexity": "complexity",
    "features_used": "features used",
    "solution_kind": "is it the truth?",
    "solution_constant": "constant",
    "proof": "proof",
    "points": "points",
    "digits": "digits",
}  # row titles in `judge_model`, by column or item of evidence


def describe_model(competition: Competition, text: str, dataset: str) -> str:
    """Return a model's equation, judgement and figure as HTML; if it cannot be parsed, the text with the fault marked.

    Parameters
    ----------
    competition : Competition
        The competition, for its problems and rules.
    text : str
        Text of a model, as a team would send it.
    dataset : str
        Dataset of one of the competition's problems.

    Examples
    --------
    >>> competition = Competition.read("demo", "synthetic-2022")
    >>> "<u>)</u>" in describe_model(competition, "x1 + )", "exact_formula_easy")
    True
    """
    problem = competition.problems.find(dataset)
    assert problem is not None  # the dataset has been judged
    try:
        model = parse(text, problem.features)
    except ModelTextError as error:
        text, position = error.text or text, error.position  # the text to which the position refers
        letter = escape(text[position : position + 1] or "␣")
        marked_text = f"{escape(text[:position])}<u>{letter}</u>{escape(text[position + 1 :])}"
        return f'<p role="alert"><code>{marked_text}</code><br>{escape(str(error.args[0]))}</p>'
    table = html_table(judge_model(competition, text, problem), f"{text} on {dataset}")
    count = f"<p>{count_text(model)} components as written</p>"
    figure = SheetDisplay.from_model(model, problem, problem.first_seed)
    return f"{equation(text)}{count}{table}{'' if figure is None else figure.to_image()}"


def judge_model(competition: Competition, text: str, problem: Problem) -> pd.DataFrame:
    """Assess a text like a team's run, and return all quantities and the evidence as rows of `what` and `value`."""
    run = {"method": "typed", "dataset": problem.dataset, "model": text}
    runs = read_runs(pd.DataFrame([run | {"repetition": problem.first_seed}]))
    typed = replace(competition, runs=runs).assess(all_parts=True)
    row = typed.runs.frame.iloc[0].to_dict()
    evidence = row["solution_evidence"] or {}
    values = {title: (row | evidence).get(name) for name, title in ROW_TITLES.items()}
    values["where"] = describe_evidence(evidence)
    return pd.DataFrame(
        [(title, text_of(value)) for title, value in values.items()], columns=["what", "value"]
    )
