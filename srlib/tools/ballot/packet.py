"""The packet of a ballot: pages with a sheet for each model, the form, and the key, which the organizer keeps."""

import base64
import hashlib
import json
import secrets
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from srlib.assessing.assess import WALL_CLOCK_FACTOR
from srlib.competition import Competition
from srlib.errors import require
from srlib.files import digest, file_name, write_atomically
from srlib.folders import result_folder
from srlib.problems import Problems
from srlib.prose import visible
from srlib.rendering.page import read_template
from srlib.rules import Rules
from srlib.table_files import write_frame
from srlib.tables import KEY
from srlib.tools.ballot.sheet import Sheet, make_sheet, name_twins
from srlib.workers import bounded_map

TEMPLATES = Path(__file__).resolve().parent / "template"
CODE_LETTERS = [*"ABCDEFGHJKMNPQRSTUVWXYZ"]  # without letters that look like digits
PACKET_LENGTH = 6  # letters of a packet's name
COLUMNS = ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
REPRESENTATIVE_SENTENCES = {  # sentence of a sheet about the choice of a method's run
    "best": "The model of each method is that of its run with the highest accuracy",
    "median": "The model of each method is that of its run with the median accuracy (the better of the two in the "
    "middle)",
}
# switches that the sheets explain
COUNTING_SWITCHES = ("complexity", "count", "decimals", "round_constants")
SPREAD_COLUMNS = [
    "n_runs",
    "r2_lowest",
    "r2_median",
    "r2_highest",
    "complexity_lowest",
    "complexity_highest",
]


def make_packet(
    competition: Competition,
    out: str | Path,
    seed: int | None = None,
    timeout: float = 10.0,
) -> pd.DataFrame:
    """Write OUT/packet for the experts, and for the organizer OUT/key.json, OUT/representatives.csv, OUT/ledger.csv.

    Either all of these are written or none.

    Parameters
    ----------
    competition : Competition
        Runs and datasets of the track real-world, and the rules by which a method's run is chosen and components are
        counted.
    out : str or Path
        Folder to write into.
    seed : int, optional
        Seed of the order of the sheets and of the packet's name; anyone who knows it and the runs can identify the
        models. By default drawn from the system's entropy.
    timeout : float
        CPU seconds that making a sheet may take.

    Returns
    -------
    DataFrame
        The models, as in representatives.csv.

    Raises
    ------
    InputError
        When no run is on a dataset of the track, a sheet cannot be made within the limits, or OUT has the key of
        another packet or a file that srlib did not write.
    """
    problems, rules = competition.problems, competition.rules
    representatives = competition.choose_representatives()
    models, ledger = representatives.models, representatives.ledger
    content = [models[[*KEY, "model"]].astype(str).to_numpy().tolist()]
    content += [problem.digest for problem in problems.problems]
    entropy = secrets.randbits(64) if seed is None else seed
    rng = np.random.default_rng([entropy, int(digest(content), 16)])
    packet = "".join(rng.choice(CODE_LETTERS, PACKET_LENGTH))
    coded = assign_codes(models, rng)
    sheets = make_sheets(coded, problems, timeout)
    chosen, codes = rules.judge.real_world.representative, coded.set_index("code")[[*KEY]]
    content = {"packet": packet, "representative": chosen, "codes": codes.to_dict("index")}
    key = json.dumps(content, indent=1) + "\n"
    ballot = coded[["dataset", "code"]].assign(packet=packet).reindex(columns=COLUMNS)
    aspects = [name for name, aspect in rules.judge.aspects.items() if aspect.from_ != "property"]
    models = models[[*KEY, *aspects, "r2_test", "complexity", *SPREAD_COLUMNS]]
    with result_folder(out, "ballot") as folder:  # locks OUT against other commands
        path = Path(out) / "key.json"
        require(
            not path.exists() or path.read_text(encoding="utf-8", errors="replace") == key,
            f"{path}: the key of another packet, which is never overwritten; write this one into another folder",
        )
        write_atomically(folder / "key.json", key)
        (folder / "key.json").chmod(0o600)
        write_pages(folder / "packet", packet, sheets, aspects, rules)
        write_frame(ballot, folder / "packet" / "ballot.csv")
        write_frame(models, folder / "representatives.csv")
        write_frame(ledger, folder / "ledger.csv")
    return models


def assign_codes(models: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the models with a column `code`, such as D1S2; the models of a dataset are in random order."""
    datasets = models.groupby("dataset")
    coded = pd.concat([part.iloc[rng.permutation(len(part))] for _, part in datasets])
    places = coded.groupby("dataset")
    numbers = zip(places.ngroup() + 1, places.cumcount() + 1, strict=True)
    return coded.assign(code=[f"D{dataset}S{number}" for dataset, number in numbers])


def make_sheets(coded: pd.DataFrame, problems: Problems, timeout: float) -> list[Sheet]:
    """Make the sheet of each model in a separate process, and return them in order.

    Raises
    ------
    InputError
        When a sheet cannot be made within the limits.
    """
    rows = coded.to_dict("records")
    outcomes = bounded_map(
        make_sheet,
        [(row, problems.find(row["dataset"])) for row in rows],
        timeout=WALL_CLOCK_FACTOR * timeout,
        cpu_seconds=timeout,
        preload=["srlib.tools.ballot.sheet"],
    )
    sheets = {}
    for index, outcome in outcomes:
        name = ", ".join(f"{part} {rows[index][part]}" for part in KEY)
        require(outcome.status == "ok", f"{name}: no sheet can be made of it ({outcome.detail})")
        sheets[index] = outcome.value
    return [sheets[index] for index in range(len(rows))]


def write_pages(
    folder: Path, packet: str, sheets: list[Sheet], aspects: list[str], rules: Rules
) -> None:
    """Write the form (ballot.html), and a page of sheets for each dataset."""
    pages = []
    for dataset, group in groupby(sheets, key=lambda sheet: sheet["row"]["dataset"]):
        page = {"dataset": dataset, "file": f"sheets-{file_name(dataset)}.html"}
        pages.append(page | {"sheets": name_twins(list(group))})
    script = (TEMPLATES / "ballot.js").read_text(encoding="utf-8")
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    facts = {
        "packet": packet,
        "pages": pages,
        "aspects": aspects,
        "chosen": REPRESENTATIVE_SENTENCES[rules.judge.real_world.representative],
        "counting": rules.explained(*COUNTING_SWITCHES),
        "css": read_template("report.css"),
        "script": script,
        "script_hash": f"sha256-{script_hash}",
    }
    loader = FileSystemLoader(TEMPLATES)
    templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    form = templates.get_template("ballot.html.j2").render(facts)
    write_atomically(folder / "ballot.html", visible(form))
    for page in pages:
        text = templates.get_template("sheets.html.j2").render(facts, page=page)
        write_atomically(folder / page["file"], visible(text))
