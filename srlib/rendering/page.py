"""What all pages share: the style, the policy, the templates, and the frame of pages that are no notebook's."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from srlib.prose import html_text

TEMPLATE = Path(__file__).resolve().parent / "template"


@cache
def read_template(name: str) -> str:
    """Read a file of the template as it stands."""
    return (TEMPLATE / name).read_text(encoding="utf-8")


def frame(title: str, heading: str, script: str = "") -> dict[str, str]:
    """Collect what frame.html.j2 needs: plain title and heading, the style, and a policy that allows this script alone.

    Examples
    --------
    >>> frame("A", "B")["policy"]
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    """
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    style = read_template("report.css")
    return {"title": title, "heading": heading, "css": style, "policy": policy, "script": script}


def fill_template(name: str, resources: dict[str, Any]) -> str:
    """Fill a template whose texts pass the filter `text`."""
    environment = Environment(loader=FileSystemLoader(TEMPLATE), autoescape=False)
    environment.filters["text"] = html_text
    return environment.get_template(name).render(resources=resources)


def framed(title: str, heading: str, main: str) -> str:
    """Write a whole page that asks the net for nothing.

    Parameters
    ----------
    title, heading : str
        Of the window and of the page; plain text.
    main : str
        HTML with everything escaped.

    Examples
    --------
    >>> "<h1>A &amp; B</h1>" in framed("A", "A & B", "<p>Text.</p>")
    True
    """
    return fill_template("frame.html.j2", {**frame(title, heading), "main": main})


def png_address(path: Path) -> str:
    """Write a picture as a data address."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def strip_addresses(report: dict[str, Any], folder: Path) -> list[str]:
    """Find the figure `strip` of a report, for the first screen: wide and narrow; empty without one."""
    pictures = [folder / "figures" / name for name in ("strip.png", "strip-column.png")]
    if not any(figure["name"] == "strip" for figure in report["figures"]):
        return []
    return [png_address(picture) for picture in pictures if picture.is_file()]
