"""The explorer in a report's page: its place, its data, its script; nothing of it on pages that have none."""

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from srlib.displays.explore import FILE, TOO_MANY
from srlib.rendering.page import hashed

TEMPLATE = Path(__file__).resolve().parent / "template"
MARK = "<!--explore-->"  # where the data go
MOVED = re.compile(r'(?<= href=)"data:[^"]+"|srcset="[^"]+"')
NO_SCRIPT = (
    "<noscript><p>With scripts, switches can be turned here. Without them: <code>srlib score RUNS --rules FILE "
    "--without-method NAME</code>, or explore.ipynb in JupyterLab.</p></noscript>"
)


def explorer_html(bundle: Mapping[str, Any]) -> str:
    """Write the place of the explorer."""
    place = '<section class="explore" id="explore" aria-label="Explorer">'
    return f"<p>{escape(bundle['said'])}</p>{place}{NO_SCRIPT}{MARK}</section>"


def with_explorer(page: str, folder: Path, names: Mapping[str, str], limit: int) -> str:
    """Put the explorer's data, script and look into a page that has a place for it.

    Parameters
    ----------
    page : str
        HTML of a report.
    folder : Path
        Where its notebook wrote the data.
    names : mapping of str to str
        What the suite calls methods and datasets.
    limit : int
        Letters that page and explorer may have, but for downloads and the narrow versions of figures, which can go; a
        sentence stands in the explorer's place where it has more.
    """
    if MARK not in page or not (folder / FILE).is_file():  # the page says that a file is absent
        return page
    data = (folder / FILE).read_text(encoding="utf-8")
    if names:
        held = json.loads(data)
        for kind, some in held["shown"].items():
            held["shown"][kind] = [names.get(name, name) for name in some]
        data = json.dumps(held, separators=(",", ":")).replace("<", "\\u003c")
    files = ("explore-score.js", "explore.js")
    script = "\n".join((TEMPLATE / name).read_text(encoding="utf-8") for name in files)
    css = (TEMPLATE / "explore.css").read_text(encoding="utf-8")
    room = limit + sum(map(len, MOVED.findall(page)))
    if len(page) + len(data) + len(script) > room:
        before, _, after = page.partition('<section class="explore"')
        return f"{before}<p>{TOO_MANY}</p>{after.partition('</section>')[2]}"
    page = page.replace(MARK, f'<script type="application/json" id="explore-data">{data}</script>')
    page = page.replace("</style>", f"{css}</style>", 1)
    page = page.replace("; script-src ", f"; script-src {hashed(script)} ", 1)
    before, _, after = page.rpartition("</body>")
    return f"{before}<script>{script}</script>\n</body>{after}"
