"""Provenance of a report: hashes of its inputs, and a fingerprint of inputs, versions and parameters; its job."""

import glob
import os
import platform
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from srlib.files import PACKAGE, digest, list_files, sha256
from srlib.problems.problem_file import ProblemFile
from srlib.rendering.suite import Report, read_code
from srlib.yaml_files import load_yaml, validate

PACKAGES = (
    "srlib",
    "numpy",
    "pandas",
    "scipy",
    "sympy",
    "matplotlib",
    "latex2mathml",
    "nbconvert",
    "papermill",
)


@dataclass(frozen=True)
class Provenance:
    """Hashes of a report's inputs, and a fingerprint of everything that determines its content.

    Parameters
    ----------
    inputs : list of dict of str to str
        `name` (parameter and file) and `sha256` of each input, the notebook first.
    fingerprint : str
        Hash of inputs, parameters, style, texts of the suite and versions; the same fingerprint gives the same report.
    """

    inputs: list[dict[str, str]]
    fingerprint: str


@dataclass(frozen=True)
class Job:
    """Arguments of a process that makes one report.

    Attributes
    ----------
    report : Report
        The report with its notebook and parameters.
    origin : Provenance
        Provenance of the report.
    folder : Path
        Folder in which the report is made: the files to publish are in its folder `new`, the kernel's files beside it.
    """

    report: Report
    origin: Provenance
    folder: Path

    @property
    def output(self) -> Path:
        """Folder for the notebook's figures and tables, beside the page."""
        return self.folder / "new" / self.report.name


def provenance(report: Report) -> Provenance:
    """Return the provenance of a report; it is not executed, and no large package is imported."""
    inputs = [{"name": name, "sha256": sha256(path)} for name, path in input_files(report)]
    texts = [report.name, report.title, report.suite_title, report.about, report.links]
    parts = [texts, report.style, report.parameters, inputs, versions()]
    return Provenance(inputs, digest(parts))


def input_files(report: Report) -> list[tuple[str, Path]]:
    """Return (name, path) of a report's notebook, of all files that its parameters name, and of others that it uses.

    A name is 'parameter: file'. The shipped runs `demo` are not listed: they are part of srlib (see `versions`).
    """
    files = [(f"notebook: {report.notebook.name}", report.notebook)]
    for key, value in report.parameters.items():
        if (path := report.path_of(key, value)) is None:
            continue
        tables = report.parameters.get("tables") if key == "runs" else None
        places = [path / name for name in tables or [""]]
        paths = [file for item in places for file in [item, *list_files(item)] if file.is_file()]
        if key == "problems" and path.is_file():
            paths += data_files(path)
        files += [(f"{key}: {os.path.relpath(file, path.parent)}", file) for file in paths]
    used, folder = files_used(report.notebook) - {path for _, path in files}, report.notebook.parent
    return files + [(f"used: {os.path.relpath(path, folder)}", path) for path in sorted(used)]


def files_used(notebook: Path) -> set[Path]:
    """Return the files beside a notebook that its code names, and those that modules among them name.

    The notebook is not executed. Names in the folder above count if the code has a text with `../`. Folders of rendered
    reports are no input.
    """
    code, used = "\n".join(read_code(notebook)), {notebook}
    while True:
        folders = notebook.parents[: 2 if "../" in code else 1]
        entries = {entry for folder in folders for entry in folder.iterdir()} - set(folders)
        paths = (path for path in entries if is_named(path, code))
        files = {file for path in paths for file in (path, *list_files(path)) if file.is_file()}
        if files <= used:
            return used
        modules = [file for file in files - used if file.suffix == ".py"]
        code = "\n".join([code, *(file.read_text("utf-8", "replace") for file in modules)])
        used |= files


def is_named(path: Path, code: str) -> bool:
    """Return whether code contains the name of a file, a folder or a module, or `*` or `}` before the file's ending.

    Examples
    --------
    >>> is_named(Path("a.csv"), 'read(f"{name}.csv")'), is_named(Path("a.py"), "import a.b")
    (True, True)
    """
    name = path.stem if path.suffix == ".py" else path.name
    patterns = [rf"(?<![\w.-]){re.escape(name)}(?![\w-])"]
    if path.suffix:
        patterns.append(rf"[*}}]{re.escape(path.suffix)}\b")
    is_rendered = any(path.glob("*.report.json"))
    return not is_rendered and re.search("|".join(patterns), code) is not None


def competition_facts(report: Report) -> dict[str, Any]:
    """Return facts about the competition from a suite and its problem file; the suite takes precedence.

    Returns
    -------
    dict
        date, deadline, contact and description, as far as they are stated; with a problem file also `datasets`, pairs
        of name and description.
    """
    path = report.path_of("problems", report.parameters.get("problems"))
    if path is None or path.is_dir():
        return report.about
    file = validate(ProblemFile, load_yaml(path), path)
    descriptions = [
        (problem.dataset, problem.description) for problem in file.problems if problem.description
    ]
    return {"datasets": descriptions, **file.about(), **report.about}


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that determine a report, as {name: version}.

    srlib's version ends in a hash of its sources and shipped data.
    """
    sources = digest(
        [[path.relative_to(PACKAGE).as_posix(), sha256(path)] for path in list_files(PACKAGE)]
    )
    packages = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    packages["srlib"] += f" (sources {sources[:16]})"
    return packages


def data_files(path: Path) -> list[Path]:
    """Return the data files that a problem file names, for all data seeds, sorted."""
    file = validate(ProblemFile, load_yaml(path), path)
    root = Path(os.path.normpath(path.parent / file.data_root))
    names = {name for problem in file.problems for name in problem.files.values()}
    patterns = [glob.escape(name).replace("{data_seed}", "*") for name in names]
    return sorted({data for pattern in patterns for data in root.glob(pattern)})
