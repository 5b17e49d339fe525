"""Where a line may break in an equation: at sums, and where these are long at products, in fractions and brackets."""

import re

ROOM = 36  # letters that a phone has room for; what is longer is broken
_SIGN = re.compile(r"\\left|\\right|\\[{}]|[{}]| [+-] | \\cdot | \\, ")


def terms_of(latex: str) -> list[str]:
    r"""Split LaTeX at the plus and minus signs of its outermost sum, so that a line can break there.

    Examples
    --------
    >>> terms_of(r"a + \frac{b + c}{d} - \left(e - f\right)")
    ['a', '+ \\frac{b + c}{d}', '- \\left(e - f\\right)']
    """
    return _split(latex, (" + ", " - "))


def pieces(latex: str, room: int = ROOM) -> list[str]:
    r"""Split LaTeX into pieces, none wider than `room` letters where it can be broken.

    A fraction that is too wide is written with a slash, and brackets too wide for a line are no longer of one piece.

    Examples
    --------
    >>> pieces(r"a \, \frac{b + c}{d}", 4)
    ['a', '\\, \\frac{b + c}{d}']
    >>> pieces(r"\frac{b + c}{d}", 2)
    ['(b', '+ c)', '/', 'd']
    """
    found: list[str] = []
    for term in terms_of(latex):
        if letters(term) <= room:
            found.append(term)
            continue
        for factor in _split(term, (r" \cdot ", r" \, ")):
            found += _opened(factor, room)
    return found


def letters(latex: str) -> int:
    """Count about how many letters wide LaTeX is; the wider part of a fraction counts."""
    if parts := _fraction(latex):
        return max(map(letters, parts))
    return len(re.sub(r"\\[a-zA-Z]+|[\\{}_^\s]", "", latex))


def _opened(factor: str, room: int) -> list[str]:
    """Open a fraction, or brackets, that is too wide; what else is too wide stays in one piece."""
    sign, plain = "", factor
    if found := re.match(r"(?:[+-]|\\cdot|\\,) ", factor):
        sign, plain = found[0], factor[found.end() :]
    if letters(plain) <= room:
        return [factor]
    if parts := _fraction(plain):
        upper, lower = (_bracketed(part, room) for part in parts)
        inner = [*upper, "/", *lower]
    elif (at := plain.find(r"\left(")) >= 0 and (end := _closing(plain, at)) > 0:
        inner = _enclosed(f"{plain[:at]}(", plain[at + 6 : end - 7], f"){plain[end:]}", room)
    else:
        inner = [plain]
    return [f"{sign}{inner[0]}", *inner[1:]]


def _bracketed(part: str, room: int) -> list[str]:
    if len(_split(part, (" + ", " - ", r" \cdot ", r" \, "))) == 1:
        return pieces(part, room)
    return _enclosed("(", part, ")", room)


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
        depth += {"{": 1, r"\left": 1, "}": -1, r"\right": -1}.get(sign, 0)
        if depth == 0 and sign in signs:
            parts.append(latex[start : found.start()])
            start = found.start() + 1
    return [*parts, latex[start:]]


def _fraction(latex: str) -> tuple[str, str] | None:
    """Give both parts of what is a fraction as a whole."""
    if not latex.startswith(r"\frac{"):
        return None
    middle = _closing(latex, 5)
    if middle < 0 or latex[middle : middle + 1] != "{" or _closing(latex, middle) != len(latex):
        return None
    return latex[6 : middle - 1], latex[middle + 1 : -1]


def _closing(latex: str, start: int) -> int:
    """Find the end of the group, of braces or brackets, that begins at `start`; -1 where there is none."""
    depth = 0
    for found in re.finditer(r"\\left.|\\right.|\\[{}]|[{}]", latex[start:]):
        depth += {"{": 1, r"\l": 1, "}": -1, r"\r": -1}.get(found[0][:2], 0)
        if depth == 0:
            return start + found.end()
    return -1
