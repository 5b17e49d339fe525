"""Which feature a name in a model text means: exact names first, then positional ones."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from srlib.expressions.lexer import tokenize
from srlib.expressions.operators import OPERATORS
from srlib.expressions.tree import Item

_POSITIONAL = re.compile(r"([xX]_?)(\d{1,6})|[xX]\s*\[\s*(?:\:\s*,\s*)?(\d{1,6})\s*\]")
POSITIONAL = re.compile(r"[xX]_?\d|[xX]\s*\[")  # what a text with positional names holds
_SYMBOL = re.compile(r"Symbol\s*\(\s*'([^']*)'")
_WORDS = {"True": 1, "False": 0, "true": 1, "false": 0}
NAMES = ("auto", "auto-x1", "features", "x0", "x1")
STATED = ("features", "x0", "x1")  # what a run table may say


def positional(name: str) -> tuple[str, int] | None:
    """Spelling and index of a positional name: ``x_3`` -> ("x_", 3); None for any other name."""
    match = _POSITIONAL.fullmatch(name)
    if match is None:
        return None
    digits = match[2] if match[2] is not None else match[3]
    if len(digits) > 1 and digits[0] == "0":
        return None
    return match[1] or "[]", int(digits)


def exact_names(words: Set[str], features: tuple[str, ...], names: str) -> frozenset[str]:
    """Feature names that are read as they stand.

    With a stated base no positional spelling is one. With 'auto' and 'auto-x1' all are, unless the text
    shows that it counts from 0: beside a token ``x0`` that is no feature, ``x1`` and its like are
    positions, even where features bear such names.
    """
    if names in ("x0", "x1"):
        return _not_positional(features)
    exact = frozenset(features)
    if names != "features":
        for spelling in ("x", "X", "x_", "X_"):
            zero = spelling + "0"
            if zero in words and zero not in exact:
                exact = frozenset(n for n in exact if (positional(n) or ("",))[0] != spelling)
    return exact


@lru_cache(maxsize=256)
def _not_positional(features: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for name in features if positional(name) is None)


def resolve(
    name: str, features: Sequence[str] | None, names: str, exact: frozenset[str]
) -> Item | None:
    """Item that a name stands for, or None when it stands for nothing.

    An exact feature name wins; then the named constants ``pi``, ``E`` and ``I``; then positional names. Without
    `features` any name is a feature of that name, except ``pi``, ``True`` and ``False``.
    """
    if name in exact:
        return name
    if name == "pi":
        return OPERATORS["pi"]
    if name in _WORDS:
        return _WORDS[name]
    where = positional(name)
    if features is None:
        if where and where[0] == "[]":
            return f"x{where[1]}"
        return name
    if name in ("E", "I"):
        return OPERATORS["E" if name == "E" else "imaginary"]
    if where is None or names == "features":
        return None
    index = where[1] - names.endswith("x1")
    if 0 <= index < len(features):
        return features[index]
    return None


@dataclass(frozen=True)
class Positions:
    """The positional names of a text, on data with certain features.

    Parameters
    ----------
    bases : tuple of {'auto', 'auto-x1'}
        From 0 and from 1, as far as every such name is a feature then: two where the text does not tell.
    tells : {'auto', 'auto-x1'}, optional
        The only base, where it may tell how other texts count: no feature bears a name of such a spelling.
    """

    bases: tuple[str, ...]
    tells: str | None


def positions(text: str, features: Sequence[str]) -> Positions | None:
    """Find what the positional names of a text show; None where it has none that is no feature's own.

    Examples
    --------
    >>> positions("X1 + X3", ["a", "b", "c"]).bases, positions("x_0*x_2", ["a", "b", "c"]).bases
    (('auto-x1',), ('auto',))
    >>> positions("x1 + x2", ["x1", "x2"]) is None
    True
    """
    if not POSITIONAL.search(text):
        return None
    known = tuple(features)
    found = {}
    for word in words_of(tokenize(text, known)) - set(known):
        where = positional(word)
        if where is not None:
            found[word] = where
    if not found:
        return None
    low, high = (end(index for _, index in found.values()) for end in (min, max))
    possible = {"auto": high < len(known), "auto-x1": low >= 1 and high <= len(known)}
    bases = tuple(base for base, fits in possible.items() if fits)
    borne = {where[0] for name in known if (where := positional(name)) is not None}
    telling = len(bases) == 1 and borne.isdisjoint({spelling for spelling, _ in found.values()})
    return Positions(bases, bases[0] if telling else None)


def words_of(tokens: Sequence[str]) -> set[str]:
    """Take the distinct tokens, with the names that sympy's srepr puts into ``Symbol('x0')``."""
    words = set(tokens)
    return words | {m[1] for word in words if word[0] == "S" and (m := _SYMBOL.match(word))}
