"""SRBench's folders of JSON files, one run a file: as run (.json) and as assessed (.json.updated)."""

import hashlib
import json
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import json as arrow_json

from srlib.errors import InputError
from srlib.files import printable
from srlib.progress import progress
from srlib.readers.layout import load_layout

TEXTS = ("dataset", "algorithm", "true_model", "symbolic_model", "simplified_symbolic_model")
NUMBERS = (
    "random_state", "time_time", "target_noise", "model_size", "r2_train", "r2_test", "simplified_complexity",
)  # fmt: skip
FLAGS = ("symbolic_error_is_zero", "symbolic_error_is_constant", "symbolic_fraction_is_constant")
SCHEMA = pa.schema(
    [
        (name, kind)
        for names, kind in (
            (TEXTS, pa.string()),
            (NUMBERS, pa.float64()),
            (FLAGS, pa.bool_()),
        )
        for name in names
    ]
)
CHUNK, USUAL_BYTES = 500, 2**14
NAME = re.compile(
    r"(.+)_(\d+)(?:_target-noise([\d.e-]+))?(?:_feature-noise[\d.e-]+)?\.json(?:\.updated)?"
)
TASK = re.compile(r"(\d+)_(.+?)_data(?:_train)?")  # the 2022 competition's datasets: SEED_TASK_data


def find(folder: Path) -> list[str]:
    """Paths of a folder's runs, relative to it, sorted; an assessed run takes the place of the raw one."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] != "."]
        start = ""
        if place != str(folder):
            start = f"{Path(place).relative_to(folder).as_posix()}/"
        here = {
            name
            for name in names
            if name.endswith((".json", ".json.updated")) and "cv_results" not in name
        }
        found += [start + name for name in here if f"{name}.updated" not in here]
    return sorted(found)


def read(folder: Path) -> tuple[pd.DataFrame, str]:
    """Read all runs of a folder, in chunks and threads; what cannot be read becomes a failed run with its reason.

    Returns
    -------
    runs : pandas.DataFrame
        Runs, with `file` and `row`, and SRBench's own findings; see the layout `srbench` on noise.
    sha256 : str
        Of the names and contents of the files.
    """
    paths = find(folder)
    chunks = [(folder, paths[start : start + CHUNK]) for start in range(0, len(paths), CHUNK)]
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as threads:
        read_chunks = threads.map(_read_chunk, chunks)
        parts, hashes = zip(
            *progress(read_chunks, len(chunks), f"chunks of {CHUNK} files read"), strict=True
        )
    frame = pd.concat(parts, ignore_index=True)
    if frame["target_noise"].isna().any():
        named = frame["file"].str.extract(NAME)[2].astype("float64")
        frame["target_noise"] = frame["target_noise"].fillna(named)
    runs = load_layout("srbench").as_runs(
        _without_seeds(frame).rename(columns={"time_time": "training time (s)"})
    )
    return runs.assign(row=1), hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _without_seeds(frame: pd.DataFrame) -> pd.DataFrame:
    """In the 2022 competition the dataset is SEED_TASK_data, and the repetitions are those seeds."""
    tasks = frame["dataset"].str.extract(f"^{TASK.pattern}$")
    found = tasks[0].notna()
    if not found.any():
        return frame
    data_seed = tasks[0].astype("float64")
    return frame.assign(
        seed=frame["random_state"],
        data_seed=data_seed,
        random_state=data_seed.fillna(frame["random_state"]),
        dataset=tasks[1].fillna(frame["dataset"]),
    )


def _read_chunk(job: tuple[Path, list[str]]) -> tuple[pd.DataFrame, str]:
    """Read some files: all at once as Arrow does it, or one by one where that fails."""
    folder, names = job
    texts = [_bytes(f"{folder}{os.sep}{name}") for name in names]
    hashes = "\n".join(
        f"{name} {hashlib.sha256(text).hexdigest()}"
        for name, text in zip(names, texts, strict=True)
    )
    frame = _read_together(texts)
    if frame is None:
        frame = pd.DataFrame([_read_one(*pair) for pair in zip(names, texts, strict=True)])
    return frame.assign(file=list(map(printable, names))), hashes


def _read_together(texts: list[bytes]) -> pd.DataFrame | None:
    if not all(text[:1] == b"{" and text.rstrip()[-1:] == b"}" for text in texts):
        return None
    how = arrow_json.ParseOptions(
        explicit_schema=SCHEMA, newlines_in_values=True, unexpected_field_behavior="ignore"
    )
    whole = pa.BufferReader(b"\n".join(texts))
    try:
        size = arrow_json.ReadOptions(use_threads=False, block_size=max(whole.size(), 1))
        frame = arrow_json.read_json(whole, size, how).to_pandas()
    except pa.ArrowException:
        return None
    if len(frame) != len(texts) or frame[["dataset", "algorithm"]].isna().any(axis=None):
        return None
    seeds = frame["random_state"]
    if ((seeds % 1 == 0) & (seeds.abs() < 2**53)).all():
        return frame
    return None


def _read_one(name: str, text: bytes) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(SCHEMA.names)
    try:
        content = json.loads(text)
        if not isinstance(content, dict):
            raise ValueError(f"an object was expected, got {type(content).__name__}")
        for key, value in content.items():
            if key in NUMBERS and value is not None:
                number = float(value)
                if key == "random_state" and not (number % 1 == 0 and abs(number) < 2**53):
                    raise ValueError(f"{key} must be a whole number below 2**53, got {number}")
                row[key] = number
            elif key in FLAGS and not isinstance(value, bool | None):
                raise ValueError(f"{key} must be true or false, got {str(value)[:60]!r}")
            elif key in row and value is not None:
                str(value).encode()  # half of a character is no text
                row[key] = value if isinstance(value, bool) else str(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        row |= {
            "status": "failed",
            "reason": f"not a readable JSON file: {' '.join(str(error).split())[:160]}",
        }
    row |= {key: value for key, value in identity(name).items() if row[key] is None}
    if any(row[key] is None for key in ("dataset", "algorithm", "random_state")):
        row["reason"] = (
            "neither its content nor its name says which run it is; "
            "a file DATASET_METHOD_SEED.json in a folder DATASET was expected"
        )
    return row


def identity(name: str) -> dict[str, Any]:
    """Take what the path DATASET/METHOD_.../DATASET_METHOD_SEED_target-noiseX.json says about its run."""
    *folders, last = name.split("/")
    match = NAME.fullmatch(last)
    dataset = next(
        (folder for folder in folders if match and match[1].startswith(f"{folder}_")), None
    )
    if match is None or dataset is None:
        return {}
    return {
        "dataset": dataset,
        "algorithm": match[1][len(dataset) + 1 :],
        "random_state": float(match[2]),
    }


def _bytes(path: str) -> bytes:
    """Read a small file with as few calls as the system allows: opening files bounds the speed of all this."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise InputError(
                f"{path}: a regular file was expected, not a folder, a pipe or a device"
            )
        parts = [os.read(handle, USUAL_BYTES)]
        while len(parts[-1]) == (USUAL_BYTES if len(parts) == 1 else 2**20):
            parts.append(os.read(handle, 2**20))
        return b"".join(parts)
    finally:
        os.close(handle)
