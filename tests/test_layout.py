"""The house rules: what lies where, how large it may grow, and what no file may name."""

import ast
import io
import re
import subprocess
import tokenize
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
TOP_LEVEL = {
    "notebooks", "srlib", "parameters", "reports", "tests", "docs", "environment.yml",
    "README.md", "LICENSE", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
    "pyproject.toml", "requirements.lock", "Makefile",
    ".ci", ".gitignore", ".gitattributes", ".git-blame-ignore-revs",
}  # fmt: skip
TOKENS, LINES_A_FILE, TERNARIES = 176_000, 400, 770
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


@cache
def files() -> list[Path]:
    """Every file that is committed or about to be, relative to the checkout."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    ran = subprocess.run(asked, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip("not a git checkout: the files of the project are not known")
    return [
        Path(name)
        for name in sorted(ran.stdout.split("\0"))
        if name and (CHECKOUT / name).is_file()
    ]


def sources() -> list[Path]:
    """The text files of srlib; demo holds data only."""
    return [path for path in files() if path.parts[0] == "srlib" and path.parts[1] != "demo"]


def lines(path: Path) -> int:
    return (CHECKOUT / path).read_bytes().count(b"\n")


def tokens(text: str) -> int:
    """Count the tokens of the code: no comment, no docstring, no layout."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type not in LAYOUT and token.start[0] not in docstrings for token in found)


def places(pattern: re.Pattern[bytes]) -> list[str]:
    found = []
    for path in files():
        for number, line in enumerate((CHECKOUT / path).read_bytes().split(b"\n"), start=1):
            if match := pattern.search(line):
                found.append(f"{path}:{number}: {match.group().decode(errors='replace')}")
    return found


def test_the_top_level_holds_what_the_readme_names():
    assert {path.parts[0] for path in files()} <= TOP_LEVEL


def test_srlib_stays_small():
    """Tokens count: width, a docstring or a blank line is never a reason to delete something."""
    modules = (path for path in sources() if path.suffix == ".py")
    assert sum(tokens((CHECKOUT / path).read_text()) for path in modules) < TOKENS


def test_ternaries_are_few():
    """Where a choice is long, nested or what a function returns, a plain `if` reads better."""
    modules = [path for path in sources() if path.suffix == ".py"]
    trees = [ast.parse((CHECKOUT / path).read_text(encoding="utf-8")) for path in modules]
    found = [isinstance(node, ast.IfExp) for tree in trees for node in ast.walk(tree)]
    assert sum(found) <= TERNARIES


def test_tokens_leave_out_docstrings_comments_and_layout():
    text = (
        '"""Doc.\n\nMore.\n"""\n\n# note\nx = """kept\ntwo"""  # note\n\n\ndef f():\n    "Doc."\n'
    )
    assert tokens(text) == len(["x", "=", "kept two", "def", "f", "(", ")", ":"])


def test_no_file_of_srlib_is_long():
    assert [
        f"{path}: {lines(path)} lines" for path in sources() if lines(path) > LINES_A_FILE
    ] == []


def test_the_demo_holds_no_code():
    demo = [path for path in files() if path.parts[:2] == ("srlib", "demo")]
    assert [str(path) for path in demo if path.suffix == ".py"] == []


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for path in sources() if path.suffix == ".py"}
    assert [
        str(folder) for folder in folders if not (CHECKOUT / folder / "__init__.py").is_file()
    ] == []


def test_parameters_are_yaml_in_their_folders():
    """Methods may be files regressor.py, as participants write them."""
    parameters = [path for path in files() if path.parts[0] == "parameters"]
    others = {path for path in parameters if path.suffix != ".yaml"}
    assert {(path.parts[1], path.name) for path in others} == {("methods", "regressor.py")}
    assert {path.parts[1] for path in parameters} <= {
        "suites",
        "rules",
        "problems",
        "methods",
        "layouts",
        "sources",
    }


def test_git_keeps_no_rendered_report():
    assert [path for path in files() if path.parts[0] == "reports"] in (
        [],
        [Path("reports/README.md")],
    )


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_file_names_a(kind):
    assert places(FORBIDDEN[kind]) == []


@pytest.mark.parametrize("folder", FOLDERS.split("|"))
def test_machine_paths_are_recognised(folder):
    path, pattern = f"/{folder}", FORBIDDEN["path of a machine"]
    for text in (path, f"see {path}/x", f'"{path}/x"', f"={path}", f"file://{path}/x"):
        assert pattern.search(text.encode()), text
    for text in (f"reports{path}/x", f"..{path}/x", f"{path}flow", f"a{path}", f"${{HERE}}{path}"):
        assert not pattern.search(text.encode()), text
