"""The house rules: what lies where, how large it may grow, what it may import, and what no file may name."""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec

from srlib.tables import ASSESSMENTS, MEASURED, MEASURES, RUNS
from srlib.yaml_files import load_yaml

CHECKOUT = Path(__file__).resolve().parent.parent
TOP_LEVEL = {
    "notebooks", "srlib", "parameters", "reports", "tests", "docs", "environment.yml",
    "README.md", "LICENSE", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
    "pyproject.toml", "requirements.lock", "Makefile",
    ".ci", ".gitignore", ".gitattributes", ".git-blame-ignore-revs",
}  # fmt: skip
TOKENS, LINES_A_FILE, TERNARIES = 172_000, 400, 770
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip

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
MODULES = {
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}  # whose package is called otherwise
ABOVE_RESULT = (
    "srlib.displays",
    "srlib.rendering",
)  # imported when a figure or a page is asked for


@cache
def files():
    """Every file that is committed or about to be, relative to the checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: the files of the project are not known")
    names = sorted(name for name in listed.stdout.split("\0") if name)
    return [Path(name) for name in names if (CHECKOUT / name).is_file()]


@cache
def trees():
    """The syntax of every module of srlib, by its path."""
    paths = [path for path in files() if path.parts[0] == "srlib" and path.suffix == ".py"]
    return {path: ast.parse((CHECKOUT / path).read_text(encoding="utf-8")) for path in paths}


def count_tokens(text):
    """Count the tokens of the code: no comment, no docstring, no layout."""
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            docstrings.update(range(node.lineno, node.end_lineno + 1))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type not in LAYOUT and token.start[0] not in docstrings for token in tokens)


def test_srlib_stays_small():
    """Tokens count: width, a docstring or a blank line is never a reason to delete something.

    Where a choice is long, nested or what a function returns, a plain `if` reads better than a ternary.
    """
    texts = {path: (CHECKOUT / path).read_text(encoding="utf-8") for path in trees()}
    assert sum(map(count_tokens, texts.values())) < TOKENS
    assert [str(path) for path, text in texts.items() if text.count("\n") > LINES_A_FILE] == []
    nodes = [node for tree in trees().values() for node in ast.walk(tree)]
    assert sum(isinstance(node, ast.IfExp) for node in nodes) <= TERNARIES


def test_every_file_lies_in_its_folder():
    """Methods may be files regressor.py, as participants write them; git keeps no rendered report."""
    assert {path.parts[0] for path in files()} <= TOP_LEVEL
    parameters = [path for path in files() if path.parts[0] == "parameters"]
    others = {path for path in parameters if path.suffix != ".yaml"}
    assert {(path.parts[1], path.name) for path in others} == {("methods", "regressor.py")}
    folders = {"suites", "rules", "problems", "methods", "layouts", "sources"}
    assert {path.parts[1] for path in parameters} <= folders
    assert {str(path) for path in files() if path.parts[0] == "reports"} <= {"reports/README.md"}
    assert [path for path in trees() if path.parts[1] == "demo"] == []


def test_a_wheel_holds_every_package():
    folders = {path.parent for path in trees()}
    assert [str(path) for path in folders if path / "__init__.py" not in trees()] == []
    names = {".".join(folder.parts) for folder in folders}
    shipped = {"srlib.shipped.notebooks", "srlib.shipped.parameters"}
    assert set(PYPROJECT["tool"]["setuptools"]["packages"]) == names | shipped


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_file_names_a(kind):
    places = []
    for path in files():
        for number, line in enumerate((CHECKOUT / path).read_bytes().split(b"\n"), start=1):
            if match := FORBIDDEN[kind].search(line):
                places.append(f"{path}:{number}: {match.group().decode(errors='replace')}")
    assert places == []


def imports_of(tree):
    """Names of what a module imports anywhere in its text: modules, or what is taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_import_is_declared():
    packages = {name.partition(".")[0] for tree in trees().values() for name in imports_of(tree)}
    packages -= {"srlib", *sys.stdlib_module_names}
    declared = {canonicalize_name(requirement.name) for requirement in REQUIREMENTS}
    assert {canonicalize_name(MODULES.get(name, name)) for name in packages} <= declared


def test_imports_have_no_circle():
    modules = {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): tree
        for path, tree in trees().items()
    }
    graph = {
        module: {name if name in modules else name.rpartition(".")[0] for name in imports_of(tree)}
        & modules.keys()
        for module, tree in modules.items()
    }
    graph["srlib.result"] -= {name for name in modules if name.startswith(ABOVE_RESULT)}
    TopologicalSorter(graph).prepare()  # names the circle


def read_lock():
    """The requirements of the lock, by name: each with its versions and the text of its hashes."""
    text = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    text = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    lines = [line.partition("--hash") for line in text.splitlines() if line.strip()]
    return [(Requirement(requirement), mark + hashes) for requirement, mark, hashes in lines]


def test_the_lock_has_one_version_with_hashes_and_no_address():
    for requirement, hashes in read_lock():
        assert requirement.url is None
        assert [version.operator for version in requirement.specifier] == ["=="], requirement
        assert re.fullmatch(r"(--hash=sha256:[0-9a-f]{64}\s*)+", hashes), requirement


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.name)
def test_the_lock_satisfies_pyproject(requirement):
    versions = [
        next(iter(locked.specifier)).version
        for locked, _ in read_lock()
        if canonicalize_name(locked.name) == canonicalize_name(requirement.name)
    ]
    assert versions or requirement.name == "srlib", "it is not in requirements.lock: run make lock"
    assert all(requirement.specifier.contains(version, prereleases=True) for version in versions)


def test_the_environment_of_conda_can_be_read():
    dependencies = load_yaml(CHECKOUT / "environment.yml")["dependencies"]
    assert all(MatchSpec(text, strict=True) for text in dependencies if isinstance(text, str))


@pytest.mark.parametrize(
    ("title", "columns"),
    [("runs", RUNS.columns), ("assessments", MEASURED), ("measures", MEASURES.columns)],
)
def test_the_manual_has_the_columns_of_the_contracts(title, columns):
    tables = (CHECKOUT / "docs" / "tables.md").read_text(encoding="utf-8")
    section = tables.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| (\w+) \| (str|category|int|Int|float|bool) \|", section, re.M)
    assert dict(rows) == dict(columns)
    reported = [name for name in ASSESSMENTS.columns if name.endswith("_reported")]
    assert [name for name in reported if f"`{name}`" not in tables] == []


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_that_is_named_exists(page):
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    names = re.findall(r"`((?:srlib|tests|parameters|notebooks|docs)/[\w./-]*\w/?)`", text)
    names += [
        f"srlib/{path}" for path in re.findall(r"`((?!srlib/|tests/)[a-z]+/[\w/]+\.py)`", text)
    ]
    assert names and [name for name in names if not (CHECKOUT / name).exists()] == []


def test_what_a_newcomer_reads_is_short():
    for name in ("README.md", "ARCHITECTURE.md"):
        assert (CHECKOUT / name).read_text(encoding="utf-8").count("\n") <= 120, name
    glossary = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^(.+)\n: ", glossary, re.MULTILINE)
    assert terms == sorted(terms) and 20 < len(terms) <= 40
