"""Models as frozen postfix tapes, without nested Python objects: text, LaTeX, number of nodes, subtrees."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.operators import Item, Operator, Tape
from srlib.prose import visible

COMPARISON_PRECEDENCE = 30
CONDITION_PRECEDENCE = 40  # comparisons, `and` and `or` bind less tightly than arithmetic
LARGEST_INTEGER = 10**15
NONFINITE = frozenset(
    ["nan", "inf", "infinity", "zoo", "oo", "none", "null", "complexinfinity", "na"]
)
# Reserved names (x0p/x1 is GP-GOMEA's division); features with such names, or with unusual characters, are quoted.
_RESERVED = rf"pi|[Tt]rue|[Ff]alse|and|or|not|(?i:{'|'.join(sorted(NONFINITE))})|[xX]_?[0-9]+p"
PLAIN_NAME = re.compile(rf"(?!(?:{_RESERVED})\Z)[A-Za-z_][A-Za-z0-9_]*")
_ATOM = 100  # binding strength of names and numbers
_NEGATIVE = 70  # binding strength of a number with a minus


@dataclass(frozen=True)
class Expression:
    """A model as a postfix tape.

    Parameters
    ----------
    tape : tuple of Operator, str, int or float
        Arguments first, then their operator: ``a - 2*b`` is ``("a", 2, "b", mul, sub)``. A str is a feature's
        name, a number is a constant (an int if it is integral, see `number`), everything else is an operator of the
        table.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> parse("a - 2*b").tape
    ('a', 2, 'b', mul, sub)
    >>> sorted(parse("a - 2*b").features)
    ['a', 'b']
    """

    tape: Tape

    @cached_property
    def features(self) -> frozenset[str]:
        """Names of the features that occur in the text, even if the value does not depend on them."""
        return frozenset(item for item in self.tape if isinstance(item, str))

    @cached_property
    def model_id(self) -> str:
        """Hash of the tape (16 bytes of blake2b, hexadecimal), the same on every machine."""
        parts = (
            f"o{item.name}"
            if isinstance(item, Operator)
            else f"f{len(item)}:{item}"
            if isinstance(item, str)
            else f"c{item!r}"
            for item in self.tape
        )
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    def __repr__(self) -> str:
        """Return the text, shortened to 80 characters."""
        text = to_text(self)
        return f"Expression({text if len(text) <= 80 else text[:77] + '...'})"


def number(value: int | float) -> int | float:
    """Return a constant in its canonical type: an int if it is integral and at most 10**15 in magnitude, else a float.

    Examples
    --------
    >>> number(2.0), number(0.5), number(1e300)
    (2, 0.5, 1e+300)
    """
    integral = isinstance(value, int) or value.is_integer()
    return int(value) if integral and abs(value) <= LARGEST_INTEGER else float(value)


def count_text(expression: Expression) -> int:
    """Return the number of operators, features and constants in a model as written.

    ``a - b`` and ``-0.5*x`` count 3: a minus before a number belongs to the number; elsewhere it is an operator. Named
    constants count 1, calls of sympy functions (``factor_terms``) 0.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> [count_text(parse(t)) for t in ("a - b", "-0.5*x", "-x", "sin(x)**2", "x")]
    [3, 3, 2, 4, 1]
    """
    return sum(item.nodes if isinstance(item, Operator) else 1 for item in expression.tape)


def run_tape(
    tape: Sequence[Item],
    columns: Mapping[str, Any],
    function_of: Callable[[Operator], Callable[..., Any]] = attrgetter("numpy"),
    constant_of: Callable[[Any], Any] = np.float64,
) -> Any:
    """Return the value of a tape on one chunk: an array, or a number if the tape has no features.

    NumPy's warnings are not suppressed here.

    Parameters
    ----------
    tape : sequence of Item
        Tape of an `Expression`.
    columns : mapping of str to object
        Values of the features.
    function_of : callable
        Returns the function that computes an operator.
    constant_of : callable
        Converts a constant to a value.
    """
    stack: list[Any] = []
    for item in tape:
        if isinstance(item, Operator):
            first = len(stack) - item.arity
            stack[first:] = [function_of(item)(*stack[first:])]
        else:
            stack.append(columns[item] if isinstance(item, str) else constant_of(item))
    return stack[0]


def subtree_sizes(tape: Sequence[Item]) -> list[int]:
    """Return, for each position of the tape, the number of items of the subtree that ends there."""
    sizes: list[int] = []
    for place, item in enumerate(tape):
        start = place
        if isinstance(item, Operator):
            for _ in range(item.arity):
                start -= sizes[start - 1]
        sizes.append(place - start + 1)
    return sizes


def is_condition(item: Item) -> bool:
    """Return whether the subtree with this root is a comparison, `and`, `or`, `not`, or the constant 0 or 1."""
    if isinstance(item, Operator):
        return item.precedence <= CONDITION_PRECEDENCE or item.name == "not"
    return type(item) is not float and item in (0, 1)


def quoted(name: str) -> str:
    """Return a feature name as written in a text, in backquotes if it is not a plain name."""
    return name if PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


class _Text(NamedTuple):
    """Text of a part of a model, as nested lists of pieces, with the root of the part."""

    root: Item
    pieces: Any


def to_text(expression: Expression) -> str:
    """Return the text of a model in srlib's notation, which `parse` reads back to the same tree.

    The notation uses infix signs with ``**``, calls of functions, and backquotes around names that are not plain.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> to_text(parse("add(sub(x0, mul(-1.5, `cell size`)), div(x0, 2))"))
    'x0 - -1.5*`cell size` + gplearn_div(x0, 2)'
    """
    features = expression.features

    def write(operator: Operator, *arguments: _Text) -> _Text:
        template = _template(operator, [argument.root for argument in arguments])
        if template == "pi()" and "pi" not in features:
            template = "pi"
        start, *between = template.split("@")
        pairs = zip(arguments, between, strict=True)
        return _Text(operator, [start, *chain(*((part.pieces, text) for part, text in pairs))])

    root = run_tape(
        expression.tape,
        {name: _Text(name, quoted(name)) for name in features},
        lambda operator: partial(write, operator),
        lambda constant: _Text(constant, repr(constant)),
    )
    texts: list[str] = []
    waiting = [root.pieces]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            texts.append(piece)
        else:
            waiting.extend(reversed(piece))
    return "".join(texts)


def _template(operator: Operator, arguments: list[Item]) -> str:
    """Return the text of an operator with @ in place of each argument; `arguments` are the roots of the arguments."""
    name, symbol, precedence = operator.name, operator.symbol, operator.precedence
    if name == "where":
        return "Piecewise((@, @), (@, True))"
    if name == "only":
        return "Piecewise((@, @))"
    if name in ("or", "and") and not all(map(is_condition, arguments)):
        return f"logical_{name}(@, @)"  # the signs | and & need conditions
    if not symbol:
        return f"{name}({', '.join('@' * operator.arity)})"
    first, last = _binding(arguments[0]), _binding(arguments[-1])
    if operator.arity == 1:
        brackets = first < precedence or isinstance(arguments[0], int | float)
        return f"{symbol}(@)" if brackets else f"{symbol}@"
    # an equally tight operand needs no brackets on one side: (a - b) - c is a - b - c; comparisons do not chain
    left_need = right_need = precedence + 1
    if name == "pow":
        right_need = precedence
    elif precedence != COMPARISON_PRECEDENCE:
        left_need = precedence
    left = "(@)" if first < left_need else "@"
    right = "(@)" if last < right_need or last == _NEGATIVE else "@"
    return f"{left}{symbol}{right}" if precedence >= 60 else f"{left} {symbol} {right}"


def _binding(item: Item) -> int:
    """Return the binding strength of the subtree with this root."""
    if isinstance(item, Operator):
        return item.precedence
    return _NEGATIVE if not isinstance(item, str) and item < 0 else _ATOM


_GREEK = "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega"
_INDEXED_NAME = re.compile(rf"([A-Za-z]|{_GREEK})(?:_?(\d+)|_([A-Za-z0-9]+))?")
LATEX_SPECIAL = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}

# Parts that are wider than a line: \allowbreak stands where a line may break, \penalty900 where it breaks at need.
_WIDE_LAYOUTS = r"""
    mul        60  {:60} \, \allowbreak {:-60}
    div        59  {:60}/\allowbreak {:-61}
    inv        59  1/\allowbreak {:-61}
    pow       100  \operatorname{{pow}}(\penalty900 {}, \allowbreak {}\penalty900 )
    sqrt      100  \operatorname{{sqrt}}(\penalty900 {}\penalty900 )
    cbrt      100  \operatorname{{cbrt}}(\penalty900 {}\penalty900 )
    where     100  \{{{}\penalty900 \text{{ if }}\allowbreak {}, \allowbreak {}\penalty900 \text{{ otherwise}}\}}
    only      100  \{{{}\penalty900 \text{{ if }}\allowbreak {}\}}
