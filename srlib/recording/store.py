"""Recorded runs on disk: OUT/runs/KEY.json, written whole or not at all, and the table made of them."""

import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.files import digest, write_atomically
from srlib.problems import data_digest
from srlib.recording.run import Task
from srlib.recording.sources import source_digest, version_of
from srlib.table_files import write_frame
from srlib.tables import RUNS, conform, sorted_by

Row = dict[str, Any]
Key = dict[str, Any]
Identity = tuple[str, str, int]
COLUMNS = [
    *("method", "dataset", "repetition", "seed", "data_seed", "model", "names", "status", "reason"),
    *("r2_train", "r2_test", "training_time_s", "target_noise", "predictions"),
    *("method_version", "budget", "time_limit_s"),
]


PARTS = {
    "method": "its entry in the method file",
    "source": "its source",
    "version": "the version of its package",
    "problem": "the problem",
    "data": "the data",
    "seed": "the seed",
}


def keys_of(tasks: Sequence[Task]) -> list[Key]:
    """Name each run by its content: edit the method's entry or source, or the data, and it is another run."""
    methods = {task.method.name: task.method for task in tasks}
    made_of = {
        name: {"method": m.digest(), "source": source_digest(m), "version": version_of(m)}
        for name, m in methods.items()
    }
    seeds = {(task.problem.dataset, task.seed): task.problem for task in tasks}
    data = {at: data_digest(problem, at[1]) for at, problem in seeds.items()}
    return [
        {
            **made_of[task.method.name],
            "problem": task.problem.digest,
            "data": data[task.problem.dataset, task.seed],
            "dataset": task.problem.dataset,
            "repetition": task.repetition,
            "seed": task.seed,
        }
        for task in tasks
    ]


def load_row(out: Path, key: Key) -> Row | None:
    """Read a recorded run; None where there is none, or it was cut off, changed, or lost its predictions."""
    content = _read(_path(out, key))
    if content is None or content["key"] != key:
        return None
    predictions = content["row"]["predictions"]
    if predictions is None or _sound(out / predictions):
        return content["row"]
    return None


def save_row(out: Path, key: Key, row: Row, predictions: dict[str, np.ndarray] | None) -> Row:
    """Write a run, its predictions first, so that a file of a run is never without them."""
    if predictions is not None:
        relative = f"predictions/{digest(key)}.npz"
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **predictions)
        write_atomically(out / relative, buffer.getvalue())
        row = row | {"predictions": relative}
    content = {"key": key, "row": row, "checksum": digest(row)}
    write_atomically(_path(out, key), json.dumps(content, indent=1) + "\n")
    return row


def changes(out: Path, keys: Sequence[Key], methods: Sequence[str]) -> Counter[tuple[str, str]]:
    """Count, for each method, the runs that are recorded, but of something else, and what is other there.

    Returns
    -------
    Counter of (method, what)
        Of runs whose own file is missing, while another file has the same method, dataset and repetition.
    """
    recorded: dict[Identity, Key] = {}
    for content in _contents(out):
        recorded[_identity(content["row"])] = content["key"]
    found: Counter[tuple[str, str]] = Counter()
    for key, method in zip(keys, methods, strict=True):
        old = recorded.get((method, key["dataset"], key["repetition"]))
        if old is not None and not _path(out, key).is_file():
            other = [words for part, words in PARTS.items() if old.get(part) != key[part]]
            found[method, " and ".join(other)] += 1
    return found


def write_table(
    out: Path, keys: Sequence[Key], methods: Sequence[str]
) -> tuple[pd.DataFrame, Counter[str]]:
    """Make OUT/runs.parquet from the files of OUT/runs.

    Runs of a method that is among `methods` count only as it is now: under its present entry, source and
    version. Runs of other methods stay, the newest for each method, dataset and repetition.

    Returns
    -------
    DataFrame
        The runs, sorted by method, dataset and repetition.
    Counter of str
        By method, the recorded runs that are left out because they were made under other settings.
    """
    current = {_path(out, key).name for key in keys}
    settings = {name: _settings(key) for name, key in zip(methods, keys, strict=True)}
    rows: dict[Identity, Row] = {}
    older: dict[Identity, str] = {}
    for content in _contents(out, last=current):
        row, name = content["row"], content["row"]["method"]
        if name in settings and _settings(content["key"]) != settings[name]:
            older[_identity(row)] = name
        else:
            rows[_identity(row)] = row
    path = out / "runs.parquet"
    frame = pd.DataFrame(list(rows.values()), columns=pd.Index(COLUMNS))
    frame = sorted_by(conform(frame, RUNS, path), RUNS.key)
    write_frame(frame, path)
    return frame, Counter(name for identity, name in older.items() if identity not in rows)


def _contents(out: Path, last: Set[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Read every sound file of a run, the oldest first, those named in `last` at the end."""
    files = (out / "runs").glob("*.json")
    for path in sorted(files, key=lambda p: (p.name in last, p.stat().st_mtime_ns)):
        content = _read(path)
        if content is not None:
            yield content


def _identity(row: Row) -> Identity:
    return row["method"], row["dataset"], row["repetition"]


def _settings(key: Key) -> tuple[Any, ...]:
    return key.get("method"), key.get("source"), key.get("version")


def _sound(path: Path) -> bool:
    """Tell whether a file of predictions is there and not empty."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _path(out: Path, key: dict[str, Any]) -> Path:
    return out / "runs" / f"{digest(key)}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sound = content["checksum"] == digest(content["row"]) and set(content["row"]) == set(
            COLUMNS
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return content if sound else None
