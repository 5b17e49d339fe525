"""Dialects that are no infix text of ours, written as one: tried only where a text cannot be read as it stands."""

import re
from collections.abc import Sequence

from srlib.errors import ModelTextError
from srlib.expressions.reading.calls import FUNCTIONS
from srlib.expressions.reading.latex_text import from_latex
from srlib.expressions.reading.mending import mended
from srlib.expressions.reading.parser import SEVERAL
from srlib.expressions.reading.python import from_python

_PYTHON = re.compile(
    r"\bdef\s+\w+\s*\(|\blambda\b[^:\n]{0,200}:|^[ \t]*(?:import|from)\s+\w|^[ \t]*return\b",
    re.MULTILINE,
)
LONGEST = 200_000  # of what is tried in this way
_FENCE = re.compile(r"\A\s*```\w*\n(.*?)```\s*\Z", re.S)
_LATEX = re.compile(r"\\(?!\s)|[_^]\{|^\s*\$")
_MATHEMATICA = re.compile(r"\b([A-Z]\w*)\[")
# of two arguments: the base, and x, come first
_SWAPPED = re.compile(r"\b(?:Log|ArcTan)\[.*,", re.S)
_PREFIX = re.compile(r"\[?['\"]?([A-Za-z]\w*)['\"]?\s*,")
_PLAIN = {"add": "plus", "sub": "subtract", "mul": "multiply", "div": "divide"}
# PySINDy, _core.py, print: "(x0)' = -10.000 x0 + 10.000 x1"; discrete models "(x0)[k+1] = 3.581 x0[k]"
_SINDY = re.compile(r"\s*(?:\(?[\w{} ]{1,60}\)?'|\(\w+\)\[k\+1\]|d\w+\s*/\s*dt)\s*=\s*(.*)", re.S)
_ROUND = str.maketrans("[]", "()")
_BESIDE = re.compile(r"(?<=[\w.)])[ \t]+(?=[A-Za-z_(\d.])")
# SymbolicRegression.jl, TemplateExpression: "f = #1 * 2.0; g = sin(#2)"
_TEMPLATE = re.compile(r"\s*[A-Za-z_]\w*\s*=[^=]")
_EQUATION = re.compile(r"[^=<>!]*[^=<>!\s]\s*=(?!=)")


def rewritten(text: str, features: Sequence[str] | None) -> str | None:
    """Write a text of a dialect of its own as a formula; None where it is of none of them.

    Raises
    ------
    ModelTextError
        When the text tells its dialect but holds no model, or more than one.

    Examples
    --------
    >>> rewritten("add,mul,2.5,x_0,sin,x_1", ["a", "b"])
    'plus(multiply(2.5,x_0),sin(x_1))'
    """
    known = tuple(features or ())
    if len(text) > LONGEST:
        return None
    fenced = _FENCE.match(text)
    if fenced or _PYTHON.search(text):
        return from_python(fenced[1] if fenced else text, features)
    if _LATEX.search(text) and not any(_LATEX.search(name) for name in known):
        return from_latex(text, known)
    heads = _MATHEMATICA.findall(text)
    if heads and all(head.lower() in FUNCTIONS for head in heads) and not _SWAPPED.search(text):
        return text.replace("*^", "e").translate(_ROUND).replace("Pi", "pi")
    opening = _PREFIX.match(text.lstrip())
    if opening and opening[1] not in known and opening[1].lower() in FUNCTIONS and "(" not in text:
        return _from_prefix(text)
    if "#" in text and re.search(r"#\d", text):
        return _from_template(text, features)
    sindy = _SINDY.match(text)
    if sindy:
        if "=" in sindy[1]:
            raise ModelTextError(f"{SEVERAL} (a system of equations)", text, 0, "several_models")
        return _BESIDE.sub("*", re.sub(r"(?<=\d) 1(?=\s|\Z)|\[k\]", "", sindy[1].strip()))
    lines = [line.strip() for line in re.split(r"[;\n]", text) if line.strip()]
    equations = sum(bool(_EQUATION.match(line)) and not line.startswith("where ") for line in lines)
    if equations > 1 and all(_TEMPLATE.match(line) for line in lines[:-1]):
        return from_python("\n".join(lines), features)
    return mended(text, known)


def _from_prefix(text: str) -> str:
    """Write a comma-separated traversal (TPSR, DSO, NeSymReS) as calls of plain operators.

    Raises
    ------
    ModelTextError
        When operands are left over or missing.
    """
    items = [item.strip(" '\"\n\t") for item in text.strip().strip("[]").split(",")]
    if "|" in items:  # ODEFormer, generators.py, NodeList.prefix
        raise ModelTextError(SEVERAL, text, text.find("|"), "several_models")
    pieces: list[str] = []
    open_calls: list[int] = []
    for place, item in enumerate(items):
        if place and not open_calls:
            raise ModelTextError(
                f"operands are left over in this prefix text, from {item[:60]!r} on",
                text, text.rfind(item), "unparsed",
            )  # fmt: skip
        call = FUNCTIONS.get(item.lower())
        if call is not None and call.arity:
            pieces.append(f"{_PLAIN.get(item, item)}(")
            open_calls.append(2 if call.fold else call.arity)
            continue
        pieces.append(item)
        while open_calls:
            open_calls[-1] -= 1
            if open_calls[-1]:
                pieces.append(",")
                break
            pieces.append(")")
            open_calls.pop()
    if open_calls:
        raise ModelTextError("operands are missing at the end of this prefix text", text, len(text))
    return "".join(pieces)


def _from_template(text: str, features: Sequence[str] | None) -> str:
    """Write a template of PySR, whose parts have arguments #1, #2, ..., as what its last part says.

    Raises
    ------
    ModelTextError
        When the text has several parts and does not say how they are put together.
    """
    parts = [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]
    lines, plain = [], 0
    for part in parts:
        name, equals, body = part.partition("=")
        body = body if equals else part
        places = [int(digits) for digits in re.findall(r"#(\d{1,4})", body)]
        body = re.sub(r"#(\d{1,4})", r"_\1", body).replace("^", "**").strip()
        if not places:
            plain += 1
            lines.append(f"{name.strip()} = {body}" if equals else body)
            continue
        arguments = ", ".join(f"_{k}" for k in range(1, max(places) + 1))
        lines.append(f"{name.strip() if equals else 'f'} = lambda {arguments}: {body}")
    if len(parts) > 1 and not plain:
        raise ModelTextError(
            f"{SEVERAL} (parts of a template; add how they are put together, as in '; y = f(x1) + g(x2)')",
            text, 0, "several_models",
        )  # fmt: skip
    return from_python("\n".join(lines), features)
