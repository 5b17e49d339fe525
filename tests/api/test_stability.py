"""What is exported stays as it is: names and signatures, compared with signatures.txt beside this file."""

import ast
import importlib
from pathlib import Path

import pytest

import srlib

SNAPSHOT = Path(__file__).with_name("signatures.txt")
MODULES = (
    *("api/verbs", "api/models", "api/scoring", "result", "readers/run_table"),
    *("assessing/check", "judging/judgement", "judging/robustness/examination"),
    "comparing/comparison",
)


def signatures() -> list[str]:
    """Each exported function, and each class of results with its public methods and attributes."""
    found = []
    for module in MODULES:
        path = Path(srlib.__file__).parent / f"{module}.py"
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            public = isinstance(node, ast.FunctionDef) and node.name in srlib.__all__
            if public and module.startswith("api/"):
                found.append(f"srlib.{called(node)}")
            bases = (
                ", ".join(map(ast.unparse, node.bases)) if isinstance(node, ast.ClassDef) else ""
            )
            if isinstance(node, ast.ClassDef) and "Result" in (bases, node.name):
                found += [f"{node.name}({bases})", *sorted(f"  .{text}" for text in members(node))]
    return found


def called(node: ast.FunctionDef) -> str:
    returns = ast.unparse(node.returns) if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}) -> {returns}"


def members(node: ast.ClassDef) -> list[str]:
    """Methods with their arguments, and the attributes that the docstring lists."""
    found = []
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            property_ = any(ast.unparse(mark) == "property" for mark in one.decorator_list)
            returns = ast.unparse(one.returns) if one.returns else ""
            found.append(f"{one.name}: {returns}" if property_ else called(one))
    documented = (ast.get_docstring(node) or "").splitlines()
    lines = [line for line in documented if " : " in line and line[0] != " "]
    return found + [line.replace(" : ", ": ") for line in lines]


def test_names_and_signatures_are_those_of_the_snapshot():
    now = "\n".join(signatures()) + "\n"
    said = (
        "What `import srlib` offers has changed. If that is meant: say so in CHANGELOG.md (what callers have to do), "
        "and write the new snapshot: python -m tests.api.test_stability"
    )
    assert now == SNAPSHOT.read_text(encoding="utf-8"), said


@pytest.mark.parametrize("name", srlib.__all__)
def test_every_name_is_there_lazily_and_listed(name):
    assert name in dir(srlib)
    importlib.import_module("srlib.assessing")  # no package of srlib takes a function's name
    assert callable(getattr(srlib, name))


def test_type_checkers_may_read_the_annotations():
    assert (Path(srlib.__file__).parent / "py.typed").is_file()


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="winner"):
        _ = srlib.winner


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(signatures()) + "\n", encoding="utf-8")
