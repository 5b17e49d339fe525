"""Run every check on every problem of a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.audit.checks import CHECKS, Data, Finding
from srlib.audit.file_checks import FILE_CHECKS
from srlib.errors import InputError
from srlib.problems import Problem, Problems, load_problems, partitions
from srlib.progress import progress
from srlib.tables import sorted_by
from srlib.workers import bounded_map

SEEDS = 2
LIMIT_S = 60.0  # of computing, for the checks of one dataset
SEVERITY = ("fail", "warn", "pass")
COLUMNS = ["dataset", "check", *Finding._fields]


def audit(problems: Problems | str | Path, seeds: int = SEEDS) -> pd.DataFrame:
    """Check what a problem file states against its data.

    Parameters
    ----------
    problems : Problems, str or Path
        From `load_problems`, or what it takes.
    seeds : int
        How many of each dataset's data seeds are looked at, the first ones.

    Returns
    -------
    pandas.DataFrame
        dataset, check, verdict ('pass', 'warn' or 'fail'), value and detail, sorted by dataset and check. A
        check that does not apply has no row; of several seeds the worst verdict stands, and `detail` names
        the seed. The docstrings of `srlib.audit.checks` and `file_checks` say what each check's value is.

    Raises
    ------
    InputError
        When the file cannot be read, or the data of no dataset; where one's data cannot, that is a finding.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> demo = load_problems("synthetic-2022")
    >>> findings = audit(type(demo)(demo.name, demo.path, demo.problems[-4:-3]), seeds=1)
    >>> findings[["dataset", "check", "verdict"]].head(2).to_numpy().tolist()
    [['noise_base', 'columns', 'pass'], ['noise_base', 'domain', 'pass']]
    """
    problems = problems if isinstance(problems, Problems) else load_problems(problems)
    data: Data = {}
    findings: list[tuple[Any, ...]] = []
    errors: list[InputError] = []
    for problem in progress(problems.problems, len(problems.problems), "datasets read"):
        verdict, detail = "warn", "no data are stated to check against"
        parts = {}
        try:
            parts = {s: partitions(problem, s) for s in (problem.data_seeds or (0,))[:seeds]}
        except InputError as error:  # the other datasets are audited all the same
            errors.append(error)
            verdict, detail = "fail", str(error).removeprefix(f"dataset {problem.dataset}, ")
        parts = {seed: part for seed, part in parts.items() if part is not None}
        if parts:
            data[problem.dataset] = parts
        else:
            findings.append((problem.dataset, "data", verdict, np.nan, detail))
    if errors and not data:
        raise errors[0]
    items = [(problems.find(dataset), parts) for dataset, parts in data.items()]
    outcomes = bounded_map(check_dataset, items, timeout=6 * LIMIT_S, cpu_seconds=LIMIT_S)
    for index, outcome in progress(outcomes, len(items), "datasets checked"):
        dataset = [*data][index]
        detail = f"could not be checked: {outcome.detail}"
        failure = {"limits": Finding("fail", np.nan, detail)}
        checked = outcome.value if outcome.status == "ok" else failure
        findings += [(dataset, check, *finding) for check, finding in checked.items()]
    for check, function in FILE_CHECKS.items():
        with np.errstate(all="ignore"):
            checked = function(problems, data)
        findings += [(dataset, check, *finding) for dataset, finding in checked.items()]
    return sorted_by(pd.DataFrame(findings, columns=pd.Index(COLUMNS)), ["dataset", "check"])


@np.errstate(all="ignore")  # a constant column or target gives NaN, which fails
def check_dataset(item: tuple[Problem, dict[int, Any]]) -> dict[str, Finding]:
    """Make every check of one dataset, in a worker; of several seeds the worst verdict stands."""
    problem, parts = item
    worst = {}
    for check, function in CHECKS.items():
        findings = []
        for seed, data in parts.items():
            if finding := function(problem, data):
                findings.append(finding._replace(detail=f"seed {seed}: {finding.detail}"))
        if findings:
            worst[check] = min(findings, key=lambda finding: SEVERITY.index(finding.verdict))
    return worst
