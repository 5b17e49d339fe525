"""What a rendered folder was made from, beside it: suite, notebooks, runs, problems, rules, data, versions, hashes."""

import shutil
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from srlib.files import PACKAGE, sha256, shipped, visible, write_atomically
from srlib.folders import result_folder
from srlib.rendering.provenance import data_of
from srlib.rendering.suite import KINDS, Report, Suite
from srlib.table_files import SUFFIXES, read_frame
from srlib.yaml_files import load_yaml, yaml_text

DATA_BYTES = 200_000_000  # beyond, the data's hashes stand for them
README = """What {title} was made from. One command renders it again, into the folder reports:

    srlib report suite.yaml --out reports

On another machine first: pip install -r requirements.txt, and srlib {srlib} from its wheel or its source folder.
Each file's SHA-256: SHA256SUMS (sha256sum -c SHA256SUMS).
What `demo` names comes with srlib.{absent}
"""


def write_bundle(suite: Suite, reports: Iterable[Report], out: Path) -> Path:
    """Copy all that decides what reports say into OUT/bundle, with a suite that needs nothing else.

    Parameters
    ----------
    suite : Suite
        As it was rendered.
    reports : iterable of Report
        Those of its reports to carry.
    out : Path
        The rendered folder.

    Returns
    -------
    Path
        The folder of the bundle.
    """
    with result_folder(out / "bundle", "bundle") as folder:
        absent: list[str] = []
        entries = {e["name"]: e for e in (_entry(r, folder, absent) for r in reports)}
        content = {"schema": 1, "suite": suite.name, "title": suite.title, **suite.about}
        if style := suite.style.model_dump(exclude_defaults=True):
            content["style"] = style
        text = yaml_text(content | {"reports": list(entries.values())})
        write_atomically(folder / "suite.yaml", text)
        lock = PACKAGE.parent / "requirements.lock"
        if lock.is_file():
            shutil.copy(lock, folder / lock.name)
        installed = {f"{d.name}=={d.version}" for d in distributions() if d.name != "srlib"}
        versions = "".join(f"{line}\n" for line in sorted(installed, key=str.lower))
        write_atomically(folder / "requirements.txt", versions)
        if absent:
            write_atomically(folder / "DATA_SHA256SUMS", "".join(absent))
        left = ""
        if absent:
            left = "\nThe data are too large to be here; their hashes: DATA_SHA256SUMS."
        own = next((d.version for d in distributions() if d.name == "srlib"), "not installed")
        readme = README.format(title=suite.title, srlib=own, absent=left)
        write_atomically(folder / "README.txt", readme)
        sums = [f"{sha256(path)}  {path.relative_to(folder)}\n" for path in visible(folder)]
        write_atomically(folder / "SHA256SUMS", "".join(sums))
    return out / "bundle"


def _entry(report: Report, folder: Path, absent: list[str]) -> dict[str, Any]:
    """Copy a report's notebook and inputs; give its entry in the bundle's suite."""
    notebook = _copied(report.notebook, folder, "notebooks")
    accepted = parameters_of(report.notebook)
    parameters = {key: value for key, value in report.given_parameters().items() if key in accepted}
    for key, value in parameters.items():
        path = report.path_of(key, value)
        if path is None and key in KINDS and value:
            path = shipped(key, value)
        if path is not None:
            stored, kind = _predictions(path, key), key
            if stored:  # two tables may call their predictions the same
                kind = f"{key}/{sha256(path)[:12]}"
            parameters[key] = _copied(path, folder, kind)
            for name in stored:
                place = (folder / kind / name).resolve()
                if place.is_relative_to(folder.resolve()):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path.parent / name, place)
        if path is not None and key == "problems" and path.is_file():
            _with_data(path, folder / parameters[key], absent)
    entry = {"name": report.entry, "notebook": notebook}
    if report.method:  # one entry for all methods
        del parameters["method"]
        entry["for_each"] = report.for_each
    return {**entry, "parameters": parameters}


def parameters_of(notebook: Path) -> dict[str, str]:
    """Name the parameters that a notebook knows, with the types that it states."""
    import papermill

    parameters = papermill.inspect_notebook(str(notebook).replace("{", "{{").replace("}", "}}"))
    return {name: str(about["inferred_type_name"]) for name, about in parameters.items()}


def _copied(path: Path, folder: Path, kind: str) -> str:
    """Copy a file or folder below the bundle's folder of its kind; what is there under that name is taken as it is."""
    place, number = folder / kind / path.name, 1
    while place.exists() and sha256(place) != sha256(path) and kind != "problems":
        number += 1
        place = folder / kind / f"{path.stem}-{number}{path.suffix}"
    if path.is_dir():
        for file in visible(path):
            target = place / file.relative_to(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    return f"./{place.relative_to(folder).as_posix()}"


def _predictions(path: Path, key: str) -> list[str]:
    """Name the files of predictions that a run table states, as far as they are there."""
    if key != "runs" or not path.name.endswith(SUFFIXES):
        return []
    table = read_frame(path)
    if "predictions" not in table:
        return []
    names, home = table["predictions"].dropna().astype("str").unique(), path.parent.resolve()
    places = {name: (home / name).resolve() for name in names}  # none that leads out of the folder
    return [
        name for name, place in places.items() if place.is_relative_to(home) and place.is_file()
    ]


def _with_data(path: Path, place: Path, absent: list[str]) -> None:
    """Copy the data that a problem file names beside its copy, which says where they are now."""
    data = data_of(path)
    if not data:
        return
    if sum(file.stat().st_size for _, file in data) > DATA_BYTES:
        absent += [f"{sha256(file)}  {name}\n" for name, file in data]
        return
    root = f"{place.stem}-data"
    for name, file in data:
        target = place.parent / root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    write_atomically(place, yaml_text(load_yaml(path) | {"data_root": root}))
