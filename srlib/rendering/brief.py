"""The box at the head of a page in short: one sentence that answers, and what else is said on demand."""

import re
from collections.abc import Collection

LONG = 160  # letters of an answer, about two lines; of a longer one the first sentence is set large
KEPT = 2  # lines below the answer that are never folded


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
    """Fold the last lines of a list of many; what stands before the list is kept.

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
    if lines <= KEPT + 1:
        return details
    before, said = details.rsplit("<ul>", 1)
    items = said.removesuffix("</ul>").split("<li>")[1:]
    first, rest = ("".join(f"<li>{item}" for item in part) for part in (items[:KEPT], items[KEPT:]))
    more = f"<details><summary>{lines - KEPT} more</summary><ul>{rest}</ul></details>"
    return f"{before}<ul>{first}</ul>{more}"
