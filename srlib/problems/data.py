"""The rows behind a problem: from a generator, from files, or from PMLB with a split."""

import csv
import hashlib
import io
import warnings
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.files import cache_folder, contents, digest, sha256
from srlib.problems.generators import GENERATORS
from srlib.problems.manifest import Problem
from srlib.table_files import read_csv_text

SPLITS = 2**32 - 1  # scikit-learn's largest seed
UNREADABLE = (OSError, ValueError, EOFError, csv.Error, zlib.error)


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows of one purpose.

    Attributes
    ----------
    X : ndarray, shape (rows, features)
        Read-only.
    y : ndarray, shape (rows,)
        Read-only.
    """

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, eq=False)
class Partitions:
    """The data of one problem and seed.

    Attributes
    ----------
    train : Partition or None
        None where only the test rows are known.
    test : Partition
        What accuracy is measured on.
    extrapolation : Partition or None
        Rows outside the training range, where a problem keeps them apart.
    features : tuple of str
        Names of the columns of every X.
    sha256 : str
        Hash of all names and values, in hexadecimal.
    """

    train: Partition | None
    test: Partition
    extrapolation: Partition | None
    features: tuple[str, ...]
    sha256: str


def partitions(problem: Problem, data_seed: int | None = None) -> Partitions | None:
    """Get the rows of a problem for one seed.

    Parameters
    ----------
    problem : Problem
        From `load_problems`.
    data_seed : int, optional
        Seed of the generator or split, or part of a file's name; one of `problem.data_seeds`, if stated.

    Returns
    -------
    Partitions or None
        None where the problem has no data.

    Raises
    ------
    InputError
        Names the dataset, and the seed, file or column that does not fit.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> rows = partitions(load_problems("synthetic-2022").find("noise_easy"), 2082)
    >>> rows.train.X.shape, rows.test.y.shape
    ((51, 1), (949,))
    """
    if problem.data is None:
        return None
    if problem.data_seeds and data_seed not in problem.data_seeds:
        allowed = ", ".join(map(str, problem.data_seeds))
        raise InputError(
            f"dataset {problem.dataset}: data_seed must be one of {allowed}, got {data_seed}"
        )
    if data_seed is None and not (problem.data.files and not _seeded(problem)):
        raise InputError(
            f"dataset {problem.dataset}: a data_seed is needed to make or split its data"
        )
    return _partitions(problem, data_seed)


def data_digest(problem: Problem, data_seed: int | None) -> str:
    """Name the rows of a problem and seed without reading more than needed: files by their bytes.

    Another name means that the data may be others; the same name, that they are the same.
    """
    data = problem.data
    names = []
    if data is not None:
        names = [name.replace("{data_seed}", str(data_seed)) for name in data.files.values()]
    if data is not None and data.pmlb:
        names = [f"{data.pmlb}/{data.pmlb}.tsv.gz"]
    paths = [problem.root / name for name in names]
    if paths and all(path.is_file() for path in paths):
        return digest([_file_digest(path, path.stat().st_mtime_ns) for path in paths])
    found = partitions(problem, data_seed)
    return "" if found is None else found.sha256


@lru_cache(maxsize=4096)
def _file_digest(path: Path, changed: int) -> str:
    return sha256(path)


def domain_of(problem: Problem) -> dict[str, tuple[float, float]]:
    """Range of each feature: as stated, else as seen in the data of the first seed, else 1 to 5.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> domain_of(load_problems("synthetic-2022").find("noise_easy"))
    {'x1': (-10.0, 10.0)}
    """
    stated = dict(problem.domain or {})
    if set(problem.features) <= set(stated):
        return stated
    try:
        data = partitions(problem, problem.data_seeds[0] if problem.data_seeds else 0)
    except InputError:
        data = None
    if data is None:
        return {name: stated.get(name, (1.0, 5.0)) for name in problem.features}
    X = np.vstack([part.X for part in (data.train, data.test) if part is not None])
    return {
        name: stated.get(
            name, (float(low), float(high)) if low < high else (float(low) - 1, float(low) + 1)
        )
        for name, low, high in zip(problem.features, X.min(axis=0), X.max(axis=0), strict=True)
    }


def header(problem: Problem) -> list[str]:
    """Names of the columns of a problem's data, the target among them."""
    seed = problem.data_seeds[0] if problem.data_seeds else 0
    frame = next(iter(_frames(problem, seed).values()))
    return [str(name) for name in frame.columns]


@lru_cache(maxsize=32)
def _partitions(problem: Problem, data_seed: int | None) -> Partitions:
    frames = _frames(problem, data_seed)
    parts = {name: _select(problem, frame, name) for name, frame in frames.items()}
    sha = hashlib.sha256(repr(problem.features).encode())
    for name in sorted(parts):
        sha.update(f"{name} {parts[name].X.shape}".encode())
        sha.update(parts[name].X.tobytes())
        sha.update(parts[name].y.tobytes())
    return Partitions(
        train=parts.get("train"),
        test=parts["test"],
        extrapolation=parts.get("extrapolation"),
        features=problem.features,
        sha256=sha.hexdigest(),
    )


