"""Provenance of a report: hashes of its inputs, and a fingerprint of inputs, versions and parameters."""

import ast
import glob
import os
import platform
import re
import warnings
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
WORD_ENDS = re.compile(r"""[\s"'(),;=]+""")
PATTERN = re.compile(r"[^\n]+\.\w+")  # with the ending of a file


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
        paths = list_files(path) if path.is_dir() else [path]
        if key == "problems" and path.is_file():
            paths += data_files(path)
        files += [(f"{key}: {os.path.relpath(file, path.parent)}", file) for file in paths]
    used, folder = files_used(report.notebook) - {path for _, path in files}, report.notebook.parent
    return files + [(f"used: {os.path.relpath(path, folder)}", path) for path in sorted(used)]


def files_used(notebook: Path) -> set[Path]:
    """Return the Python modules and other files that a notebook's code names, beside it or beside such a module.

    Files are named by texts in the code: relative paths, also of folders, and patterns as `f"{name}.csv"`. The notebook
    is not executed, so a path that the code joins from several texts is seen only if one of them names a folder.
    """
    used = {notebook}
    sources = [(code, notebook) for code in read_code(notebook)]
    while sources:
        code, source = sources.pop()
        folders = {notebook.parent, source.parent}
        places = [(name, folder) for name in names_in(code) for folder in folders]
        for path in {path for place in places for path in find_files(*place)} - used:
            used.add(path)
            if path.suffix == ".py":
                sources.append((path.read_text("utf-8", "replace"), path))
    return used


def names_in(code: str) -> set[str]:
    """Return texts in Python code that may be relative paths, and patterns of the files of imported modules.

    Code that is not plain Python, as with magics of IPython, is split into words.

    Examples
    --------
    >>> sorted(names_in("import a.b; read('x', f'{name}.csv')"))
    ['*.csv', '.csv', 'a.py', 'a/**/*.py', 'x']
    """
    texts: list[str] = []
    modules: list[str] = []
    try:
        with warnings.catch_warnings(action="ignore"):  # of doubtful escapes
            tree = ast.parse(code)
    except (SyntaxError, ValueError):
        texts = modules = WORD_ENDS.split(code)
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                texts.append(text)
            case ast.JoinedStr(values=parts):
                values = [getattr(part, "value", "") for part in parts]
                texts.append("".join(text if isinstance(text, str) else "*" for text in values))
            case ast.Import(names=names):
                modules += [name.name for name in names]
            case ast.ImportFrom(module=str(name)):
                modules.append(name)
    packages = {name.partition(".")[0] for name in modules}
    return {*texts, *(f"{name}{files}" for name in packages for files in (".py", "/**/*.py"))}


def find_files(name: str, folder: Path) -> list[Path]:
    """Return the files that a relative path or a pattern names; of a folder, all files unless `folder` is in it."""
    if Path(name).is_absolute() or "\0" in name or ("*" in name and not PATTERN.fullmatch(name)):
        return []
    files: list[Path] = []
    for match in glob.glob(name, root_dir=folder, recursive=True):  # noqa: PTH207
        path = Path(os.path.normpath(folder / match))
        if not path.is_dir():
            files.append(path)
        elif not folder.is_relative_to(path):
            files += list_files(path)
    return files


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
