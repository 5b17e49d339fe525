"""Where a report comes from: its inputs by hash, the versions, the parameters, and one name for all of it."""

import hashlib
import platform
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import DEMO, PACKAGE, PARAMETERS, digest, sha256, shipped, visible
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
    for key, value in report.given_parameters().items():
        inputs += [(f"{key}: {name}", sha256(path)) for name, path in _files(report, key, value)]
    parameters = report.given_parameters()
    decides = [report.name, inputs, versions(), parameters]
    texts = (report.about, report.title, report.style)
    more = [text for text in texts if text]
    fingerprint = digest([*decides, *more])
    return Provenance(tuple(inputs), versions(), parameters, fingerprint)


def about(report: Report) -> dict[str, Any]:
    """Collect what a suite, or else its problem file, says of the competition, and of each dataset.

    Returns
    -------
    dict
        date, deadline, contact and description, as far as they are stated, and `datasets`: pairs of name and text.
    """
    problem_file, parameters = report.given_parameters().get("problems"), {}
    path = report.path_of("problems", problem_file)
    if path is None and isinstance(problem_file, str) and problem_file:
        path = shipped("problems", problem_file)
    if path is not None and path.is_file():
        parameters = load_yaml(path)
    facts = {
        key: str(parameters[key]) for key in About.model_fields if parameters.get(key)
    } | report.about
    problems = parameters.get("problems")
    lines = [
        (str(problem.get("dataset")), str(problem["description"]))
        for problem in (problems if isinstance(problems, list) else [])
        if isinstance(problem, dict) and problem.get("description")
    ]
    return {key: facts[key] for key in About.model_fields if key in facts} | (
        {"datasets": lines} if lines else {}
    )


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
    packages["srlib"] += (
        f" (sources {hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:16]})"
    )
    return packages


def git_commit(notebook: Path) -> str | None:
    """Name the commit that a notebook, srlib and its parameters stand at, as far as one repository holds them.

    It is the last commit that changed one of these: a commit that touches nothing else leaves pages as they are.
    None outside a repository, without git, or where nothing is committed.
    """

    def git(folder: Path, *words: str) -> str:
        process = subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, text=True, check=False
        )
        return process.stdout.strip()

    try:
        root = Path(git(notebook.parent, "rev-parse", "--show-toplevel") or "/nowhere")
        paths = [str(path) for path in (notebook, PACKAGE, PARAMETERS) if path.is_relative_to(root)]
        commit = ""
        if paths:
            commit = git(root, "log", "-1", "--format=%H", "--", *paths)
        changed = commit and git(root, "status", "--porcelain", "--", *paths)
    except OSError:
        return None
    if commit:
        return f"{commit}{', with changes since' if changed else ''}"
    return None


def _files(report: Report, key: str, value: Any) -> list[tuple[str, Path]]:
    if value == "demo":
        if (DEMO / key).is_dir():
            return _inside(DEMO / key)
        return _inside(DEMO, "*.parquet")
    path = report.path_of(key, value)
    if path is None:
        if key not in KINDS or not value:
            return []
        path = shipped(key, value)
    files = _inside(path) if path.is_dir() else [(path.name, path)]
    if key == "problems" and path.is_file():
        return files + data_of(path)
    return files


def _inside(folder: Path, pattern: str = "**/*") -> list[tuple[str, Path]]:
    found = visible(folder, pattern)
    return [(path.relative_to(folder.parent).as_posix(), path) for path in found]


def data_of(manifest: Path) -> list[tuple[str, Path]]:
    """Files that a problem file names; patterns in braces stand for any text."""
    content = load_yaml(manifest)
    root = manifest.parent / str(content.get("data_root", "."))
    found: dict[str, Path] = {}
    for problem in content.get("problems") or []:
        data = problem.get("data") if isinstance(problem, dict) else None
        for part in ("file", "train", "test", "extrapolation"):
            pattern = data.get(part) if isinstance(data, dict) else None
            if isinstance(pattern, str):
                try:
                    matches = sorted(root.glob(_any_text(pattern)))
                except (ValueError, NotImplementedError) as error:
                    raise InputError(
                        f"{manifest.name}: {part}: {pattern!r} is no path below data_root"
                    ) from error
                found |= {
                    match.relative_to(root).as_posix(): match
                    for match in matches
                    if match.is_file()
                }
    return sorted(found.items())


def _any_text(pattern: str) -> str:
    out, depth = [], 0
    for letter in pattern:
        if letter == "{":
            out += [] if depth else ["*"]
            depth += 1
        elif letter == "}":
            depth = max(depth - 1, 0)
        elif not depth:
            out.append(f"[{letter}]" if letter in "*?[" else letter)
    return "".join(out)
