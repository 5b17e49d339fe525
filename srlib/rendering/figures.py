"""Figures of a page, for wide and narrow screens, and what can be downloaded beside figures and tables."""

import base64
from html import escape
from pathlib import Path
from typing import Any

from srlib.displays.tables.spreadsheet import neutralise

LARGE = 200_000  # bytes of a CSV file; a larger one lies beside the page only
TYPES = {".pdf": "PDF", ".svg": "SVG", ".csv": "CSV", ".tex": "LaTeX"}


def figure_html(bundle: dict[str, Any], png: str, metadata: dict[str, Any], folder: Path) -> str:
    """Write a figure with its alternative text, caption and downloads; a phone shows the version for one column.

    It stands there in pixels, which turn dark with the page; PDF and SVG lie beside it. It is read after the first
    paint, see template/figures.js.
    """
    width = int(metadata.get("image/png", {}).get("width", 780))
    source, narrow = f"data:image/png;base64,{''.join(png.split())}", ""
    column = folder / "figures" / f"{bundle['name']}-column.png"
    if f"figures/{column.name}" in bundle["files"] and column.is_file():
        data = base64.b64encode(column.read_bytes()).decode()
        narrow = f'<source media="(max-width: 30rem)" srcset="data:image/png;base64,{data}">'
    return (
        f'<figure id="figure-{escape(bundle["name"])}"><picture>{narrow}<img loading="lazy" src="{source}" '
        f'alt="{escape(bundle["alt"])}" width="{width}"></picture>'
        f"<figcaption>{escape(bundle['caption'])} {downloads(bundle, folder)}</figcaption></figure>"
    )


def downloads(bundle: dict[str, Any], folder: Path) -> str:
    """Write links to the files of a figure or table; those of CSV hold the file: a page alone can be checked."""
    links = []
    for file in bundle["files"]:
        path = folder / file
        label = TYPES.get(path.suffix, "")
        if path.name.endswith("-column.svg"):
            continue  # beside the page only, which stays light
        if not label or not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            continue
        address = escape(f"{folder.name}/{file}")
        if path.suffix == ".csv" and path.stat().st_size < LARGE:
            data = neutralise(path.read_bytes().decode("utf-8")).encode("utf-8")
            address = f"data:text/csv;charset=utf-8;base64,{base64.b64encode(data).decode()}"
        what = f'<span class="hidden"> of {escape(bundle["caption"])}</span>'
        label += ", one column" if path.stem.endswith("-column") else ""
        links.append(f'<a download="{escape(path.name)}" href="{address}">{label}{what}</a>')
    if links:
        return f'<span class="downloads">Download {" · ".join(links)}</span>'
    return ""
