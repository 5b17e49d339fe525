"""Rules for names in a model text: exact feature names come first, then constants, then positional names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from srlib.expressions.operators import OPERATORS, Item

NAMES = ("auto", "auto-x1", "features", "x0", "x1")
MOST_NAMED = 6  # limit of features in a message
TABLE_NAMES = ("features", "x0", "x1")  # values allowed in a run table
INDEX = r"[xX]\s*\[\s*(?:\:\s*,\s*)?(?:0|[1-9][0-9]{0,5})\s*\]"  # x[3] and x[:, 3]
_PLACE = rf"[xX]_?(?:0|[1-9][0-9]{{0,5}})|{INDEX}"
_POSITIONAL = re.compile(_PLACE)
_QUOTED_OR_POSITIONAL = re.compile(
    rf"`(?:[^`]|``)+`|(?<![\w.])(?:{_PLACE})(?=p/|\W|\Z)"  # GP-GOMEA prints x0p/x1
)
CONSTANTS: dict[str, Item] = {"True": 1, "true": 1, "False": 0, "false": 0}
for _operator, _names in {"pi": "pi pi()", "E": "E e E()", "imaginary": "I imaginary()"}.items():
    CONSTANTS |= dict.fromkeys(_names.split(), OPERATORS[_operator])


@dataclass(frozen=True)
class FeatureNames:
    """How the names in one text are read.

    Parameters
    ----------
    features : tuple of str or None
        The problem's features in order; None: any name is a feature.
    names : str
        One of `NAMES`, see `srlib.expressions.parse.parse`.
    exact : frozenset of str
        Feature names that are read as names, not as positions.
    """

    features: tuple[str, ...] | None
    names: str
    exact: frozenset[str]

    @classmethod
    def of_text(cls, text: str, features: Sequence[str] | None, names: str) -> "FeatureNames":
        """Decide which feature names are read as names in a text.

        If `names` is 'x0' or 'x1', features with positional names such as ``x1`` are not: the text means positions.
        Otherwise all are, unless the text counts from 0: if it uses ``x0`` and no feature has this name, ``x1`` and the
        like are positions, even if features have such names (except with 'features').
        """
        if features is None:
            return cls(None, names, frozenset())
        features = tuple(features)
        exact, positional = frozenset(features), set(filter(is_positional, features))
        shows_x0 = names != "features" and positional and 0 in _places(text, features)
        if shows_x0 or names in ("x0", "x1"):
            exact -= positional
        return cls(features, names, exact)

    @lru_cache(maxsize=4096)  # noqa: B019 (many texts use the same names; the cache is small)
    def item_of(self, name: str) -> Item | None:
        """Return the item that a name stands for; None if it has no meaning.

        A name in backquotes is a feature name. For other names, exact feature names come first, then the constants
        ``pi``, ``E``, ``e`` and ``I``, then positional names. If `features` is None, any name is a feature of that
        name, except ``pi``, ``True`` and ``False``.
        """
        if name[0] == "`":
            name = name[1:-1].replace("``", "`")
            return name if self.features is None or name in self.features else None
        if name in self.exact:
            return name
        module, _, word = name.rpartition(".")
        if module:
            return CONSTANTS.get(word)
        if name in CONSTANTS and (self.features is not None or name not in ("E", "e", "I")):
            return CONSTANTS[name]
        if self.features is None:
            return f"x{_position(name)}" if "[" in name else name
        if self.names == "features" or not is_positional(name):
            return None
        base = 1 if self.names in ("x1", "auto-x1") else 0
        index = _position(name) - base
        return self.features[index] if 0 <= index < len(self.features) else None


def is_positional(name: str) -> bool:
    """Return whether a name is positional, such as ``x3``, ``X_3`` or ``x[:, 3]``."""
    return _POSITIONAL.fullmatch(name) is not None


def positional_bases(text: str, features: Sequence[str]) -> frozenset[int]:
    """Return the numbers from which a text may count its features: 0, 1, or both if the text fits both.

    Parameters
    ----------
    text : str
        The model.
    features : sequence of str
        The problem's features in order.

    Returns
    -------
    frozenset of int
        Bases with which every positional name is a feature; empty if the text has no positional name, apart from names
        of features.

    Examples
    --------
    >>> [sorted(positional_bases(text, ["a", "b", "c"])) for text in ("X1 + X3", "x_0*x_2", "x1 + x2", "a")]
    [[1], [0], [0, 1], []]
    >>> positional_bases("x1 + x2", ["x1", "x2"])
    frozenset()
    """
    places = _places(text, features)
    if not places:
        return frozenset()
    first, end = min(places), max(places) + 1
    return frozenset(base for base in (0, 1) if base <= first and end <= base + len(features))


def _places(text: str, features: Sequence[str]) -> set[int]:
    """Return the indices of positional names, without those that are, or are part of, quoted or feature names."""
    for name in sorted(features, key=len, reverse=True):
        if not re.fullmatch(r"(?![xX]_?[0-9]+p$)\w*", name):
            text = text.replace(name, " ")
    names = {match[0] for match in _QUOTED_OR_POSITIONAL.finditer(text)}
    return {_position(name) for name in names.difference(features) if name[0] != "`"}


def _position(name: str) -> int:
    """Return the index in a positional name: 3 in ``x[:, 3]``."""
    return int(re.sub("[^0-9]", "", name))
