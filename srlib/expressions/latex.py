"""A model as LaTeX, from the light tree; names are escaped, constants shortened."""

import re
from collections.abc import Collection

from srlib.expressions.operators import Operator
from srlib.expressions.tree import Expression
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

# template, how tightly each argument must bind, how tightly the whole binds
_LAYOUTS: dict[str, tuple[str, tuple[int, ...], int]] = {
    "add": ("{} + {}", (0, 50), 50),
    "sub": ("{} - {}", (0, 51), 50),
    "mul": (r"{} \, {}", (60, 60), 60),
    "neg": ("-{}", (60,), 55),
    "pow": ("{}^{{{}}}", (91, 0), 85),
    "square": ("{}^{{2}}", (91,), 85),
    "cube": ("{}^{{3}}", (91,), 85),
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
    """Digits of a constant, and how tightly they bind."""
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
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}", 60
    return mantissa, 70 if value < 0 else 100


def _operator(operator: Operator, arguments: list[tuple[str, int]]) -> tuple[str, int]:
    """LaTeX of an operator and its arguments, and how tightly it binds."""
    name, texts = operator.name, [text for text, _ in arguments]
    if name in _LAYOUTS:
        template, needs, binding = _LAYOUTS[name]
        if name == "add" and texts[1].startswith("-"):
            return f"{texts[0]} - {texts[1][1:]}", binding
        parts = [_bracketed(*pair) for pair in zip(arguments, needs, strict=True)]
        if name != "pow" and parts[-1].startswith("-"):  # a minus behind a sign
            parts[-1] = rf"\left({parts[-1]}\right)"
        if name == "mul" and parts[1][0].isdigit():
            template = r"{} \cdot {}"
        return template.format(*parts), binding
    if operator.symbol and name != "div":
        parts = [_bracketed(argument, operator.precedence + 1) for argument in arguments]
        return operator.latex.format(*parts), operator.precedence
    if operator.nodes == 0:
        return arguments[0]
    if operator.latex:
        return operator.latex.format(*texts), 90 if name == "div" else 100
    head = rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    return rf"{head}\left({', '.join(texts)}\right)", 100


def _bracketed(argument: tuple[str, int], need: int) -> str:
    """Put brackets around what binds less tightly than needed."""
    text, binding = argument
    return rf"\left({text}\right)" if binding < need else text
