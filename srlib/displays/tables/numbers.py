r"""Numbers by key: how a paper calls each sentence, fact, table cell and name of a report, and their texts as TeX.

A key has parts with slashes between them: REPORT/STATEMENT, REPORT/STATEMENT/FACT, REPORT/TABLE/ROW/COLUMN, name/RAW.
It is made of raw names alone, never of a position, so that it means the same whatever else is in a table.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from srlib.displays.styling import Style, print_name
from srlib.displays.tables.equations import equation_latex
from srlib.displays.tables.table import Table, is_absent, latex_text
from srlib.files import file_name, write_atomically

NUMBERS_FILE = "numbers.tex"
# columns that say what a row of a table is about
KEYS = ["method", "method_a", "method_b", "dataset", "aspect", "property", "noise_level", "repetition", "expert",
        "solver", "task", "instance", "time_limit_s", "stage", "level", "action", "code", "switch", "check",
        "name"]  # fmt: skip
PARTIAL_KEYS = {
    "aspect",
    "repetition",
}  # which alone do not: the caption says of which method they are
NAMES = {"method", "method_a", "method_b", "dataset", "property", "solver"}  # columns of names
# a part of a key that stays as it is; it does not end like those that get a hash
PLAIN_PART = re.compile(r"(?!.*-[0-9a-f]{6}$)[A-Za-z0-9_](?: ?[A-Za-z0-9._+-]){0,79}")
COUNTER = re.compile(r"-\d+(?=/|$)")  # in names of facts that occur several times
LONGEST_TEXT = 5000  # letters of TeX, which reads no line of more than 200,000
NUMBER_LINE = re.compile(r"^\\srset\{([^{}]*)\}\{(.*)\}$", re.MULTILINE)


def key_of(*parts: str) -> str:
    """Return a key in ASCII; a part that is not plain gets a hash, so that different names stay different.

    Examples
    --------
    >>> key_of("synthetic", "final-ranking", "deap", "score"), key_of("name", "é/%")
    ('synthetic/final-ranking/deap/score', 'name/unnamed-d5ea0b')
    """
    # the space makes any name get a hash
    return "/".join(part if PLAIN_PART.fullmatch(part) else file_name(f"{part} ") for part in parts)


def sentence_numbers(report: str, facts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return {REPORT/STATEMENT or REPORT/STATEMENT/FACT: TeX}; what the facts have to count has no key.

    Examples
    --------
    >>> facts = {"verdict/score": {"text": "2.0"}, "lost/method": {"text": "A"}, "lost/method-2": {"text": "B"}}
    >>> sentence_numbers("r", facts)
    {'r/verdict/score': '2.0'}
    """
    counted = {COUNTER.sub("", key) for key in facts if COUNTER.search(key)}
    return {
        f"{key_of(report)}/{key}": tex_text(fact["text"])
        for key, fact in facts.items()
        if not COUNTER.search(key) and counted.isdisjoint([key, key.partition("/")[0]])
    }


def table_numbers(table: Table, *address: str) -> dict[str, str]:
    """Return {REPORT/TABLE/ROW/COLUMN: TeX} of the cells as a page shows them, and {name/RAW: TeX} of their names.

    Parameters
    ----------
    table : Table
        The table. A row whose key another row has, too, gets none, nor does a method called like another column.
    *address : str
        Names of the report and of the table.
    """
    frame, methods = table.frame, table.methods
    columns = {name: str(name) for name in frame if name not in methods}
    names = [name for name in KEYS if name in columns]
    raw_names = {*Style.current.names, *methods.values()}
    raw_names = raw_names.union(*(frame[name].dropna() for name in NAMES.intersection(names)))
    numbers = {key_of("name", str(name)): tex_text(print_name(name)) for name in raw_names}
    if PARTIAL_KEYS.issuperset(names):
        return numbers
    columns |= {name: method for name, method in methods.items() if method not in columns}
    rows = [
        key_of(*address, *map(raw_text, values)) for values in frame[names].itertuples(index=False)
    ]
    counts = Counter(rows)
    return numbers | {
        f"{row}/{key_of(column)}": text
        for name, column in columns.items()
        for row, text in zip(rows, cells_tex(table, name), strict=True)
        if counts[row] == 1 and len(text) <= LONGEST_TEXT
    }


def raw_text(value: Any) -> str:
    """Return a value as part of a key; a whole number is the same text whatever its type."""
    if isinstance(value, str):
        return value
    return "" if is_absent(value) else str(value).removesuffix(".0")


def cells_tex(table: Table, name: Any) -> list[str]:
    """Return the cells of a column as TeX, with the texts that a page shows; a model is a formula."""
    texts = map(tex_text, table.texts(name))
    if name not in table.equations:
        return list(texts)
    formulas = (equation_latex(str(value)) for value in table.frame[name])
    return [
        rf"\ensuremath{{{latex}}}" if latex else text
        for latex, text in zip(formulas, texts, strict=True)
    ]


def tex_text(text: str) -> str:
    r"""Return a text as TeX that may stand in mathematics, too; minus signs stay readable.

    Examples
    --------
    >>> tex_text("−0.5 R² of a_b")
    '−0.5 R\\ensuremath{^2} of a\\_b'
    """
    tex = latex_text(text).replace("$-$", "−")
    return re.sub(r"(?<!\\)\$(.*?)(?<!\\)\$", r"\\ensuremath{\1}", tex)


def write_numbers(path: Path, numbers: Mapping[str, str]) -> None:
    """Write a line for each number, sorted by key."""
    lines = (f"\\srset{{{key}}}{{{text}}}\n" for key, text in sorted(numbers.items()))
    write_atomically(path, "".join(lines))


def read_numbers(path: Path) -> dict[str, str]:
    """Return {key: TeX} of a file of numbers; an empty dictionary if there is no such file."""
    return dict(NUMBER_LINE.findall(path.read_text("utf-8", "replace"))) if path.is_file() else {}
