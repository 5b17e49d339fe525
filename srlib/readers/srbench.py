"""Readers of SRBench's results: folders of JSON files, one per run, and published tables of aggregates."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.files import contents, list_files, printable
from srlib.progress import progress
from srlib.prose import first_of
from srlib.readers.row_checks import check_measures
from srlib.table_files import summarize_error

# rows with a truth and the column target_noise get NAME@LEVEL as dataset, as SRBench counts them
TRUTH_COLUMN = "true_model"
FLAG_KEYS = [
    "symbolic_error_is_zero",
    "symbolic_error_is_constant",
    "symbolic_fraction_is_constant",
]
NUMBER_KEYS = (
    "random_state time_time target_noise model_size r2_train r2_test simplified_complexity"
)
IDENTITY_KEYS = {"dataset", "algorithm", "random_state"}
KEYS = [  # of a run that are read
    *f"dataset algorithm {TRUTH_COLUMN} symbolic_model simplified_symbolic_model".split(),
    *NUMBER_KEYS.split(),
    *FLAG_KEYS,
]
LEVEL_PATTERN = r"_target-noise(.+?)(?:_feature-noise.*)?\.json"  # in the name of a file
TASK_PATTERN = r"^(\d+)_(.+?)_data(?:_train)?$"  # the 2022 competition's datasets: SEED_TASK_data
NO_RUNS = "this folder holds no table and no JSON files of runs"
ASPECT_NAMES = {
    "r2_test": "r2_test",
    "model_size": "complexity_raw",
    "training time (s)": "training_time_s",
    "rmse_test": "rmse_test",
    "symbolic_solution_rate_(%)": "solution",
    "accuracy_solution": "accuracy_solution",
}


def find_json(folder: Path) -> list[str]:
    """Return paths of the runs in a folder, relative to it; an assessed run (.json.updated) replaces the raw one."""
    runs = {
        path.relative_to(folder).as_posix()
        for path in list_files(folder, "**/*.json*")
        if path.name.endswith((".json", ".json.updated"))
    }
    return sorted(
        name for name in runs if f"{name}.updated" not in runs and "cv_results" not in name
    )


def read_json_folder(folder: Path) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return all runs of a folder, and why files cannot be read.

    Returns
    -------
    pandas.DataFrame, dict of str to str
        Table with the columns of SRBench's feather files, `file` and `row`; the fault of each unreadable file by name.

    Raises
    ------
    InputError
        When no file can be read.
    """
    rows, faults, names = [], dict[str, str](), find_json(folder)
    for name in progress(names, len(names), "files read"):
        try:
            rows.append(_read_run(folder, name))
        except Exception as error:  # files of others may hold anything
            faults[printable(name)] = f"not a run's JSON file ({summarize_error(error)})"
    if not rows:
        sentences = [f"{name}: {fault}" for name, fault in faults.items()]
        raise InputError(first_of(sentences, most=1) or NO_RUNS, folder)
    frame = pd.DataFrame(rows, columns=[*KEYS, "file", "row"])
    frame = frame.rename(columns={"time_time": "training time (s)"})
    levels = frame["file"].str.extract(LEVEL_PATTERN)[0].astype("float64")
    frame["target_noise"] = frame["target_noise"].astype("float64").fillna(levels)
    flags = frame[FLAG_KEYS]  # as in SRBench's own tables
    frame["symbolic_solution"] = flags.eq(True).any(axis=1).where(flags.notna().any(axis=1))
    tasks = frame["dataset"].astype("str").str.extract(TASK_PATTERN)
    if tasks[0].notna().any():  # the repetitions of 2022 are the seeds of the data
        frame["seed"], frame["data_seed"] = frame["random_state"], tasks[0].astype("float64")
        frame["random_state"] = frame["data_seed"].fillna(frame["random_state"])
        frame["dataset"] = tasks[1].fillna(frame["dataset"])
    return frame, faults


def _read_run(folder: Path, name: str) -> dict[str, Any]:
    """Return the run in a file as a row; a faulty file may raise any error."""
    content = json.loads(contents(folder / name, folder))
    row = {key: content[key] for key in KEYS if content.get(key) is not None}
    json.dumps(row, ensure_ascii=False).encode()  # raises an error for half of a surrogate pair
    numbers = {key: float(row[key]) for key in NUMBER_KEYS.split() if key in row}
    if missing := IDENTITY_KEYS - row.keys():
        raise ValueError(f"{' and '.join(sorted(missing))} missing")
    return row | numbers | {"file": printable(name), "row": 1}


def is_published(columns: set[str]) -> bool:
    """Return whether columns are those of SRBench's aggregates: `algorithm`, `dataset`, a metric, and no model text."""
    return (
        {"algorithm", "dataset"} <= columns
        and "symbolic_model" not in columns
        and any(name in columns for name in ASPECT_NAMES)
    )


def published_measures(
    frame: pd.DataFrame, path: Path, damage: Mapping[int, str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return a published table as measures of repetition 0, and a sentence about each value that cannot be read.

    Rates become shares, and datasets `NAME@LEVEL`. The star before names of symbolic methods is removed.

    Raises
    ------
    InputError
        When no value can be read; the message names file, row or column, what was expected and what was found.
    """
    methods = frame["algorithm"].astype("str").str.removeprefix("*")
    datasets = name_levels(frame) if "target_noise" in frame else frame["dataset"].astype("str")
    keys = pd.DataFrame({"method": methods, "dataset": datasets})
    if "data_group" in frame:
        keys["group"] = frame["data_group"].astype("str")
    keys = keys.assign(repetition=0, file=printable(path.name), row=range(1, len(frame) + 1))
    measures = keys.join(frame[[name for name in ASPECT_NAMES if name in frame]])
    measures, faults = check_measures(measures.melt([*keys], var_name="aspect"), path, damage)
    is_percent = measures["aspect"].str.endswith("(%)")
    values = measures["value"].mask(is_percent, measures["value"] / 100)
    return measures.assign(value=values, aspect=measures["aspect"].map(ASPECT_NAMES)), faults


def name_levels(frame: pd.DataFrame) -> pd.Series:
    """Return names of datasets, with the noise level as in NAME@0.01 if a dataset has a truth or noise.

    In a table without the column true_model, all datasets have a truth.
    """
    datasets = frame["dataset"].astype("str")
    levels = pd.to_numeric(frame["target_noise"], errors="coerce").fillna(0).astype("float64")
    datasets_with_truth = datasets[frame.get(TRUTH_COLUMN, datasets).notna()]
    names = datasets + "@" + levels.map("{:g}".format).astype("str")
    return datasets.mask(datasets.isin(datasets_with_truth) | (levels > 0), names)
