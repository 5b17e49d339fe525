"""The house rules: what lies where, how large it may grow, what it may import, and what no file may name."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec

from srlib.yaml_files import load_yaml

CHECKOUT = Path(__file__).resolve().parent.parent
TOP_LEVEL = """
notebooks srlib parameters reports tests docs environment.yml README.md LICENSE CHANGELOG.md ARCHITECTURE.md
CONTRIBUTING.md pyproject.toml requirements.lock Makefile .ci .gitignore .gitattributes .git-blame-ignore-revs
"""
NODES, LINES_A_FILE = 170_000, 400

# Built from pieces, so that this file does not name what it forbids.
FOLDERS = "|".join(["work", "root", "tmp", "home"])
HOSTS = ["pypi" + r"\.", "python" + "hosted", "ana" + r"conda\.", "npm" + r"js\."]
SESSIONS = [r"\bsub" + "agent", "clau" + "de", "anth" + "ropic", "brief" + r"\.md"]
FORBIDDEN = {
    "path of a machine": re.compile(rf"(?<![\w.)}}\]~-])/(?:{FOLDERS})(?![\w.-])".encode()),
    "registry": re.compile("|".join(HOSTS).encode()),
    "session": re.compile("|".join(SESSIONS).encode(), re.IGNORECASE),
}
PYPROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = sum(PROJECT["optional-dependencies"].values(), [])
REQUIREMENTS = [Requirement(text) for text in [*PROJECT["dependencies"], *EXTRAS]]
PACKAGES = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}  # called otherwise


@cache
def files():
    """Every file that is committed or about to be, relative to the checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: the files of the project are not known")
    names = sorted(name for name in listed.stdout.split("\0") if name)
    return [Path(name) for name in names if (CHECKOUT / name).is_file()]


def read(name):
    return (CHECKOUT / name).read_text(encoding="utf-8")


@cache
def modules():
    """The text of every module of srlib, by its path."""
    paths = [path for path in files() if path.parts[0] == "srlib" and path.suffix == ".py"]
    return {path: read(path) for path in paths}


@cache
def nodes():
    """The syntax of srlib."""
    return [node for text in modules().values() for node in ast.walk(ast.parse(text))]


def test_srlib_stays_small():
    """Nodes of the syntax count: width, a comment or a blank line is never a reason to delete something."""
    assert len(nodes()) < NODES
    assert {path for path, text in modules().items() if text.count("\n") > LINES_A_FILE} == set()


def test_every_file_lies_in_its_folder():
    """Methods may be files regressor.py, as participants write them; git keeps no rendered report."""
    assert {path.parts[0] for path in files()} <= set(TOP_LEVEL.split())
    assert [str(path) for path in files() if path.parts[0] == "reports"] == ["reports/README.md"]
    parameters = [path for path in files() if path.parts[0] == "parameters"]
    folders = {path.parts[1] for path in parameters}
    assert folders == {"suites", "rules", "problems", "methods", "layouts", "sources"}
    others = {path for path in parameters if path.suffix != ".yaml"}
    assert all(path.match("parameters/methods/*/regressor.py") for path in others)


def test_a_wheel_holds_every_package():
    folders = {path.parent for path in modules()}
    assert {folder for folder in folders if folder / "__init__.py" not in modules()} == set()
    names = {".".join(folder.parts) for folder in folders}
    shipped = {"srlib.shipped.notebooks", "srlib.shipped.parameters"}
    assert set(PYPROJECT["tool"]["setuptools"]["packages"]) == names | shipped


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_file_names_a(kind):
    places = [
        f"{path}:{number}: {line[:100]}"
        for path in files()
        for number, line in enumerate((CHECKOUT / path).read_bytes().split(b"\n"), start=1)
        if FORBIDDEN[kind].search(line)
    ]
    assert places == []


def test_every_import_is_declared():
    names = {node.module for node in nodes() if isinstance(node, ast.ImportFrom)}
    imports = [node for node in nodes() if isinstance(node, ast.Import)]
    names |= {alias.name for node in imports for alias in node.names}
    packages = {name.partition(".")[0] for name in names} - {"srlib", *sys.stdlib_module_names}
    declared = {canonicalize_name(requirement.name) for requirement in REQUIREMENTS}
    assert {canonicalize_name(PACKAGES.get(name, name)) for name in packages} <= declared


LOCKED = re.compile(r"([\w.-]+)==([\w.+]+)(?: ;[^@-]*)?(?:\s+--hash=sha256:[0-9a-f]{64})+\s*")


def test_the_lock_has_versions_of_each_requirement_with_hashes_and_no_address():
    lock = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", read("requirements.lock")))
    locked = [LOCKED.fullmatch(line).groups() for line in lock.splitlines()]
    for requirement in REQUIREMENTS:
        versions = [
            version for name, version in locked if name == canonicalize_name(requirement.name)
        ]
        assert versions or requirement.name == "srlib", f"{requirement}: run make lock"
        assert all(requirement.specifier.contains(v, prereleases=True) for v in versions)


def test_the_environment_of_conda_can_be_read():
    dependencies = load_yaml(CHECKOUT / "environment.yml")["dependencies"]
    assert all(MatchSpec(text, strict=True) for text in dependencies if isinstance(text, str))


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_that_is_named_exists(page):
    names = re.findall(r"`([a-z]+/[\w./-]*\w/?)`", read(page))
    folders = (CHECKOUT, CHECKOUT / "srlib")
    assert names
    assert [n for n in names if not any((folder / n).exists() for folder in folders)] == []


def test_what_a_newcomer_reads_is_short():
    names = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
    assert max(read(name).count("\n") for name in names) <= 120
    terms = re.findall(r"(?m)^(.+)\n: ", read("docs/glossary.md"))
    assert terms == sorted(terms) and 20 < len(terms) <= 40
