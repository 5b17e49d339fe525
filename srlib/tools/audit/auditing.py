"""Run every check on every problem of a file."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.problems import Partitions, Problem, Problems, load_problems, partitions
from srlib.progress import progress
from srlib.tools.audit.checks import CHECKS, Finding, pool_rows, take_worst
from srlib.workers import bounded_map

N_SEEDS = 2
CPU_LIMIT_S = 60.0  # CPU seconds for the checks of one dataset
COLUMNS = ["dataset", "check", *Finding._fields]


def audit(problems: Problems | str | Path, seeds: int = N_SEEDS) -> pd.DataFrame:
    """Check the statements of a problem file against its data, and return the findings.

    Parameters
    ----------
    problems : Problems, str or Path
        Problems, or an argument of `load_problems`.
    seeds : int
        Number of data seeds that are checked for each dataset, beginning with the first.

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
    problems = problems if isinstance(problems, Problems) else load_problems(problems)
    items = [(problem, seeds) for problem in problems.problems]
    findings: dict[str, dict[str, Finding]] = {}
    hashes: dict[str, str] = {}
    outcomes = bounded_map(check_dataset, items, timeout=6 * CPU_LIMIT_S, cpu_seconds=CPU_LIMIT_S)
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
    rows = [
        (dataset, check, *finding)
        for dataset, by_check in findings.items()
        for check, finding in by_check.items()
    ]
    table = pd.DataFrame(rows, columns=pd.Index(COLUMNS))
    return table.sort_values(["dataset", "check"], kind="stable", ignore_index=True)


@np.errstate(all="ignore")  # a constant column or target gives NaN, and the check fails
def check_dataset(item: tuple[Problem, int]) -> tuple[dict[str, Finding], str]:
    """Run every check of one dataset on its first data seeds; called in a worker.

    Returns
    -------
    dict of str to Finding
        For each check, the worst finding of all seeds.
    str
        Hash of the columns of the first seed; empty without data.
    """
    problem, seeds = item
    parts: dict[int, Partitions] = {}
    for seed in (problem.data_seeds or (problem.first_seed,))[:seeds]:
        try:
            data = partitions(problem, seed)
        except InputError as error:
            return {"data": Finding("fail", np.nan, str(error))}, ""
        if data is None:
            return {"data": Finding("warn", np.nan, "no data are stated to check against")}, ""
        parts[seed] = data
    worst = {}
    for check, function in CHECKS.items():
        findings = [
            finding._replace(detail=f"seed {seed}: {finding.detail}")
            for seed, data in parts.items()
            if (finding := function(problem, data))
        ]
        if findings:
            worst[check] = take_worst(findings)
    worst["duplicates"] = Finding("pass", 0, "no other dataset has these data")
    if n_repeated := len(parts) - len({data.sha256 for data in parts.values()}):
        seeds_text = ", ".join(map(str, parts))
        detail = f"data seeds {seeds_text} have the same rows: state data_seeds only for rows that differ"
        worst["duplicates"] = Finding("fail", n_repeated, detail)
    return worst, hash_columns(next(iter(parts.values())))


def hash_columns(data: Partitions) -> str:
    """Return a hash of the sorted values (in single precision) of every column and of the target.

    It does not depend on names or on the order of rows and columns.
    """
    X, y = pool_rows(data)
    *columns, target = (np.sort(column.astype(np.float32)).tobytes() for column in [*X.T, y])
    return sha256(b"".join([*sorted(columns), target])).hexdigest()
