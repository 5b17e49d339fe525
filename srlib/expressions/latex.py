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

# Template and binding strength of an operator. An argument that binds less tightly than the number in its place gets
# brackets; behind a minus in its place, also one that starts with a minus.
LAYOUTS = {
    "add": ("{} + {:50}", 50),
    "sub": ("{} - {:-51}", 50),
    "mul": (r"{:60} \, {:-60}", 60),
    "div": (r"\frac{{{}}}{{{}}}", 90),
    "inv": (r"\frac{{1}}{{{}}}", 100),
    "neg": ("-{:-60}", 55),
    "pow": ("{:91}^{{{}}}", 85),
    "square": ("{:91}^{{2}}", 85),
    "cube": ("{:91}^{{3}}", 85),
    "sqrt": (r"\sqrt{{{}}}", 100),
    "cbrt": (r"\sqrt[3]{{{}}}", 100),
    "abs": (r"\left|{}\right|", 100),
    "floor": (r"\lfloor {}\rfloor", 100),
    "ceil": (r"\lceil {}\rceil", 100),
    "lt": ("{:31} < {:31}", 30),
    "le": (r"{:31} \le {:31}", 30),
    "gt": ("{:31} > {:31}", 30),
    "ge": (r"{:31} \ge {:31}", 30),
    "eq": ("{:31} = {:31}", 30),
    "ne": (r"{:31} \ne {:31}", 30),
    "or": (r"{:36} \vee {:36}", 35),
    "and": (r"{:41} \wedge {:41}", 40),
    "not": (r"\neg {:71}", 70),
    "where": (
        r"\begin{{cases}} {} & \text{{if }} {} \\ {} & \text{{otherwise}} \end{{cases}}",
        100,
    ),
    "only": (r"\begin{{cases}} {} & \text{{if }} {} \end{{cases}}", 100),
    "pi": (r"\pi", 100),
    "E": ("e", 100),
    "imaginary": ("i", 100),
}
_FUNCTIONS = (
    "exp", "log", "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "max", "min",
)  # fmt: skip
_COMMANDS = {name: name for name in _FUNCTIONS} | {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
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


def to_latex(
    expression: Expression, decimals: int | None = 3, underlined: Collection[str] = ()
) -> str:
    r"""Write a model as LaTeX for mathematics mode.

    Parameters
    ----------
    expression : Expression
        The model.
    decimals : int or None
        Decimals of constants; a constant that would vanish keeps that many significant digits. None: all digits.
    underlined : collection of str
        Features to underline, as those that should not be in the model.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> to_latex(parse("-1.50004*x1**2/(theta + `cell size`)"))
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
            stack.append(_number(item, decimals))
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


def _number(value: int | float, decimals: int | None) -> _Part:
    """Digits of a constant."""
    if decimals is None:
        text = repr(value)
    elif isinstance(value, int) and abs(value) < 10**6:
        text = str(value)
    elif (round(value, decimals) == 0 and value != 0) or abs(value) >= 10**6:
        text = f"{value:.{max(decimals - 1, 0)}e}"
    else:
        text = f"{value:.{decimals}f}"
    mantissa, _, exponent = text.partition("e")
    if decimals is not None and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    if exponent:
        return _Part(rf"{mantissa} \cdot 10^{{{int(exponent)}}}", 60)
    return _Part(mantissa, 70 if value < 0 else 100)


def _lay_out(operator: Operator, arguments: list[_Part]) -> _Part:
    """LaTeX of an operator and its arguments."""
    name = operator.name
    if operator.nodes == 0:
        return arguments[0]
    if name in LAYOUTS:
        template, binding = LAYOUTS[name]
        if name == "add" and arguments[1].text.startswith("-"):
            return _Part(f"{arguments[0].text} - {arguments[1].text[1:]}", binding)
        if name == "mul" and f"{arguments[1]:-60}"[0].isdigit():
            template = r"{:60} \cdot {:-60}"
        return _Part(template.format(*arguments), binding)
    command = rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    if name in _COMMANDS:
        command = "\\" + _COMMANDS[name]
    return _Part(rf"{command}\left({', '.join(part.text for part in arguments)}\right)", 100)
