"""Run every check on every problem of a file."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.audit.answer import perfect_answer
from srlib.audit.columns import distinct_columns, no_copies, within_domain
from srlib.audit.features import needed_as_stated, surrogates_tempt
from srlib.audit.finding import SEVERITY, Finding
from srlib.audit.rows import no_duplicates, no_leakage, outside_training
from srlib.audit.truth import noise_as_stated, reaches_ceiling
from srlib.errors import InputError
from srlib.problems import Partitions, Problem, Problems, load_problems, partitions
from srlib.progress import progress
from srlib.tables import sorted_by
from srlib.workers import bounded_map

SEEDS = 2
LIMIT_S = 60.0  # of computing, for the checks of one dataset
CHECKS: dict[str, Callable[[Problem, Partitions], list[Finding]]] = {
    "truth": reaches_ceiling,
    "noise": noise_as_stated,
    "features": needed_as_stated,
    "surrogates": surrogates_tempt,
    "leakage": no_leakage,
    "extrapolation": outside_training,
    "target": no_copies,
    "columns": distinct_columns,
    "domain": within_domain,
}
FILE_CHECKS: dict[
    str, Callable[[Problems, Mapping[str, Mapping[int, Partitions]]], list[Finding]]
] = {
    "property": perfect_answer,
    "duplicates": no_duplicates,
}


@np.errstate(all="ignore")  # a constant column or target gives NaN, which fails
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
        the seed. The modules of this package say what each check's value is.

    Raises
    ------
    InputError
        When the file cannot be read, or the data of no dataset; where one's data cannot, that is a finding.

    Examples
    --------
    >>> from srlib.problems import load_problems
    >>> demo = load_problems("synthetic-2022")
    >>> found = audit(type(demo)(demo.name, demo.path, demo.problems[-4:-3]), seeds=1)
    >>> found[["dataset", "check", "verdict"]].head(2).to_numpy().tolist()
    [['noise_base', 'columns', 'pass'], ['noise_base', 'domain', 'pass']]
    """
    known = problems if isinstance(problems, Problems) else load_problems(problems)
    data: dict[str, dict[int, Partitions]] = {}
    findings: list[Finding] = []
    unread: list[InputError] = []
    for problem in progress(known.problems, len(known.problems), "datasets read"):
        try:
            found = {s: partitions(problem, s) for s in (problem.data_seeds or (0,))[:seeds]}
        except InputError as error:  # the others are audited all the same
            unread.append(error)
            about = str(error).removeprefix(f"dataset {problem.dataset}, ")
            findings.append(Finding(problem.dataset, "data", "fail", np.nan, about))
            continue
        rows = {seed: part for seed, part in found.items() if part is not None}
        if not rows:
            findings.append(
                Finding(
                    problem.dataset, "data", "warn", np.nan, "no data are stated to check against"
                )
            )
            continue
        data[problem.dataset] = rows
    if unread and not data:
        raise unread[0]
    items = [(known.find(name), rows) for name, rows in data.items()]
    checked = bounded_map(_checked, items, timeout=6 * LIMIT_S, cpu_seconds=LIMIT_S)
    for index, outcome in progress(checked, len(items), "datasets checked"):
        refused = f"could not be checked: {outcome.detail}"
        refusal = Finding([*data][index], "limits", "fail", np.nan, refused)
        findings += outcome.value if outcome.status == "ok" else [refusal]
    findings += [finding for check in FILE_CHECKS.values() for finding in check(known, data)]
    return sorted_by(
        pd.DataFrame(findings, columns=pd.Index(Finding._fields)), ["dataset", "check"]
    )


@np.errstate(all="ignore")
def _checked(item: tuple[Problem, dict[int, Partitions]]) -> list[Finding]:
    """Make every check of one dataset, in a worker; of several seeds the worst verdict stands."""
    problem, rows = item
    findings: list[Finding] = []
    for check in CHECKS.values():
        made = [(seed, finding) for seed, part in rows.items() for finding in check(problem, part)]
        named = [
            finding._replace(detail=f"seed {seed}: {finding.detail}") for seed, finding in made
        ]
        findings += sorted(named, key=lambda finding: -SEVERITY.index(finding.verdict))[:1]
    return findings
