"""A model that somebody types: where its text goes wrong, how it reads, what the judges say of it, how it fits."""

import base64
import io
import json
from html import escape
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from srlib.displays.styling import style
from srlib.displays.tables.equations import equation
from srlib.displays.tables.evidence import in_words
from srlib.displays.tables.table import html_table, text_of
from srlib.errors import InputError, ModelTextError
from srlib.explorer.scene import Scene, open_scene
from srlib.expressions import count_text, evaluate, parse
from srlib.problems import Problem, partitions

MEASURED = [
    "r2_train",
    "r2_test",
    "r2_extrapolation",
    "complexity_raw",
    "complexity",
    "features_used",
]


def read(text: str, problem: Problem) -> str:
    """Show a text as an equation with its components counted, or the place where it cannot be read, underlined.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> "<u>)</u>" in read("x1 + )", load_problems("synthetic-2022").find("exact_formula_easy"))
    True
    """
    try:
        parsed = parse(text, problem.features)
    except ModelTextError as error:
        text = error.text or text  # the text as it was understood, where that is another one
        before, wrong, after = (
            text[: error.position],
            text[error.position :][:1] or "␣",
            text[error.position + 1 :],
        )
        place = f"<code>{escape(before)}<u>{escape(wrong)}</u>{escape(after)}</code>"
        return f'<p role="alert">{place}<br>{escape(str(error.args[0]))}</p>'
    return f"{equation(text)}<p>{count_text(parsed)} components as written</p>"


def typed(text: str, dataset: str | None, runs: str, problems: str, rules: str) -> dict[str, Any]:
    """Read a model at every letter; give what widgets show. A verdict on another text or dataset goes away."""
    return {
        "typed.value": read(text, _problem(open_scene(runs, problems, rules), dataset)),
        "verdict.value": "",
        "error.value": "",
    }


def judge_typed(
    text: str, dataset: str | None, runs: str, problems: str, rules: str
) -> dict[str, Any]:
    """Judge and draw a model; give what widgets show. Of a text that cannot be read `read` has said what is wrong.

    Raises
    ------
    InputError
        When the dataset is unknown.
    """
    scene = open_scene(runs, problems, rules)
    problem = _problem(scene, dataset)
    try:
        parse(text, problem.features)
    except ModelTextError:
        return {"verdict.value": "", "error.value": ""}
    said = f"{text} on {problem.dataset}, with problems {problems} and rules {rules}"
    table = html_table(judged(text, scene, problem), said)
    return {"verdict.value": table + _picture(text, problem), "error.value": ""}


def _picture(text: str, problem: Problem) -> str:
    drawing = base64.b64encode(drawn(text, problem)).decode()
    if not drawing:
        return ""
    alt = escape(f"{text} over the test data of {problem.dataset}")
    return f'<p><img alt="{alt}" src="data:image/png;base64,{drawing}"></p>'


def _problem(scene: Scene, dataset: str | None) -> Problem:
    problem = scene.problems.find(dataset or scene.choices["datasets"][0])
    if problem is None:
        raise InputError(f"{scene.problems.name}: no dataset {dataset!r}")
    return problem


def judged(text: str, scene: Scene, problem: Problem) -> pd.DataFrame:
    """Assess a text as if it were a run: `what`, `value`; simplifying and comparing it have the limits of `assess`."""
    run = {"method": "typed", "dataset": problem.dataset, "repetition": 1, "model": text}
    run |= {"data_seed": seed} if (seed := next(iter(problem.data_seeds), None)) is not None else {}
    row = scene.with_runs(pd.DataFrame([run]).to_csv(index=False)).assessments.iloc[-1]
    rows = [
        ("model, simplified", row["shown_model"]),
        *((name, row[name]) for name in MEASURED),
    ]
    rows += [("is it the truth?", row["solution_kind"]), ("constant", row["solution_constant"])]
    if isinstance(row["solution_evidence"], str):
        evidence = json.loads(row["solution_evidence"])
        rows += [(name, evidence.get(name)) for name in ("proof", "points", "digits")]
        rows.append(("where", in_words(evidence)))
    return pd.DataFrame(
        [(name.replace("_", " "), text_of(value)) for name, value in rows],
        columns=["what", "value"],
    )


def drawn(text: str, problem: Problem) -> bytes:
    """Draw a model over the test data as PNG: against its first feature; no bytes where there are no data."""
    rows, model = (
        partitions(problem, next(iter(problem.data_seeds), None)),
        parse(text, problem.features),
    )
    if rows is None:
        return b""
    columns = dict(zip(rows.features, rows.test.X.T, strict=True))
    first = next((name for name in rows.features if name in model.features), rows.features[0])
    buffer = io.BytesIO()
    with style():
        figure, axes = plt.subplots(figsize=(5, 3))
        axes.plot(columns[first], rows.test.y, "o", markersize=3, label="test data")
        axes.plot(
            columns[first],
            evaluate(model, columns, len(rows.test.y)),
            "x",
            markersize=3,
            label="model",
        )
        axes.set(xlabel=first, ylabel=problem.target or "target")
        axes.legend()
        figure.savefig(buffer, format="png", dpi=110)
        plt.close(figure)
    return buffer.getvalue()
