"""What a missing value, a failed and an absent repetition count as: never for more than what is there."""

import numpy as np
import pandas as pd

from srlib.comparing.metrics import Metric, problem_of, worst_of
from srlib.errors import InputError
from srlib.ledger import Action, entry, to_frame

UNNAMED = Metric("")


def failures_at_floor(rows: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Give failed and absent repetitions the floor of the metric, in all cells that have a usable one."""
    keys = ["method", "dataset"]
    cells = rows.groupby(keys)["value"]
    size, usable = cells.size(), cells.count()
    lacking = (size.groupby("method").transform("max") - size).where(usable > 0, 0)
    failed = rows.get("failed", rows["value"].isna()).eq(True) & rows["value"].isna()
    if not lacking.any() and not failed.any():
        return rows
    floors = rows["dataset"].map(worst_run(rows, metric)).astype("float64")
    ran = cells.transform("count") > 0
    first = rows.assign(value=floors)[~rows.duplicated(keys)]
    times = lacking.reindex(pd.MultiIndex.from_frame(first[keys])).to_numpy()
    absent = first.loc[first.index.repeat(times)]
    return pd.concat([rows.assign(value=rows["value"].mask(failed & ran, floors)), absent])


def worst_run(rows: pd.DataFrame, metric: Metric) -> pd.Series:
    """Find by dataset what a run that returned nothing is worth: the worst of all runs there, at most the floor."""
    return rows.groupby("dataset")["value"].agg(
        lambda seen: float(worst_of(seen.to_numpy(float), metric, None))
    )


def filled(
    values: pd.DataFrame, missing: str, metric: Metric = UNNAMED, worst: pd.Series | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Decide what a missing value counts as.

    Parameters
    ----------
    values : pandas.DataFrame
        Datasets x methods.
    missing : str
        'drop' leaves it out of every pair; 'worst' makes it a loss against all who have a value: the worst seen on the
        dataset, no better than the metric's floor, and beyond it by the range of the values there where that would be
        a tie (a rate is never below 0).
    metric : Metric
        Which values are better, and the floor.
    worst : pandas.Series, optional
        Of `worst_run`: a cell that has lost all of its runs is worth no more than one of them.

    Returns
    -------
    values, ledger : pandas.DataFrame
        The table, and a line for every missing value.
    """
    result = fill(values, missing, metric, worst)
    lines = []
    array = result.to_numpy(float)
    for row, column in np.argwhere(values.isna().to_numpy()):
        value, where = (
            array[row, column],
            {"method": values.columns[column], "dataset": values.index[row]},
        )
        said = "left out of the comparison"
        if not np.isnan(value):
            said = f"{value:g} stands in ({missing})"
        action: Action = "noted" if np.isnan(value) else "replaced"
        lines.append(
            entry("judge", "missing_runs", action, f"no value; {said}", level="cell", **where)
        )
    return result, to_frame(lines)


def fill(
    values: pd.DataFrame, missing: str, metric: Metric = UNNAMED, worst: pd.Series | None = None
) -> pd.DataFrame:
    """Give the table alone that `filled` gives."""
    if missing not in ("drop", "worst"):
        raise InputError(f"missing must be drop or worst; got {missing!r}")
    if missing == "drop" or not values.isna().any(axis=None):
        return values
    stand_in = pd.Series(_losses(values.to_numpy(float), metric), values.index)
    if worst is not None:
        bound = {"higher": np.fmin, "lower": np.fmax}[metric.direction]
        stand_in = bound(stand_in, worst.reindex(values.index))
    return values.apply(lambda column: column.fillna(stand_in))


def averaged(cells: pd.DataFrame) -> pd.DataFrame:
    """Each dataset once: the mean over its noise levels, missing where one of them is."""
    names = cells.index.map(problem_of)
    if not names.has_duplicates:
        return cells.set_axis(names.rename("dataset"), axis=0)
    return cells.groupby(names.rename("dataset")).mean(skipna=False)


def _losses(array: np.ndarray, metric: Metric) -> np.ndarray:
    """Find a value for each dataset that is worse than all that were seen there."""
    worst = worst_of(array, metric, 1)
    if metric.rate:
        return worst
    sign = 1 if metric.direction == "higher" else -1
    seen = np.fmin.reduce(sign * array, axis=1) * sign
    span = np.fmax.reduce(array, axis=1) - np.fmin.reduce(array, axis=1)
    step = np.where(span > 0, span, np.maximum(np.abs(seen), 1e-3) / 10)
    return np.where(worst == seen, worst - sign * step, worst)
