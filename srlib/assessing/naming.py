"""Which features the names in a model's text mean: settled for each text, by evidence that is written down."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.choosing import as_read, choose, insist, readable, short
from srlib.assessing.dataset import Dataset
from srlib.assessing.reading import Reading
from srlib.assessing.store import Results, Store, Wanted
from srlib.assessing.table import rows_of
from srlib.errors import ModelTextError
from srlib.expressions import parse, positions
from srlib.expressions.reading.names import STATED, Positions

REMEMBERED = 20_000  # texts, of which the next rows may have some
BASES = {"x0": "auto", "x1": "auto-x1"}
Told = dict[str, str]  # by base, where it was seen


def settle(
    runs: pd.DataFrame,
    found: dict[str, Dataset],
    folder: Path | None,
    store: Store,
    given: pd.DataFrame,
) -> list[Reading]:
    """Settle how each run's text names its features.

    In this order: what the table states; the text itself (exact feature names first); the run's stored predictions and
    reported R2, where only one reading gives them; the method's other texts, on features without such names;
    the fit to the training rows; from 0. A text in the features' own names is never read as positions.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0, with the seed of its data in `data_seed`.
    found : dict of str to Dataset
        Every dataset of the runs given.
    folder : Path or None
        Where relative paths of predictions start.
    store : Store
        Evaluates both readings of a text that does not tell.
    given : pandas.DataFrame
        The runs, and below them others whose texts may tell.
    """
    texts = _texts(given, found)
    own = texts.iloc[: len(runs)]
    result = [
        Reading(stated, "stated") if isinstance(stated, str) else _by_text(seen)
        for stated, seen in zip(own["stated"], own["shown"], strict=True)
    ]
    open_ones = [i for i, reading in enumerate(result) if reading.evidence == "open"]
    rivals = dict.fromkeys(open_ones, ("auto", "auto-x1")) | _contradicted(texts, result)
    cells = _cells(texts, open_ones)
    told = _told(texts, found, {method for method, _ in cells})
    by_cell = {(m, d): _others(told.get(m, {}), d) for m, d in set(cells)}
    others = {i: by_cell[cell] for i, cell in zip(open_ones, cells, strict=True)}
    weighed = _weigh(runs, found, folder, store, rivals, others)
    for position, row in rows_of(runs.iloc[list(rivals)]):
        features = found[row["dataset"]].problem.features  # type: ignore[union-attr]
        values = weighed.get(position, {})
        result[position] = (
            choose(row, features, values, others[position])
            if position in others
            else insist(row, features, values)
        )
    return result


def _texts(given: pd.DataFrame, found: dict[str, Dataset]) -> pd.DataFrame:
    """Put beside each text what is stated of it, and what it shows."""
    return given.assign(
        stated=given["names"].where(given["names"].isin(STATED)) if "names" in given else None,
        shown=pd.Series(_shown(given, found), dtype=object),
    )


def _cells(table: pd.DataFrame, rows: list[int]) -> list[tuple[str, str]]:
    """Look up method and dataset of some rows."""
    chosen = table[["method", "dataset"]].iloc[rows]
    return list(chosen.itertuples(index=False, name=None))


def _shown(runs: pd.DataFrame, found: dict[str, Dataset]) -> list[Positions | None]:
    """Find what each text shows by itself; equal texts on equal features are looked at once."""
    known: dict[tuple[Any, str], Positions | None] = {}
    equal: dict[Positions | None, Positions | None] = {}  # of a million, few differ
    result: list[Positions | None] = []
    for dataset, text in zip(runs["dataset"], runs["model"], strict=True):
        problem = found[dataset].problem
        if problem is None or not isinstance(text, str):
            result.append(None)
            continue
        key = problem.features, text
        if key not in known:
            if len(known) >= REMEMBERED:
                known.clear()
            try:
                seen = positions(as_read(text, problem.features), problem.features)
            except ModelTextError:
                seen = None
            known[key] = equal.setdefault(seen, seen)
        result.append(known[key])
    return result


@lru_cache(maxsize=4096)
def _by_text(seen: Positions | None) -> Reading:
    if seen is None:
        return Reading("auto", "own")
    if len(seen.bases) == 2:
        return Reading("auto", "open")
    return Reading(seen.bases[0] if seen.bases else "auto", "text")


def _contradicted(texts: pd.DataFrame, result: list[Reading]) -> dict[int, tuple[str, str]]:
    """Texts in the features' own names, such as x1, beside a text of the same cell that counts such names from 0."""
    counted = [
        i
        for i, seen in enumerate(texts["shown"])
        if seen is not None and seen.lowest == 0 and seen.tells is None and seen.bases
    ]
    zero = set(_cells(texts, counted))
    if not zero:
        return {}
    there = texts["model"].notna().to_numpy()
    own = [i for i, reading in enumerate(result) if reading.evidence == "own" and there[i]]
    cells = zip(own, _cells(texts, own), strict=True)
    return {i: ("auto", "x0") for i, cell in cells if cell in zero}


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
        elif not isinstance(stated, str) and what is not None and what.tells is not None:
            seen.setdefault((method, dataset, what.tells), []).append((repetition, text))
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


def _others(told: dict[str, Told], dataset: str) -> tuple[str, str] | None:
    """Find the base that a method's texts show, and where: on this dataset, else on all; None if they differ."""
    everywhere: Told = {}
    for bases in told.values():
        everywhere = bases | everywhere
    for bases in (told.get(dataset, {}), everywhere):
        if bases:
            if len(bases) == 1:
                return next(iter(bases.items()))
            return None
    return None


def _weigh(
    runs: pd.DataFrame,
    found: dict[str, Dataset],
    folder: Path | None,
    store: Store,
    rivals: dict[int, tuple[str, str]],
    others: dict[int, tuple[str, str] | None],
) -> dict[int, dict[str, dict[str, Any]]]:
    """Evaluate both readings where that may tell: R2 by partition and `matches`, by position and reading."""
    weighed: dict[int, dict[str, dict[str, Any]]] = {}

    def planned() -> Iterator[tuple[int, Wanted]]:
        for position, row in rows_of(runs.iloc[list(rivals)]):
            dataset = found[row["dataset"]]
            problem = dataset.problem
            reported = any(not pd.isna(row.get(n)) for n in ("r2_test", "r2_train", "predictions"))
            if others.get(position) is not None and not reported:
                continue
            if problem is None or problem.data is None or row["status"] != "ok":
                continue
            row["data_seed"] = None if pd.isna(row["data_seed"]) else int(row["data_seed"])
            wanted: Wanted = {}
            for names in rivals[position]:
                try:
                    model = parse(row["model"], problem.features, names=names)
                except ModelTextError:
                    break
                tasks = dataset.on_data(row, model, folder)
                wanted |= {f"{operation} {names}": task for operation, task in tasks.items()}
            else:
                yield position, wanted

    def finish(position: int, results: Results) -> None:
        values = weighed[position] = {names: {} for names in rivals[position]}
        for key, record in results.items():
            if record["status"] == "ok":
                values[key.split()[1]] |= record["value"]

    if rivals:
        store.work(planned(), finish)
    return weighed
