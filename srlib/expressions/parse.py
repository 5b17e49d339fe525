"""Model text into the light tree; nothing in the text is ever executed."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from srlib.errors import ModelTextError
from srlib.expressions.brackets import RefusalError
from srlib.expressions.calls import GOMEA, GPLEARN, Call
from srlib.expressions.lexer import position, tokenize
from srlib.expressions.names import NAMES, exact_names, words_of
from srlib.expressions.parser import Parser
from srlib.expressions.python_text import from_python
from srlib.expressions.tree import Expression, Item

_PREFIX_ARITHMETIC = frozenset({"add", "sub", "mul", "div"})
# genetic.cu, stringify; node.cuh protects as gplearn does, and has pow besides
_CUML = frozenset({"mult", "fdim"})
_TELLING = _PREFIX_ARITHMETIC | _CUML | {"plog", "p"}
_JOINING = frozenset({"and", "or", "not", "if", "else"})
_NOT_GPLEARN = frozenset({"pow", "mylog"})
# what shows LaTeX, Mathematica, PySINDy, templates, lists in prefix form and handwriting
_UNREAD = re.compile(
    r"[\\$'#]|(?<![<>=!])=(?!=)|[_^]\{|\b[A-Z]\w*\[|[^\x00-\x7f]|\A\W*[a-z]\w*\W*,"
)
_READ = (
    " (read are infix, 0.4*x1 - sin(x2), calls, add(x1, 2), and Python of assignments and then a return; not LaTeX, "
    "Mathematica, lists in prefix form and handwriting)"
)


def parse(text: str, features: Sequence[str] | None = None, *, names: str = "auto") -> Expression:
    """Read a model text of any known dialect; nothing in it is ever executed.

    Protected operators keep their library's meaning. gplearn and DEAP share their prefix spelling: ``div(a,
    b)`` is always gplearn's protected division, and in a text that calls ``add``, ``sub``, ``mul`` or ``div``
    (and neither ``pow`` nor ``mylog``, which gplearn has not), or cuML's ``mult`` or ``fdim``, ``sqrt``, ``log`` and
    ``inv`` are gplearn's protected ones too. Infix ``/`` and ``sqrt(x)`` or ``log(x)`` in all other texts are the
    plain operators.
    In a text with GP-GOMEA's ``p/`` or ``plog``, ``sqrt`` is the root of the absolute value.

    Parameters
    ----------
    text : str
        The model.
    features : sequence of str, optional
        The problem's features in order; without them any name is a feature.
    names : {'auto', 'auto-x1', 'features', 'x0', 'x1'}
        How positional names (``x3``, ``x_3``, ``X3``, ``X_3``, ``x[:, 3]``) are read: as positions from 0
        or 1 ('x0', 'x1'), even where a feature has that very name; not at all ('features'); or as the
        feature of that name where there is one, else from 0 ('auto') or from 1 ('auto-x1'). But 'auto'
        heeds a text that gives itself away: beside an ``x0`` that is no feature, ``x1`` is the second
        feature in any case. What a text shows by itself is found by `positions`.

    Raises
    ------
    ModelTextError
        With the excerpt, the position and a `kind`: 'empty', 'nonfinite' (nan, inf, zoo, 1e400), 'several_models',
        'no_closed_form' (a program that is no formula) or 'unparsed'.

    Examples
    --------
    >>> parse("mul(add(X0, -0.137), X1)", features=["a", "cell size"])
    Expression((a + (-0.137))*`cell size`)
    """
    if names not in NAMES:
        raise ValueError(f"names={names!r}, allowed: {', '.join(NAMES)}")
    try:
        return _read(text, features, names)
    except ModelTextError as error:
        formula = from_python(text, features) if error.kind == "unparsed" else None
        if formula is None:
            raise
        return _read(formula, features, names)


def _read(text: str, features: Sequence[str] | None, names: str) -> Expression:
    known = tuple(features) if features is not None else ()
    tokens = tokenize(text, known)
    words = words_of(tokens)
    exact = exact_names(words, known, names)
    protected = dialect(tokens) if words & _TELLING else {}
    try:
        memo = _memo(known, names, exact) if features is not None else {}
        return Expression(tuple(Parser(tokens, features, names, exact, protected, memo).run()))
    except RefusalError as refusal:
        where = position(text, refusal.index, known)
        what = refusal.message + (_READ if _UNREAD.search(text) else "")
        raise ModelTextError(what, text, where, refusal.kind) from None


@lru_cache(maxsize=256)
def _memo(features: tuple[str, ...], names: str, exact: frozenset[str]) -> dict[str, Item]:
    """Memory of the parser that texts on the same features share: there is only so much that they can name."""
    return {}


def dialect(tokens: Sequence[str]) -> Mapping[str, Call]:
    """Find the function names that the text's dialect protects (see `parse`)."""
    called = {a for a, b in zip(tokens, tokens[1:], strict=False) if b == "("}
    if called & _PREFIX_ARITHMETIC and _infix(tokens):
        called -= _PREFIX_ARITHMETIC
    if called & _CUML or (called & _PREFIX_ARITHMETIC and not called & _NOT_GPLEARN):
        return GPLEARN
    if "plog" in called or _has_gomea_division(tokens):
        return GOMEA
    return {}


def _infix(tokens: Sequence[str]) -> bool:
    """Whether the first word of arithmetic stands between operands: (a add (b mul x_0)) of E2E and TPSR."""
    first = next(i for i, token in enumerate(tokens) if token in _PREFIX_ARITHMETIC)
    before = tokens[first - 1] if first else "("
    return before in ")]|" or (before[-1].isalnum() and before not in _JOINING)


def _has_gomea_division(tokens: Sequence[str]) -> bool:
    return "p" in tokens and any(
        b == "p" and c == "/" and (a in ")]|" or a[-1].isalnum())
        for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )
