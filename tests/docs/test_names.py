"""Every name in backticks in the pages for maintainers exists: a file, a target, a command, or a definition."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from srlib.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = (CHECKOUT, CHECKOUT / "srlib")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PAGES = ["CONTRIBUTING.md", "ARCHITECTURE.md"]
SOURCES = [*(CHECKOUT / "srlib").rglob("*.py"), *(CHECKOUT / "tests").rglob("*.py")]


def names_in(page):
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    return sorted({" ".join(name.split()) for name in re.findall(r"`([^`]+)`", text)})


def bound_names(node):
    """Names that a piece of syntax binds, and texts, such as the keys of tables."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return []


@cache
def definitions():
    """All names of srlib and its tests, and `Class.member` for members of classes."""
    names = set()
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names.update(bound_names(node))
            if isinstance(node, ast.ClassDef):
                parts = [part for statement in node.body for part in ast.walk(statement)]
                names.update(f"{node.name}.{name}" for part in parts for name in bound_names(part))
    return names


def exists(name):
    if name.startswith("make "):
        return re.search(rf"(?m)^{name.split()[1]}:", (CHECKOUT / "Makefile").read_text())
    if name.startswith("srlib "):
        return main([*name.split()[1:], "--help"]) == 0
    if name.startswith("--"):  # commands name options after their parameters
        return name.strip("-").replace("-", "_") in definitions()
    if "/" in name or re.search(r"\.(py|md|toml|lock|yaml|ipynb)$", name):
        return any((folder / name).exists() for folder in FOLDERS)
    return name in definitions()


@pytest.mark.parametrize("page", PAGES)
def test_every_name_on_a_page_exists(page, capsys):
    names = names_in(page)
    assert len(names) > 40
    assert [name for name in names if not exists(name)] == []
