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
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from rattler import MatchSpec

import srlib
from srlib.yaml_files import load_yaml

CHECKOUT = Path(__file__).resolve().parent.parent
TOP_LEVEL = """
notebooks srlib parameters reports tests docs environment.yml README.md LICENSE CHANGELOG.md ARCHITECTURE.md
CONTRIBUTING.md conftest.py CITATION.cff pyproject.toml requirements.lock Makefile .ci .github .gitignore .gitattributes
.git-blame-ignore-revs
"""
PARAMETERS = "suites labels rules problems methods layouts sources"
LONGEST = {"CHANGELOG.md": 40, "ARCHITECTURE.md": 120, "CONTRIBUTING.md": 120}  # lines
NODES, MODULES, LINES_A_FILE = 201_500, 132, 460  # modules without the packages' __init__.py

# Built from pieces, so that this file does not name what it forbids.
FOLDERS = "|".join(["work", "root", "tmp", "home"])
HOSTS = ["pypi" + r"\.", "python" + "hosted", "ana" + r"conda\.", "npm" + r"js\."]
SESSIONS = [r"\bsub" + "agent", "clau" + "de", "anth" + "ropic", "brief" + r"\.md"]
FORBIDDEN = {
    "path of a machine": re.compile(rf"(?<![\w.)}}\]~-])/(?:{FOLDERS})(?![\w.-])".encode()),
    "registry": re.compile("|".join(HOSTS).encode()),
    "session": re.compile("|".join(SESSIONS).encode(), re.IGNORECASE),
}
PYPROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
EXTRAS = sum(PROJECT["optional-dependencies"].values(), [])
REQUIREMENTS = [Requirement(text) for text in [*PROJECT["dependencies"], *EXTRAS]]
WORKFLOW = ".github/workflows/ci.yml"
LOCKS = ["requirements.lock", ".ci/test.lock"]
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
    return (CHECKOUT / name).read_text()


@cache
def modules():
    """The text of every module of srlib, by its path; what the demo and `srlib new` ship is data."""
    paths = [path for path in files() if path.parts[0] == "srlib" and path.suffix == ".py"]
    paths = [path for path in paths if path.parts[1] != "demo"]
    return {path: read(path) for path in paths}


@cache
def nodes():
    """The syntax of srlib."""
    return [node for text in modules().values() for node in ast.walk(ast.parse(text))]


def test_srlib_stays_small():
    """Nodes of the syntax count: width, a comment or a blank line is never a reason to delete something."""
    assert len(nodes()) < NODES
    assert len([path for path in modules() if path.name != "__init__.py"]) <= MODULES
    assert {path for path, text in modules().items() if text.count("\n") > LINES_A_FILE} == set()


def test_file_lies_in_a_folder_of_its_kind():
    """Methods may be files regressor.py, suites may state hashes of their inputs; git keeps no rendered report."""
    assert {path.parts[0] for path in files()} <= set(TOP_LEVEL.split())
    assert [str(path) for path in files() if path.parts[0] == "reports"] == ["reports/README.md"]
    parameters = [path for path in files() if path.parts[0] == "parameters"]
    assert {path.parts[1] for path in parameters} == set(PARAMETERS.split())
    others = [path for path in parameters if path.suffix != ".yaml"]
    kinds = ("parameters/methods/*/regressor.py", "parameters/suites/*.sha256")
    assert all(any(map(path.match, kinds)) for path in others)


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_file_names_no(kind):
    places = [
        f"{path}:{number}: {line[:100]}"
        for path in files()
        for number, line in enumerate((CHECKOUT / path).read_bytes().split(b"\n"), start=1)
        if FORBIDDEN[kind].search(line)
    ]
    assert places == []


def test_import_is_of_a_declared_package():
    names = {node.module for node in nodes() if isinstance(node, ast.ImportFrom)}
    names |= {a.name for node in nodes() if isinstance(node, ast.Import) for a in node.names}
    packages = {name.partition(".")[0] for name in names} - {"srlib", *sys.stdlib_module_names}
    declared = {canonicalize_name(requirement.name) for requirement in REQUIREMENTS}
    assert {canonicalize_name(PACKAGES.get(name, name)) for name in packages} <= declared


