"""Notebooks of a few cells, and a suite around them."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from srlib.rendering.provenance import Provenance
from srlib.rendering.publish import Job
from srlib.rendering.suite import Report

PARAMETERS = 'number: int = 1  # shown\noutput_dir: str = ""  # folder'
WORK = """from pathlib import Path
from IPython.display import HTML, display
folder = Path(output_dir or "nowhere", "tables")
if output_dir:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.csv").write_text(f"method,score\\n=cmd(),{number + 0.123456789}\\n")
display(HTML("<table><caption>Scores</caption></table>"))
number"""
CHECK = 'print("checks passed:", end=" ", flush=True)\nprint("2 of 2")'


def write_notebook(
    path: Path, *cells: str, heading: str = "# A <small> question", texts: str = ""
) -> Path:
    """Write a notebook: heading, parameters cell (with the names in `texts`), the cells given, all with fixed ids."""
    made = [
        new_markdown_cell(f"{heading}\n\nThe sum $a_1 + b$.\n\n## First part"),
        new_code_cell("\n".join([*(f"{name}: str = ''" for name in texts.split()), PARAMETERS])),
    ]
    made[1].metadata["tags"] = ["parameters"]
    made += [new_code_cell(cell) for cell in cells]
    for position, cell in enumerate(made):
        cell["id"] = f"cell-{position}"
    notebook = new_notebook(cells=made)
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def write_suite(folder: Path, reports: dict[str, str], defaults: str = "{}") -> Path:
    """Write a suite with the notebooks NAME.ipynb of the folder; values are parameters as YAML."""
    lines = [
        f"  - {{name: {name}, notebook: {name}.ipynb, parameters: {text}}}"
        for name, text in reports.items()
    ]
    path = folder / "suite.yaml"
    head = f"schema: 1\nsuite: small\ntitle: Small & simple\ndefaults: {defaults}\nreports:\n"
    path.write_text(head + "\n".join(lines) + "\n")
    return path


def small_job(folder: Path, name: str = "r", title: str = "Small", **links: str) -> Job:
    """Give what a report called NAME is made from, in FOLDER/new; `links` are pages by their notebooks' names."""
    origin = Provenance([{"name": "runs: <r>.csv", "sha256": "ab" * 32}], "f")
    report = Report(name, folder / "nowhere.ipynb", {"runs": "<r>.csv"}, folder)
    return Job(report, origin, title, links, folder)
