"""Provenance of a report: its inputs by hash, the versions, the parameters, and one fingerprint of all of it."""

import glob
import os
import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from srlib.files import PACKAGE, digest, list_files, sha256
from srlib.problems.problem_file import ProblemFile
from srlib.rendering.suite import Report
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
    """All that decides what a report says beside its parameters and the versions.

    Parameters
    ----------
    inputs : list of dict of str to str
        `name` (parameter and file) and `sha256` of every input.
    fingerprint : str
        Hash of all of it and the notebook; the same fingerprint gives the same report.
    """

    inputs: list[dict[str, str]]
    fingerprint: str


def provenance(report: Report) -> Provenance:
    """Return the provenance of a report without executing it or importing anything large."""
    inputs = [{"name": name, "sha256": sha256(path)} for name, path in input_files(report)]
    texts = [report.name, report.title, report.suite_title, report.about, report.links]
    parts = [texts, report.style, report.parameters, inputs, versions()]
    return Provenance(inputs, digest(parts))


def input_files(report: Report) -> list[tuple[str, Path]]:
    """List a report's notebook and all that its parameters name, by parameter and file; `demo` is a part of srlib."""
    files = [(f"notebook: {report.notebook.name}", report.notebook)]
    for key, value in report.parameters.items():
        if (path := report.path_of(key, value)) is None:
            continue
        paths = list_files(path) if path.is_dir() else [path]
        if key == "problems" and path.is_file():
            paths += data_files(path)
        files += [(f"{key}: {os.path.relpath(file, path.parent)}", file) for file in paths]
    return files


def competition_facts(report: Report) -> dict[str, Any]:
    """Collect the facts that a suite, or else its problem file, states about the competition and its datasets.

    Returns
    -------
    dict
        date, deadline, contact and description, as far as they are stated, and `datasets`: pairs of name and text.
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
    """Versions of what computes and draws; srlib's own ends in the hash of its sources and of the demo's data."""
    files = [path for path in list_files(PACKAGE) if path.suffix != ".pyc"]
    sources = digest([[path.relative_to(PACKAGE).as_posix(), sha256(path)] for path in files])
    packages = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    packages["srlib"] += f" (sources {sources[:16]})"
    return packages


def data_files(path: Path) -> list[Path]:
    """Files of rows that a problem file names, with every seed."""
    file = validate(ProblemFile, load_yaml(path), path)
    root = Path(os.path.normpath(path.parent / file.data_root))
    names = {name for problem in file.problems for name in problem.files.values()}
    patterns = [glob.escape(name).replace("{data_seed}", "*") for name in names]
    return sorted({data for pattern in patterns for data in root.glob(pattern)})
