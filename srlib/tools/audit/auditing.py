"""Run every check on every problem of a file."""

from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.errors import InputError, require
from srlib.problems import Partitions, Problem, Problems, load_problems, partitions
from srlib.problems.leaks import find_leaks, is_open
from srlib.progress import progress
from srlib.tools.audit.checks import (
    CHECKS,
    Finding,
    check_reference,
    parse_truth,
    view_rows,
)
from srlib.workers import bounded_map

CPU_LIMIT_S = 60.0  # CPU seconds for the checks of one dataset
WALL_LIMIT_S = 600.0  # after which the machine, and not the dataset, is too slow
DIFFICULTIES = ("easier", "easy", "medium", "hard", "harder")
SEVERITY = ("fail", "warn", "pass")
KEY = ["dataset", "check"]


def audit(
    problems: Problems | str | Path, seeds: int | None = None, data_root: str | Path | None = None
) -> pd.DataFrame:
    """Check the statements of a problem file against its data, and return the findings.

    Parameters
    ----------
    problems : Problems, str or Path
        Problems, or an argument of `load_problems`.
    seeds : int, optional
        Number of data seeds that are checked for each dataset, beginning with the first; by default all.
    data_root : str or Path, optional
        An argument of `load_problems`.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `check`, `verdict` ('pass', 'warn' or 'fail'), `value` and `detail`, sorted by dataset and check. A
        check that does not apply has no row. Of several seeds the finding with the worst verdict is returned, and
        `detail` names its seed. The docstrings of `srlib.tools.audit.checks` define the value of each check.

    Raises
    ------
    InputError
        When the file or the data of all datasets cannot be read; unreadable data of some datasets are findings.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from srlib.problems import load_problems
    >>> demo = load_problems("synthetic-2022")
    >>> findings = audit(replace(demo, problems=(demo.find("noise_base"),)), seeds=1)
    >>> findings[["dataset", "check", "verdict"]].head(2).to_numpy().tolist()
    [['noise_base', 'columns', 'pass'], ['noise_base', 'domain', 'pass']]
    """
    unreadable = dict[str, str]()
    if not isinstance(problems, Problems):
        problems = load_problems(problems, data_root, unreadable)
        require(bool(problems.problems), "; ".join(unreadable.values()))
    rows = [(name, "truth", "fail", np.nan, detail) for name, detail in unreadable.items()]
    items = [
        (problem, problems.find(problem.noise_reference or ""), seeds)
        for problem in problems.problems
    ]
    hashes = dict[str, str]()
    outcomes = bounded_map(check_dataset, items, timeout=WALL_LIMIT_S, cpu_seconds=CPU_LIMIT_S)
    for index, outcome in progress(outcomes, len(items), "datasets"):
        dataset = items[index][0].dataset
        stopped = [("limits", "fail", np.nan, f"could not be checked: {outcome.detail}")]
        findings, hashes[dataset] = outcome.value or (stopped, "")
        rows += [(dataset, *finding) for finding in findings]
    readable = [problem for problem in problems.problems if hashes[problem.dataset]]
    for problem in readable:
        same = [other for other in readable if hashes[other.dataset] == hashes[problem.dataset]]
        twins = ", ".join(other.dataset for other in same if other is not problem)
        if twins:
            rows.append((problem.dataset, "duplicates", "fail", 1, f"the same data as {twins}"))
    for problem, other, sentence in find_leaks(readable):
        if problem is not other:  # splits of one table are no fault, unless they are published
            verdict = "warn" if is_open(problem) else "fail"
            rows.append((problem.dataset, "leakage", verdict, 1, sentence))
    for problem, detail in find_inversions(readable):
        rows.append((problem.dataset, "difficulty", "fail", np.nan, detail))
    table = pd.DataFrame(rows, columns=pd.Index([*KEY, *Finding._fields]))
    table["severity"] = table["verdict"].map(SEVERITY.index)
    table = table.sort_values([*KEY, "severity"]).drop_duplicates(KEY, ignore_index=True)
    gaps = table["detail"][table["check"].eq("data") & table["verdict"].eq("fail")]
    require(len(gaps) < table["dataset"].nunique(), gaps.max())
    return table.drop(columns="severity")


def find_inversions(problems: Sequence[Problem]) -> Iterator[tuple[Problem, str]]:
    """Yield each problem that is harder in no respect, and easier in one, than one of less difficulty in its family."""
    rated = [p for p in problems if p.family and p.difficulty in DIFFICULTIES]
    for easier, problem in permutations(rated, 2):
        levels = [DIFFICULTIES.index(str(p.difficulty)) for p in (easier, problem)]
        more = measure_hardness(problem) - measure_hardness(easier)
        is_inverted = levels[0] < levels[1] and np.all(more <= 0) and np.any(more < 0)
        if is_inverted and (easier.family, easier.property) == (problem.family, problem.property):
            detail = f"{problem.difficulty}, though easier than {easier} ({easier.difficulty})"
            yield problem, detail


def measure_hardness(problem: Problem) -> np.ndarray:
    """Return the level of noise, the size of the truth, and the numbers of irrelevant features and of surrogates."""
    size, surrogates = len(parse_truth(problem).tape), problem.surrogates or ()
    return np.array([problem.noise_level, size, len(problem.irrelevant), len(surrogates)])


@np.errstate(all="ignore")  # a constant column or target gives NaN, and the check fails
def check_dataset(
    item: tuple[Problem, Problem | None, int | None],
) -> tuple[list[tuple], str]:
    """Run every check of one dataset on its first data seeds; called in a worker.

    Returns
    -------
    list of tuple
        Name of the check and fields of the `Finding`, for each seed; the worst one of a check counts.
    str
        Hash of the columns of the first seed; empty without data.
    """
    problem, reference, seeds = item
    rows, hashes, columns = [], [], ""
    for seed in (problem.data_seeds or (problem.first_seed,))[:seeds]:
        try:
            data = partitions(problem, seed)
            other = reference and partitions(reference, reference.first_seed)
        except InputError as error:
            return [("data", "fail", np.nan, str(error))], ""
        if data is None:
            return [("data", "warn", np.nan, "no data are stated to check against")], ""
        parts, checks = view_rows(problem, data), dict(CHECKS)
        if reference and other:
            checks["reference"] = partial(
                check_reference, reference=reference, reference_parts=view_rows(reference, other)
            )
        for check, function in checks.items():
            for finding in function(problem, parts):
                rows.append((check, *finding._replace(detail=f"seed {seed}: {finding.detail}")))
        hashes.append(data.sha256)
        columns = columns or hash_columns(data)
    rows.append(("duplicates", "pass", 0, "no other dataset has these data"))
    if len({*hashes}) < len(hashes):
        detail = "the data seeds do not all have rows of their own: state only those that do"
        rows.append(("duplicates", "fail", len(hashes) - len({*hashes}), detail))
    return rows, columns


def hash_columns(data: Partitions) -> str:
    """Return a hash of the sorted values (in single precision) of every column and of the target.

    It does not depend on names or on the order of rows and columns.
    """
    parts = [part for part in (data.train, data.test, data.extrapolation) if part]
    rows = np.vstack([np.column_stack([part.X, part.y]) for part in parts])
    *columns, target = (column.tobytes() for column in np.sort(rows.astype(np.float32), axis=0).T)
    return sha256(b"".join([*sorted(columns), target])).hexdigest()
