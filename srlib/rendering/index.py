"""index.html: the reports of a suite with their verdicts, read from what each notebook handed over."""

import json
from collections.abc import Collection, Mapping
from html import escape
from pathlib import Path
from typing import Any

from srlib.files import write_atomically
from srlib.rendering.numbers import numbers_of_all
from srlib.rendering.page import framed, podium_html
from srlib.rendering.participants import people_html
from srlib.rendering.suite import Suite
from srlib.rendering.themes import by_theme


def write_index(
    suite: Suite, out: Path, outdated: Collection[str] = (), unchanged: Collection[str] = ()
) -> None:
    """Write OUT/index.html: a card for each report, by theme; failures in red and in words.

    Parameters
    ----------
    suite : Suite
        Its reports, in this order.
    out : Path
        Where they were rendered.
    outdated : collection of str
        Names of reports whose inputs, notebook or srlib changed after they were rendered.
    unchanged : collection of str
        Names of reports that needed no execution this time: nothing changed after they were rendered.
    """
    told = {r.name: _handed(out / f"{r.name}.report.json") for r in suite.reports}
    there = {name: handed for name, handed in told.items() if handed is not None}
    cards = {
        name: _card(name, handed, out, name in outdated, name in unchanged)
        for name, handed in told.items()
    }
    failed = sum(1 for state, _ in cards.values() if state == "bad")
    waiting = sum(1 for state, _ in cards.values() if state == "waiting")
    summary = f"{len(cards)} report{'s' if len(cards) != 1 else ''}"
    summary += f", {failed} failed" if failed else ""
    summary += f", {waiting} not up to date" if waiting else ""
    title = f"FAILED: {suite.title}" if failed else suite.title
    said = [
        f"<p>{escape('' if key == 'description' else f'{key.capitalize()}: ')}{escape(text)}</p>"
        for key, text in suite.about.items()
    ]
    shown = "".join(
        f'<h2>{escape(theme)}</h2>\n<ul class="cards">\n{"".join(cards[r.name][1] for r in reports)}</ul>\n'
        for theme, reports in by_theme(suite.reports).items()
    )
    head = "".join(said) + _hero(suite, there, out) + _participants(there, out)
    main = f"{head}<p>{summary}.</p>\n{shown}{numbers_of_all(there.values())}"
    shown = framed(title, suite.title, main)
    write_atomically(out / "index.html", shown)


def _hero(suite: Suite, there: Mapping[str, dict[str, Any]], out: Path) -> str:
    """Put the podium, how sure it is, and the runs first: of the report that says who wins."""
    fit = {name: h for name, h in there.items() if h.get("ranking") and h["failure"] is None}
    sure = [name for name, handed in fit.items() if handed.get("certainty")]
    name = next(iter([*sure, suite.reports[0].name]))
    if name not in fit:
        return ""
    handed = fit[name]
    podium = podium_html(handed["ranking"], _people(handed, out))
    word, read = handed["certainty"].get("word", ""), handed["rows"].get("read")
    said = [f'<a href="{escape(name)}.html">{escape(handed["title"])}</a>']
    if read:
        said.insert(0, f"{read:,} {handed['rows'].get('what', 'runs')} read")
    if word:
        said.insert(0, f'<strong class="badge">Certainty: {escape(word)}</strong>')
    return (
        f'<section class="box place hero {escape(word)}" aria-label="Winners">{podium}'
        f"<p>{' · '.join(said)}</p></section>\n"
    )


def _participants(there: Mapping[str, dict[str, Any]], out: Path) -> str:
    """Lead to the page of each participant, of the first report that has such pages."""
    for handed in there.values():
        if people := _people(handed, out):
            return people_html(people)
    return ""


def _people(handed: Mapping[str, Any], out: Path) -> dict[str, str]:
    if handed.get("failure"):
        return {}
    pages = handed.get("participants", [])
    return {page["method"]: page["file"] for page in pages if (out / page["file"]).is_file()}


def _card(
    name: str, handed: dict[str, Any] | None, out: Path, outdated: bool, unchanged: bool
) -> tuple[str, str]:
    if handed is None or not (out / f"{name}.html").is_file():
        text = f'<h3>{escape(name)}</h3><p class="state">Not rendered yet</p>'
        return "waiting", f'<li class="card waiting">{text}</li>\n'
    failure, checks, rows = handed["failure"], handed["checks"], handed["rows"]
    state = "bad" if failure else "waiting" if outdated else "good"
    said = f"✓ {'Unchanged' if unchanged else 'Fresh'}; {checks['passed']} of {checks['total']} checks passed"
    if outdated:
        said = "↻ Outdated: an input, the notebook or srlib has changed since; render it again"
    if failure:
        said = "✗ Failed"
        if failure["cell"]:
            said = f"✗ Failed in code cell {failure['cell']}"
    parts = [
        f'<h3><a href="{escape(name)}.html">{escape(handed["title"])}</a></h3>',
        f'<p class="state">{said}</p>',
        f"<p>{escape(failure['what'] if failure else handed['verdict'])}</p>",
    ]
    if not failure and rows:
        counts = f"{rows['scored']:,} scored + {rows['excluded']:,} excluded"
        runs = f"{rows['read']:,} {rows.get('what', 'runs')} read = {counts}"
        rules = f"; rules {handed['rules']['name']}" if handed["rules"] else ""
        parts.append(f'<p class="quiet">{escape(runs + rules)}</p>')
    picture = next(
        (f for figure in handed["figures"] for f in figure["files"] if f.endswith(".png")), None
    )
    if not failure and picture and (out / name / picture).is_file():
        parts.append(f'<img src="{escape(name)}/{escape(picture)}" alt="" loading="lazy">')
    return state, f'<li class="card {state}">{"".join(parts)}</li>\n'


def _handed(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
