"""Where a line may break in an equation: at sums, and where these are long at products, in fractions and brackets."""

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
    r"""Split LaTeX into pieces, none wider than `room` letters where it can be broken.

    What is too wide for a line is written otherwise: a fraction with a slash, a root as a power, bars as abs(a), a
    power with a wide exponent as pow(a, b); its brackets are no longer of one piece.

    Examples
    --------
    >>> pieces(r"a \, \frac{b + c}{d}", 4)
    ['a', '\\, \\frac{b + c}{d}']
    >>> pieces(r"\frac{b + c}{d}", 2)
    ['(b', '+ c)', '/', 'd']
    >>> pieces(r"\sqrt{b + c} - \left|d + e\right|", 2)
    ['(b', '+ c)^{1/2}', '- \\operatorname{abs}(d', '+ e)']
    >>> pieces(r"b^{c + d}", 2)
    ['\\operatorname{pow}(b,', 'c', '+ d)']
    """
    found: list[str] = []
    for term in terms_of(latex):
        if letters(term) <= room:
            found.append(term)
            continue
        *first, last = _split(term, _PRODUCTS)
        for factor in first:
            found += _opened(factor, room, followed=True)
        found += _opened(last, room)
    return found


def letters(latex: str) -> int:
    """Count about how many letters wide LaTeX is; the wider part of a fraction counts."""
    if parts := _fraction(latex):
        return max(map(letters, parts))
    return len(re.sub(r"\\[a-zA-Z]+|[\\{}_^\s]", "", latex))


def _opened(factor: str, room: int, followed: bool = False) -> list[str]:
    """Open a fraction, root, power or brackets too wide for a line; what else is too wide stays in one piece.

    Parameters
    ----------
    followed : bool
        Whether it is multiplied by what comes next: then a fraction with a slash needs brackets.
    """
    sign, plain = "", factor
    if found := re.match(r"(?:[+-]|\\cdot|\\,) |-", factor):
        sign, plain = found[0], factor[found.end() :]
    if letters(plain) <= room or plain.startswith(r"\begin"):
        return [factor]
    inner, group, power = [plain], _brackets(plain), _last_group(plain, r"\^")
    if parts := _fraction(plain):
        upper, lower = (_bracketed(part, room - 2 * followed) for part in parts)
        inner = [*upper, "/", *lower]
        if followed:
            inner = [f"({inner[0]}", *inner[1:-1], f"{inner[-1]})"]
    elif (root := _last_group(plain, r"\\sqrt(?:\[3\])?")) and not root.start():
        ends = "(", ")^{1/2}"
        if "3" in root[0]:  # a cube root is real below zero, and a power is not
            ends = r"\operatorname{cbrt}(", ")"
        inner = _enclosed(ends[0], plain[root.end() + 1 : -1], ends[1], room)
    elif power and (not group or letters(plain[power.end() :]) > room // 2):
        base, exponent = plain[: power.start()], plain[power.end() + 1 : -1]
        if base.startswith(r"\left(") and _closing(base, 0) == len(base):
            base = base[6:-7]
        inner = _enclosed(r"\operatorname{pow}(", base, ",", room)
        inner += _enclosed("", exponent, ")", room)
    elif group:
        inner = _enclosed(*group, room)
    return [f"{sign}{inner[0]}", *inner[1:]]


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


def _bracketed(part: str, room: int) -> list[str]:
    """Break what is above or below a fraction's bar, in brackets where a slash would not hold it together."""
    wide = _fraction(part) and letters(part) > room
    if wide or part.startswith("-") or len(_split(part, _SUMS + _PRODUCTS)) > 1:
        return _enclosed("(", part, ")", room)
    return pieces(part, room)


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


def _fraction(latex: str) -> tuple[str, str] | None:
    """Give both parts of what is a fraction as a whole."""
    if not latex.startswith(r"\frac{"):
        return None
    middle = _closing(latex, 5)
    if middle < 0 or latex[middle : middle + 1] != "{" or _closing(latex, middle) != len(latex):
        return None
    return latex[6 : middle - 1], latex[middle + 1 : -1]


def _last_group(latex: str, before: str) -> re.Match[str] | None:
    """Find what stands before the group of braces with which all ends."""
    for found in re.finditer(before + r"(?=\{)", latex):
        if _closing(latex, found.end()) == len(latex):
            return found
    return None


def _closing(latex: str, start: int) -> int:
    """Find the end of the group, of braces or brackets, that begins at `start`; -1 where there is none."""
    depth = 0
    for found in re.finditer(_GROUP, latex[start:]):
        depth += (found[0] in _OPENS) - (found[0] in _SHUTS)
        if depth == 0:
            end = start + found.end()
            return end + (found[0] == r"\right")
    return -1