def _select(problem: Problem, frame: pd.DataFrame, partition: str) -> Partition:
    """Take features and target from a table, by name."""
    where = f"dataset {problem.dataset}, {partition} rows"
    target = problem.target or str(frame.columns[-1])
    for name in (*problem.features, target):
        if name not in frame.columns:
            raise InputError(
                f"{where}: column {name!r} is missing; got {', '.join(map(str, frame.columns))}"
            )
    try:
        X = np.ascontiguousarray(frame[list(problem.features)].to_numpy(dtype=float))
        y = np.ascontiguousarray(frame[target].to_numpy(dtype=float))
    except (TypeError, ValueError, OverflowError) as error:
        used = frame[[*problem.features, target]]
        texts = ", ".join(repr(n) for n in used.select_dtypes(exclude="number").columns[:5])
        raise InputError(
            f"{where}: only numbers were expected ({error}); text stands in {texts or 'a cell'}: state features "
            "without such columns, or write them as numbers"
        ) from error
    wrong, which = _gaps(problem, frame)
    if which or not len(y):
        more = f", {int(wrong.sum())} have gaps ({which})" if which else ""
        raise InputError(
            f"{where}: finite numbers in every row were expected, got {len(y)} rows{more}"
        )
    X.flags.writeable = y.flags.writeable = False
    return Partition(X, y)


def _gaps(problem: Problem, frame: pd.DataFrame) -> tuple[np.ndarray, str]:
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


def _frames(problem: Problem, seed: int | None) -> dict[str, pd.DataFrame]:
    data = problem.data
    assert data is not None
    if data.generator:
        try:
            return GENERATORS[data.generator](seed, **data.arguments)
        except (TypeError, ValueError, ArithmeticError, MemoryError, InputError) as error:
            message = str(error).split("() ")[-1]
            raise InputError(
                f"dataset {problem.dataset}: generator {data.generator}: {message}"
            ) from error
    if data.pmlb or data.file:
        if seed is not None and not 0 <= seed <= SPLITS:
            raise InputError(
                f"dataset {problem.dataset}: a data_seed from 0 to {SPLITS} was expected, got {seed}"
            )
        named = (data.file or "").replace("{data_seed}", str(seed))
        whole = _pmlb(problem, data.pmlb) if data.pmlb else _read(problem, "file", named)
        return _split(whole, data.train_share, seed)
    return {
        key: _read(problem, key, text.replace("{data_seed}", str(seed)))
        for key, text in data.files.items()
    }


def _read(problem: Problem, key: str, name: str) -> pd.DataFrame:
    path, where = problem.root / name, f"dataset {problem.dataset}, key 'data.{key}'"
    try:
        text, separator, _ = read_csv_text(path, problem.root)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(io.StringIO(text), sep=separator, index_col=False, low_memory=False)
    except FileNotFoundError as error:
        raise InputError(f"{where}: {path} does not exist") from error
    except (*UNREADABLE, InputError, pd.errors.ParserWarning, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{where}: {path} cannot be read as CSV ({reason})") from error


def _seeded(problem: Problem) -> bool:
    return problem.data is not None and any(
        "{data_seed}" in name or key == "file" for key, name in problem.data.files.items()
    )


def _split(frame: pd.DataFrame, share: float, seed: int | None) -> dict[str, pd.DataFrame]:
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(frame, train_size=share, random_state=seed)
    return {"train": pd.DataFrame(train), "test": pd.DataFrame(test)}


def _pmlb(problem: Problem, name: str) -> pd.DataFrame:
    """Read a PMLB dataset beside the problem file or in the cache, or fetch it into the cache."""
    from pmlb.pmlb import fetch_data
    from requests import RequestException

    local = problem.root / name / f"{name}.tsv.gz"
    folder = problem.root if local.is_file() else pmlb_cache()
    try:
        if local.is_file():
            contents(local, problem.root)
        # pmlb itself drops rows with gaps in place, which pandas is about to refuse
        return pd.DataFrame(fetch_data(name, local_cache_dir=str(folder), dropna=False)).dropna()
    except RequestException as error:
        raise InputError(
            f"dataset {problem.dataset}: {name} is not in {problem.root} nor in {folder}, and PMLB cannot "
            f"be reached; where there is a connection, fetch it (pmlb.fetch_data({name!r}, "
            f"local_cache_dir='pmlb')), then copy the folder pmlb/{name} there"
        ) from error
    except UNREADABLE as error:
        raise InputError(
            f"dataset {problem.dataset}: PMLB's {name}: {' '.join(str(error).split())}"
        ) from error


def pmlb_cache() -> Path:
    """Folder where fetched PMLB datasets are kept."""
    return cache_folder() / "pmlb"
