"""The packet: a page a dataset with a sheet for each model, the form, and the key, which stays with the organizer."""

import base64
import hashlib
import json
import secrets
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from srlib.assessing.assess import PATIENCE
from srlib.ballot.sheet import SheetTask, make_sheet, name_twins
from srlib.displays.conventions import file_name
from srlib.errors import InputError
from srlib.files import digest, write_atomically
from srlib.folders import result_folder
from srlib.judging.properties import KEY
from srlib.judging.real_world import representatives
from srlib.problems import Problems
from srlib.prose import visible
from srlib.rendering.page import read_template
from srlib.rules import Rules
from srlib.table_files import write_frame
from srlib.workers import bounded_map

TEMPLATES = Path(__file__).resolve().parent / "template"
LETTERS = [*"ABCDEFGHJKMNPQRSTUVWXYZ"]  # none that could be taken for a digit
NAME_LENGTH = 6
COLUMNS = ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
CHOSEN = {  # sentence of a sheet on the run that stands for its method
    "best": "The model of each method is that of its run with the highest accuracy",
    "median": "The model of each method is that of its run with the median accuracy (the better of the two in the "
    "middle)",
}
COUNTING = (
    "complexity",
    "count",
    "decimals",
    "round_constants",
)  # switches that the sheets explain
SPREAD = [
    "n_runs",
    "r2_lowest",
    "r2_median",
    "r2_highest",
    "complexity_lowest",
    "complexity_highest",
]


def make_packet(
    assessments: pd.DataFrame,
    problems: Problems,
    rules: Rules,
    out: str | Path,
    seed: int | None = None,
    timeout: float = 10.0,
) -> pd.DataFrame:
    """Write OUT/packet for the experts, and for the organizer OUT/key.json, OUT/representatives.csv, OUT/ledger.csv.

    All of them are written or none.

    Parameters
    ----------
    assessments : DataFrame
        Assessments contract.
    problems : Problems
        Datasets of the track real-world.
    rules : Rules
        Which run stands for its method, and how components are counted.
    out : str or Path
        Folder.
    seed : int, optional
        Of the order of the sheets and the packet's name; who knows it and the runs can name the models. Default: drawn
        from the system's entropy.
    timeout : float
        CPU seconds that a sheet may take.

    Returns
    -------
    DataFrame
        The models, as in representatives.csv.

    Raises
    ------
    InputError
        When no run is on such a dataset, a sheet cannot be made within the limits, or the key of another packet or a
        file that srlib did not write stands in OUT.
    """
    judge = rules.judge
    models, ledger, _ = representatives(assessments, problems, judge)
    content = models[[*KEY, "model"]].astype(str).to_numpy().tolist()
    entropy = secrets.randbits(64) if seed is None else seed
    random = np.random.default_rng(
        [entropy, int(digest([content, *(problem.digest for problem in problems.problems)]), 16)]
    )
    packet = "".join(random.choice(LETTERS, NAME_LENGTH))
    tasks: list[SheetTask] = []
    for place, (dataset, part) in enumerate(models.groupby("dataset"), start=1):
        problem = problems.find(str(dataset))
        assert problem is not None
        rows = part.iloc[random.permutation(len(part))].to_dict("records")
        for number, row in enumerate(rows, start=1):
            tasks.append((f"D{place}S{number}", row, problem))
    sheets = [{} for _ in tasks]
    limits: Any = {"timeout": PATIENCE * timeout, "cpu_seconds": timeout}
    for index, outcome in bounded_map(make_sheet, tasks, preload=("srlib.ballot.sheet",), **limits):
        if outcome.status != "ok":
            row = tasks[index][1]
            raise InputError(
                f"method {row['method']}, dataset {row['dataset']}, repetition {row['repetition']}: no sheet can be "
                f"made of it ({outcome.detail})"
            )
        sheets[index] = outcome.value
    pages = []
    for problem in {problem.dataset: problem for _, _, problem in tasks}.values():
        own = [sheet for sheet in sheets if sheet["row"]["dataset"] == problem.dataset]
        page = {"dataset": problem.dataset, "task": problem.task or "", "sheets": name_twins(own)}
        pages.append(page | {"file": f"sheets-{file_name(problem.dataset)}.html"})
    key = {code: {name: row[name] for name in KEY} for code, row, _ in tasks}
    key_text = json.dumps({"packet": packet, "codes": key}, indent=1) + "\n"
    key_path = Path(out) / "key.json"
    if key_path.exists() and key_path.read_text(encoding="utf-8", errors="replace") != key_text:
        raise InputError(
            f"{key_path}: the key of another packet, which is never overwritten; write this one into another folder"
        )
    aspects = [name for name, aspect in judge.aspects.items() if aspect.from_ != "property"]
    script = (TEMPLATES / "ballot.js").read_text(encoding="utf-8")
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    facts = {
        "packet": packet,
        "pages": pages,
        "aspects": aspects,
        "chosen": CHOSEN[judge.real_world.representative],
        "counting": rules.explained(*COUNTING),
        "css": read_template("report.css"),
        "script": script,
        "script_hash": f"sha256-{script_hash}",
    }
    loader = FileSystemLoader(TEMPLATES)
    templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    ballot = pd.DataFrame(
        [{"packet": packet, "dataset": row["dataset"], "code": code} for code, row, _ in tasks],
        columns=pd.Index(COLUMNS),
    )
    models = models[[*KEY, *aspects, "r2_test", "complexity", *SPREAD]]
    with result_folder(out, "ballot") as folder:
        write_atomically(folder / "key.json", key_text)
        form = templates.get_template("ballot.html.j2").render(facts)
        write_atomically(folder / "packet" / "ballot.html", visible(form))
        for page in pages:
            text = templates.get_template("sheets.html.j2").render(facts, page=page)
            write_atomically(folder / "packet" / page["file"], visible(text))
        write_frame(ballot, folder / "packet" / "ballot.csv")
        write_frame(models, folder / "representatives.csv")
        write_frame(ledger, folder / "ledger.csv")
    return models
