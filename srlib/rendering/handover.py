"""What a notebook hands over: the bundles beside its outputs, and the last cell's count of checks."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKS = re.compile(r"^checks passed: (\d+) of (\d+)\s*$", re.MULTILINE)
INJECTED = "injected-parameters"  # tag of the cell that papermill adds
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Failure:
    """Why a report cannot be trusted.

    Parameters
    ----------
    what : str
        One sentence.
    cell : int or None
        Position of the failing code cell among the code cells, from 1.
    source, detail : str
        The cell's code, and the error in full.
    """

    what: str
    cell: int | None = None
    source: str = ""
    detail: str = ""


def bundles(notebook: Any, kind: str) -> list[dict[str, Any]]:
    """Collect what outputs of a kind (figure, table, answer) say in their metadata, in the order of the notebook."""
    outputs = (
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.get("outputs", [])
    )
    notes = (output.get("metadata", {}).get("srlib", {}) for output in outputs)
    return [dict(note) for note in notes if note.get("kind") == kind]


def absent_files(notebook: Any, folder: Path) -> list[str]:
    """Files that figures and tables name and that are not in the report's folder."""
    files_named = [
        bundle["files"] for kind in ("figure", "table") for bundle in bundles(notebook, kind)
    ]
    return [file for files in files_named for file in files if not (folder / file).is_file()]


def title_of(notebook: Any, default: str) -> str:
    """Text of the first heading of the first level."""
    for cell in notebook.cells:
        match = (
            re.search(r"^# +(.+?)\s*$", cell.source, re.MULTILINE)
            if cell.cell_type == "markdown"
            else None
        )
        if match:
            return match[1]
    return default


def code_cells(notebook: Any) -> list[Any]:
    """Cells with code, in order, without the one in which papermill sets the parameters."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
    return [cell for cell in cells if INJECTED not in cell.metadata.get("tags", [])]


def find_failure(notebook: Any) -> Failure | None:
    """Look for an error, a cell that was never executed, and checks that are missing or did not pass."""
    cells = code_cells(notebook)
    for position, cell in enumerate(cells, start=1):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                detail = ANSI.sub("", "\n".join(output.get("traceback", [])))
                what = ANSI.sub("", output.evalue)
                if output.ename == "NothingScoredError":  # no fault of the notebook
                    return Failure(" ".join(what.split())[:500])
                what = f"Code cell {position} raised {output.ename}: {what}"
                if output.ename == "KeyboardInterrupt":
                    what = f"Code cell {position} was stopped: by its time limit, or by somebody."
                return Failure(" ".join(what.split())[:500], position, cell.source, detail)
    for position, cell in enumerate(cells, start=1):
        if cell.get("execution_count") is None:
            return Failure(f"Code cell {position} was not executed.", position, cell.source)
    checks = checks_of(notebook)
    if checks is None or not checks[1]:
        return Failure("The last cell printed no line 'checks passed: n of m'.", len(cells) or None)
    if checks[0] != checks[1]:
        text = _last_text(notebook)
        return Failure(
            f"Only {checks[0]} of {checks[1]} checks passed.", len(cells), cells[-1].source, text
        )
    return None


def checks_of(notebook: Any) -> tuple[int, int] | None:
    """Read how many checks passed, and how many there are, as the last cell printed it."""
    counts = CHECKS.findall(_last_text(notebook))
    if counts:
        return (int(counts[-1][0]), int(counts[-1][1]))
    return None


def report_json(notebook: Any, name: str, origin: Any, failure: Failure | None) -> dict[str, Any]:
    """Assemble NAME.report.json, which the index reads (docs/tables.md, Report files).

    Parameters
    ----------
    notebook : NotebookNode
        Executed, as far as it came.
    name : str
        Of the report.
    origin : srlib.rendering.provenance.Provenance
        Its inputs, versions and parameters.
    failure : Failure or None
        Stands in `failure`; then the verdict says no more than that.
    """
    handed = next(iter(bundles(notebook, "answer")), {})
    passed, total = checks_of(notebook) or (0, 0)
    return {
        "schema": 1,
        "name": name,
        "title": handed.get("title") or title_of(notebook, name),
        "verdict": f"Failed. {failure.what}" if failure else handed.get("verdict", ""),
        "failure": None if failure is None else {"what": failure.what, "cell": failure.cell},
        "checks": {"passed": passed, "total": total},
        "certainty": handed.get("certainty", {}),
        "scope": handed.get("scope", ""),
        "details": handed.get("details", []),
        "rows": handed.get("rows", {}),
        "ranking": handed.get("ranking", []),
        "rules": handed.get("rules", {}),
        "inputs": [{"name": name, "sha256": sha} for name, sha in origin.inputs]
        + handed.get("inputs", []),
        "parameters": origin.parameters,
        "versions": origin.versions,
        "figures": bundles(notebook, "figure"),
        "tables": bundles(notebook, "table"),
    }


def _last_text(notebook: Any) -> str:
    cells = code_cells(notebook)
    outputs = cells[-1].get("outputs", []) if cells else []
    return "".join(
        output.text
        for output in outputs
        if output.output_type == "stream" and output.name == "stdout"
    )
