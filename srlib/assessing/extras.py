"""Further measures of a model, made from an assessment and the data when rules or a comparison name one of them.

`nmse_test`, `within_10_test` and `kendall_test` are measured on the test rows, `bic` and `description_length` on the
training rows (the test rows, where there are no others), `edit_distance` on the simplified model's tree.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.dataset import Dataset
from srlib.assessing.reading import as_written
from srlib.assessing.store import Results, Store, Wanted
from srlib.assessing.table import rows_of
from srlib.assessing.tasks import Task
from srlib.cache import Cache
from srlib.errors import InputError, ModelTextError
from srlib.expressions import parse
from srlib.expressions.truth.distance import tree_apart
from srlib.problems import Problems

ON_DATA = ("nmse_test", "within_10_test", "kendall_test", "bic", "description_length")
EXTRAS = (*ON_DATA, "edit_distance")


def with_extras(
    assessments: pd.DataFrame,
    problems: Problems,
    wanted: Collection[str],
    *,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
) -> pd.DataFrame:
    """Add the columns among `EXTRAS` that are wanted and not there.

    NaN where a run has no model, no data or no finite prediction, and where a truth is not known (`edit_distance`).

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract.
    problems : Problems
        Where data and truths are.
    wanted : collection of str
        Names of columns; those that are no extras are left to others.
    cache, timeout, jobs
        As of `srlib.assessing.assess`.
    """
    names = [name for name in EXTRAS if name in wanted and name not in assessments]
    table = assessments.assign(**dict.fromkeys(names, np.nan))
    if set(names) & set(ON_DATA):
        found = _on_data(assessments, problems, Store(cache, timeout, jobs))
        for name in set(names) & set(ON_DATA):
            values = [found.get(i, {}).get(name) for i in range(len(table))]
            table[name] = np.array(values, dtype=float)
    if "edit_distance" in names:
        table["edit_distance"] = [
            _edits(problems, *pair)
            for pair in zip(table["dataset"], table["simplified_model"], strict=True)
        ]
    return table


def _on_data(
    assessments: pd.DataFrame, problems: Problems, store: Store
) -> dict[int, dict[str, Any]]:
    known = {name: Dataset(problems.find(name)) for name in assessments["dataset"].unique()}
    found: dict[int, dict[str, Any]] = {}

    def planned() -> Iterator[tuple[int, Wanted]]:
        rows = assessments.reset_index(drop=True).sort_values("dataset", kind="stable")
        for position, row in rows_of(rows):
            yield position, _wanted(row, known[row["dataset"]])

    def finish(position: int, results: Results) -> None:
        if results and results["extras"]["status"] == "ok":
            found[position] = results["extras"]["value"]

    store.work(planned(), finish)
    return found


def _wanted(row: dict[str, Any], dataset: Dataset) -> Wanted:
    problem = dataset.problem
    if problem is None or problem.data is None or row["parse_status"] != "ok":
        return {}
    try:
        seed = dataset.seed(row | {"status": row.get("status", "ok")})
        model = as_written(row, problem)
    except (ModelTextError, InputError):
        return {}
    content = {"data": dataset.sha256(seed)}
    return {"extras": (Task("extras", model, {"problem": problem, "data_seed": seed}), content)}


def _edits(problems: Problems, dataset: str, text: object) -> float:
    problem = problems.find(dataset)
    if problem is None or problem.known_truth is None or not isinstance(text, str):
        return np.nan
    return _apart(problem.known_truth, text, problem.features)


@lru_cache(maxsize=65536)
def _apart(truth: str, text: str, features: tuple[str, ...]) -> float:
    try:
        return tree_apart(parse(truth, features), parse(text, features, names="features"))
    except ModelTextError:  # what overflows simplifies to `inf`
        return np.nan
