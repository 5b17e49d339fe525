"""The box at the head of a page in short: one sentence that answers, and what else is said on demand."""

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

LONG = 160  # letters of an answer, about two lines; of a longer one the first sentence is set large
KEPT = 2  # lines below the answer that are not folded
ROOM = 330  # letters of them and of what stands before; of longer ones only the first is not folded
PODIUM, NAMED = 3, 5  # places, and the methods that are named where many share them


def parted(answer: str, names: Collection[str] = ()) -> tuple[str, str]:
    """Part a long answer behind its first sentence, or the first half of one; never inside a name.

    Examples
    --------
    >>> parted("A wins. " + 20 * "And so on. ")[0]
    'A wins.'
    >>> parted("A wins; " + 20 * "and so on. ")[1][:10]
    'And so on.'
    >>> parted("A wins. B does not.")
    ('A wins. B does not.', '')
    """
    if len(answer) <= LONG:
        return answer, ""
    spans = [m.span() for name in names if name for m in re.finditer(re.escape(name), answer)]
    for found in re.finditer(r"(?<=[.;]) ", answer):
        at = found.start()
        if not any(start < at < end for start, end in spans):
            return _sentences(answer[:at], answer[at + 1 :], names)
    return answer, ""


def _sentences(first: str, rest: str, names: Collection[str]) -> tuple[str, str]:
    """Make two sentences of what a semicolon parted; a name keeps its letters."""
    if first.endswith(";"):
        first = f"{first[:-1]}."
        if not rest.startswith(tuple(filter(None, names))):
            rest = rest[:1].upper() + rest[1:]
    return first, rest


def in_short(details: str, lines: int) -> str:
    """Fold the last lines of a list of many, or of long ones; what stands before the list is kept.

    Parameters
    ----------
    details : str
        HTML, of which the last list is of so many lines.
    lines : int
        What the notebook said beside its answer.

    Examples
    --------
    >>> in_short("<ul><li>a</li><li>b</li><li>c</li><li>d</li></ul>", 4)
    '<ul><li>a</li><li>b</li></ul><details><summary>2 more</summary><ul><li>c</li><li>d</li></ul></details>'
    """
    before, found, said = details.rpartition("<ul>")
    if not found or not lines:
        return details
    items = said.removesuffix("</ul>").split("<li>")[1:]
    kept = KEPT
    if lines <= KEPT + 1:
        kept = len(items)
    while kept > 1 and len(re.sub("<[^>]*>", "", before + "".join(items[:kept]))) > ROOM:
        kept -= 1
    if kept == len(items):
        return details
    first, rest = ("".join(f"<li>{item}" for item in part) for part in (items[:kept], items[kept:]))
    more = f"<details><summary>{lines - kept} more</summary><ul>{rest}</ul></details>"
    return f"{before}<ul>{first}</ul>{more}"


def podium_html(
    ranking: Sequence[Mapping[str, Any]], people: Mapping[str, str], behind: bool = False
) -> str:
    """List the methods of the first three places; a participant's name leads to the participant's page.

    Parameters
    ----------
    ranking : sequence of mapping
        `method`, `score` (higher is better, where it is to say `behind`) and `rank` (1 is best), best first.
    people : mapping of str to str
        File of a participant's page, by method.
    behind : bool
        Say how far each is behind the first instead of its score.

    Examples
    --------
    >>> podium_html([{"method": "a", "score": 2.0, "rank": 1}], {"a": "a.html"})
    '<ol><li value="1"><a href="a.html">a</a> <span class="quiet">2.000</span></li></ol>'
    """
    best = [p for p in ranking if p["rank"] is not None and p["rank"] <= PODIUM]
    scored = [place for place in best if place["score"] is not None][:NAMED]
    items = []
    for place in scored:
        name, said = escape(place["method"]), f"{place['score']:.3f}"
        if behind:
            lost = scored[0]["score"] - place["score"]
            said = f"{lost:.3f} behind"
            if lost < 5e-4:
                said = f"{lost:.2g} behind" * (lost > 0)
        if file := people.get(place["method"]):
            name = f'<a href="{file}">{name}</a>'
        items.append(f'<li value="{place["rank"]}">{name} <span class="quiet">{said}</span></li>')
    rest, more = "", len(best) - len(scored)
    if more:
        rest = f'<p class="quiet">and {more} more</p>'
    return f"<ol>{''.join(items)}</ol>{rest}"
