"""The smallest problem file to record on: one line, a seed for each repetition; and one with data of one's own."""

from pathlib import Path

from srlib.tools.recording import Method


def problem_text(seeds: list[int]) -> str:
    return f"""
schema: 1
name: tiny
problems:
  - dataset: line
    features: [x1]
    data_seeds: {seeds}
    data: {{generator: noise_2022, arguments: {{ratio: 0.0}}}}
"""


def method(kind="Good", **keys):
    """The method of one of the estimators beside this."""
    entry = {"name": kind, "estimator": f"tests.tools.recording.estimators:{kind}"}
    return Method.model_validate(entry | {"model": {"attribute": "text_"}} | keys)


def write_problem(rows, features="mass"):
    """Write p.yaml with one dataset; the test rows are the training rows."""
    Path("own.csv").write_text(f"{features},y\n{rows}")
    Path("p.yaml").write_text(
        "schema: 1\nname: own\nproblems:\n"
        f"  - {{dataset: own, features: [{features}], data_seeds: [1], data: {{train: own.csv, test: own.csv}}}}\n"
    )
    return "p.yaml"
