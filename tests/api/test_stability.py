"""What is exported stays as it is: names and signatures, compared with signatures.txt beside this file."""

import ast
import importlib
from pathlib import Path

import pytest

import srlib

SNAPSHOT = Path(__file__).with_name("signatures.txt")
PACKAGE = Path(srlib.__file__).parent
MODULES = """
api/verbs api/models api/scoring result readers/run_table assessing/check judging/judgement
judging/robustness/examination comparing/comparison
"""


def signatures():
    """Each exported function, and each class of results with its public methods and attributes."""
    for module in MODULES.split():
        for node in ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = ", ".join(map(ast.unparse, node.bases))
                if "Result" in (bases, node.name):
                    yield f"{node.name}({bases})"
                    yield from sorted(f"  .{member}" for member in members(node))
            elif module.startswith("api/") and getattr(node, "name", "") in srlib.__all__:
                yield f"srlib.{signature(node)}"


def signature(node):
    returns = ast.unparse(node.returns) if node.returns else ""
    if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
        return f"{node.name}: {returns}"
    return f"{node.name}({ast.unparse(node.args)}) -> {returns}"


def members(node):
    """Methods with their arguments, and the attributes that the docstring lists."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and not statement.name.startswith("_"):
            yield signature(statement)
    for line in (ast.get_docstring(node) or "").splitlines():
        if " : " in line and line[0] != " ":
            yield line.replace(" : ", ": ")


def test_names_and_signatures_are_those_of_the_snapshot():
    assert "\n".join(signatures()) + "\n" == SNAPSHOT.read_text(encoding="utf-8"), (
        "What `import srlib` offers has changed. If that is meant: say so in CHANGELOG.md (what callers have to do), "
        "and write the new snapshot: python -m tests.api.test_stability"
    )


@pytest.mark.parametrize("name", srlib.__all__)
def test_every_name_is_there_lazily_and_listed(name):
    assert name in dir(srlib)
    importlib.import_module("srlib.assessing")  # no package of srlib takes a function's name
    assert callable(getattr(srlib, name))


def test_type_checkers_may_read_the_annotations():
    assert (PACKAGE / "py.typed").is_file()


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(signatures()) + "\n", encoding="utf-8")
