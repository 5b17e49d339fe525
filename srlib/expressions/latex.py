"""A model as LaTeX, from the light tree; names are escaped, constants shortened."""

import re
from collections.abc import Collection

from srlib.expressions.expression import Expression
from srlib.expressions.operators import Operator
from srlib.prose import visible

_GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
})  # fmt: skip
_SPECIAL = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


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
    stack: list[tuple[str, int]] = []
    for item in expression.tape:
        if isinstance(item, Operator):
            arguments = stack[len(stack) - item.arity :]
            del stack[len(stack) - item.arity :]
            stack.append(_operator(item, arguments))
        elif isinstance(item, str):
            name = latex_name(item)
            stack.append((rf"\underline{{{name}}}" if item in underlined else name, 100))
        else:
            stack.append(_number(item, decimals))
    return stack[0][0]


def latex_name(name: str) -> str:
    r"""LaTeX of a feature name: ``x1`` is ``x_{1}``, Greek names are letters, all else is escaped text.

    Examples
    --------
    >>> latex_name("x_12"), latex_name("omega_0"), latex_name("cell size")
    ('x_{12}', '\\omega_{0}', '\\text{cell size}')
    """
    match = re.fullmatch(
        r"([A-Za-z]|" + "|".join(sorted(_GREEK)) + r")_?(\d+|(?<=_)[A-Za-z0-9]+)?", name
    )
    if match and not name.endswith("_"):
        letter = f"\\{match[1]}" if match[1] in _GREEK else match[1]
        if match[2] is None:
            return letter
        return f"{letter}_{{{match[2]}}}"
    escaped = "".join(_SPECIAL.get(c, c) for c in visible(name))
    return rf"\text{{{escaped}}}"


def _number(value: int | float, decimals: int | None) -> tuple[str, int]:
    if decimals is None:
        text, _, exponent = repr(value).partition("e")
        if exponent:
            return rf"{text} \cdot 10^{{{int(exponent)}}}", 60
        return text, 70 if value < 0 else 100
    shown = round(value, decimals)
    if isinstance(value, int) and abs(value) < 10**6:
        text = str(value)
    elif (shown == 0 and value != 0) or abs(value) >= 10**6:
        mantissa, _, exponent = f"{value:.{max(decimals - 1, 0)}e}".partition("e")
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        return text, 60
    else:
        text = f"{shown:.{decimals}f}".rstrip("0").rstrip(".") if decimals > 0 else f"{shown:.0f}"
    return text, 70 if value < 0 else 100


def _operator(operator: Operator, arguments: list[tuple[str, int]]) -> tuple[str, int]:
    name, texts = operator.name, [text for text, _ in arguments]
    if name in ("add", "sub"):
        left, right = texts[0], texts[1]
        if right.startswith("-") and name == "add":
            return f"{left} - {right[1:]}", 50
        return (
            f"{left} {operator.symbol} {_wrap(arguments[1], 51 if name == 'sub' else 50, negative=True)}",
            50,
        )
    if name == "mul":
        left, right = _wrap(arguments[0], 60), _wrap(arguments[1], 60, negative=True)
        return f"{left} {chr(92)}cdot {right}" if right[0].isdigit() else rf"{left} \, {right}", 60
    if name == "div":
        return rf"\frac{{{texts[0]}}}{{{texts[1]}}}", 90
    if name == "neg":
        return f"-{_wrap(arguments[0], 60, negative=True)}", 55
    if name == "pow":
        return f"{_wrap(arguments[0], 91)}^{{{texts[1]}}}", 85
    if name in ("square", "cube"):
        return f"{_wrap(arguments[0], 91)}^{{{2 if name == 'square' else 3}}}", 85
    if name in ("where", "only"):
        otherwise = ""
        if name == "where":
            otherwise = rf" \\ {texts[2]} & \text{{otherwise}}"
        return (
            rf"\begin{{cases}} {texts[0]} & \text{{if }} {texts[1]}{otherwise} \end{{cases}}",
            100,
        )
    if operator.symbol:
        return operator.latex.format(
            *(_wrap(a, operator.precedence + 1) for a in arguments)
        ), operator.precedence
    if operator.nodes == 0:
        return arguments[0]
    if operator.latex:
        return operator.latex.format(*texts), 100
    head = rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    return rf"{head}\left({', '.join(texts)}\right)", 100


def _wrap(argument: tuple[str, int], needed: int, *, negative: bool = False) -> str:
    text, precedence = argument
    if precedence < needed or (negative and text.startswith("-")):
        return rf"\left({text}\right)"
    return text
