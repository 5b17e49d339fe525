"""Statements that know their numbers, and formatting of text: lists of names, counts, percentages, signs, escapes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    pieces : tuple of str and Fact
        The sentence, cut at its facts.
    """

    name: str = ""
    facts: dict[str, Fact] = {}
    pieces: tuple[str | Fact, ...] = ()


def state(name: str, template: str, **values: Any) -> Statement:
    """Return a statement: a template, filled with values.

    Parameters
    ----------
    name : str
        Name of the statement.
    template : str
        Text with fields, as for `str.format`; no text of strangers.
    **values
        A value or a `Fact` for each field. The facts of a `Statement` become facts of this one, unless it has no name:
        names that are `listed` are one fact.

    Examples
    --------
    >>> sentence = state("verdict", "{winner} wins with {score:.3f}.", winner="A", score=2.0)
    >>> sentence, sentence.facts["score"]
    ('A wins with 2.000.', Fact(value=2.0, text='2.000'))
    """
    pieces, facts = list[str | Fact](), dict[str, Fact]()
    for literal, key, spec, _ in Formatter().parse(template):
        pieces.append(literal)
        value = values.get(str(key))
        if isinstance(value, Statement) and value.name:
            facts |= value.facts
            pieces += value.pieces
        elif key:
            plain_value = value.value if isinstance(value, Fact) else value
            text = value if isinstance(value, str) else format(value, spec or "")
            facts[key] = Fact(plain_value, text)
            pieces.append(facts[key])
    return compose(pieces, name, facts)


def compose(
    pieces: Sequence[str | Fact], name: str = "", facts: Mapping[str, Fact] = {}
) -> Statement:
    """Return a statement that is made of these pieces."""
    statement = Statement("".join(map(format, pieces)))
    statement.name, statement.facts, statement.pieces = name, dict(facts), tuple(pieces)
    return statement


def print_names(text: str, names: Mapping[str, str]) -> str:
    """Return a statement with other texts for its names; words and numbers that look like names do not change.

    Parameters
    ----------
    text : str
        A statement, in which a name is a fact, the text of a fact, or part of a listing; other texts are returned as
        they are.
    names : mapping of str to str
        The texts by name.

    Examples
    --------
    >>> print_names(state("verdict", "{winner} is first.", winner="first"), {"first": "One"})
    'One is first.'
    """

    def print_piece(piece: str | Fact) -> Any:
        if isinstance(piece, str):
            return piece
        name = piece.value if isinstance(piece.value, str) else ""
        return Fact(piece.value, names.get(name) or print_names(piece.text, names))

    if not isinstance(text, Statement):
        return text
    facts = {key: print_piece(fact) for key, fact in text.facts.items()}
    return compose(list(map(print_piece, text.pieces)), text.name, facts)


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
    first_parts = count_others(parts, most)
    facts = {
        key if number == 1 else f"{key}-{number}": fact
        for number, part in enumerate(first_parts, 1)
        for key, fact in part.facts.items()
    }
    return compose(listed(first_parts, separator=separator).pieces, "parts", facts)


def listed(names: Sequence[str], most: int | None = None, separator: str = "") -> Statement:
    """Join names with commas and 'and', or with a separator; after the first `most` names, only count the others.

    Examples
    --------
    >>> listed(["A", "B", "C"]), listed(["A", "B", "C"], 2), listed([])
    ('A, B and C', 'A, B and 1 more', '')
    """
    pieces, parts = list[str | Fact](), count_others(names, most)
    for place, part in enumerate(parts, 1):
        if pieces:
            pieces.append(separator or (", " if place < len(parts) else " and "))
        pieces += part.pieces if isinstance(part, Statement) else [Fact(part, part)]
    return compose(pieces)


def count_others(texts: Sequence[str], most: int | None) -> list[Any]:
    """Return the first `most` texts, followed by the number of the others."""
    parts = list(texts[:most])
    if len(parts) < len(texts):
        parts.append(state("more", "{more} more", more=len(texts) - len(parts)))
    return parts


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


def winner_sentence(winners: Sequence[str], methods: Sequence[str] = ()) -> Statement:
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
    if 1 < len(winners) == len(methods):
        return state("winners", "all methods tie")
    verb = "wins" if len(winners) == 1 else "share the first place"
    return state("winners", f"{{winners}} {verb}", winners=listed(winners))


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
