"""`srlib new`: a suite of one's own, ready to edit and to render."""

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd

UNKNOWN = """  - dataset: {dataset}
    # property: relevant_features   # then also: features: [x1, x2], relevant: [x1]; or solution, with truth: "..."
    features: {features}
"""


def new(
    folder: Annotated[
        Path, typer.Argument(help="Folder to make; it has to be empty or new.", metavar="FOLDER")
    ],
    runs: Annotated[
        str | None,
        typer.Option(help="Existing run table, or 'demo', to fill in methods and datasets from."),
    ] = None,
) -> None:
    """Start a suite of your own: suite, problems, rules and example runs with comments, and a notebook to change.

    Examples
    --------
    srlib new my-competition
    srlib new my-competition --runs results.csv
    """
    from srlib.errors import InputError
    from srlib.files import DEMO, NOTEBOOKS, write_atomically
    from srlib.folders import STATE, written_whole
    from srlib.readers import read_runs
    from srlib.rules import load_rules, rules_text

    if folder.exists() and (
        not folder.is_dir() or any(path.name != STATE for path in folder.iterdir())
    ):
        raise InputError(f"{folder}: a new or empty folder was expected")
    notebook, given = "notebooks/synthetic.ipynb", DEMO / "new"
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(given.iterdir())}
    files[notebook] = (NOTEBOOKS / "synthetic.ipynb").read_text(encoding="utf-8")
    place = "./runs.csv"
    table = read_runs(runs or given / place).frame
    if runs is not None:
        del files["runs.csv"]
        stated = known_problems(set(table["dataset"]))
        files["problems.yaml"] = stated or stated_problems(
            table, files["problems.yaml"].partition("  - ")[0]
        )
        place = runs
        if Path(runs).exists():
            place = f"./{Path(os.path.relpath(runs, folder)).as_posix()}"
    methods = ", ".join(sorted(table["method"].unique()))
    values = {"METHODS": json.dumps(methods), "RUNS": json.dumps(place)}
    files["suite.yaml"] = re.sub(
        "METHODS|RUNS", lambda found: values[found[0]], files["suite.yaml"]
    )
    repetitions = int(table.groupby(["method", "dataset"]).size().max())
    begun = load_rules("judging-2022")
    rules = rules_text(begun, "mine", f"own rules, begun from {begun.name}")
    files["rules.yaml"] = re.sub(
        r"(?m)^(  repetitions: )\d+", rf"\g<1>{repetitions}", rules, count=1
    )
    files["submission.csv"] = submission_template(files["problems.yaml"], repetitions)
    with written_whole(folder, "new", sealed=False) as made:
        for name, text in files.items():
            write_atomically(made / name, text)
    typer.echo(f"{folder}: {', '.join(sorted(files))}")
    place = folder / "submission.csv"
    typer.echo(
        f"Filled in: srlib check {place} --problems {folder / 'problems.yaml'} --rules {folder / 'rules.yaml'}"
    )
    typer.echo(f"Next: srlib report {folder / 'suite.yaml'} --out {folder / 'reports'}")


def submission_template(problems: str, repetitions: int) -> str:
    """Table for a participant to fill in: a row a dataset and repetition, with its place for the model's text."""
    import pandas as pd
    import yaml

    from srlib.tablefiles import csv_text

    datasets = [
        one["dataset"] for one in yaml.safe_load(problems)["problems"] if one.get("scored", True)
    ]
    rows = [
        {
            "method": "my method",
            "dataset": dataset,
            "repetition": k,
            "model": None,
            "names": "features",
        }
        for dataset in datasets
        for k in range(1, repetitions + 1)
    ]
    return csv_text(pd.DataFrame(rows))


def known_problems(datasets: set[str]) -> str | None:
    """Text of a shipped problem file that states all of these datasets and needs no data files, if there is one."""
    from srlib.files import PARAMETERS
    from srlib.problems import load_problems

    for path in sorted((PARAMETERS / "problems").glob("*.yaml")):
        problems = load_problems(path)
        files = any(problem.data and problem.data.files for problem in problems.problems)
        if not files and all(problems.find(name) for name in datasets):
            return path.read_text(encoding="utf-8")
    return None


def stated_problems(table: "pd.DataFrame", text: str) -> str:
    """Add the datasets of a run table to the head of a problem file, with the features that its models use."""
    from srlib.errors import ModelTextError
    from srlib.expressions import parse

    for dataset, models in table.groupby("dataset")["model"]:
        used: set[str] = set()
        for model in models.dropna():
            try:
                used |= parse(model).features
            except ModelTextError:
                continue
        text += UNKNOWN.format(dataset=json.dumps(dataset), features=json.dumps(sorted(used)))
    return text
