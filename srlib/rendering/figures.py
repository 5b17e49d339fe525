"""Figures of a page, for wide and narrow screens, and what can be downloaded beside figures and tables."""

import base64
import re
from html import escape
from pathlib import Path
from typing import Any

from srlib.displays.tables.spreadsheet import neutralise
from srlib.rendering.drawings import drawing

TYPES = {
    ".pdf": ("PDF", "application/pdf"),
    ".svg": ("SVG", "image/svg+xml"),
    ".csv": ("CSV", "text/csv;charset=utf-8"),
    ".tex": ("LaTeX", "application/x-tex;charset=utf-8"),
}
_PHONES = re.compile(
    r'<source(?P<media>(?: media="[^"]*")?)(?: data-file="(?P<file>[^"]*)")?[^>]*>'
)


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
        file = f' data-file="{escape(folder.name)}/figures/{column.name}"' * there
        narrow = f'<source media="(max-width: 30rem)"{file} {narrow}>'
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


def lightened(page: str, limit: int) -> str:
    """Take figures for phones from the files beside a page, the last ones first, until it is light.

    Where a page has been moved without its files, template/figures.js goes back to the wide figure, which stays. Before
    that, downloads go, to whose files the page can lead.

    Examples
    --------
    >>> lightened('<source data-file="r/a.png" srcset="data:,long"><img><source srcset="data:,b"><img>', 40)
    '<source srcset="r/a.png"><img><img>'
    """
    length = len(page.encode("ascii", "xmlcharrefreplace"))
    length -= sum(map(len, re.findall(r'(?<= href=")data:[^"]*', page)))
    for found in reversed(list(_PHONES.finditer(page))):
        if length <= limit:
            break
        led = ""
        if found["file"]:
            led = f'<source{found["media"]} srcset="{found["file"]}">'
        page = page[: found.start()] + led + page[found.end() :]
        length -= len(found[0]) - len(led)
    if re.search(r'<source[^>]* srcset="(?!data:)', page):
        page = page.replace("; img-src data:;", "; img-src 'self' file: data:;", 1)
    return page


def downloads(bundle: dict[str, Any], folder: Path) -> str:
    """Write links that hold the files of a figure or table, so that they work offline and without a script.

    The SVG of a figure lies beside the page, which shows the same drawing.
    """
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
        if path.suffix == ".svg":
            address = escape(f"{folder.name}/{file}")
        what = f'<span class="hidden"> of {escape(bundle["caption"])}</span>'
        label += ", one column" if path.stem.endswith("-column") else ""
        links.append(f'<a download="{escape(path.name)}" href="{address}">{label}{what}</a>')
    if links:
        return f'<span class="downloads">Download {" · ".join(links)}</span>'
    return ""
