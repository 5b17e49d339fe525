"""Model text into tokens, in one pass of one regular expression; positions are looked up only for errors."""

import re
from collections.abc import Iterator
from functools import lru_cache

from srlib.errors import ModelTextError

LONGEST_TEXT = 1_000_000
LONGEST_LITERAL = 400

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_OPTIONS = r"(?:\s*,\s*\w+\s*=\s*\w+)*\s*"
_TOKENS = "|".join(
    [
        _NUMBER,  # the most frequent ones first
        r"\*\*|//|[-+*/^(),]",
        rf"Float\s*\(\s*'[^']*'{_OPTIONS}\)",  # srepr leaves
        r"Rational\s*\(\s*-?\d+\s*,\s*\d+\s*\)",
        r"Integer\s*\(\s*-?\d+\s*\)",
        rf"Symbol\s*\(\s*'[^']*'{_OPTIONS}\)",
        r"[xX]\s*\[\s*(?:\:\s*,\s*)?\d{1,6}\s*\]",  # x[:,3]
        r"[xX]_?\d{1,6}(?=p/)",  # GP-GOMEA prints x0p/x1
        r"if-then-else(?=\()",
        rf"(?:(?:np|numpy|math|sympy|sp)\.)?{_NAME}",
        r"`(?:[^`]|``)+`",  # our own quotation of odd names
        r"<=|>=|==|!=|[\[\]|<>&~]",
        r"\S",
    ]
)


@lru_cache(maxsize=256)
def token_pattern(names: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Pattern of one token; feature names that are no plain words are tried first, the longest first."""
    odd = sorted(
        {
            n
            for n in names
            if not re.fullmatch(_NAME, n) and not re.fullmatch(_NUMBER, n) and n.strip()
        },
        key=len,
        reverse=True,
    )
    parts = []
    for name in odd:
        before = r"(?<![A-Za-z0-9_.])" if re.match(r"[\w.]", name) else ""
        after = r"(?![A-Za-z0-9_])" if re.search(r"\w\Z", name) else ""
        parts.append(before + re.escape(name) + after)
    return re.compile("|".join([*parts, _TOKENS]))


def tokenize(text: str, names: tuple[str, ...] = ()) -> list[str]:
    """Split a model text into tokens.

    Raises
    ------
    ModelTextError
        When the text is empty, longer than a million characters, or holds a character that no dialect uses.

    Examples
    --------
    >>> tokenize("2.5*x[:, 1]**2")
    ['2.5', '*', 'x[:, 1]', '**', '2']
    """
    if len(text) > LONGEST_TEXT:
        raise ModelTextError(
            f"model text of {len(text)} characters, at most {LONGEST_TEXT} are read", text, 0
        )
    if not text.strip():
        raise ModelTextError("empty model text", text, 0, "empty")
    return token_pattern(names).findall(text)


def position(text: str, index: int, names: tuple[str, ...] = ()) -> int:
    """Position in the text of the token of that index (the text's length when it is past the last)."""
    matches: Iterator[re.Match[str]] = token_pattern(names).finditer(text)
    for i, match in enumerate(matches):
        if i == index:
            return match.start()
    return len(text)
