"""The shipped suites name parameters that their notebooks take, and papermill sees every one of them."""

import ast

import nbformat
import papermill
import pytest

from srlib.files import PARAMETERS
from srlib.yaml_files import load_yaml

SUITES = sorted((PARAMETERS / "suites").glob("*.yaml"))


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_every_parameter_of_a_suite_is_one_of_its_notebook(path):
    """A declaration over several lines, or of a type with a bar, is none to papermill."""
    suite = load_yaml(path)
    for report in suite["reports"]:
        notebook = path.parent / report["notebook"]
        seen = set(papermill.inspect_notebook(str(notebook)))
        cells = nbformat.read(notebook, 4).cells
        (cell,) = (cell for cell in cells if "parameters" in cell.metadata.get("tags", []))
        written = {
            node.target.id
            for node in ast.parse(cell.source).body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        assert written == seen, notebook.name
        assert set(report["parameters"]) <= seen, report["name"]