"""

# Binding strength and template of each operator. An argument gets brackets if it binds less tightly than the number in
# its placeholder; if that number is negative, also if the argument starts with a minus.
_LAYOUTS = r"""
    add        50  {:50} + {:50}
    sub        50  {:50} - {:-51}
    mul        60  {:60} \, {:-60}
    div        90  \frac{{{}}}{{{}}}
    inv       100  \frac{{1}}{{{}}}
    neg        55  -{:-60}
    pow        85  {:91}^{{{}}}
    square     85  {:91}^{{2}}
    cube       85  {:91}^{{3}}
    sqrt      100  \sqrt{{{}}}
    cbrt      100  \sqrt[3]{{{}}}
    abs       100  \left|{}\right|
    floor     100  \lfloor {}\rfloor
    ceil      100  \lceil {}\rceil
    lt         30  {:31} < {:31}
    le         30  {:31} \le {:31}
    gt         30  {:31} > {:31}
    ge         30  {:31} \ge {:31}
    eq         30  {:31} = {:31}
    ne         30  {:31} \ne {:31}
    or         35  {:36} \vee {:36}
    and        40  {:41} \wedge {:41}
    not        70  \neg {:71}
    where     100  \begin{{cases}} {} & \text{{if }} {} \\ {} & \text{{otherwise}} \end{{cases}}
    only      100  \begin{{cases}} {} & \text{{if }} {} \end{{cases}}
    pi        100  \pi
    E         100  e
    imaginary 100  i
    exp       100  \exp\left({}\right)
    log       100  \log\left({}\right)
    sin       100  \sin\left({}\right)
    cos       100  \cos\left({}\right)
    tan       100  \tan\left({}\right)
    cot       100  \cot\left({}\right)
    sec       100  \sec\left({}\right)
    csc       100  \csc\left({}\right)
    sinh      100  \sinh\left({}\right)
    cosh      100  \cosh\left({}\right)
    tanh      100  \tanh\left({}\right)
    max       100  \max\left({}, {}\right)
    min       100  \min\left({}, {}\right)
    asin      100  \arcsin\left({}\right)
    acos      100  \arccos\left({}\right)
    atan      100  \arctan\left({}\right)
