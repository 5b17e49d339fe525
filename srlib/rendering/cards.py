"""The verdict of a report as files to share: a picture, and a page to print."""

import json
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from srlib.displays.bundles import REPORT
from srlib.files import write_atomically
from srlib.rendering.handover import bundles
from srlib.rendering.names import with_names

CARD = "verdict-card"


def write_cards(
    notebook: Any, handed: Mapping[str, Any], folder: Path, job: Mapping[str, Any]
) -> None:
    """Draw the verdict of a report that says who wins: of one that says how sure that is, or a suite's first.

    Parameters
    ----------
    notebook : NotebookNode
        Executed; what it handed over has its `story`.
    handed : mapping
        What stands in NAME.report.json.
    folder : Path
        Of the report; the files are verdict-card.png, .svg and .pdf.
    job : mapping
        `suite_title`, what the suite says `about` itself and of its `style`, and whether the report `leads` it.
    """
    if not handed["ranking"] or not (handed["certainty"] or job.get("leads")):
        return
    from srlib.displays.card import Card  # matplotlib is not needed for any other page

    story = next(iter(bundles(notebook, REPORT)), {}).get("story", [])
    names = json.loads(job.get("style") or "{}").get("names", {})
    card = Card(
        job["suite_title"],
        handed["title"],
        _called(handed["verdict"], names),
        handed["ranking"],
        [_called(line, names) for line in story],
        {key: _called(text, names) for key, text in handed["certainty"].items()},
        " · ".join(_foot(handed, job.get("about") or {})),
    )
    for suffix, content in card.files().items():
        write_atomically(folder / f"{CARD}.{suffix}", content)


def _called(text: str, names: Mapping[str, str]) -> str:
    """Call methods as the suite does, as on its pages."""
    return unescape(with_names(f"<p>{escape(text)}</p>", names))[3:-4]


def _foot(handed: Mapping[str, Any], about: Mapping[str, Any]) -> list[str]:
    said, rows, checks = [], handed["rows"], handed["checks"]
    if rows:
        counts = f"{rows['scored']:,} scored + {rows['excluded']:,} excluded"
        said.append(f"{rows['read']:,} {rows.get('what', 'runs')} read = {counts}")
    if handed["rules"]:
        said.append(f"rules {handed['rules']['name']}")
    if about.get("date"):
        said.append(str(about["date"]))
    return [*said, f"{checks['passed']} of {checks['total']} checks passed"]


def cards_html(handed: Mapping[str, Any], out: Path) -> str:
    """Lead to the files of a report's verdict, as far as they are there; empty where none is."""
    names = {"PNG": "png", "SVG": "svg", "PDF, one page": "pdf"}
    files = {word: f"{handed['name']}/{CARD}.{suffix}" for word, suffix in names.items()}
    ways = [f'<a href="{escape(f)}">{word}</a>' for word, f in files.items() if (out / f).is_file()]
    if not ways:
        return ""
    return f'<p class="quiet">To share: {" · ".join(ways)}</p>'
