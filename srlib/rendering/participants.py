"""The pages of participants: what a notebook wrote of each, put into a frame, beside the reports."""

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from srlib.displays.bundles import PEOPLE
from srlib.files import write_atomically
from srlib.rendering.handover import bundles
from srlib.rendering.page import framed

TEMPLATE = Path(__file__).resolve().parent / "template"
SCRIPTS = ("figures.js", "tables.js")


def people_of(notebook: Any, folder: str) -> list[dict[str, str]]:
    """List `method` and `file`, from the suite's folder, of each participant's page that a notebook wrote."""
    written = [page for bundle in bundles(notebook, PEOPLE) for page in bundle["pages"]]
    return [{"method": page["method"], "file": f"{folder}/{page['file']}"} for page in written]


def frame_people(
    handed: Mapping[str, Any],
    new: Path,
    suite_title: str,
    links: Mapping[str, str],
) -> None:
    """Make pages of what a notebook wrote of its participants, where the suite has them, each with the way back.

    Parameters
    ----------
    handed : mapping
        What stands in NAME.report.json; its `participants` are those with a page.
    new : Path
        Where the report is staged.
    suite_title : str
        Of the suite.
    links : mapping of str to str
        Pages of the suite's other reports, by the name of their notebook.
    """
    name = handed["name"]
    script = "\n".join((TEMPLATE / file).read_text(encoding="utf-8") for file in SCRIPTS)
    parts = new / name / "participants"
    kept = {new / page["file"] for page in handed["participants"]}
    for page in handed["participants"]:
        target = new / page["file"]
        up = "../" * page["file"].count("/")
        back = f'<a href="{up}{escape(name)}.html">{escape(handed["title"])}</a>'
        top = f'<a href="{up}index.html">{escape(suite_title)}</a> · {back}'
        main = (parts / target.name).read_text(encoding="utf-8") + _source(handed, up, links)
        shown = page["method"]
        write_atomically(target, framed(f"{shown} – {suite_title}", shown, main, top, script))
    for part in parts.glob("*.html"):
        if part not in kept:
            part.unlink()
    if parts.is_dir() and not any(parts.iterdir()):
        parts.rmdir()


def _source(handed: Mapping[str, Any], up: str, links: Mapping[str, str]) -> str:
    rules, report = handed["rules"], f"{up}{escape(handed['name'])}.html"
    ways = [f'<a href="{report}#provenance">files, versions and parameters</a>']
    if rules:
        ways.append(f'<a href="{report}#numbers">the rules {escape(rules["name"])}</a>')
    if "robustness" in links:
        ways.append(f'<a href="{up}{escape(links["robustness"])}">how robust the ranking is</a>')
    return (
        '<section class="provenance"><h2 id="provenance">Where the numbers come from</h2>'
        f"<p>From the same judgement as the report, which has: {', '.join(ways)}.</p></section>"
    )


def people_html(addresses: Mapping[str, str]) -> str:
    """Write links to the pages of participants; empty where there are none."""
    if not addresses:
        return ""
    names = " · ".join(f'<a href="{to}">{escape(name)}</a>' for name, to in addresses.items())
    return f'<p class="see">A page for each participant: {names}</p>'
