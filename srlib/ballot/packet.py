"""The packet: a page a dataset with a sheet for each model, the form, and the key, which stays with the organizer."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from srlib.assessing.assess import PATIENCE
from srlib.ballot.key import key_text, name_of
from srlib.ballot.sheet import make_sheet, name_twins
from srlib.displays.show import file_name
from srlib.errors import InputError, SrlibError
from srlib.files import write_atomically
from srlib.folders import result_folder
from srlib.judging.real_world import representatives
from srlib.judging.run_values import KEY
from srlib.problems import Problem, Problems
from srlib.prose import visible
from srlib.rendering.page import style_sheet
from srlib.rules import Judge
from srlib.table_files import write_frame
from srlib.workers import bounded_map

HERE = Path(__file__).resolve().parent / "template"
COLUMNS = ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
CHOSEN = {  # what a sheet says of the run that stands for its method
    "best": "The model of each method is that of its run with the highest accuracy",
    "median": "The model of each method is that of its run with the median accuracy (the better of the two in the "
    "middle)",
}
COUNTING = ("complexity", "count", "decimals", "round_constants")  # switches
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
    judge: Judge,
    out: str | Path,
    seed: int = 0,
    timeout: float = 10.0,
    counting: str = "",
) -> pd.DataFrame:
    """Write OUT/packet for the experts, and for the organizer OUT/key.json, OUT/representatives.csv, OUT/ledger.csv.

    All of them are written or none.

    Parameters
    ----------
    assessments : DataFrame
        Assessments contract.
    problems : Problems
        Datasets of the track real-world.
    judge : Judge
        The rules' judge block.
    out : str or Path
        Folder.
    seed : int
        Of the order of the sheets; who knows it and the runs can name the models.
    timeout : float
        CPU seconds that a sheet may take.
    counting : str
        What the rules say of counting components (`COUNTING`), for the sheets.

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
    out, random = Path(out), np.random.default_rng(seed)
    planned: list[_Planned] = []
    chosen, ledger, _ = representatives(assessments, problems, judge)
    shown = [name for name, aspect in judge.aspects.items() if aspect.from_ != "property"]
    columns = [name for name in (*KEY, "model") if name in chosen]
    models = chosen[columns].astype(str).to_numpy().tolist()
    packet = name_of([models, seed, problems.digest])
    key, pages = {}, []
    for place, (dataset, part) in enumerate(chosen.groupby("dataset"), start=1):
        order = random.permutation(len(part))
        problem = problems.find(str(dataset))
        assert problem is not None
        for number, row in enumerate(part.iloc[order].to_dict("records"), start=1):
            code = f"D{place}S{number}"
            key[code] = {name: row[name] for name in KEY}
            planned.append((code, {str(name): value for name, value in row.items()}, problem))
        page = {
            "dataset": dataset,
            "file": f"sheets-{file_name(str(dataset))}.html",
            "task": problem.task or "",
        }
        pages.append(page | {"features": problem.features})
    sheets = _made(planned, timeout)
    for page in pages:
        page["sheets"] = [s for s in sheets if s["row"]["dataset"] == page["dataset"]]
        name_twins(page["sheets"])
    chosen_by = CHOSEN[judge.real_world.representative]
    facts = {
        "packet": packet,
        "pages": pages,
        "aspects": shown,
        "chosen": chosen_by,
        "counting": counting,
        "css": style_sheet(),
    }
    facts["script"] = (HERE / "ballot.js").read_text(encoding="utf-8")
    hashed = base64.b64encode(hashlib.sha256(facts["script"].encode()).digest()).decode()
    templates = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined
    )
    form = templates.get_template("ballot.html.j2").render(facts, script_hash=f"sha256-{hashed}")
    lines = [
        {"packet": packet, "dataset": entry["dataset"], "code": code} for code, entry in key.items()
    ]
    chosen = chosen[[*KEY, *shown, "r2_test", "complexity", *SPREAD]]
    with result_folder(out, "ballot") as folder:
        write_atomically(folder / "key.json", key_text(out / "key.json", packet, key))
        write_atomically(folder / "packet" / "ballot.html", visible(form))
        for page in pages:
            text = templates.get_template("sheets.html.j2").render(facts, page=page)
            write_atomically(folder / "packet" / page["file"], visible(text))
        table = pd.DataFrame(lines, columns=pd.Index(COLUMNS))
        write_frame(table, folder / "packet" / "ballot.csv")
        write_frame(chosen, folder / "representatives.csv")
        write_frame(ledger, folder / "ledger.csv")
    return chosen


_Planned = tuple[str, dict[str, Any], Problem]


def _made(planned: list[_Planned], timeout: float) -> list[dict[str, Any]]:
    """Make the sheets in workers, as models are evaluated and drawn for them."""
    limits: Any = {"timeout": PATIENCE * timeout, "cpu_seconds": timeout}
    sheets: dict[int, dict[str, Any]] = {}
    for index, outcome in bounded_map(_sheet, planned, preload=("srlib.ballot.sheet",), **limits):
        if not isinstance(outcome.value, dict):
            row = planned[index][1]
            raise InputError(
                f"method {row['method']}, dataset {row['dataset']}, repetition {row['repetition']}: no sheet can be "
                f"made of it ({outcome.value or outcome.detail})"
            )
        sheets[index] = outcome.value
    return [sheets[index] for index in range(len(planned))]


def _sheet(planned: _Planned) -> dict[str, Any] | str:
    try:
        return make_sheet(*planned)
    except SrlibError as error:
        return str(error)
