"""Equations of model texts: LaTeX for print by srlib.expressions, MathML by latex2mathml; no scripts, no requests."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from html import escape

from latex2mathml.converter import convert

from srlib.errors import ModelTextError
from srlib.expressions import count_text, parse, to_latex

LONGEST_LATEX = 600  # letters of LaTeX; a longer equation is shown as text
MOST_PRINTED_ITEMS = (
    5000  # operators, features and constants of a model; a printed page has no room for more
)
PRINT_DIGITS = 4  # significant digits of constants in print
LONGEST_TEXT = 160  # letters of a text; a longer one is cut and can be unfolded
BREAKS = re.compile(r"(?:\\allowbreak|\\penalty900) ")
# texts that are about as wide as what LaTeX prints; brackets may be as high as a fraction
STAND_INS = (
    (r" \\,|\\(?:text|operatorname|begin|end)", ""),
    (r"\\(?:left|right)", "i"),
    (r"\\(?:d?frac|sqrt|cdot|[^A-Za-z])", "m"),
    (r"[\\${}_^&]", ""),
)
BRACKETS_AND_SIGNS = re.compile(
    r"(?P<opens>\\left(?!arrow)|\\begin|\\l(?:floor|ceil)|(?<!\\){)|"
    r"(?P<shuts>\\right(?!arrow)|\\end|\\r(?:floor|ceil)|(?<!\\)})|(?P<sign> [+-] )"
)


@lru_cache(maxsize=1024)  # a report and its participants' pages show the same models
def equation(text: str) -> str:
    """Return a model as an equation that wraps at the terms of a sum, with the model's text to unfold.

    Parameters
    ----------
    text : str
        Text of a model; all digits are shown. A text that is no model, or whose equation is too long, is shown as text.

    Returns
    -------
    str
        HTML with everything escaped.

    Examples
    --------
    >>> page = equation("0.4*x1 + x2")
    >>> page.count("<math"), "<code>0.4*x1 + x2</code>" in page
    (2, True)
    """
    code = f"<code>{escape(text)}</code>"
    # latex2mathml has no exception of its own; what cannot be drawn is shown as text
    with suppress(Exception):
        if latex := equation_latex(text):
            first, *next_terms = terms_of(latex)
            terms = [mathml(first), *(mathml(f"{{}}{term}") for term in next_terms)]
            return f'<div class="equation">{"<wbr>".join(terms)}</div>' + _fold("as text", code)
    if len(text) <= LONGEST_TEXT:
        return f'<div class="equation">{code}</div>'
    short = escape(text[:LONGEST_TEXT])
    return _fold(f"<code>{short}…</code> ({len(text):,} letters)", code)


def equation_latex(text: str, limit: int = LONGEST_LATEX) -> str:
    r"""Return a model as LaTeX for math mode; empty if the text is no model or the LaTeX is longer than `limit`.

    Examples
    --------
    >>> equation_latex("x1^2")
    'x_{1}^{2}'
    """
    with suppress(ModelTextError):
        model = parse(text)
        # each item needs at least one letter; long and deep models would be slow to write
        if len(model.tape) <= limit:
            latex = to_latex(model)
            if len(latex) <= limit:
                return latex
    return ""


@lru_cache(maxsize=4096)  # a table tries several widths
def print_equation(text: str, ems: float, width_of: Callable[[str], float]) -> tuple[str, ...]:
    r"""Return the pieces of a model as LaTeX for print, each in math mode; a line can break between two pieces.

    Parameters
    ----------
    text : str
        Text of a model; its constants are rounded to 4 significant digits.
    ems : float
        Width of a line, in sizes of its letters. A term that is wider has more pieces, with plain brackets and
        fractions as a/b; other fractions are as high as two lines, so that their letters are no smaller.
    width_of : callable
        Returns the width of a text in sizes of its letters.

    Returns
    -------
    tuple of str
        Empty if the text is no model; words if the model is too long for a page.

    Examples
    --------
    >>> print_equation("0.45149*x1 + 1/x2 - x3", 9, len)
    ('$0.4515 \\, x_{1}$ ', '${}+ \\dfrac{1}{x_{2}}$ ', '${}- x_{3}$ ')
    """
    with suppress(ModelTextError):
        model = parse(text)
        if len(model.tape) > MOST_PRINTED_ITEMS:
            return (rf"({count_text(model):,} components: ", "too long for print)")
        latex = to_latex(
            model, digits=PRINT_DIGITS, is_wide=lambda part: formula_width(part, width_of) > ems
        )
        terms = "$ \0${}".join(terms_of(latex.replace(r"\frac", r"\dfrac")))
        return tuple(BREAKS.sub("$\\g<0>\0$", f"${terms}$ ").split("\0"))
    return ()


def formula_width(latex: str, width_of: Callable[[str], float]) -> float:
    r"""Return about how wide a formula is, and no less, in sizes of its letters: indices count as if they were large.

    Examples
    --------
    >>> formula_width(r"\sin\left(\theta\right) + x_{12}", len)
    18
    """
    plain = BREAKS.sub("", latex)
    for pattern, text in STAND_INS:
        plain = re.sub(pattern, text, plain)
    return width_of(plain)


def mathml(latex: str) -> str:
    r"""Return LaTeX converted to MathML, the only form of mathematics in reports.

    Examples
    --------
    >>> mathml("x")[:5], "<mi>x</mi>" in mathml("x")
    ('<math', True)
    """
    return convert(re.sub(r"\\operatorname\{([^{}]*)\}", _upright, latex))


def terms_of(latex: str) -> list[str]:
    r"""Return the terms of the outermost sum in LaTeX, each with its sign; a line can break between them.

    Examples
    --------
    >>> terms_of(r"a + \frac{b + c}{d} - \left(e - f\right)")
    ['a', '+ \\frac{b + c}{d}', '- \\left(e - f\\right)']
    """
    terms, start, depth = [], 0, 0
    for match in BRACKETS_AND_SIGNS.finditer(latex):
        if match["sign"] and not depth:
            terms.append(latex[start : match.start()])
            start = match.start() + 1
        depth += bool(match["opens"]) - bool(match["shuts"])
    return [*terms, latex[start:]]


def _upright(match: "re.Match[str]") -> str:
    r"""Return a function's name as `\text`, because latex2mathml would set each letter as a variable."""
    return r"\text{" + match[1].replace("\\", "") + "}"


def _fold(summary: str, content: str) -> str:
    """Return HTML that shows a summary, and the content when a reader unfolds it."""
    return f'<details class="model"><summary>{summary}</summary>{content}</details>'
