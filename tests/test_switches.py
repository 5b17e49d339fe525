"""A switch that is declared is read somewhere: what nothing reads would be a promise on every page."""

import ast
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from srlib.rules import Judge, Measure
from srlib.rules.judge import Properties

SRLIB = Path(__file__).resolve().parent.parent / "srlib"


def names(block: Any) -> set[str]:
    """Names of the switches of a block and of the blocks in it.

    Scores of properties are looked up by name; `tests/test_rules.py` compares them with the switches' values.
    """
    if block is Properties:
        return set()
    found: set[str] = set()
    for name, field in block.model_fields.items():
        inner = [
            part
            for part in (field.annotation, *get_args(field.annotation))
            if isinstance(part, type)
        ]
        blocks = [part for part in inner if issubclass(part, BaseModel)]
        found |= set().union(*map(names, blocks)) if blocks else {name}
    return found


@pytest.fixture(name="read", scope="module")
def read_fixture():
    """All attributes that are read outside of the rules' own package."""
    found = set()
    for path in SRLIB.rglob("*.py"):
        if path.parent.name != "rules":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute):
                    found.add(node.attr)
    return found


@pytest.mark.parametrize("block", [Judge, Measure], ids=lambda block: block.__name__)
def test_every_switch_is_read(block, read):
    assert sorted(names(block) - read) == []
