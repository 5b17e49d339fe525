"""What nbval does not look at: committed notebooks have run, are short, and refuse wrong parameters in one sentence."""

import ast
import json
import re
from pathlib import Path

import pytest

from tests.builders import each, refused

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.ipynb"))}
SUITES = "".join(path.read_text() for path in FOLDER.parent.glob("parameters/suites/*.yaml"))
CODE_LINES = 260
JSON_TYPES = {"str", "int", "float", "bool", "list", "dict", "None"}
each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)
each_report = pytest.mark.parametrize("name", sorted(NOTEBOOKS.keys() - {"explore"}))


def code_cells(name):
    """The text and the cell of each cell with code."""
    cells = [cell for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]
    return [("".join(cell["source"]), cell) for cell in cells if cell["source"]]


def syntax(text):
    """Lines that only IPython understands are left out."""
    return ast.parse(re.sub(r"(?m)^\s*[%!].*", "", text))


@each_notebook
def test_cell_has_run_in_order_and_nothing_of_one_execution_is_left(name):
    """Otherwise run `make refresh`: nbval passes what has no count."""
    cells, metadata = [cell for _, cell in code_cells(name)], NOTEBOOKS[name]["metadata"]
    counts = [cell["execution_count"] for cell in cells]
    assert counts == list(range(1, len(counts) + 1))
    assert "error" not in {output["output_type"] for cell in cells for output in cell["outputs"]}
    keys = {key for cell in NOTEBOOKS[name]["cells"] for key in cell["metadata"]}
    assert {"papermill", "execution"}.isdisjoint(keys | metadata.keys())
    assert metadata["kernelspec"]["name"] == "python3"


@each_notebook
def test_notebook_is_short_and_defines_nothing(name):
    texts = [text for text, _ in code_cells(name)]
    assert "\n".join(texts[:-1]).count("\n") < CODE_LINES
    kinds = {type(node) for node in ast.walk(syntax("\n".join(texts)))}
    assert kinds.isdisjoint({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})


@each_report
def test_page_has_its_answer_and_displays_are_called_with_keywords_spelled_out(name):
    """Otherwise no tool sees a misspelt keyword."""
    text = "\n".join(text for text, _ in code_cells(name))
    calls = [node for node in ast.walk(syntax(text)) if isinstance(node, ast.Call)]
    starred = [ast.unparse(call) for call in calls if any(not k.arg for k in call.keywords)]
    assert not any(call.startswith(("displays.", "page.")) for call in starred)
    assert "page.answer(" in text


@each_report
def test_parameters_are_annotated_documented_and_plain(name):
    (text,) = [
        text for text, cell in code_cells(name) if cell["metadata"].get("tags") == ["parameters"]
    ]
    for statement in syntax(text).body:
        assert isinstance(statement, ast.AnnAssign) and statement.value, ast.unparse(statement)
        ast.literal_eval(statement.value)
        types = {node.id for node in ast.walk(statement.annotation) if isinstance(node, ast.Name)}
        assert types <= JSON_TYPES, ast.unparse(statement)
        lines = text.splitlines()[statement.lineno - 1 : statement.end_lineno]
        assert "#" in "\n".join(lines), lines
    assert "output_dir: str" in text
    assert f"notebook: {name}" in SUITES, "no suite names it"


@each(
    "name value sentence",
    """
robustness | {"seed": true} | seed: input should be a valid integer, got True
benchmark | {"metrics": ["r2_test", 3]} | metrics: input should be a valid string, got 3
synthetic | {"runs": 3} | runs: input should be a valid string, got 3
""",
)
def test_wrong_parameter_is_one_sentence(name, value, sentence):
    (first, _), (second, _), *_ = code_cells(name)
    names = {}
    exec(first, names)
    names |= {"runs": "nowhere.csv", **json.loads(value)}  # missed if anything ran
    with refused(sentence) as caught:
        exec(second, names)
    assert caught.value._render_traceback_() == [f"InputError: {caught.value}"]
