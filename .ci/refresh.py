"""Execute the committed notebooks again and rewrite their outputs; a diff shows changed results only.

First the stub of srlib.displays gets the home of every Display.

Called as `python .ci/refresh.py [NOTEBOOK ...]`; without arguments all of notebooks/ but those whose metadata say
`"srlib": {"refresh": false}`.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from srlib.files import NOTEBOOKS, PACKAGE, write_atomically
from srlib.progress import progress

TIME_LIMIT_S = 1800
WIDGET = "application/vnd.jupyter.widget-view+json"  # nothing without a kernel: its text stays
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def refresh(path: Path) -> None:
    """Execute one notebook with its defaults and write it back; it stays as it was when a cell fails.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        When a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=TIME_LIMIT_S,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    normalise(notebook)
    write_atomically(path, nbformat.writes(notebook).rstrip("\n") + "\n")


def normalise(notebook: Any) -> None:
    """Give the cells ordinal ids and leave nothing in the metadata that depends on who executed it."""
    settings = notebook.metadata.get("srlib")
    notebook.metadata = nbformat.from_dict(
        METADATA if settings is None else {**METADATA, "srlib": settings}
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for position, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{position:02d}"
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        for output in cell.get("outputs", []):
            output.pop("transient", None)
            output.get("data", {}).pop(WIDGET, None)
    nbformat.validate(notebook)


def displays_stub() -> str:
    """Return the stub of srlib.displays: its lines whose module still defines the name, and one for each Display."""
    folder = PACKAGE / "displays"
    lines = (folder / "__init__.pyi").read_text(encoding="utf-8").splitlines()
    homes = {(line.split()[1], line.split()[3]) for line in lines}
    for path in folder.glob("figures/*.py"):
        names = re.findall(r"^class (\w+Display)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        homes |= {(f".figures.{path.stem}", name) for name in names}
    homes = {(home, name) for home, name in homes if _defines(folder, home, name)}
    return "".join(f"from {home} import {name} as {name}\n" for home, name in sorted(homes))


def _defines(folder: Path, home: str, name: str) -> bool:
    path = folder / f"{home[1:].replace('.', '/')}.py"
    pattern = rf"^(class|def) {name}\b"
    return path.is_file() and bool(re.search(pattern, path.read_text("utf-8"), re.MULTILINE))


def has_outputs(path: Path) -> bool:
    """Whether a notebook's outputs are committed."""
    return nbformat.read(path, as_version=4).metadata.get("srlib", {}).get("refresh", True)


def main(arguments: Sequence[str]) -> None:
    """Refresh the stub of srlib.displays, and the notebooks that are named, or all."""
    write_atomically(PACKAGE / "displays" / "__init__.pyi", displays_stub())
    paths = [Path(name).resolve() for name in arguments] or [
        p for p in sorted(NOTEBOOKS.glob("*.ipynb")) if has_outputs(p)
    ]
    for path in progress(paths, len(paths), "notebooks refreshed"):
        refresh(path)


if __name__ == "__main__":
    main(sys.argv[1:])
