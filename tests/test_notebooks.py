"""What nbval does not look at: committed notebooks have run, are short, and keep their code in srlib."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
REPORTS = [path for path in NOTEBOOKS if path.stem != "explore"]
CODE_LINES = 260
JSON_TYPES = {"str", "int", "float", "bool", "list", "dict", "None"}


def notebook(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [
        cell for cell in notebook(path)["cells"] if cell["cell_type"] == "code" and cell["source"]
    ]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code(cell: dict[str, Any]) -> ast.Module:
    """The cell's syntax; lines that only IPython understands are left out."""
    lines = source(cell).splitlines()
    return ast.parse("\n".join(line for line in lines if not line.lstrip().startswith(("%", "!"))))


each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
each_report = pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)


@each_notebook
def test_every_code_cell_has_run_in_order(path):
    counts = [cell["execution_count"] for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1)), (
        "run make refresh (nbval passes what has no count)"
    )


@each_notebook
def test_no_cell_failed(path):
    kinds = {output["output_type"] for cell in code_cells(path) for output in cell["outputs"]}
    assert "error" not in kinds


@each_notebook
def test_it_is_short_and_defines_nothing(path):
    cells = code_cells(path)
    # the last one checks
    assert sum(len(source(cell).splitlines()) for cell in cells[:-1]) <= CODE_LINES
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    nodes = [node for cell in cells for node in ast.walk(code(cell))]
    assert [ast.unparse(node) for node in nodes if isinstance(node, definitions)] == []


@each_notebook
def test_nothing_of_one_execution_is_left_in_it(path):
    content = notebook(path)
    assert "papermill" not in content["metadata"]
    assert {"papermill", "execution"}.isdisjoint(
        key for cell in content["cells"] for key in cell["metadata"]
    )
    assert content["metadata"]["kernelspec"]["name"] == "python3"


@each_report
def test_parameters_are_annotated_documented_and_plain(path):
    cells = [cell for cell in code_cells(path) if "parameters" in cell["metadata"].get("tags", [])]
    assert len(cells) == 1
    lines = source(cells[0]).splitlines()
    names = []
    for statement in code(cells[0]).body:
        assert isinstance(statement, ast.AnnAssign), ast.unparse(statement)
        assert statement.value is not None
        ast.literal_eval(statement.value)
        types = {node.id for node in ast.walk(statement.annotation) if isinstance(node, ast.Name)}
        assert types <= JSON_TYPES, ast.unparse(statement)
        assert "#" in "\n".join(lines[statement.lineno - 1 : statement.end_lineno]), ast.unparse(
            statement
        )
        names.append(ast.unparse(statement.target))
    assert "output_dir" in names


@each_report
def test_a_shipped_suite_renders_it(path):
    suites = (FOLDER.parent / "parameters" / "suites").glob("*.yaml")
    assert any(f"notebooks/{path.name}\n" in text or f"notebooks/{path.name}," in text
               for text in (suite.read_text(encoding="utf-8") for suite in suites))  # fmt: skip
