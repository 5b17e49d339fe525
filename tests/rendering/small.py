"""Notebooks of a few cells, and a suite around them."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from srlib.rendering.provenance import Job, Provenance
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


def write_notebook(path: Path, *sources: str, texts: str = "") -> Path:
    """Write a notebook: heading, parameters (with the names in `texts`), cells of these sources, all with fixed ids."""
    heading = "# A <small> question\n\nThe sum $a_1 + b$.\n\n## First part"
    parameters = "\n".join([*(f"{name}: str = ''" for name in texts.split()), PARAMETERS])
    cells = [new_markdown_cell(heading), *map(new_code_cell, (parameters, *sources))]
    cells[1].metadata["tags"] = ["parameters"]
    for position, cell in enumerate(cells):
        cell["id"] = f"cell-{position}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
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


def write_runs(path: Path, *methods: str) -> None:
    """Write a run table with a run of each method."""
    rows = "".join(f"{method},d,1,x\n" for method in methods)
    path.write_text(f"method,dataset,repetition,model\n{rows}")


def small_job(folder: Path, name: str = "r", title: str = "Small", **links: str) -> Job:
    """Give what a report called NAME is made from, in FOLDER/new; `links` are pages by their notebooks' names."""
    origin = Provenance([{"name": "runs: <r>.csv", "sha256": "ab" * 32}], "f")
    notebook = folder / "nowhere.ipynb"
    report = Report(name, notebook, {"runs": "<r>.csv"}, folder, suite_title=title, links=links)
    return Job(report, origin, folder)
