"""What a rendered folder was made from, beside it: suite, notebooks, runs, problems, rules, data, versions, hashes."""

import json
import shutil
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from srlib.files import PACKAGE, sha256, visible, write_atomically
from srlib.folders import result_folder
from srlib.rendering.provenance import data_of, input_file
from srlib.rendering.suite import Report, Suite
from srlib.table_files import SUFFIXES, read_frame
from srlib.yaml_files import load_yaml, yaml_text

README = """What {title} was made from. One command renders it again, into the folder reports:

    srlib report suite.yaml --out reports

On another machine first: pip install -r requirements.txt, and srlib {srlib} from its wheel or its source folder.
Each file's SHA-256: SHA256SUMS (sha256sum -c SHA256SUMS).
What `demo` names comes with srlib.
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
        reports = tuple(reports)
        entries = {report.entry: _write_entry(report, folder) for report in reports}
        content = {"schema": 1, "suite": suite.name, "title": suite.title, **suite.about}
        style = suite.style.model_dump(exclude_defaults=True)
        if order := json.loads(reports[0].style)["order"]:  # the methods of the whole suite
            style["order"] = order
        if style:
            content["style"] = style
        text = yaml_text(content | {"reports": list(entries.values())})
        write_atomically(folder / "suite.yaml", text)
        lock = PACKAGE.parent / "requirements.lock"
        if lock.is_file():
            shutil.copy(lock, folder / lock.name)
        versions = {package.name: package.version for package in distributions()}
        own = versions.pop("srlib", "not installed")
        lines = [f"{name}=={versions[name]}\n" for name in sorted(versions, key=str.lower)]
        write_atomically(folder / "requirements.txt", "".join(lines))
        write_atomically(folder / "README.txt", README.format(title=suite.title, srlib=own))
        sums = [f"{sha256(path)}  {path.relative_to(folder)}\n" for path in visible(folder)]
        write_atomically(folder / "SHA256SUMS", "".join(sums))
    return out / "bundle"


def _write_entry(report: Report, folder: Path) -> dict[str, Any]:
    """Copy a report's notebook and inputs; give its entry in the bundle's suite."""
    notebook = _copy(report.notebook, folder, "notebooks")
    parameters = dict(report.parameters)
    for key in parameters:
        if (path := input_file(report, key)) is None:
            continue
        stored, kind = _list_predictions(path, key), key
        if stored:  # two tables may call their predictions the same
            kind = f"{key}/{sha256(path)[:12]}"
        parameters[key] = _copy(path, folder, kind)
        for name in stored:
            _copy_to(path.parent / name, folder / kind / name)
        if key == "problems" and path.is_file():
            _copy_data(path, folder / parameters[key])
    looks = {"title": report.title, "theme": report.theme, "for_each": report.for_each}
    if report.method:  # one entry for all methods
        del parameters["method"]
        looks["title"] = ""
    entry = {"name": report.entry, "notebook": notebook}
    return {**entry, **{k: v for k, v in looks.items() if v}, "parameters": parameters}


def _copy_to(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)


def _copy(path: Path, folder: Path, kind: str) -> str:
    """Copy a file or folder below the bundle's folder of its kind; what is there under that name is taken as it is."""
    place, number = folder / kind / path.name, 1
    while place.exists() and sha256(place) != sha256(path) and kind != "problems":
        number += 1
        place = folder / kind / f"{path.stem}-{number}{path.suffix}"
    for file in visible(path) if path.is_dir() else [path]:
        _copy_to(file, place / file.relative_to(path))
    return f"./{place.relative_to(folder).as_posix()}"


def _list_predictions(path: Path, key: str) -> list[str]:
    """Name the files of predictions that a run table states, as far as they are there; none outside its folder."""
    if key != "runs" or not path.name.endswith(SUFFIXES):
        return []
    table, home = read_frame(path), path.parent.resolve()
    names = table["predictions"].dropna().astype("str").unique() if "predictions" in table else []
    inside = [name for name in names if (home / name).resolve().is_relative_to(home)]
    return [n for n in inside if ".." not in Path(n).parts and (home / n).is_file()]


def _copy_data(path: Path, place: Path) -> None:
    """Copy the data that a problem file names beside its copy, which says where they are now."""
    if data := data_of(path):
        root = f"{place.stem}-data"
        for name, file in data:
            _copy_to(file, place.parent / root / name)
        write_atomically(place, yaml_text(load_yaml(path) | {"data_root": root}))
