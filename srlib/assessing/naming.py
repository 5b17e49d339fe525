"""Which features the names in a model's text mean: settled for each text, by evidence that is written down."""

from functools import lru_cache
from typing import Any

import pandas as pd

from srlib.assessing.dataset import Dataset
from srlib.assessing.reading import START, Reading
from srlib.errors import ModelTextError
from srlib.expressions import parse, positional_bases
from srlib.expressions.names import TABLE_NAMES
from srlib.expressions.python_text import formula_of

EXCERPT = 60
REMEMBERED = 20_000  # texts, of which the next rows may have some
BASES = {"x0": "auto", "x1": "auto-x1"}
STARTS = {0: "auto", 1: "auto-x1"}  # by base, how such texts are read
NO_BASES: frozenset[int] = frozenset()
Told = dict[str, str]  # by base, where it was seen


def settle(
    runs: pd.DataFrame,
    found: dict[str, Dataset],
    given: pd.DataFrame,
) -> list[Reading]:
    """Settle how each run's text names its features.

    In this order: what the table states; the text itself (exact feature names first); the method's other texts;
    from 0. A text in the features' own names is never read as positions.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0.
    found : dict of str to Dataset
        Every dataset of the runs given.
    given : pandas.DataFrame
        The runs, and below them others whose texts may tell.
    """
    texts = _texts(given, found)
    own = texts.iloc[: len(runs)]
    result = [
        Reading(stated, "stated") if isinstance(stated, str) else _by_text(seen)
        for stated, seen in zip(own["stated"], own["shown"], strict=True)
    ]
    open_ones = [i for i, reading in enumerate(result) if reading.evidence == "default"]
    cells = _cells(texts, open_ones)
    told = _told(texts, found, {method for method, _ in cells})
    by_cell = {(m, d): _others(told.get(m, {}), d) for m, d in set(cells)}
    for i, cell in zip(open_ones, cells, strict=True):
        result[i] = by_cell[cell] or result[i]
    return result


def _texts(given: pd.DataFrame, found: dict[str, Dataset]) -> pd.DataFrame:
    """Put beside each text what is stated of it, and what it shows."""
    return given.assign(
        stated=given["names"].where(given["names"].isin(TABLE_NAMES)) if "names" in given else None,
        shown=pd.Series(_shown(given, found), dtype=object),
    )


def _cells(table: pd.DataFrame, rows: list[int]) -> list[tuple[str, str]]:
    """Look up method and dataset of some rows."""
    chosen = table[["method", "dataset"]].iloc[rows]
    return list(chosen.itertuples(index=False, name=None))


def _shown(runs: pd.DataFrame, found: dict[str, Dataset]) -> list[frozenset[int]]:
    """Find what each text shows by itself; equal texts on equal features are looked at once."""
    known: dict[tuple[Any, str], frozenset[int]] = {}
    result: list[frozenset[int]] = []
    for dataset, text in zip(runs["dataset"], runs["model"], strict=True):
        problem = found[dataset].problem
        if problem is None or not isinstance(text, str):
            result.append(NO_BASES)
            continue
        key = problem.features, text
        if key not in known:
            if len(known) >= REMEMBERED:
                known.clear()
            try:
                seen = positional_bases(as_read(text, problem.features), problem.features)
            except ModelTextError:
                seen = NO_BASES
            known[key] = seen
        result.append(known[key])
    return result


@lru_cache(maxsize=4096)
def _by_text(bases: frozenset[int]) -> Reading:
    if not bases:
        return Reading("auto", "own")
    if len(bases) == 2:
        note = "can be read from x0 and from x1; read from x0, as nothing tells: state names"
        return Reading("auto", "default", note)
    return Reading(STARTS[min(bases)], "text")


def _told(
    texts: pd.DataFrame, found: dict[str, Dataset], methods: set[str]
) -> dict[str, dict[str, Told]]:
    """By method and dataset: which bases its texts show, each with the first text that does."""
    seen: dict[tuple[str, str, str], list[tuple[Any, ...]]] = {}
    columns = ("method", "dataset", "repetition", "model", "stated", "shown")
    chosen = texts[texts["method"].isin(methods)]
    for method, dataset, repetition, text, stated, what in zip(
        *(chosen[name] for name in columns), strict=True
    ):
        if stated in BASES:
            seen.setdefault((method, dataset, BASES[stated]), []).append((repetition, ""))
        elif not isinstance(stated, str) and len(what) == 1:
            seen.setdefault((method, dataset, STARTS[min(what)]), []).append((repetition, text))
    result: dict[str, dict[str, Told]] = {}
    for (method, dataset, base), candidates in sorted(seen.items()):
        problem = found[dataset].problem
        for repetition, text in sorted(candidates):
            if text == "" or (problem is not None and readable(text, problem.features, base)):
                what = "stated" if text == "" else repr(short(text))
                where = f"{what}, dataset {dataset}, repetition {repetition}"
                result.setdefault(method, {}).setdefault(dataset, {})[base] = where
                break
    return result


def _others(told: dict[str, Told], dataset: str) -> Reading | None:
    """Read from where a method's texts count, on this dataset, else on all; None if they differ or do not tell."""
    everywhere: Told = {}
    for bases in told.values():
        everywhere = bases | everywhere
    bases = told.get(dataset) or everywhere
    if len(bases) != 1:
        return None
    names, where = next(iter(bases.items()))
    rest = "x1" if names == "auto" else "x0"
    return Reading(
        names,
        "others",
        f"can be read from x0 and from x1; read from {START[names]}, as other texts of the method are ({where}), "
        f"and not from {rest}",
    )


def readable(text: str, features: tuple[str, ...], names: str) -> bool:
    """Whether a text can be read in that way."""
    try:
        parse(text, features, names=names)
    except ModelTextError:
        return False
    return True


def short(text: str) -> str:
    """Cut a text to what fits into a sentence."""
    text = " ".join(text.split())
    if len(text) <= EXCERPT:
        return text
    return text[: EXCERPT - 3] + "..."


def as_read(text: str, features: tuple[str, ...]) -> str:
    """Give the text that is parsed: as it stands, or the formula of a function in Python."""
    return formula_of(text, features) or text
