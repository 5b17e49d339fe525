"""Figures of a page, for wide and narrow screens, and what can be downloaded beside figures and tables."""

import base64
import re
from html import escape
from pathlib import Path
from typing import Any

from srlib.displays.tables.spreadsheet import neutralise

TYPES = {
    ".pdf": ("PDF", "application/pdf"),
    ".svg": ("SVG", "image/svg+xml"),
    ".csv": ("CSV", "text/csv;charset=utf-8"),
    ".tex": ("LaTeX", "application/x-tex;charset=utf-8"),
}


def figure_html(bundle: dict[str, Any], png: str, metadata: dict[str, Any], folder: Path) -> str:
    """Write a figure with its alternative text, caption and downloads; a phone shows the version for one column."""
    width = metadata.get("image/png", {}).get("width", 780)
    source = f"data:image/png;base64,{''.join(png.split())}"
    narrow, column = "", folder / "figures" / f"{bundle['name']}-column.png"
    if f"figures/{column.name}" in bundle["files"] and column.is_file():
        data = base64.b64encode(column.read_bytes()).decode()
        narrow = f'<source media="(max-width: 30rem)" srcset="data:image/png;base64,{data}">'
    return (
        f'<figure id="figure-{escape(bundle["name"])}"><picture>{narrow}<img src="{source}" '
        f'alt="{escape(bundle["alt"])}" width="{int(width)}"></picture>'
        f"<figcaption>{escape(bundle['caption'])} {downloads(bundle, folder)}</figcaption></figure>"
    )


def lightened(page: str, limit: int) -> str:
    """Leave out figures for phones, the last ones first, until a page is light; the wide ones stay.

    Examples
    --------
    >>> lightened('<source media="m" srcset="a"><img><source media="m" srcset="b"><img>', 50)
    '<source media="m" srcset="a"><img><img>'
    """
    for found in reversed(list(re.finditer(r'<source media="[^>]*>', page))):
        if len(page) <= limit:
            break
        page = page[: found.start()] + page[found.end() :]
    return page


def downloads(bundle: dict[str, Any], folder: Path) -> str:
    """Write links that hold the files of a figure or table, so that they work offline and without a script."""
    links = []
    for file in bundle["files"]:
        path = folder / file
        label, kind = TYPES.get(path.suffix, ("", ""))
        if path.name.endswith("-column.svg"):
            continue  # beside the page only, which stays light
        if not label or not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            continue
        data = path.read_bytes()
        if path.suffix == ".csv":
            data = neutralise(data.decode("utf-8")).encode("utf-8")
        address = f"data:{kind};base64,{base64.b64encode(data).decode()}"
        what = f'<span class="hidden"> of {escape(bundle["caption"])}</span>'
        label += ", one column" if path.stem.endswith("-column") else ""
        links.append(f'<a download="{escape(path.name)}" href="{address}">{label}{what}</a>')
    if links:
        return f'<span class="downloads">Download {" · ".join(links)}</span>'
    return ""
