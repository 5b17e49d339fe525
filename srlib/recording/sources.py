"""Which source a method is made of: a hash of its file, so that an edited one is another method.

What lies in an installed package is known by its version. A module of one's own has none: its file counts, and not
what that imports. Nothing is imported here.
"""

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
    files = {path for path in _own_files(method) if path.is_file()}
    return digest(sorted((path.name, sha256(path)) for path in files))


def version_of(method: Method) -> str:
    """Name and version of the package that the estimator comes from; empty for a module of one's own.

    Examples
    --------
    >>> from srlib.recording import load_methods
    >>> version_of(load_methods("demo")[0]).split()[0]
    'scikit-learn'
    """
    installed = _installed()
    top = method.package or method.estimator.split(".")[0].split(":")[0]
    if top == HERE.name or top not in installed:
        return ""
    name = installed[top][0]
    return f"{name} {version(name)}"


def _installed() -> Mapping[str, list[str]]:
    """Say from which packages each module comes; look through all of them again where one came or went."""
    places = [Path(entry or ".").resolve() for entry in sys.path]
    holding = [at for at in places if at.is_file() or at.suffix == ".egg" or any(at.glob("*-info"))]
    return _looked_through(tuple((at, at.stat().st_mtime_ns) for at in holding if at.exists()))


@functools.lru_cache(maxsize=4)
def _looked_through(_places: tuple[tuple[Path, int], ...]) -> Mapping[str, list[str]]:
    return packages_distributions()


def _own_files(method: Method) -> Iterator[Path]:
    for reference in _references(method.model_dump(mode="json")):
        path = Path(reference) if reference.endswith(".py") else _module_file(reference)
        if path is not None and not any(path.is_relative_to(folder) for folder in INSTALLED):
            yield path


def _module_file(reference: str) -> Path | None:
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
