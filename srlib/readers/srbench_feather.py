"""SRBench's feather files: all runs of a ground-truth or black-box experiment in one table."""

from pathlib import Path

import pandas as pd

from srlib.tables import RUNS, conform

COLUMNS = {
    "algorithm": "method",
    "random_state": "repetition",
    "symbolic_model": "model",
    "training time (s)": "training_time_s",
    "model_size": "complexity_raw",
}
GROUND_TRUTH = "true_model"


def recognises(columns: set[str]) -> bool:
    """SRBench names the method `algorithm`, the repetition `random_state` and the text `symbolic_model`."""
    return {"algorithm", "dataset", "random_state", "symbolic_model"} <= columns


def read(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Turn SRBench's columns into runs; with a known truth the dataset becomes `NAME@LEVEL`.

    Columns without a counterpart are kept as they are, so that SRBench's own figures can be compared.

    Raises
    ------
    InputError
        Names file, row or column, what was allowed and what came.
    """
    runs = frame.rename(columns=COLUMNS)
    if GROUND_TRUTH in runs and "target_noise" in runs:
        levels = pd.to_numeric(runs["target_noise"], errors="coerce").fillna(0.0)
        runs["dataset"] = runs["dataset"].astype("str") + "@" + levels.map("{:g}".format)
    return conform(runs, RUNS, path)
