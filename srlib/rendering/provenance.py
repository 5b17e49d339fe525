"""Where a report comes from: its inputs by hash, the versions, the parameters, and one name for all of it."""

import glob
import hashlib
import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from srlib.files import DEMO, PACKAGE, digest, sha256, shipped, visible
from srlib.problems.problem_file import ProblemFile
from srlib.rendering.suite import KINDS, Report
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
SOURCES = (".py", ".j2", ".css", ".js", ".json")


@dataclass(frozen=True)
class Provenance:
    """All that decides what a report says beside its parameters and the versions.

    Parameters
    ----------
    inputs : tuple of (str, str)
        Name (parameter and file) and SHA-256 of every input.
    fingerprint : str
        One name for all of it and the notebook; the same fingerprint gives the same report.
    """

    inputs: tuple[tuple[str, str], ...]
    fingerprint: str


def provenance(report: Report) -> Provenance:
    """Look at a report's notebook, inputs and surroundings, without executing or importing anything large."""
    inputs = [(f"notebook: {report.notebook.name}", sha256(report.notebook))]
    for key, value in report.parameters.items():
        inputs += [(f"{key}: {name}", sha256(path)) for name, path in _files(report, key, value)]
    texts = report.name, report.about, report.title, report.style
    return Provenance(tuple(inputs), digest([*texts, inputs, versions(), report.parameters]))


def about(report: Report) -> dict[str, Any]:
    """Collect what a suite, or else its problem file, says of the competition, and of each dataset.

    Returns
    -------
    dict
        date, deadline, contact and description, as far as they are stated, and `datasets`: pairs of name and text.
    """
    path = input_file(report, "problems")
    if path is None or path.is_dir():
        return report.about
    file = read_problem_file(path)
    words = [(each.dataset, each.description) for each in file.problems if each.description]
    return ({"datasets": words} if words else {}) | file.about() | report.about


@cache
def versions() -> dict[str, str]:
    """Versions of what computes and draws; srlib's own ends in the hash of its sources."""
    packages = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = "not installed"
    parts = [
        f"{path.relative_to(PACKAGE).as_posix()} {sha256(path)}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in SOURCES and DEMO not in path.parents
    ]
    sources = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    packages["srlib"] += f" (sources {sources[:16]})"
    return packages


def input_file(report: Report, key: str) -> Path | None:
    """Give the file or folder that a parameter names; None where it names none."""
    value = report.parameters.get(key)
    path = report.path_of(key, value)
    if path is None and key in KINDS and value:
        return shipped(key, value)
    return path


def _files(report: Report, key: str, value: Any) -> list[tuple[str, Path]]:
    """List what a parameter names, down to the data of a problem file."""
    if value == "demo":
        return _inside(DEMO / key) if (DEMO / key).is_dir() else _inside(DEMO, "*.parquet")
    path = input_file(report, key)
    if path is None:
        return []
    if path.is_dir():
        return _inside(path)
    return [(path.name, path), *(data_of(path) if key == "problems" else ())]


def _inside(folder: Path, pattern: str = "**/*") -> list[tuple[str, Path]]:
    paths = visible(folder, pattern)
    return [(path.relative_to(folder.parent).as_posix(), path) for path in paths]


def read_problem_file(path: Path) -> ProblemFile:
    """Read what a problem file states, without its data."""
    return validate(ProblemFile, load_yaml(path), path)


def data_of(path: Path) -> list[tuple[str, Path]]:
    """Files of rows that a problem file names, with every seed."""
    file, files = read_problem_file(path), dict[str, Path]()
    root = path.parent / file.data_root
    for problem in file.problems:
        for name in problem.data.files.values() if problem.data else ():
            paths = root.glob(glob.escape(name).replace("{data_seed}", "*"))
            files |= {p.relative_to(root).as_posix(): p for p in paths if p.is_file()}
    return sorted(files.items())
