"""Run every check on every problem of a file."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
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
    name_parts,
    parse_truth,
    take_worst,
)
from srlib.workers import bounded_map

CPU_LIMIT_S = 60.0  # CPU seconds for the checks of one dataset
WALL_LIMIT_S = 600.0  # after which the machine, and not the dataset, is too slow
DIFFICULTIES = ("easier", "easy", "medium", "hard", "harder")
COLUMNS = ["dataset", "check", *Finding._fields]


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
    faults = dict[str, str]()
    if not isinstance(problems, Problems):
        problems = load_problems(problems, data_root, faults)
        require(bool(problems.problems), "; ".join(faults.values()))
    items = [
        (problem, problems.find(problem.noise_reference or ""), seeds)
        for problem in problems.problems
    ]
    findings = {name: {"truth": Finding("fail", np.nan, text)} for name, text in faults.items()}
    hashes: dict[str, str] = {}
    outcomes = bounded_map(check_dataset, items, timeout=WALL_LIMIT_S, cpu_seconds=CPU_LIMIT_S)
    for index, outcome in progress(outcomes, len(items), "datasets"):
        dataset = items[index][0].dataset
        if outcome.status == "ok":
            findings[dataset], hashes[dataset] = outcome.value
        else:
            detail = f"could not be checked: {outcome.detail}"
            findings[dataset] = {"limits": Finding("fail", np.nan, detail)}
    data_findings = [by_check["data"] for by_check in findings.values() if "data" in by_check]
    if (
        data_findings
        and len(data_findings) == len(findings)
        and take_worst(data_findings).verdict == "fail"
    ):
        raise InputError(take_worst(data_findings).detail)
    for dataset, columns in hashes.items():
        twins = [name for name in hashes if hashes[name] == columns and name != dataset]
        if twins and columns:
            detail = f"the same data as {', '.join(twins)}"
            findings[dataset]["duplicates"] = Finding("fail", len(twins), detail)
    readable = [problem for problem in problems.problems if hashes.get(problem.dataset)]
    for problem, other, sentence in find_leaks(readable):
        if (
            problem is not other
        ):  # several splits of one table are no fault, unless they are published
            by_check = findings[problem.dataset]
            leak = Finding("warn" if is_open(problem) else "fail", 1, sentence)
            by_check["leakage"] = take_worst([by_check.get("leakage", leak), leak])
    for problem, detail in find_inversions(readable):
        findings[problem.dataset]["difficulty"] = Finding("fail", np.nan, detail)
    rows = [
        (dataset, check, *finding)
        for dataset, by_check in findings.items()
        for check, finding in by_check.items()
    ]
    table = pd.DataFrame(rows, columns=pd.Index(COLUMNS))
    return table.sort_values(["dataset", "check"], kind="stable", ignore_index=True)


def find_inversions(problems: Sequence[Problem]) -> Iterator[tuple[Problem, str]]:
    """Yield each problem that is harder in no respect, and easier in one, than one of less difficulty in its family."""
    rated = [p for p in problems if p.family and p.difficulty in DIFFICULTIES]
    for easier, problem in permutations(rated, 2):
        levels = [DIFFICULTIES.index(str(p.difficulty)) for p in (easier, problem)]
        more = measure_hardness(problem) - measure_hardness(easier)
        is_inverted = levels[0] < levels[1] and np.all(more <= 0) and np.any(more < 0)
        if is_inverted and (easier.family, easier.property) == (problem.family, problem.property):
            yield (
                problem,
                f"{problem.difficulty}, though easier than {easier} ({easier.difficulty})",
            )


def measure_hardness(problem: Problem) -> np.ndarray:
    """Return the level of noise, the size of the truth, and the numbers of irrelevant features and of surrogates."""
    size, surrogates = len(parse_truth(problem).tape), problem.surrogates or ()
    return np.array([problem.noise_level, size, len(problem.irrelevant), len(surrogates)])


@np.errstate(all="ignore")  # a constant column or target gives NaN, and the check fails
def check_dataset(
    item: tuple[Problem, Problem | None, int | None],
) -> tuple[dict[str, Finding], str]:
    """Run every check of one dataset on its first data seeds; called in a worker.

    Returns
    -------
    dict of str to Finding
        For each check, the worst finding of all seeds.
    str
        Hash of the columns of the first seed; empty without data.
    """
    problem, reference, seeds = item
    parts: dict[int, Partitions] = {}
    for seed in (problem.data_seeds or (problem.first_seed,))[:seeds]:
        try:
            data = partitions(problem, seed)
        except InputError as error:
            return {"data": Finding("fail", np.nan, str(error))}, ""
        if data is None:
            return {"data": Finding("warn", np.nan, "no data are stated to check against")}, ""
        parts[seed] = data
    checks = dict(CHECKS)
    if reference:
        reference_data = None
        with suppress(InputError):  # a finding about the reference
            reference_data = partitions(reference, reference.first_seed)
        if reference_data:
            checks["reference"] = partial(
                check_reference, reference=reference, other=reference_data
            )
    worst = {}
    for check, function in checks.items():
        findings = [
            finding._replace(detail=f"seed {seed}: {finding.detail}")
            for seed, data in parts.items()
            if (finding := function(problem, data))
        ]
        if findings:
            worst[check] = take_worst(findings)
    worst["duplicates"] = Finding("pass", 0, "no other dataset has these data")
    if n_repeated := len(parts) - len({data.sha256 for data in parts.values()}):
        detail = f"data seeds {', '.join(map(str, parts))} do not all have rows of their own: state only those that do"
        worst["duplicates"] = Finding("fail", n_repeated, detail)
    return worst, hash_columns(next(iter(parts.values())))


def hash_columns(data: Partitions) -> str:
    """Return a hash of the sorted values (in single precision) of every column and of the target.

    It does not depend on names or on the order of rows and columns.
    """
    X, y = (
        np.concatenate([getattr(part, name) for part in name_parts(data).values()]) for name in "Xy"
    )
    *columns, target = (np.sort(column.astype(np.float32)).tobytes() for column in [*X.T, y])
    return sha256(b"".join([*sorted(columns), target])).hexdigest()
