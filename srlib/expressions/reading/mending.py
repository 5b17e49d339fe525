"""Texts as people write them by hand: tried only where a text cannot be read as it stands, and never a guess."""

import re
from collections.abc import Sequence

from srlib.expressions.reading.calls import FUNCTIONS

_SIGNS = str.maketrans(
    {
        **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
        **dict.fromkeys("·×⋅∙∗", "*"),
        **dict.fromkeys("−–‒", "-"),
        "÷": "/",
        "π": "pi",
        "√": "sqrt",
        "\u00a0": " ",
    }
)
_COMPARED = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!="})
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_LEFT = re.compile(r"[A-Za-z][\w\s,:;'()\[\]]*")
_NUMBER = r"(?>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_FACTOR = re.compile(rf"(?<![\w.])({_NUMBER})\s*(?=[A-Za-z_(])")
# 1/2x, 0x1
_UNCLEAR = re.compile(rf"(?:/|\^|\*\*)\s*[-+]?\s*{_NUMBER}\s*(?=[A-Za-z_(])|(?<![\w.])0[xX]\d")
_DOTTED = re.compile(r"(?<=[\w)\]\s])\.(?=[-+*/^<>(])")  # MATLAB's x.^2, Julia's sin.(x)
# HeuristicLab, InfixExpressionFormatter.cs: 'x1', and "it's"
_QUOTED = re.compile(r"""(['"])([^'"]+)\1""")
_EULER = re.compile(r"(?<![\w.])e(?=\s*(?:\^|\*\*))")
_WHERE = re.compile(r"(?<![,;\s])[,;\s]++(?:where|with)\s+", re.IGNORECASE)
_CONSTANT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([-+]?" + _NUMBER + r")\s*")
_CONDITIONS = {"if", "when", "where", "for", "else", "otherwise", "except", "unless", "while"}
LONGEST = 10_000  # of what a hand writes
_ODD = re.compile(
    r"""[^\x00-\x7f#=]|[#='"]|\d\s*[A-Za-z_(]|\[0\]\s*$|[.;]\s*$|\.[-+*/^<>(]|\be\s*[*^]"""
)
_ODD_NAME = re.compile(r"[^\x00-\x7f]|[#=]|^\d")


def mended(text: str, features: Sequence[str]) -> str | None:
    """Write a text by hand as a formula: None where there is nothing to mend or more than one way to do it.

    A comment goes (`# fitted`), and what stands before the only equals sign (`y =`, `The model is f(x) =`), unless that
    is a feature or a function of the target (`log(y) =`); `where a = 2` puts in constants; `3t` is a product;
    subscripts, superscripts and signs of print become plain ones; a last index `[0]` and a full stop go, and the dots
    of ``x.^2`` and the quotes of ``'x'``; ``e^x`` is the exponential where no feature is called e.

    Examples
    --------
    >>> mended("y = 3t·x₁² + a where a = -2.5  # fitted", ["t", "x1"])
    '3*t*x1**(2) + (-2.5)'
    >>> mended("x1 = 2", ["x1"]) is None
    True
    """
    if (
        len(text) > LONGEST
        or not _ODD.search(text)
        or any(_ODD_NAME.search(name) for name in features)
    ):
        return None
    result = " ".join(text.partition("#")[0].translate(_SIGNS).split())
    result = _POWER.sub(lambda found: f"**({found[0].translate(_POWERS)})", result)
    formula, *constants = _WHERE.split(result, maxsplit=1)
    formula = formula.strip().rstrip(".;").removesuffix("[0]").strip()
    if "=" in formula:
        left, _, formula = formula.partition("=")
        words = {word.lower() for word in re.findall(r"[A-Za-z_]\w*", left)}
        named = left.strip(" :") in features or not words.isdisjoint(FUNCTIONS)
        named |= not words.isdisjoint(_CONDITIONS)  # "for positive x, y =" holds for some rows only
        if "=" in formula or named or not _LEFT.fullmatch(left.strip()):
            return None
        formula = formula.strip()
    if constants:
        values: dict[str, str] = {}
        for part in re.split(r",|;|\band\b", constants[0].removesuffix(".")):
            found = _CONSTANT.fullmatch(part)
            if found is None or found[1] in features or found[1] in values:
                return None
            values[found[1]] = f"({found[2]})"
        names = "|".join(map(re.escape, values))
        formula = re.sub(rf"(?<![\w.])(?:{names})(?!\w|\s*\()", lambda m: values[m[0]], formula)
    if _UNCLEAR.search(formula):
        return None
    formula = _FACTOR.sub(r"\1*", _DOTTED.sub("", formula)).translate(_COMPARED)
    formula = _QUOTED.sub(lambda m: f"`{m[2]}`" if m[2] in features else m[2], formula)
    if features and "e" not in features:
        formula = _EULER.sub("E()", formula)
    if formula and formula != text.strip():
        return formula
    return None