"""
LAYOUTS, WIDE_LAYOUTS = (
    {
        name: (template, int(binding))
        for name, binding, template in (row.split(maxsplit=2) for row in rows.strip().splitlines())
    }
    for rows in (_LAYOUTS, _WIDE_LAYOUTS)
)
_ARGUMENT = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_FRACTION = re.compile(rf"\\frac{_ARGUMENT}{_ARGUMENT}")
_LONG_NAME_LETTERS = 3  # a name that is wider than a line breaks after as many letters


class _Part(NamedTuple):
    """LaTeX of a part of a model, and its binding strength; the format in a template is the required strength."""

    text: str
    binding: int
    is_wide: bool = False

    def __format__(self, need: str) -> str:
        """Return the LaTeX, in brackets if the placeholder requires them."""
        signed = need.startswith("-") and self.text.startswith("-")
        if signed or self.binding < abs(int(need or 0)):
            brackets = r"\left({}\right)"
            return (breakable(brackets) if self.is_wide else brackets).format(self.text)
        return self.text


def breakable(latex: str) -> str:
    r"""Return LaTeX with plain brackets, in which a line may break after a comma and, at need, beside a bracket.

    Examples
    --------
    >>> breakable(r"\max\left(a, b\right)")
    '\\max(\\penalty900 a, \\allowbreak b\\penalty900 )'
    """
    latex = latex.replace(r"\left(", r"(\penalty900 ").replace(r"\right)", r"\penalty900 )")
    latex = latex.replace(r"\left|", r"|\penalty900 ").replace(r"\right|", r"\penalty900 |")
    return re.sub(r", (?!\\allowbreak)", r", \\allowbreak ", latex)


def to_latex(
    expression: Expression,
    underlined: Collection[str] = (),
    digits: int = 17,
    is_wide: Callable[[str], bool] | None = None,
) -> str:
    r"""Return a model as LaTeX for mathematics mode.

    Parameters
    ----------
    expression : Expression
        The model.
    underlined : collection of str
        Features to underline, such as those that do not belong in the model.
    digits : int
        Significant digits of constants; 17 are all.
    is_wide : callable, optional
        Returns whether LaTeX is wider than a line of print. Parts that are wider get plain brackets, fractions as a/b,
        and \allowbreak or \penalty900 where a line may break. In print no fraction stands in another or in a power.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> to_latex(parse("-1.5*x1**2/(theta + `cell size`)"))
    '\\frac{-1.5 \\, x_{1}^{2}}{\\theta + \\text{cell size}}'
    >>> to_latex(parse("123.456*x"), digits=4)
    '123.5 \\, x'
    >>> to_latex(parse("a*b/(c + d)"), is_wide=lambda latex: len(latex) > 9)
    'a \\, b/\\allowbreak \\left(c + d\\right)'
    """
    names = {name: latex_name(name) for name in expression.features}
    names |= {name: rf"\underline{{{names[name]}}}" for name in names.keys() & set(underlined)}
    parts = {name: _Part(text, _ATOM) for name, text in names.items()}
    if is_wide is not None:
        parts |= {name: _break_name(name) for name, text in names.items() if is_wide(text)}
    return run_tape(
        expression.tape,
        parts,
        lambda operator: partial(_lay_out, operator, is_wide),
        partial(_lay_out_constant, digits),
    ).text


def _lay_out_constant(digits: int, constant: int | float) -> _Part:
    """Return the LaTeX of a constant, rounded to significant digits."""
    constant = number(float(f"{constant:.{digits}g}"))
    mantissa, _, exponent = repr(constant).partition("e")
    if exponent:
        return _Part(rf"{mantissa} \cdot 10^{{{int(exponent)}}}", 60)
    return _Part(mantissa, _binding(constant))


def latex_name(name: str) -> str:
    r"""Return the LaTeX of a feature name: ``x1`` is ``x_{1}``, Greek names are letters, others are escaped text.

    Examples
    --------
    >>> latex_name("x_12"), latex_name("omega_0"), latex_name("cell size")
    ('x_{12}', '\\omega_{0}', '\\text{cell size}')
    """
    match = _INDEXED_NAME.fullmatch(name)
    if match is None:
        return _escape_name(name)
    letter, digits, word = match.groups()
    index = digits or word
    letter = letter if len(letter) == 1 else f"\\{letter}"
    return f"{letter}_{{{index}}}" if index else letter


def _escape_name(name: str) -> str:
    """Return a name as escaped text."""
    escaped = "".join(LATEX_SPECIAL.get(c, c) for c in visible(name))
    return rf"\text{{{escaped}}}"


def _break_name(name: str) -> _Part:
    """Return a long name as text that may break after every few letters."""
    starts = range(0, len(name), _LONG_NAME_LETTERS)
    pieces = (_escape_name(name[start : start + _LONG_NAME_LETTERS]) for start in starts)
    return _Part(r"\penalty900 ".join(pieces), _ATOM, True)


def _lay_out(operator: Operator, is_wide: Callable[[str], bool] | None, *arguments: _Part) -> _Part:
    """Return the LaTeX of an operator applied to its arguments."""
    name = operator.name
    if operator.nodes == 0:
        return arguments[0]
    escaped, places = name.replace("_", r"\_"), ", ".join("{}" for _ in arguments)
    call = rf"\operatorname{{{{{escaped}}}}}\left({places}\right)", 100
    template, binding = LAYOUTS.get(name, call)
    wide_template, wide_binding = WIDE_LAYOUTS.get(name, (breakable(template), binding))
    last = arguments[-1] if arguments else _Part("", _ATOM)
    if name == "add" and last.text.startswith("-"):
        template = wide_template = "{:50} - {}"
        arguments = arguments[0], last._replace(text=last.text[1:], binding=_ATOM)
    if name == "mul" and f"{last:-60}"[0].isdigit():
        template = wide_template = r"{:60} \cdot {:-60}"
    if is_wide is None:
        return _Part(template.format(*arguments), binding)
    if name == "pow" and not last.is_wide:
        arguments = arguments[0], last._replace(text=_FRACTION.sub(_write_slash, last.text))
        if arguments[0].is_wide:
            wide_template, wide_binding = template, binding
    if name in ("div", "inv") and any(r"\frac" in part.text for part in arguments):
        template, binding = wide_template.replace(r"\allowbreak ", ""), wide_binding
    if not any(part.is_wide for part in arguments):
        text = template.format(*arguments)
        if not is_wide(text):
            return _Part(text, binding)
    return _Part(wide_template.format(*arguments), wide_binding, True)


def _write_slash(fraction: "re.Match[str]") -> str:
    """Return a fraction with a slash."""
    return "/".join(f"({part})" if " " in part else part for part in fraction.groups())
