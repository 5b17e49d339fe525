"""Which source a method is made of: a hash of its modules, so that an edited one is another method.

What lies in an installed package is known by its version. A module of one's own has none: its file counts, and
every file of the same folder that it imports, directly or through others, and the versions of the packages that
these import. Nothing is imported here.
"""

import ast
import functools
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from srlib.files import digest, sha256
from srlib.recording.methods import Method

HERE = Path(__file__).resolve().parents[1]
INSTALLED = (
    HERE,
    *(Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib", "stdlib")),
)


def source_digest(method: Method) -> str:
    """Hash of the files that a method's estimators are written in; of no file where all are installed.

    Examples
    --------
    >>> from srlib.recording import load_methods
    >>> linear = load_methods("demo")[0]
    >>> source_digest(linear) == source_digest(linear.model_copy(update={"name": "other"}))
    True
    """
    return digest(sorted((path.name, sha256(path)) for path in _own_files(method)))


def version_of(method: Method) -> str:
    """Name and version of the package that the estimator comes from, or of those that one's own files import.

    Examples
    --------
    >>> from srlib.recording import load_methods
    >>> version_of(load_methods("demo")[0]).split()[0]
    'scikit-learn'
    """
    installed = _installed()
    top = method.package or method.estimator.split(".")[0].split(":")[0]
    tops = {top}
    if top == HERE.name or top not in installed:
        tops = {
            name.split(".")[0] for path in _own_files(method) for name in _imported(_tree(path))
        }
    names = {installed[name][0] for name in tops if name in installed}
    return ", ".join(f"{name} {version(name)}" for name in sorted(names, key=str.lower))


def _installed() -> Mapping[str, list[str]]:
    """Say from which packages each module comes; look through all of them again where one came or went."""
    places = [Path(entry or ".").resolve() for entry in sys.path]
    holding = [at for at in places if at.is_file() or at.suffix == ".egg" or any(at.glob("*-info"))]
    return _looked_through(tuple((at, at.stat().st_mtime_ns) for at in holding if at.exists()))


@functools.lru_cache(maxsize=4)
def _looked_through(_places: tuple[tuple[Path, int], ...]) -> Mapping[str, list[str]]:
    return packages_distributions()


def _own_files(method: Method) -> dict[Path, None]:
    files: dict[Path, None] = {}
    for reference in _references(method.model_dump(mode="json")):
        path = Path(reference) if reference.endswith(".py") else module_file(reference)
        if path is not None and not any(path.is_relative_to(folder) for folder in INSTALLED):
            _collect(path, files)
    return files


def module_file(reference: str) -> Path | None:
    """File of the module in MODULE:CLASS, looked for as Python would and in the current folder."""
    parts = reference.partition(":")[0].split(".")
    for folder in [*sys.path, "."]:
        base = Path(folder or ".").joinpath(*parts)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path.resolve()
    return None


def _references(entry: Any) -> Iterator[str]:
    """Every MODULE:CLASS and every Python file that a method's entry names."""
    if isinstance(entry, dict):
        for key, value in entry.items():
            if key in ("estimator", "reference", "warm_up", "path") and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(entry, list):
        for value in entry:
            yield from _references(value)


def _collect(path: Path, files: dict[Path, None]) -> None:
    """Add a file and those of its folder that it imports."""
    waiting = [path]
    while waiting:
        here = waiting.pop()
        if here in files or not here.is_file():
            continue
        files[here] = None
        for name in _imported(_tree(here)):
            tail = name.split(".")
            for start in range(len(tail)):  # package.module, seen from inside the package
                base = here.parent.joinpath(*tail[start:])
                waiting += [base.with_suffix(".py"), base / "__init__.py"]


def _tree(path: Path) -> ast.AST:
    """Parse a module; of one that cannot be parsed nothing is known."""
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module:
                yield module
            yield from (f"{module}.{alias.name}".strip(".") for alias in node.names)
