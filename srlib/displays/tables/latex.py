"""A table for papers: LaTeX that fits its column or page, whatever it holds."""

import math
import re
from collections.abc import Collection, Mapping
from textwrap import wrap

import pandas as pd

from srlib.displays.tables.breaks import letters, pieces
from srlib.displays.tables.equations import equation_latex
from srlib.displays.tables.table import (
    absent,
    foreign_calls,
    heading,
    headings,
    is_numeric,
    text_of,
)
from srlib.prose import visible

COLUMN, BOTH = 235.0, 460.0  # pt: one column and both, as journals in two columns set them
LETTER, GAP = 4.3, 8.0  # pt: a letter at \footnotesize, and what stands between columns
WIDE = 34  # letters; longer texts are set in lines
FLOATS = 6  # tables that LaTeX keeps waiting at once
TALL = 45  # lines; longer tables go on in another
FORMULA = 8_000  # letters of LaTeX; longer models are set as text
MOST_LINES = 6  # of a long text; one that has more gets a column of twice the width
_FOREIGN = re.compile(r"[^\x00-\u017f\u2010-\u203a]")  # pdflatex has no letters of these
_WORDS = re.compile(r"\\(?!left|right|frac|cdot|operatorname|underline|text)[a-z]+")
NEEDS = r"%% needs \usepackage{adjustbox,array,booktabs%s}"
ALIGNED = r" \robustify\bfseries \sisetup{detect-weight=true, table-text-alignment=right}"
_NUMBER = re.compile(r"([−-]?)(\d+)(?:\.(\d+))?(?:e([+-])0*(\d+))?")


def latex_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    digits: int | Mapping[str, int] = 3,
    equations: Collection[str] | Mapping[str, Collection[str]] = (),
    row_headers: int = 1,
    name: str = "",
) -> str:
    r"""Write a table as LaTeX that is never wider than its column, all text escaped, equations in math mode.

    What does not fit a column of a journal takes both; what is wider or longer than a page goes on in another table,
    where the columns that name a row stand again; headings take several lines where one table is enough then, and
    an empty column is left out. Numbers stand below each other by their points (siunitx). A long
    equation breaks at its signs, at products and in brackets; what is no model, or has
    no such place, breaks anywhere, as text. A comment names the packages.
    Rows of rank 1 are bold, and `name` makes a label of its first table, tab:NAME.

    Examples
    --------
    >>> print(latex_table(pd.DataFrame({"method": ["a_b"], "score": [2.0]}), "Scores").splitlines()[7])
    method & {score} \\
    """
    marks = equations if isinstance(equations, Mapping) else dict.fromkeys(equations, ())
    places = digits if isinstance(digits, Mapping) else dict.fromkeys(frame.columns, digits)
    named = headings(frame)
    filled = [one for one in frame.columns if frame.empty or any(map(text_of, frame[one]))]
    columns = _columns(frame[filled], named, places, marks)
    if _wide(columns) > BOTH:
        narrow = _columns(frame[filled], named, places, marks, wrapped=True)
        if _wide(narrow) <= BOTH:
            columns = narrow
    if "rank" in frame and len(frame) > 1:
        first = frame["rank"].eq(1).fillna(False).tolist()
        columns = [([c[0], *map(_bold, c[1:], first)], width, kind) for c, width, kind in columns]
    said = [f"{call} is {text}" for call, text in foreign_calls(frame, marks)]
    title = escaped("; ".join([caption, *said]))
    parts = [
        (panel, rows)
        for panel in _panels([width for _, width, _ in columns], min(row_headers, 2))
        for rows in _pages(columns, len(frame))
    ]
    tables = [
        _table([columns[i] for i in panel], rows, title + (" (continued)" if number else ""))
        for number, (panel, rows) in enumerate(parts)
    ]
    for position in range(FLOATS, len(tables), FLOATS):
        tables[position] = "\\clearpage\n" + tables[position]
    if name:
        tables[0] = tables[0].replace(
            "\n\\begin{adjustbox}", f"\\label{{tab:{name}}}\n\\begin{{adjustbox}}", 1
        )
    text = "\n".join(tables)
    letters = ", lualatex or xelatex, and a font with all letters" * bool(_FOREIGN.search(text))
    packages = ",amsmath" * (r"\operatorname" in text) + ",etoolbox,siunitx" * ("S[" in text)
    return f"{NEEDS % packages}{ALIGNED * ('S[' in text)}{letters}\n{text}\n"


