"""Text columns and gaps in data files: refused by name, or treated as a problem's keys `texts` and `gaps` say."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.problems.manifest import Problem

MOST = 50  # texts of a column that become columns of their own
Frames = Mapping[str, pd.DataFrame]


def text_columns(problem: Problem, frames: Frames) -> dict[str, tuple[str, ...]]:
    """Find the columns of text, and the columns of 0 and 1 that each becomes.

    The target and the column of a series are none of them. With `texts: leave_out` a column becomes nothing; with
    `one_hot` a column COLUMN_TEXT for each text, where stated features name it; with `refuse`, the default, nothing
    is done.

    Raises
    ------
    InputError
        When a column has too many texts, or two of them would have one name.
    """
    data = problem.data
    if data is None or data.texts == "refuse":
        return {}
    first = next(iter(frames.values()))
    target = problem.target or str(first.columns[-1])
    apart, found = {target, problem.series}, dict[str, tuple[str, ...]]()
    for name in map(str, first.columns):
        parts = [frame[name] for frame in frames.values() if name in frame]
        if name in apart or all(pd.api.types.is_numeric_dtype(part) for part in parts):
            continue
        texts = sorted(set(pd.concat(parts).dropna().astype("str")))
        if data.texts == "leave_out":
            found[name] = ()
            continue
        columns = tuple(_column(name, text) for text in texts)
        if problem.features and not {name, *columns} & set(problem.features):
            continue
        if len(texts) > MOST:
            raise InputError(
                f"dataset {problem.dataset}: column {name!r} has {len(texts)} different texts, {MOST} at most can "
                "become columns (texts: one_hot); state features without it, or texts: leave_out"
            )
        found[name] = columns
        if len({*found[name], *map(str, first.columns)}) < len(texts) + len(first.columns):
            raise InputError(
                f"dataset {problem.dataset}: the texts of column {name!r} do not give columns of different names"
            )
    return found


def tidied(problem: Problem, frames: Frames) -> dict[str, pd.DataFrame]:
    """Put columns of 0 and 1 in the place of text columns, as `text_columns` says; a gap stays one."""
    columns = text_columns(problem, frames)
    if not columns:
        return dict(frames)
    result = {}
    for partition, frame in frames.items():
        parts = []
        for name in map(str, frame.columns):
            if name not in columns:
                parts.append(frame[[name]])
                continue
            texts = frame[name].astype("str").map(lambda text, name=name: _column(name, str(text)))
            one = {new: (texts == new).astype("float64") for new in columns[name]}
            parts.append(pd.DataFrame(one, frame.index).mask(frame[name].isna(), np.nan))
        result[partition] = pd.concat(parts, axis=1)
    return result


def gaps(problem: Problem, frame: pd.DataFrame) -> tuple[np.ndarray, str]:
    """Find the rows with a gap in a column that is used, and say which columns and rows these are.

    Parameters
    ----------
    problem : Problem
        Its features and target are used.
    frame : pandas.DataFrame
        Numbers only.

    Returns
    -------
    rows : array of bool
        Where a value is missing or infinite.
    said : str
        'rows 2, 3; columns a, b', numbered from 1 without the header; empty where there is none.
    """
    names = [*problem.features, problem.target or str(frame.columns[-1])]
    wrong = ~np.isfinite(frame[names].to_numpy(dtype=float))
    rows = np.asarray(wrong.any(axis=1))
    if not rows.any():
        return rows, ""
    columns = ", ".join(repr(n) for i, n in enumerate(names) if wrong[:, i].any())
    numbers = sorted(frame.index[rows])  # as in the file, also where a seed splits it
    shown = ", ".join(str(number + 1) for number in numbers[:5])
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    return rows, f"rows {shown}{more}; columns {columns}"


def _column(name: str, text: str) -> str:
    return re.sub(r"\W+", "_", f"{name}_{text}")
