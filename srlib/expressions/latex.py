"""A model as LaTeX, from the light tree; names are escaped, constants shortened."""

import re
from collections.abc import Collection
from typing import NamedTuple

from srlib.expressions.operators import Operator
from srlib.expressions.tree import Expression
from srlib.prose import visible

_GREEK = "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega"
_INDEXED_NAME = re.compile(rf"([A-Za-z]|{_GREEK})(?:_?(\d+)|_([A-Za-z0-9]+))?")
_SPECIAL = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}

# Binding strength and template of an operator. An argument that binds less tightly than the number in its place gets
# brackets; behind a minus in its place, also one that starts with a minus.
_TABLE = r"""
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
LAYOUTS = {
    name: (template, int(binding))
    for name, binding, template in (row.split(maxsplit=2) for row in _TABLE.strip().splitlines())
}


class _Part(NamedTuple):
    """LaTeX of a part of a model, and how tightly it binds; the format of an argument in a template is its need."""

    text: str
    binding: int

    def __format__(self, need: str) -> str:
        """Text, in brackets where the place needs them."""
        signed = need.startswith("-") and self.text.startswith("-")
        if signed or self.binding < abs(int(need or 0)):
            return rf"\left({self.text}\right)"
        return self.text


def to_latex(expression: Expression, underlined: Collection[str] = ()) -> str:
    r"""Write a model as LaTeX for mathematics mode, with all digits of its constants.

    Parameters
    ----------
    expression : Expression
        The model.
    underlined : collection of str
        Features to underline, as those that should not be in the model.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> to_latex(parse("-1.5*x1**2/(theta + `cell size`)"))
    '\\frac{-1.5 \\, x_{1}^{2}}{\\theta + \\text{cell size}}'
    """
    stack: list[_Part] = []
    for item in expression.tape:
        if isinstance(item, Operator):
            first = len(stack) - item.arity
            stack[first:] = [_lay_out(item, stack[first:])]
        elif isinstance(item, str):
            name = latex_name(item)
            stack.append(_Part(rf"\underline{{{name}}}" if item in underlined else name, 100))
        else:
            mantissa, _, exponent = repr(item).partition("e")
            text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
            stack.append(_Part(text, 60 if exponent else 70 if item < 0 else 100))
    return stack[0].text


def latex_name(name: str) -> str:
    r"""LaTeX of a feature name: ``x1`` is ``x_{1}``, Greek names are letters, all else is escaped text.

    Examples
    --------
    >>> latex_name("x_12"), latex_name("omega_0"), latex_name("cell size")
    ('x_{12}', '\\omega_{0}', '\\text{cell size}')
    """
    match = _INDEXED_NAME.fullmatch(name)
    if match is None:
        escaped = "".join(_SPECIAL.get(c, c) for c in visible(name))
        return rf"\text{{{escaped}}}"
    letter, digits, word = match.groups()
    index = digits or word
    letter = letter if len(letter) == 1 else f"\\{letter}"
    return f"{letter}_{{{index}}}" if index else letter


def _lay_out(operator: Operator, arguments: list[_Part]) -> _Part:
    """LaTeX of an operator and its arguments."""
    name = operator.name
    if operator.nodes == 0:
        return arguments[0]
    if name in LAYOUTS:
        template, binding = LAYOUTS[name]
        if name == "add" and arguments[1].text.startswith("-"):
            return _Part(f"{arguments[0]:50} - {arguments[1].text[1:]}", binding)
        if name == "mul" and f"{arguments[1]:-60}"[0].isdigit():
            template = r"{:60} \cdot {:-60}"
        return _Part(template.format(*arguments), binding)
    escaped, listed = name.replace("_", r"\_"), ", ".join(part.text for part in arguments)
    return _Part(rf"\operatorname{{{escaped}}}\left({listed}\right)", 100)