Column = tuple[list[str], float, str]  # heading and cells, width in pt, what LaTeX calls its kind


def _columns(
    frame: pd.DataFrame,
    named: Mapping[str, str],
    places: Mapping[str, int],
    marks: Mapping[str, Collection[str]],
    wrapped: bool = False,
) -> list[Column]:
    return [
        _column(
            frame[one],
            named.get(one) or heading(str(one)),
            places.get(one, 3),
            marks.get(one),
            wrapped,
        )
        for one in frame.columns
    ]


def _wide(columns: list[Column]) -> float:
    return sum(width for _, width, _ in columns)


def _column(
    values: pd.Series, name: str, digits: int, underlined: Collection[str] | None, wrapped: bool
) -> Column:
    head = name
    texts = [
        text_of(value, digits, tiny=True) if underlined is None or absent(value) else str(value)
        for value in values
    ]
    sums = [
        equation_latex(text, underlined or (), FORMULA)
        if underlined is not None and not absent(value)
        else ""
        for text, value in zip(texts, values, strict=True)
    ]
    lengths = [
        _seen_length(formula) or len(text) for text, formula in zip(texts, sums, strict=True)
    ]
    lines = [head]
    if wrapped:
        lines = wrap(head, max([1, *lengths]), break_long_words=False, break_on_hyphens=False)
    longest = max([*map(len, lines), *lengths])
    head = r"\\{}".join(map(escaped, lines))
    if len(lines) > 1:
        head = f"\\shortstack{'[l]' * (not is_numeric(values))}{{{head}}}"
    if longest <= WIDE and is_numeric(values) and any(map(_NUMBER.fullmatch, texts)):
        cells, kind = _by_the_point(texts)
        return [f"{{{head}}}", *cells], longest * LETTER + GAP, kind
    if longest <= WIDE:
        cells = [formula or escaped(text) for text, formula in zip(texts, sums, strict=True)]
        kind, width = "l", longest * LETTER
        if is_numeric(values):
            kind = "r"
    else:
        room = WIDE
        if longest > MOST_LINES * WIDE:
            room *= 2
        cells = [
            (formula and _wrapped(formula, room)) or broken(text)
            for text, formula in zip(texts, sums, strict=True)
        ]
        width = room * LETTER
        kind = f">{{\\raggedright\\arraybackslash}}p{{{width:.0f}pt}}"
    return [head, *cells], width + GAP, kind


def _by_the_point(texts: list[str]) -> tuple[list[str], str]:
    r"""Write numbers as siunitx reads them, and name their column; what is no number stands in braces.

    Examples
    --------
    >>> _by_the_point(["−12.50", "<0.01", "3.25"])
    (['-12.50', '{\\textless{}0.01}', '3.25'], 'S[table-format=-2.2]')
    """
    found = [_NUMBER.fullmatch(text) for text in texts]
    cells = [
        re.sub(r"e([+-])0*", _power, text.replace("−", "-")) if number else f"{{{escaped(text)}}}"
        for text, number in zip(texts, found, strict=True)
    ]
    parts = [number.groups(default="") for number in found if number]
    sign = "-" * any(part[0] for part in parts)
    whole, tenths, power = (max(len(part[i]) for part in parts) for i in (1, 2, 4))
    shape = f"{sign}{whole}.{tenths}"
    if power:
        shape += f"e{'-' * any(part[3] == '-' for part in parts)}{power}"
    return cells, f"S[table-format={shape}]"


def _power(found: re.Match[str]) -> str:
    return f"e{found[1].strip('+')}"


