"""A table for papers: LaTeX that is never wider than its column or page."""

from collections.abc import Collection, Mapping

import pandas as pd

from srlib.displays.tables.equations import equation_latex
from srlib.displays.tables.table import absent, column_heading, is_numeric, text_of
from srlib.prose import visible

ROWS = 45  # that fit a page; a longer table takes several
LETTERS = 34  # of a cell on one line; longer ones are set in lines
WORD = 24  # letters; longer words, as models and numbers are, break after every few
FORMULA = 120  # letters of LaTeX; longer models are set as text, which breaks anywhere
LETTERS_OF_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "–": "--",
    "∞": r"$\infty$",
    "²": "$^2$",
    "\n": " ",
    "\r": " ",
} | {letter: f"\\{letter}" for letter in "&%$#_{}"}


def latex_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    digits: int | Mapping[str, int] = 3,
    equations: Collection[str] | Mapping[str, Collection[str]] = (),
    label: str = "",
) -> str:
    r"""Write a table as LaTeX, all text escaped, short models in math mode, rows of rank 1 bold.

    It is shrunk to its column or page; one of more than 45 rows is a longtable. A comment names the packages; letters
    beyond Latin need lualatex or xelatex, and a font that has them.

    Parameters
    ----------
    frame, caption, digits, equations
        See `srlib.displays.tables.table.html_table`.
    label : str
        As tab:LABEL; without it there is none.

    Examples
    --------
    >>> print(latex_table(pd.DataFrame({"method": ["a_b"], "score": [2.0]}), "Scores").splitlines()[7])
    method & score \\
    """
    underlined = equations if isinstance(equations, Mapping) else dict.fromkeys(equations, ())
    columns, kinds = [], ""
    for name, values in frame.items():
        places = digits if isinstance(digits, int) else digits.get(str(name), 3)
        texts = [text_of(value, places, tiny=True) for value in values]
        cells = [breaking(text) for text in texts]
        if name in underlined:
            cells = [
                ""
                if absent(value)
                else equation_latex(str(value), underlined[str(name)], FORMULA) or cell
                for value, cell in zip(values, cells, strict=True)
            ]
        columns.append([escaped(column_heading(frame, name)), *cells])
        if max(map(len, texts), default=0) > LETTERS:
            kinds += r">{\raggedright\arraybackslash}p{5cm}"
        else:
            kinds += "r" if is_numeric(values) else "l"
    head, *rows = (list(row) for row in zip(*columns, strict=True))
    if "rank" in frame and len(frame) > 1:
        for row, rank in zip(rows, frame["rank"], strict=True):
            if not absent(rank) and rank == 1:
                row[:] = [f"\\textbf{{{cell}}}" for cell in row]
    title = f"\\caption{{{escaped(caption)}}}" + f"\\label{{tab:{label}}}" * bool(label)
    lines = [r"\toprule", latex_row(head), r"\midrule", *map(latex_row, rows), r"\bottomrule"]
    if len(rows) > ROWS:
        before = [f"\\begin{{longtable}}{{{kinds}}}", rf"{title}\\"]
        lines[2] += r"\endhead"
        after = [r"\end{longtable}"]
    else:
        before = [
            r"\begin{table}[htbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            title,
            r"\begin{adjustbox}{max width=\linewidth, max totalheight=0.85\textheight}",
            f"\\begin{{tabular}}{{{kinds}}}",
        ]
        after = [r"\end{tabular}", r"\end{adjustbox}", r"\end{table}"]
    packages = r"% needs \usepackage{adjustbox,amsmath,array,booktabs,longtable}"
    return "\n".join([packages, *before, *lines, *after]) + "\n"


def latex_row(cells: list[str]) -> str:
    """Join cells; a row that begins with [ or * would be taken for an argument of the line break before it."""
    guard = "{}" * cells[0].startswith(("[", "*"))
    return f"{guard}{' & '.join(cells)} \\\\"


def escaped(text: str) -> str:
    r"""Write any text so that LaTeX sets it as it is.

    Examples
    --------
    >>> escaped("50% of a_b")
    '50\\% of a\\_b'
    """
    return "".join(LETTERS_OF_LATEX.get(letter, letter) for letter in visible(text))


def breaking(text: str, every: int = 8) -> str:
    r"""Escape a text; words that are longer than any of a language may break after every few letters.

    Examples
    --------
    >>> breaking("differences of sin(x1*12345.67890123456789)")
    'differences of sin(x1*1\\allowbreak{}2345.678\\allowbreak{}90123456\\allowbreak{}789)'
    """
    words = (
        r"\allowbreak{}".join(escaped(word[i : i + every]) for i in range(0, len(word), every))
        if len(word) > WORD
        else escaped(word)
        for word in text.split(" ")
    )
    return " ".join(words)
