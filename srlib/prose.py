"""Statements that know their numbers, and formatting of text: lists of names, counts, percentages, signs, escapes."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from string import Formatter
from typing import Any

_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ud800-\udfff"
INVISIBLE = re.compile(f"[{_CONTROL}\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]+"
RIGHT_TO_LEFT = re.compile(rf"{_LETTERS}(?:[ _-]+{_LETTERS})*")


@dataclass(frozen=True)
class Fact:
    """A number or name in a statement.

    Parameters
    ----------
    value : object
        The number or name itself.
    text : str
        The value as the statement prints it; empty: the value in the format that the template states.
    """

    value: Any
    text: str = ""

    def __format__(self, spec: str) -> str:
        """Return the text, or the value in a format, so that a fact can stand in a template like its value."""
        return self.text or format(self.value, spec)


class Statement(str):
    """A sentence that knows the numbers and names it states.

    Attributes
    ----------
    name : str
        Name of the statement on its page.
    facts : dict of str to Fact
        The facts by the names that the template gives them.
    """

    name: str = ""
    facts: dict[str, Fact] = {}


def state(name: str, template: str, **values: Any) -> Statement:
    """Return a statement: a template, filled with values.

    Parameters
    ----------
    name : str
        Name of the statement.
    template : str
        Text with fields, as for `str.format`; no text of strangers.
    **values
        A value or a `Fact` for each field. The facts of a `Statement` become facts of this one.

    Examples
    --------
    >>> sentence = state("verdict", "{winner} wins with {score:.3f}.", winner="A", score=2.0)
    >>> sentence, sentence.facts["score"]
    ('A wins with 2.000.', Fact(value=2.0, text='2.000'))
    """
    statement = Statement(template.format(**values))
    statement.name, statement.facts = name, {}
    for _, key, spec, _ in Formatter().parse(template):
        value = values.get(str(key))
        if isinstance(value, Statement):
            statement.facts |= value.facts
        elif key:
            plain_value = value.value if isinstance(value, Fact) else value
            statement.facts[key] = Fact(plain_value, format(value, spec or ""))
    return statement


def join_statements(
    parts: Sequence[Statement], separator: str = "", most: int | None = None
) -> Statement:
    """Return statements as one; facts of the second get '-2' after their names, those of the third '-3'.

    Parameters
    ----------
    parts : sequence of Statement
        The statements.
    separator : str
        Text between two statements; empty: commas and 'and', as in `listed`.
    most : int, optional
        After the first `most` statements the others are only counted.

    Examples
    --------
    >>> parts = [state("part", "{share:.0%} of A", share=0.5), state("part", "{share:.0%} of B", share=0.2)]
    >>> text = join_statements(parts)
    >>> text, list(text.facts)
    ('50% of A and 20% of B', ['share', 'share-2'])
    """
    first_parts = list(parts[:most])
    if len(first_parts) < len(parts):
        first_parts.append(state("more", "{more} more", more=len(parts) - len(first_parts)))
    statement = Statement(separator.join(first_parts) if separator else listed(first_parts))
    statement.facts = {
        key if number == 1 else f"{key}-{number}": fact
        for number, part in enumerate(first_parts, 1)
        for key, fact in part.facts.items()
    }
    return statement


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Join names with commas and 'and'; after the first `most` names, only count the others.

    Examples
    --------
    >>> listed(["A", "B", "C"]), listed(["A", "B", "C"], 2), listed([])
    ('A, B and C', 'A, B and 1 more', '')
    """
    parts = list(names[:most])
    if len(parts) < len(names):
        parts.append(f"{len(names) - len(parts)} more")
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def first_of(texts: Sequence[str], kind: str = "", most: int = 12) -> str:
    """Join texts with semicolons; after the first `most` texts, only count the others, as `kind`.

    Examples
    --------
    >>> first_of(["A 1", "B 2", "C 3"], "methods", most=1)
    'A 1; and 2 more methods'
    """
    more = [f"and {len(texts) - most} more {kind}".strip()] if len(texts) > most else []
    return "; ".join([*texts[:most], *more])


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in singular or plural.

    Examples
    --------
    >>> counted(1, "run"), counted(1020, "run")
    ('1 run', '1,020 runs')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def state_count(name: str, count: int, noun: str) -> Statement:
    """Return a count with its noun in singular or plural, as a statement with the count as its fact.

    Examples
    --------
    >>> state_count("runs", 1020, "run"), state_count("runs", 1020, "run").facts["runs"].value
    ('1,020 runs', 1020)
    """
    plural = "" if count == 1 else "s"
    return state(name, f"{{{name}:,}} {noun}{plural}", **{name: count})


def tally(values: Iterable[object]) -> str:
    """Return how often each value occurs as text, the most frequent first.

    Examples
    --------
    >>> tally(["failed", "ok", "ok"])
    '2 ok, 1 failed'
    """
    return ", ".join(f"{count} {value}" for value, count in Counter(values).most_common())


def percent(share: float) -> str:
    """Return a share as a percentage; only exactly 0 and 1 are written as 0% and 100%.

    Examples
    --------
    >>> percent(1.0), percent(0.9996), percent(0.123), percent(0.0001)
    ('100%', '>99%', '12%', '<1%')
    """
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1:
        return ">99%"
    return f"{share:.0%}"


def winner_sentence(winners: Sequence[str], methods: Sequence[str] = ()) -> str:
    """Return a sentence on who won, without a full stop.

    Parameters
    ----------
    winners : sequence of str
        Methods on the first place.
    methods : sequence of str
        All methods that were ranked; if all of them win, the sentence does not list them.

    Examples
    --------
    >>> winner_sentence(["A"]), winner_sentence(["A", "B"]), winner_sentence(["A", "B"], ["A", "B"])
    ('A wins', 'A and B share the first place', 'all methods tie')
    """
    if len(winners) == 1:
        return f"{winners[0]} wins"
    if len(winners) == len(methods):
        return "all methods tie"
    return f"{listed(winners)} share the first place"


def minus_signs(text: str) -> str:
    """Return a text with hyphens before numbers replaced by minus signs; hyphens in names stay.

    Examples
    --------
    >>> minus_signs("x-1 has -0.5 and 1e-05")
    'x-1 has −0.5 and 1e-05'
    """
    return re.sub(r"(?<![\w.)-])-(?=[\d.])", "−", text)


def visible(text: str) -> str:
    r"""Return a text with control characters, lone surrogates and direction marks written as escapes.

    Examples
    --------
    >>> visible("a\x07b\u202ec"), visible("tab\tand line\n")
    ('a\\x07b\\u202ec', 'tab\tand line\n')
    """
    return INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def html_text(text: object) -> str:
    r"""Escape a text for HTML; invisible characters become escapes, and right-to-left text is isolated.

    Examples
    --------
    >>> html_text("a\u202e<b>")
    'a\\u202e&lt;b&gt;'
    """
    return RIGHT_TO_LEFT.sub("&#8296;\\g<0>&#8297;", escape(visible(str(text))))