def _wrapped(formula: str, room: int) -> str:
    r"""Let a formula break wherever it may in lines of about `room` letters; empty where that is not enough.

    Examples
    --------
    >>> _wrapped(r"$a \, \left(b + c\right)$", 6)
    '$a \\allowbreak \\, (b + c)$'
    """
    parts = [formula[1:-1]]
    if _seen_length(formula) > room:
        parts = pieces(parts[0], room * 4 // 5)
    if any(_seen_length(f"${part}") > room for part in parts):
        return ""
    joined = r" \allowbreak ".join(parts)
    # TeX itself breaks a line after a sign
    return f"${re.sub('.allowbreak (?=[+-] )', '', joined)}$"


def _bold(cell: str, first: bool) -> str:
    r"""Write a cell of the best row in bold letters; math and what breaks stay as they are."""
    if first and _NUMBER.fullmatch(cell):
        return rf"\bfseries {cell}"
    if first and cell.startswith("{"):
        return f"{{\\textbf{cell}}}"
    if first and not re.search(r"[$]|allowbreak|^$", cell):
        return f"\\textbf{{{cell}}}"
    return cell


def _seen_length(formula: str) -> int:
    """Estimate how many letters wide a formula is."""
    return letters(formula.strip("$")) + 3 * len(_WORDS.findall(formula))


def _panels(widths: list[float], leading: int) -> list[list[int]]:
    """Share columns out to as many tables as are needed; the leading ones stand in each."""
    if sum(widths) <= BOTH:
        return [list(range(len(widths)))]
    first = list(range(leading))
    panels, room = [list(first)], BOTH - sum(widths[:leading])
    left = room
    for position in range(leading, len(widths)):
        if widths[position] > left and len(panels[-1]) > leading:
            panels.append(list(first))
            left = room
        panels[-1].append(position)
        left -= widths[position]
    return panels


def _pages(columns: list[Column], rows: int) -> list[slice]:
    """Share rows out to as many tables as are needed, by the lines that their longest cell takes."""
    lines = [1] * rows
    for cells, _, kind in columns:
        if wide := re.search(r"p\{(\d+)", kind):
            room = int(wide[1]) // LETTER - 4
            lines = [
                max(line, math.ceil(letters(cell) / room))
                for line, cell in zip(lines, cells[1:], strict=True)
            ]
    pages, start, filled = [], 0, 0
    for position, height in enumerate(lines):
        if filled and filled + height > TALL:
            pages.append(slice(start, position))
            start, filled = position, 0
        filled += height
    return [*pages, slice(start, rows)]


def _table(columns: list[Column], rows: slice, title: str) -> str:
    star = "*" if sum(width for _, width, _ in columns) > COLUMN else ""
    shape = "".join(kind for _, _, kind in columns)
    head = _row([cells[0] for cells, _, _ in columns])
    body = zip(*(cells[1:][rows] for cells, _, _ in columns), strict=True)
    lines = [f"\\begin{{table{star}}}[htbp]", r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
             f"\\caption{{{title}}}",
             r"\begin{adjustbox}{max width=\linewidth, max totalheight=0.85\textheight}",
             f"\\begin{{tabular}}{{{shape}}}", r"\toprule", head, r"\midrule", *(_row(list(cells)) for cells in body),
             r"\bottomrule", r"\end{tabular}", r"\end{adjustbox}", f"\\end{{table{star}}}"]  # fmt: skip
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    """Join cells; a row that begins with [ or * would be taken for an argument of the line break before it."""
    guard = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"


LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
         "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
         "<": r"\textless{}", ">": r"\textgreater{}", "−": "$-$", "–": "--", "∞": r"$\infty$", "²": "$^2$",
         "\n": " ", "\r": " "}  # fmt: skip


def escaped(text: str) -> str:
    r"""Write any text so that LaTeX sets it as it is.

    Examples
    --------
    >>> escaped("50% of a_b")
    '50\\% of a\\_b'
    """
    return "".join(LATEX.get(letter, letter) for letter in visible(text))


def broken(text: str, every: int = 8) -> str:
    r"""Escape a text and let its long words, as models and numbers are, break after every few letters.

    Examples
    --------
    >>> broken("a 12345.67890")
    'a 12345.67\\allowbreak{}890'
    """
    parts = (
        [word[i : i + every] for i in range(0, len(word), every)] if len(word) > every else [word]
        for word in visible(text).split(" ")
    )
    return " ".join(r"\allowbreak{}".join(map(escaped, part)) for part in parts)
