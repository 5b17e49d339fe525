"""The project's own layout: one row a run, an assessment or a measure, with the design's column names."""

from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.tables import ASSESSMENTS, DIGESTS, MEASURED, MEASURES, RUNS, conform


def recognises(columns: set[str]) -> bool:
    """Every table is taken for tidy unless another layout claims it; what it lacks is then named."""
    return True


def is_assessment(columns: set[str]) -> bool:
    """Tell assessments from raw runs by the columns that only assessing writes."""
    return set(DIGESTS) <= columns


def is_measure(columns: set[str]) -> bool:
    """Tell measures from runs: one value a row, and which aspect it is of."""
    return {"aspect", "value"} <= columns


def read(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Check assessments or measures; `InputError` names file, row or column, what was allowed and what came."""
    columns = set(frame.columns)
    begun = [name for name in DIGESTS if name in columns]
    absent = [name for name in ASSESSMENTS.required if name in MEASURED and name not in columns]
    if begun and absent and not is_measure(columns):
        raise InputError(
            f"{path}: column {absent[0]!r} is missing: with {begun[0]!r} this is a table of assessments, which "
            f"hold {', '.join(MEASURED)}; a table of runs does without {' and '.join(DIGESTS)}"
        )
    return conform(frame, MEASURES if is_measure(columns) else ASSESSMENTS, path)


def sources(columns: set[str]) -> tuple[tuple[str, str], ...]:
    """Columns of the contract, and the columns of a table that each is taken from."""
    empty = pd.DataFrame(columns=sorted(columns))
    found = zip(as_runs(empty).columns, empty.columns, strict=True)
    return tuple((ours, f"column {theirs!r}") for ours, theirs in found if ours in RUNS.columns)


def as_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns that differ by case and blanks only the names of the contract."""
    plain = {str(column): str(column).strip().lower().replace(" ", "_") for column in frame.columns}
    renamed = {
        column: name
        for column, name in plain.items()
        if name in RUNS.columns and name not in plain and list(plain.values()).count(name) == 1
    }
    return frame.rename(columns=renamed)


def completed(frame: pd.DataFrame, path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Fill in what a table of datasets and models leaves out, and say so: method and repetition.

    The method is then the file's name; the repetition is the seed, where no two runs of a cell share one, else the
    place among the rows of its cell.
    """
    said = []
    if not {"dataset", "model"} <= set(frame.columns):
        return frame, ()
    if "method" not in frame:
        method = path.name.partition(".")[0]
        frame = frame.assign(method=method)
        said.append(f"{path.name} has no column method: its runs are taken as those of {method!r}.")
    if "repetition" not in frame:
        cell = ["method", "dataset"]
        seeded = "seed" in frame and not frame.duplicated([*cell, "seed"]).any()
        numbers = frame["seed"] if seeded else frame.groupby(cell, dropna=False).cumcount() + 1
        frame = frame.assign(repetition=numbers)
        what = "the place of a row within its method and dataset"
        if seeded:
            what = "the seed"
        said.append(f"{path.name} has no column repetition: {what} stands for it.")
    return frame, tuple(said)
