"""Data of a problem: rows from a generator, from files, or from PMLB, split at random."""

import hashlib
import io
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError, ModelTextError, require
from srlib.files import cache_folder, digest
from srlib.problems.generators import GENERATORS, Tables, split_at_random
from srlib.problems.problem import Problem
from srlib.table_files import read_csv_text


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows of one partition, such as the training rows.

    Attributes
    ----------
    X : ndarray, shape (rows, features)
        Values of the features; read-only.
    y : ndarray, shape (rows,)
        Values of the target; read-only.
    """

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class Partitions:
    """All partitions of the data of one problem and seed.

    Attributes
    ----------
    train : Partition or None
        Training rows; None if only test rows are known.
    test : Partition
        Rows on which accuracy is measured.
    extrapolation : Partition or None
        Rows outside the training range; None if the problem has no such partition.
    features : tuple of str
        Names of the columns of each X.
    sha256 : str
        Hash of all names and values, in hexadecimal.
    """

    train: Partition | None = None
    test: Partition
    extrapolation: Partition | None = None
    features: tuple[str, ...]
    sha256: str


def partitions(problem: Problem, data_seed: int | None = None) -> Partitions | None:
    """Return the data of a problem for one seed.

    Parameters
    ----------
    problem : Problem
        Problem from `load_problems`.
    data_seed : int, optional
        Seed of the generator or split, or part of file names; one of `problem.data_seeds`, if there are any.

    Returns
    -------
    Partitions or None
        None if the problem has no data.

    Raises
    ------
    InputError
        When seed, file or column are invalid; the message names the dataset.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> rows = partitions(load_problems("synthetic-2022").find("noise_easy"), 2082)
    >>> rows.train.X.shape, rows.test.y.shape
    ((51, 1), (949,))
    """
    data = problem.data
    if data is None:
        return None
    allowed_seeds = ", ".join(map(str, problem.data_seeds))
    require(
        not allowed_seeds or data_seed in problem.data_seeds,
        f"{problem}: data_seed must be one of {allowed_seeds}, got {data_seed}",
    )
    paths = _data_files(problem, data_seed)
    needs_seed = not data.test or paths != _data_files(problem, 0)
    require(
        data_seed is not None or not needs_seed,
        f"{problem}: a data_seed is needed to make or split its data (key data_seeds)",
    )
    modified_times = tuple(path.stat().st_mtime_ns for path in paths.values() if path.exists())
    return _read_partitions(problem, data_seed, modified_times)


def domain_of(problem: Problem) -> dict[str, tuple[float, float]]:
    """Return the range of each feature: the stated one, else that in the data of the first seed, else 1 to 5.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> domain_of(load_problems("synthetic-2022").find("noise_easy"))
    {'x1': (-10.0, 10.0)}
    """
    stated_ranges = problem.domain or {}
    domain = dict.fromkeys(problem.features, (1.0, 5.0))
    needs_data = domain.keys() - stated_ranges.keys()
    with suppress(InputError):
        rows = partitions(problem, problem.first_seed) if needs_data else None
        if rows:
            X = np.vstack([part.X for part in (rows.train, rows.test) if part])
            for name, column in zip(problem.features, X.T, strict=True):
                low, high = float(column.min()), float(column.max())
                margin = float(low == high)  # a constant column gets a range, too
                domain[name] = low - margin, high + margin
    return domain | stated_ranges


def _data_files(problem: Problem, seed: int | None) -> dict[str, Path]:
    """Return paths of the data files of a seed, by key of `data`."""
    return {
        key: problem.root / name.replace("{data_seed}", str(seed))
        for key, name in problem.files.items()
    }


@lru_cache(maxsize=32)
def _read_partitions(
    problem: Problem, data_seed: int | None, modified_times: tuple[int, ...]
) -> Partitions:
    """Return the data of a problem; `modified_times` of files are part of the cache key, so that edits are noticed."""
    tables = read_tables(problem, data_seed)
    parts = {name: _select_columns(problem, table, name) for name, table in tables.items()}
    checksum = hashlib.sha256(repr(problem.features).encode())
    for name, part in sorted(parts.items()):
        checksum.update(f"{name} {part.X.shape}".encode() + part.X.tobytes() + part.y.tobytes())
    return Partitions(features=problem.features, sha256=checksum.hexdigest(), **parts)


def _select_columns(problem: Problem, table: pd.DataFrame, partition: str) -> Partition:
    """Return features and target from a table, by name; raise InputError unless all values are finite numbers."""
    source = f"{problem}, {partition} rows"
    names = [*problem.features, problem.target or str(table.columns[-1])]
    columns = ", ".join(map(str, table))
    for name in names:
        require(name in table, f"{source}: column {name!r} is missing; got {columns}")
    require(not table.empty, f"{source}: at least one row was expected, got none")
    cells = table[names]
    values = cells.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    for row, column in np.argwhere(~np.isfinite(values))[:1]:
        raise InputError(
            f"{source}: a finite number was expected in every cell, got {str(cells.iloc[row, column])!r} "
            f"in row {cells.index[row] + 1}, column {names[column]!r}"
        )
    X = np.ascontiguousarray(values[:, :-1])
    y = np.ascontiguousarray(values[:, -1])
    X.flags.writeable = y.flags.writeable = False
    return Partition(X, y)


def read_tables(problem: Problem, seed: int | None) -> Tables:
    """Return the rows of a problem, generated, read or split, as a table by partition."""
    data = problem.data
    assert data is not None
    try:
        if data.generator:
            stream: Any = seed
            if data.generator == "formula" and problem.noise_reference:  # rows of its own
                stream = [seed, int(digest(problem.dataset), 16)]
            return GENERATORS[data.generator](stream, **data.arguments)
        tables = {
            key: _read_csv(path, problem.root, f"{problem}, key 'data.{key}'")
            for key, path in _data_files(problem, seed).items()
        }
        if data.test:
            return tables
        table = tables["file"] if data.file else _read_pmlb(problem, str(data.pmlb))
        return split_at_random(table, data.train_share, seed)
    except (
        TypeError,
        AttributeError,
        LookupError,
        ValueError,
        ArithmeticError,
        ModelTextError,
    ) as error:
        # arguments that the generator does not know; a formula that is not finite; a seed that is too large
        operation = f"generator {data.generator}" if data.generator else "the split"
        raise InputError(f"{problem}: {operation}: {error}") from error


def _read_csv(path: Path, root: Path, source: str) -> pd.DataFrame:
    """Return a CSV file as a table; the file, after following links, has to be in the folder `root`."""
    try:
        text, separator, _ = read_csv_text(path, root)
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            return pd.read_csv(io.StringIO(text), sep=separator, index_col=False, low_memory=False)
    except FileNotFoundError as error:
        raise InputError(f"{source}: {path} does not exist") from error
    except (OSError, ValueError, InputError, pd.errors.ParserWarning) as error:
        raise InputError(f"{source}: {path} cannot be read as CSV ({error})") from error


def _read_pmlb(problem: Problem, name: str) -> pd.DataFrame:
    """Return complete rows of a PMLB dataset, from `problem.root`, else from the cache, where it is downloaded to."""
    file = f"{name}/{name}.tsv.gz"
    cache = cache_folder() / "pmlb"
    root = problem.root if (problem.root / file).is_file() else cache
    if not (root / file).is_file():
        from pmlb.pmlb import fetch_data  # takes a second to import

        try:
            fetch_data(name, local_cache_dir=str(cache))
        except OSError as error:
            raise InputError(
                f"{problem}, key 'data.pmlb': {name} is not in {problem.root} nor in {cache}, and PMLB cannot be "
                f"reached; where there is a connection, fetch it (pmlb.fetch_data({name!r}, local_cache_dir='pmlb')), "
                f"then copy the folder pmlb/{name} there"
            ) from error
    return _read_csv(root / file, root, f"{problem}, key 'data.pmlb'").dropna()
