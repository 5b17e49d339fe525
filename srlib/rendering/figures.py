"""Figures of a page, for wide and narrow screens, and what can be downloaded beside figures and tables."""

import base64
from html import escape
from pathlib import Path
from typing import Any

from srlib.displays.tables.spreadsheet import neutralise
from srlib.rendering.drawings import drawing

LARGE = 200_000  # bytes of a CSV file; a larger one lies beside the page only
TYPES = {".pdf": "PDF", ".svg": "SVG", ".csv": "CSV", ".tex": "LaTeX"}


def figure_html(bundle: dict[str, Any], png: str, metadata: dict[str, Any], folder: Path) -> str:
    """Write a figure with its alternative text, caption and downloads; a phone shows the version for one column.

    It is a drawing, which is sharp on any screen and on paper and follows the page into the dark. Where there is none,
    or it is too heavy for a page, pixels stand there. It is read after the first paint, see template/figures.js.
    """
    width = int(metadata.get("image/png", {}).get("width", 780))
    source, size = f"data:image/png;base64,{''.join(png.split())}", f'width="{width}"'
    wide, shape = _drawn(bundle, "", folder)
    if wide:
        source, size = wide, f'width="{width}" height="{round(width * shape)}"'
    narrow, shape = _drawn(bundle, "-column", folder)
    column = folder / "figures" / f"{bundle['name']}-column.png"
    there = f"figures/{column.name}" in bundle["files"] and column.is_file()
    if narrow:
        narrow = f'srcset="{narrow}" width="{width}" height="{round(width * shape)}"'
    elif there:
        data = base64.b64encode(column.read_bytes()).decode()
        narrow = f'srcset="data:image/png;base64,{data}"'
    if narrow:
        narrow = f'<source media="(max-width: 30rem)" {narrow}>'
    return (
        f'<figure id="figure-{escape(bundle["name"])}"><picture>{narrow}<img loading="lazy" src="{source}" '
        f'alt="{escape(bundle["alt"])}" {size}></picture>'
        f"<figcaption>{escape(bundle['caption'])} {downloads(bundle, folder)}</figcaption></figure>"
    )


def _drawn(bundle: dict[str, Any], ending: str, folder: Path) -> tuple[str, float]:
    """Give the address of a figure's drawing and its height over its width; empty where there is none."""
    file = f"figures/{bundle['name']}{ending}.svg"
    path = folder / file
    if file not in bundle["files"] or not path.is_file():
        return "", 0.0
    return drawing(path.read_text(encoding="utf-8", errors="replace"))


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
