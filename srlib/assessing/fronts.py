"""Fronts: several models a run (column `candidate`), which of them is judged, and what a front is worth."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.tables import KEY

FRONT = (
    "front_solution",
    "front_place",
    "front_regret_r2",
    "front_regret_size",
    "front_hypervolume",
    "front_size",
)
LARGEST = 1000  # components: the reference point of the hypervolume
SAME = 12  # decimals of R2: what differs less is rounding noise


class _Ordered(NamedTuple):
    """Models run by run, each run in its method's order: the chosen one first, then by number."""

    order: NDArray[np.intp]
    run: NDArray[np.intp]  # of each row of the table

    def first(self, among: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Find the first row of each run, as far as it has one, among those rows."""
        rows = self.order[among[self.order]]
        return rows[np.unique(self.run[rows], return_index=True)[1]]


def has_fronts(table: pd.DataFrame) -> bool:
    """Whether a run of the table has several models."""
    return "candidate" in table and bool(table.duplicated(list(KEY)).any())


def judged(table: pd.DataFrame, how: str) -> NDArray[np.bool_]:
    """Mark the one model of each run that counts.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or assessments, with the column `candidate` where a run has several models.
    how : {'chosen', 'best_on_test', 'any'}
        A value of the rules' switch `candidate`. A model that cannot be used is never picked before the chosen one.
    """
    found = _ordered(table)
    everything = np.ones(len(table), dtype=bool)
    pick = found.first(everything)
    if how != "chosen":
        usable = _usable(table)
        if how == "any":
            better = found.first(usable & _solved(table))
        else:
            accurate = np.lexsort((_sizes(table)[found.order], -_accuracy(table)[found.order]))
            better = _Ordered(found.order[accurate], found.run).first(usable)
        pick = np.concatenate([pick[~np.isin(found.run[pick], found.run[better])], better])
    result = ~everything
    result[pick] = True
    return result


def one_a_run(table: pd.DataFrame, how: str = "chosen") -> pd.DataFrame:
    """Keep the model of each run that counts; a table without fronts is kept as it is."""
    if has_fronts(table):
        return table[judged(table, how)]
    return table


def with_fronts(assessments: pd.DataFrame, wanted: Collection[str] = FRONT) -> pd.DataFrame:
    """Add what is measured on a run's whole front to each of its rows; a run with one model is a front of one.

    Only models that can be used count: those that were read and have a finite test R2. By size is meant the number of
    components, by the method's order the chosen model and then the others by number.

    - `front_solution`: 1 where a model of the front is a symbolic solution, else 0; NaN where no truth is known.
    - `front_place`: place of the first solution in the method's order; NaN without one.
    - `front_regret_r2`: the best test R2 of the front minus that of the chosen model.
    - `front_regret_size`: size of the chosen model minus that of the smallest whose R2 is at least as high.
    - `front_hypervolume`: area that the front dominates in the square of error, 1 - R2 clipped to [0, 1], and log(size)
      / log(1000), seen from the corner where both are 1 (the mean as a model, 1000 components).
    - `front_size`: number of models that no other dominates in test R2 and size; equal ones count once.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract.
    wanted : collection of str
        Some of `FRONT`.
    """
    found, usable = _ordered(assessments), _usable(assessments)
    number = int(found.run.max(initial=-1)) + 1
    r2, size = _accuracy(assessments), _sizes(assessments)
    chosen = np.full(number, -1)
    pick = found.first(np.ones(len(assessments), dtype=bool))
    chosen[found.run[pick]] = pick
    read = usable[chosen]
    best = _reduced(np.fmax, r2, found.run, usable, number)
    as_good = usable & (r2 >= r2[chosen][found.run])
    smallest = _reduced(np.fmin, size, found.run, as_good, number)
    values = {
        "front_solution": _any_solution(assessments, found, usable, number),
        "front_place": _place(assessments, found, usable, number),
        "front_regret_r2": np.where(read, best - r2[chosen], np.nan),
        "front_regret_size": np.where(read, size[chosen] - smallest, np.nan),
        **_dominated(r2, size, found, usable, number),
    }
    columns = {name: values[name][found.run] for name in FRONT if name in wanted}
    return assessments.assign(**columns)


def marked(assessments: pd.DataFrame) -> pd.DataFrame:
    """Say of each model whether it is the `chosen` one, a `solution`, `nondominated`, and `missed`.

    Missed is a solution of a run whose chosen model is none. Models that cannot be used are none of these but chosen.

    Returns
    -------
    pandas.DataFrame
        These four columns, with the index given.
    """
    found, usable = _ordered(assessments), _usable(assessments)
    chosen = judged(assessments, "chosen")
    solution = usable & _solved(assessments)
    picked = np.unique(found.run[chosen & solution])
    rows, best = _walked(_accuracy(assessments), _sizes(assessments), found, usable)
    front = np.zeros(len(assessments), dtype=bool)
    front[rows[best["r2"] > best["before"]]] = True
    columns = {"chosen": chosen, "solution": solution, "nondominated": front}
    columns["missed"] = solution & ~np.isin(found.run, picked)
    return pd.DataFrame(columns, index=assessments.index)


def _ordered(table: pd.DataFrame) -> _Ordered:
    run = table.groupby(list(KEY), sort=False, dropna=False).ngroup().to_numpy()
    place = np.ones(len(table))
    if "candidate" in table:
        place = table["candidate"].to_numpy(float, na_value=1.0)
    marked = np.zeros(len(table), dtype=bool)
    if "chosen" in table:
        marked = table["chosen"].fillna(False).to_numpy(dtype=bool)
    return _Ordered(np.lexsort((place, ~marked, run)), np.asarray(run, dtype=np.intp))


def _usable(table: pd.DataFrame) -> NDArray[np.bool_]:
    good = np.isfinite(_accuracy(table))
    for name in {"status", "parse_status"} & set(table):
        good &= (table[name] == "ok").to_numpy(dtype=bool)
    return good


def _accuracy(table: pd.DataFrame) -> NDArray[np.float64]:
    return np.round(table["r2_test"].to_numpy(float, na_value=np.nan), SAME)


def _sizes(table: pd.DataFrame) -> NDArray[np.float64]:
    size = pd.Series(np.nan, table.index, dtype="Float64")
    for name in ("complexity", "complexity_raw"):
        if name in table:
            size = size.fillna(table[name].astype("Float64"))
    return np.asarray(size.to_numpy(float, na_value=np.inf), dtype=np.float64)


def _solved(table: pd.DataFrame) -> NDArray[np.bool_]:
    if "solution" not in table:
        return np.zeros(len(table), dtype=bool)
    return table["solution"].astype("boolean").fillna(False).to_numpy(dtype=bool)


def _reduced(
    how: np.ufunc,
    values: NDArray[np.float64],
    run: NDArray[np.intp],
    among: NDArray[np.bool_],
    number: int,
) -> NDArray[np.float64]:
    """Find the best value of each run among those rows; NaN where it has none."""
    result = np.full(number, np.nan)
    how.at(result, run[among], values[among])
    return result


def _any_solution(
    table: pd.DataFrame, found: _Ordered, usable: NDArray[np.bool_], number: int
) -> NDArray[np.float64]:
    judged_at_all = table["solution_kind"].notna().to_numpy() & usable
    result = np.full(number, np.nan)
    result[found.run[judged_at_all]] = 0.0
    result[found.run[usable & _solved(table)]] = 1.0
    return result


def _place(
    table: pd.DataFrame, found: _Ordered, usable: NDArray[np.bool_], number: int
) -> NDArray[np.float64]:
    rows = found.order[usable[found.order]]
    place = np.zeros(len(table))
    place[rows] = pd.Series(found.run[rows]).groupby(found.run[rows]).cumcount() + 1
    return _reduced(np.fmin, place, found.run, usable & _solved(table), number)


def _dominated(
    r2: NDArray[np.float64],
    size: NDArray[np.float64],
    found: _Ordered,
    usable: NDArray[np.bool_],
    number: int,
) -> dict[str, NDArray[np.float64]]:
    rows, walk = _walked(r2, size, found, usable)
    before, error = walk["before"], 1 - walk["r2"].clip(0, 1)
    gained = (1 - before.clip(0, 1) - error).clip(lower=0)
    room = 1 - np.clip(np.log(size[rows]) / np.log(LARGEST), 0, 1)
    area, count = np.full(number, np.nan), np.zeros(number)
    area[walk["run"].unique()] = 0.0
    np.add.at(area, found.run[rows], gained.to_numpy() * room)
    np.add.at(count, found.run[rows], (walk["r2"] > before).to_numpy())
    return {"front_hypervolume": area, "front_size": count}


def _walked(
    r2: NDArray[np.float64],
    size: NDArray[np.float64],
    found: _Ordered,
    usable: NDArray[np.bool_],
) -> tuple[NDArray[np.intp], pd.DataFrame]:
    """Walk each front from the smallest model on: what is more accurate than all `before` it is not dominated."""
    rows = np.flatnonzero(usable)
    rows = rows[np.lexsort((-r2[rows], size[rows], found.run[rows]))]
    walk = pd.DataFrame({"run": found.run[rows], "r2": r2[rows]})
    best = walk.groupby("run")["r2"].cummax()
    return rows, walk.assign(before=best.groupby(walk["run"]).shift(fill_value=-np.inf))
