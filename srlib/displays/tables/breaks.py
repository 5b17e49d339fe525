"""Where a line may break in an equation: at sums, and where these are long at products and in brackets."""

import re

ROOM = 36  # letters that a phone has room for; what is longer is broken
_GROUP = r"\\left|\\right|\\begin|\\end|\\[lr](?:floor|ceil)|\\[{}]|[{}]"
_SIGN = re.compile(_GROUP + r"| [+-] | \\cdot | \\, ")
_OPENS = ("{", r"\left", r"\begin", r"\lfloor", r"\lceil")
_SHUTS = ("}", r"\right", r"\end", r"\rfloor", r"\rceil")
_SUMS, _PRODUCTS = (" + ", " - "), (r" \cdot ", r" \, ")


def terms_of(latex: str) -> list[str]:
    r"""Split LaTeX at the plus and minus signs of its outermost sum, so that a line can break there.

    Examples
    --------
    >>> terms_of(r"a + \frac{b + c}{d} - \left(e - f\right)")
    ['a', '+ \\frac{b + c}{d}', '- \\left(e - f\\right)']
    """
    return _split(latex, _SUMS)


def pieces(latex: str, room: int = ROOM) -> list[str]:
    r"""Split LaTeX into pieces, none wider than `room` letters where a sum, a product or brackets let it break.

    Brackets that were opened are no longer of one piece; bars are written as abs(a).

    Examples
    --------
    >>> pieces(r"a \, \frac{b + c}{d}", 4)
    ['a', '\\, \\frac{b + c}{d}']
    >>> pieces(r"\left(b + c\right) - \left|d + e\right|", 2)
    ['(b', '+ c)', '- \\operatorname{abs}(d', '+ e)']
    """
    found: list[str] = []
    for term in terms_of(latex):
        if letters(term) <= room:
            found.append(term)
            continue
        for factor in _split(term, _PRODUCTS):
            found += _opened(factor, room)
    return found


def letters(latex: str) -> int:
    """Count about how many letters wide LaTeX is."""
    return len(re.sub(r"\\[a-zA-Z]+|[\\{}_^\s]", "", latex))


def _opened(factor: str, room: int) -> list[str]:
    """Open brackets that are too wide for a line; what else is too wide stays in one piece."""
    sign, plain = "", factor
    if found := re.match(r"(?:[+-]|\\cdot|\\,) |-", factor):
        sign, plain = found[0], factor[found.end() :]
    group = _brackets(plain)
    if letters(plain) <= room or plain.startswith(r"\begin") or not group:
        return [factor]
    first, *rest = _enclosed(*group, room)
    return [f"{sign}{first}", *rest]


def _brackets(latex: str) -> tuple[str, str, str] | None:
    """Split at the first brackets that stand in no group of braces: what opens them, what is in them, and the rest."""
    depth = 0
    for found in re.finditer(r"\\left[(|]|\\l(floor|ceil) |[{}]", latex):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        end = _closing(latex, found.start())
        if depth or found[0] == "}" or end < 0:
            continue
        before, inside, after = latex[: found.start()], latex[found.end() : end], latex[end:]
        if found[1]:
            return before + found[0], inside.removesuffix(f"\\r{found[1]}"), f"\\r{found[1]}{after}"
        name = r"\operatorname{abs}" * found[0].endswith("|")
        return f"{before}{name}(", inside[: -len(r"\right)")], f"){after}"
    return None


def _enclosed(opening: str, part: str, closing: str, room: int) -> list[str]:
    """Break what stands in brackets, but not between a bracket and what is next to it."""
    parts = pieces(part, room - letters(opening) - letters(closing))
    parts[0] = opening + parts[0]
    parts[-1] += closing
    return parts


def _split(latex: str, signs: tuple[str, ...]) -> list[str]:
    parts, start, depth = [], 0, 0
    for found in _SIGN.finditer(latex):
        sign = found[0]
        depth += (sign in _OPENS) - (sign in _SHUTS)
        if depth == 0 and sign in signs:
            parts.append(latex[start : found.start()])
            start = found.start() + 1
    return [*parts, latex[start:]]


def _closing(latex: str, start: int) -> int:
    """Find the end of the group, of braces or brackets, that begins at `start`; -1 where there is none."""
    depth = 0
    for found in re.finditer(_GROUP, latex[start:]):
        depth += (found[0] in _OPENS) - (found[0] in _SHUTS)
        if depth == 0:
            end = start + found.end()
            return end + (found[0] == r"\right")
    return -1
