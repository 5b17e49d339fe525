"""`srlib new`: a suite of one's own, ready to edit and to render."""

import json
import re
from pathlib import Path
from typing import Annotated

import typer


def new(
    folder: Annotated[
        Path, typer.Argument(help="Folder to make; it has to be empty or new.", metavar="FOLDER")
    ],
) -> None:
    """Start a suite of your own: suite, problems, rules and example runs with comments, and a notebook to change.

    Examples
    --------
    srlib new my-competition
    """
    from srlib.errors import InputError
    from srlib.files import DEMO, NOTEBOOKS, write_atomically
    from srlib.folders import result_folder
    from srlib.readers import read_runs
    from srlib.rules import load_rules, rules_text

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: a new or empty folder was expected")
    notebook, given = "notebooks/synthetic.ipynb", DEMO / "new"
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(given.iterdir())}
    files[notebook] = (NOTEBOOKS / "synthetic.ipynb").read_text(encoding="utf-8")
    place = "./runs.csv"
    table = read_runs(given / place).frame
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
    with result_folder(folder, "new", listed=False) as made:
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

    from srlib.table_files import csv_text

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
