"""Where a report comes from: its inputs by hash, the versions, the parameters, and one name for all of it."""

import glob
import hashlib
import platform
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import DEMO, PACKAGE, digest, sha256, shipped, visible
from srlib.rendering.suite import KINDS, Report
from srlib.yaml_files import About, load_yaml

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
    """All that decides what a report says.

    Parameters
    ----------
    inputs : tuple of (str, str)
        Name (parameter and file) and SHA-256 of every input.
    versions : dict of str to str
        Python, srlib with the hash of its sources, and the libraries that compute or draw.
    parameters : dict
        As the suite states them.
    fingerprint : str
        One name for all of it and the notebook; the same fingerprint gives the same report.
    """

    inputs: tuple[tuple[str, str], ...]
    versions: dict[str, str]
    parameters: dict[str, Any]
    fingerprint: str


def provenance(report: Report) -> Provenance:
    """Look at a report's notebook, inputs and surroundings, without executing or importing anything large."""
    inputs = [(f"notebook: {report.notebook.name}", sha256(report.notebook))]
    for key, value in report.parameters.items():
        inputs += [(f"{key}: {name}", sha256(path)) for name, path in _files(report, key, value)]
    texts = report.name, report.about, report.title, report.style
    fingerprint = digest([*texts, inputs, versions(), report.parameters])
    return Provenance(tuple(inputs), versions(), report.parameters, fingerprint)


def about(report: Report) -> dict[str, Any]:
    """Collect what a suite, or else its problem file, says of the competition, and of each dataset.

    Returns
    -------
    dict
        date, deadline, contact and description, as far as they are stated, and `datasets`: pairs of name and text.
    """
    [(_, path)] = input_files(report, "problems") or [("", None)]
    content = load_yaml(path) if path is not None and path.is_file() else {}
    words = content | report.about
    facts: dict[str, Any] = {k: str(words[k]) for k in About.model_fields if words.get(k)}
    if lines := [
        (str(problem.get("dataset")), str(problem["description"]))
        for problem in _problems(content)
        if problem.get("description")
    ]:
        facts["datasets"] = lines
    return facts


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


def input_files(report: Report, key: str) -> list[tuple[str, Path]]:
    """Give the file or folder that a parameter names, with the name that it bears; [] where it names none."""
    value = report.parameters.get(key)
    path = report.path_of(key, value)
    if path is None and key in KINDS and value:
        path = shipped(key, value)
    return [] if path is None else [(path.name, path)]


def _files(report: Report, key: str, value: Any) -> list[tuple[str, Path]]:
    """List what a parameter names, down to the data of a problem file."""
    if value == "demo":
        return _inside(DEMO / key) if (DEMO / key).is_dir() else _inside(DEMO, "*.parquet")
    files = input_files(report, key)
    for _, path in files:
        if path.is_dir():
            return _inside(path)
        if key == "problems":
            return files + data_of(path)
    return files


def _inside(folder: Path, pattern: str = "**/*") -> list[tuple[str, Path]]:
    paths = visible(folder, pattern)
    return [(path.relative_to(folder.parent).as_posix(), path) for path in paths]


def _problems(content: dict[str, Any]) -> list[dict[str, Any]]:
    """List the problems of a problem file that nobody has checked yet."""
    problems = content.get("problems")
    return [p for p in (problems if isinstance(problems, list) else []) if isinstance(p, dict)]


def data_of(manifest: Path) -> list[tuple[str, Path]]:
    """Files that a problem file names; patterns in braces stand for any text."""
    content = load_yaml(manifest)
    root = manifest.parent / str(content.get("data_root", "."))
    files: dict[str, Path] = {}
    for data in [problem.get("data") for problem in _problems(content)]:
        for pattern in data.values() if isinstance(data, dict) else ():
            if isinstance(pattern, str):
                try:
                    paths = sorted(root.glob(re.sub(r"\{[^{}]*\}", "*", glob.escape(pattern))))
                except (ValueError, NotImplementedError) as error:
                    sentence = f"{manifest.name}: {pattern!r} is no path below data_root"
                    raise InputError(sentence) from error
                files |= {p.relative_to(root).as_posix(): p for p in paths if p.is_file()}
    return sorted(files.items())
