"""Which feature a name in a model text means: exact names first, then constants, then positional names."""

import re
from collections.abc import Sequence
from functools import lru_cache

from srlib.expressions.operators import OPERATORS, Item

NAMES = ("auto", "auto-x1", "features", "x0", "x1")
TABLE_NAMES = ("features", "x0", "x1")  # what a run table may state
INDEX = r"[xX]\s*\[\s*(?:\:\s*,\s*)?[0-9]{1,6}\s*\]"  # x[3] and x[:, 3]
POSITIONAL = re.compile(r"[xX]_?\d|[xX]\s*\[")  # what a text with positional names holds
_POSITIONAL_NAME = re.compile(r"([xX]_?)(0|[1-9][0-9]{0,5})|" + INDEX)
_QUOTED_OR_POSITIONAL = re.compile(
    rf"`(?:[^`]|``)+`|(?<![\w.])(?:[xX]_?[0-9]{{1,6}}(?!\w)|[xX]_?[0-9]{{1,6}}(?=p/)|{INDEX})"
)
_CONSTANTS: dict[str, Item] = {"pi": OPERATORS["pi"], "True": 1, "true": 1, "False": 0, "false": 0}
_CONSTANTS_BESIDE_FEATURES: dict[str, Item] = {
    "E": OPERATORS["E"],
    "e": OPERATORS["E"],
    "I": OPERATORS["imaginary"],
}


def positional(name: str) -> tuple[str, int] | None:
    """Spelling and index of a positional name: ``x_3`` -> ("x_", 3); None for any other name."""
    match = _POSITIONAL_NAME.fullmatch(name)
    if match is None:
        return None
    if match[1]:
        return match[1], int(match[2])
    return "[]", int("".join(filter(str.isdigit, name)))


def exact_names(text: str, features: tuple[str, ...], names: str) -> frozenset[str]:
    """Feature names that are read as they stand.

    With a stated base no positional spelling is one. With 'auto' and 'auto-x1' all are, unless the text
    shows that it counts from 0: beside an ``x0`` that is no feature, ``x1`` and its like are
    positions, even where features bear such names.
    """
    exact, spellings = frozenset(features), _positional_spellings(features)
    if names == "features" or not spellings:
        return exact
    if names in ("x0", "x1"):
        return exact - spellings.keys()
    zeros = {spelling + "0" for spelling in spellings.values()} - exact
    if any(zero in text for zero in zeros):
        zeros &= positional_names(text, features)
        return exact - {name for name, spelling in spellings.items() if spelling + "0" in zeros}
    return exact


@lru_cache(maxsize=256)
def _positional_spellings(features: tuple[str, ...]) -> dict[str, str]:
    """Spelling of each feature with a positional name."""
    return {name: place[0] for name in features if (place := positional(name)) is not None}


def positional_names(text: str, features: Sequence[str]) -> set[str]:
    """Positional names in a text; what stands in backquotes, or in a feature's name with odd characters, is none."""
    for name in sorted(features, key=len, reverse=True):
        if not re.fullmatch(r"\w*", name):
            text = text.replace(name, "``")
    return {match[0] for match in _QUOTED_OR_POSITIONAL.finditer(text) if match[0][0] != "`"}


def resolve(
    name: str, features: Sequence[str] | None, names: str, exact: frozenset[str]
) -> Item | None:
    """Item that a name stands for, or None when it stands for nothing.

    A name in backquotes is a feature's. Else an exact feature name wins; then come the named constants ``pi``, ``E``,
    ``e`` and ``I``; then positional names. Without `features` any name is a feature of that name, except ``pi``,
    ``True`` and ``False``.
    """
    if name[:1] == "`":
        name = name[1:-1].replace("``", "`")
        return name if features is None or name in features else None
    if name in exact:
        return name
    if "." in name:  # of a module of Python
        return {"pi": OPERATORS["pi"], "e": OPERATORS["E"]}.get(name.partition(".")[2])
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    place = positional(name)
    if features is None:
        return f"x{place[1]}" if place and place[0] == "[]" else name
    if name in _CONSTANTS_BESIDE_FEATURES:
        return _CONSTANTS_BESIDE_FEATURES[name]
    if place is None or names == "features":
        return None
    index = place[1] - names.endswith("x1")
    return features[index] if 0 <= index < len(features) else None


def positional_bases(text: str, features: Sequence[str]) -> frozenset[int]:
    """Find from where a text may count its features: 0, 1, or both where it does not tell.

    Parameters
    ----------
    text : str
        The model; of a Python function its formula (see `srlib.expressions.python_text`).
    features : sequence of str
        The problem's features in order.

    Returns
    -------
    frozenset of int
        Bases with which every positional name is a feature; none where the text has no positional name that is no
        feature's own.

    Examples
    --------
    >>> [sorted(positional_bases(text, ["a", "b", "c"])) for text in ("X1 + X3", "x_0*x_2", "x1 + x2", "a")]
    [[1], [0], [0, 1], []]
    >>> positional_bases("x1 + x2", ["x1", "x2"])
    frozenset()
    """
    if not POSITIONAL.search(text):
        return frozenset()
    places = {positional(name) for name in positional_names(text, features) - set(features)}
    indices = [place[1] for place in places if place is not None]
    if not indices:
        return frozenset()
    low, high = min(indices), max(indices) - len(features)
    return frozenset([0] * (high < 0) + [1] * (low >= 1 and high <= 0))
