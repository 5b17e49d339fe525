"""Rules for names in a model text: exact feature names come first, then constants, then positional names."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from srlib.expressions.operators import OPERATORS, Item

NAMES = ("features", "x0", "x1")  # how a text may name features
MOST_NAMED = 6  # limit of features in a message
INDEX = r"[xX]\s*\[\s*(?:\:\s*,\s*)?(?:0|[1-9][0-9]{0,5})\s*\]"  # x[3] and x[:, 3]
POSITIONAL = re.compile(rf"[xX]_?(?:0|[1-9][0-9]{{0,5}})|{INDEX}")
_ARGUMENT = re.compile(r"ARG[0-9]{1,6}")  # DEAP's name of an argument, always counted from 0
CONSTANTS: dict[str, Item] = {"True": 1, "true": 1, "False": 0, "false": 0}
for _operator, _names in {"pi": "pi pi()", "E": "E e E()", "imaginary": "I imaginary()"}.items():
    CONSTANTS |= dict.fromkeys(_names.split(), OPERATORS[_operator])
_BLANKS = re.compile(r"(?<=\S)[^\S\r\n]+(?=\S)")
_GREEK = re.compile(
    r"\\((?i:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon"
    r"|phi|chi|psi|omega))(?![A-Za-z])(?:_\{(\w+)\})?|[\u0370-\u03ff\u00b5]"
)
_LETTER = re.compile("GREEK (SMALL|CAPITAL) LETTER (\\w+)")


@dataclass(frozen=True)
class FeatureNames:
    """How the names in one text are read.

    Parameters
    ----------
    features : tuple of str or None
        The problem's features in order; None: any name is a feature.
    names : {'features', 'x0', 'x1'}
        Whether features have their own names, or positional names that count from 0 or 1.
    """

    features: tuple[str, ...] | None
    names: str

    @property
    def exact(self) -> Mapping[str, str]:
        """The features that are read as names, not as positions, by their folded names."""
        return folded(self.features or (), self.names == "features")

    @lru_cache(maxsize=4096)  # noqa: B019 (many texts use the same names; the cache is small)
    def item_of(self, name: str) -> Item | None:
        """Return the item that a name stands for; None if it has no meaning.

        A name in backquotes is a feature name. For other names, exact feature names come first, then the constants
        ``pi``, ``E``, ``e`` and ``I``, then positional names. If `features` is None, any name is a feature of that
        name, except ``pi``, ``True`` and ``False``.
        """
        if name[0] == "`":
            name = name[1:-1].replace("``", "`")
            return name if self.features is None else folded(self.features).get(name)
        if name in self.exact:
            return self.exact[name]
        module, _, word = name.rpartition(".")
        if module:
            return CONSTANTS.get(word)
        if name in CONSTANTS and (self.features is not None or name not in ("E", "e", "I")):
            return CONSTANTS[name]
        position = int(re.sub("[^0-9]", "", name) or 0)
        if self.features is None:
            return f"x{position}" if "[" in name else name
        if not _ARGUMENT.fullmatch(name):
            if self.names == "features" or not is_positional(name):
                return None
            position -= self.names == "x1"
        return self.features[position] if 0 <= position < len(self.features) else None


def is_positional(name: str) -> bool:
    """Return whether a name is positional, such as ``x3``, ``X_3`` or ``x[:, 3]``."""
    return POSITIONAL.fullmatch(name) is not None


@lru_cache(maxsize=256)
def folded(features: tuple[str, ...], with_positional: bool = True) -> Mapping[str, str]:
    """Return the features by their folded names, with or without those that have positional names."""
    pairs = zip(map(folding(features), features), features, strict=True)
    return {name: feature for name, feature in pairs if with_positional or not is_positional(name)}


@lru_cache(maxsize=256)
def folding(features: tuple[str, ...]) -> Callable[[str], str]:
    """Return the function that folds names and texts: `fold`, or none if features differ in nothing else."""
    return fold if len({*map(fold, features)}) == len({*features}) else str


def fold(text: str) -> str:
    r"""Return a text with composed letters, single blanks, and words for Greek letters and their TeX.

    Examples
    --------
    >>> fold("\\lambda_{1} +  λ_1 + 2*Δx")
    'lambda_1 + lambda_1 + 2*Deltax'
    """
    return _GREEK.sub(_spell, unicodedata.normalize("NFC", _BLANKS.sub(" ", text)))


def _spell(match: re.Match[str]) -> str:
    """Return the word for a Greek letter or its TeX."""
    if match[1]:
        return "_".join(filter(None, match.groups()))
    letter = unicodedata.normalize("NFKC", match[0])
    spelled = _LETTER.fullmatch(unicodedata.name(letter, ""))
    if spelled is None:
        return letter
    word = spelled[2].replace("LAMDA", "LAMBDA")
    return word.lower() if spelled[1] == "SMALL" else word.capitalize()