LOCKED = re.compile(r"([\w.-]+)==([\w.+]+)(?: ;[^@-]*)?(?:\s+--hash=sha256:[0-9a-f]{64})+\s*")


def read_lock(name):
    """Return (package, version) of each line; a line without a hash, or with an address, is no match."""
    lock = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", read(name)))
    return [LOCKED.fullmatch(line).groups() for line in lock.splitlines()]


def test_locks_have_an_allowed_version_of_each_requirement_and_share_no_package():
    """The first lock has what judging, reports and the laboratory need, both together have all."""
    base, tests = (read_lock(lock) for lock in LOCKS)
    assert dict(base).keys().isdisjoint(dict(tests))
    extras = PROJECT["optional-dependencies"]
    needed = [*PROJECT["dependencies"], *extras["report"], *extras["lab"]]
    for locked, texts in ((base, needed), ([*base, *tests], [*needed, *EXTRAS])):
        for requirement in map(Requirement, texts):
            name = canonicalize_name(requirement.name)
            versions = [version for package, version in locked if package == name]
            assert versions or name == "srlib", f"{requirement}: run make lock"
            assert all(requirement.specifier.contains(v, prereleases=True) for v in versions)


def test_environment_of_conda_has_the_requirements_of_pyproject():
    *conda, pip = load_yaml(CHECKOUT / "environment.yml")["dependencies"]
    assert all(MatchSpec(text, strict=True) for text in conda)
    lines = [Requirement(text) for text in [*conda, *pip["pip"]] if text not in ("-e .", "pip")]
    stated = {canonicalize_name(line.name): line.specifier for line in lines}
    needed = {canonicalize_name(line.name): line.specifier for line in REQUIREMENTS}
    needed["python"] = SpecifierSet(PROJECT["requires-python"])
    assert stated == {name: specifier for name, specifier in needed.items() if name != "srlib"}


def test_citation_is_of_this_version():
    citation = load_yaml(CHECKOUT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert (citation["version"], citation["license"]) == (srlib.__version__, PROJECT["license"])
    assert citation["keywords"] == PROJECT["keywords"]
    assert f"## {srlib.__version__} " in read("CHANGELOG.md")


def test_workflow_runs_the_commands_of_the_readme_with_pinned_actions_on_stated_pythons():
    text, content = read(WORKFLOW), load_yaml(CHECKOUT / WORKFLOW)
    assert content["permissions"] == {"contents": "read"}
    assert re.findall(r"run: (.+)", text) == ["make report", "make test", "make floors"]
    actions = re.findall(r"uses: (\S+)", text)
    assert actions and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in actions)
    rows = content["jobs"]["readme"]["strategy"]["matrix"]["include"]
    stated = re.findall(r"Python :: (3\.\d+)", str(PROJECT["classifiers"]))
    assert {str(row["python"]) for row in rows} == {*stated}


def test_files_that_the_makefile_names_exist():
    """With the lowest versions nobody would notice that a test has moved."""
    names = re.findall(r"\b(?:tests|notebooks|docs|\.ci)/[\w./]*\w", read("Makefile"))
    assert len(names) > 12 and [n for n in names if not (CHECKOUT / n).exists()] == []


def test_page_for_newcomers_is_short():
    readme = read("README.md")
    assert 600 <= len(readme.split()) <= 700
    assert len(readme.partition("```pycon")[0].split()) <= len(readme.split()) / 3
    lines = {name: read(name).count("\n") for name in LONGEST}
    assert {name: lines[name] for name in LONGEST if lines[name] > LONGEST[name]} == {}
    terms = re.findall(r"(?m)^(.+)\n: ", read("docs/glossary.md"))
    assert terms == sorted(terms) and 20 < len(terms) <= 40
