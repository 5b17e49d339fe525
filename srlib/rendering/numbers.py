"""What each kind of number means by the rules: at the headings of a page, and whole on the first page of a suite."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).resolve().parent / "template"
SECTION = "numbers"


def numbers_html(handed: Mapping[str, Any], whole: str = "") -> str:
    """Say what the numbers of a report mean, with the switches of its rules and where each comes from.

    Parameters
    ----------
    handed : mapping
        What stands in NAME.report.json.
    whole : str
        Reports of which all is said in one place, with every switch, as HTML; where it is empty, each meaning opens
        at the headings that ask for it.

    Returns
    -------
    str
        HTML; empty where the report hands over no rules.
    """
    if not handed["rules"].get("switches"):
        return ""
    return _template().render(handed=handed, whole=whole)


def heads_of(numbers: str) -> dict[str, str]:
    """Find the meaning behind each heading of a column.

    Examples
    --------
    >>> heads_of('<div popover data-heads="score|mean" id="rule-s">')
    {'score': 'rule-s', 'mean': 'rule-s'}
    """
    found = re.findall(r'data-heads="([^"]*)" id="(rule-[\w-]+)"', numbers)
    return {name: rule for names, rule in found for name in names.split("|")}


def numbers_of_all(reports: Iterable[Mapping[str, Any]]) -> str:
    """Say once for a suite what its numbers mean: for each rules that its reports are judged by.

    Parameters
    ----------
    reports : iterable of mapping
        What stands in the NAME.report.json of each.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for handed in reports:
        if handed["rules"].get("switches"):
            alike.setdefault(handed["rules"]["digest"], []).append(handed)
    said = []
    for some in alike.values():
        names = (escape(one["name"]) for one in some)
        links = (f'<a href="{name}.html">{name.replace("_", " ")}</a>' for name in names)
        said.append(numbers_html(some[0], whole=", ".join(links)))
    return f'<div id="{SECTION}">\n{"".join(said)}</div>\n' if said else ""


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader  # what reads suites does without it

    files = Environment(loader=FileSystemLoader(TEMPLATE), autoescape=False)
    return files.get_template("numbers.html.j2")
