"""Every package that srlib imports is declared in pyproject.toml; no module leads back to itself."""

import ast
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ABOVE_RESULT = (
    "srlib.displays",
    "srlib.rendering",
)  # imported when a figure or a page is asked for
NAMES = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def imported() -> dict[str, str]:
    """Packages that some module imports, each with the first such module."""
    found: dict[str, str] = {}
    for path in sorted((CHECKOUT / "srlib").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                found.setdefault(name.partition(".")[0], path.name)
    return found


def test_every_import_is_declared():
    texts = [*PROJECT["dependencies"], *sum(PROJECT["optional-dependencies"].values(), [])]
    declared = {canonicalize_name(Requirement(text).name) for text in texts}
    missing = {
        name: module
        for name, module in imported().items()
        if name not in {"srlib", *sys.stdlib_module_names}
        if canonicalize_name(NAMES.get(name, name)) not in declared
    }
    assert missing == {}


def graph() -> dict[str, set[str]]:
    """The modules of srlib that each one imports anywhere in its text, in functions, too."""
    paths = {
        ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (CHECKOUT / "srlib").rglob("*.py")
    }
    found: dict[str, set[str]] = {}
    for module, path in paths.items():
        here = found[module] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                here.update(alias.name for alias in node.names)
            if isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                here.update(name if name in paths else node.module or "" for name in names)
        here &= paths.keys()
    found["srlib.result"] -= {name for name in paths if name.startswith(ABOVE_RESULT)}
    return found


def test_imports_have_no_circle():
    TopologicalSorter(graph()).prepare()  # names the circle
