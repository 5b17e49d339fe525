"""What an answer is compared with: exact where the problem is narrow enough, else the best known; kept in files.

One file a problem, NAME.reference.json: log10_Z, mar, map_log_likelihood, mmap.log10_value, mlc.lines[k].log10_value,
and `digest` of the problem that it belongs to. A best known value is only ever replaced by a better one.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, create_model

from srlib.cache import Cache, default_cache
from srlib.errors import InputError
from srlib.files import contents, write_atomically
from srlib.inference.cases import Case, Reference
from srlib.inference.kept import keep
from srlib.inference.problems import Problem
from srlib.inference.tasks import TASKS, cases_of
from srlib.limits import WIDTH_BITS
from srlib.yaml_files import validate

_STORED: dict[str, Any] = {
    key: (kind, None) for row in TASKS.values() for key, kind in row.stored.items()
}
_File = create_model("_File", __config__=ConfigDict(strict=True), digest=(str, ""), **_STORED)


def find_reference(
    problem: Problem, folder: str | Path | None = None, cache: Cache | None = None
) -> Reference:
    """Take a problem's reference from a folder or the cache, or compute it.

    Raises
    ------
    InputError
        When the file is not a reference, or belongs to another problem.
    """
    path = None
    if folder is not None:
        path = Path(folder) / f"{problem.name}.reference.json"
    if path is not None and path.exists():
        found = _kept(path)
        states = [len(row) for row in found.get("mar") or []] or list(problem.model.cardinalities)
        same = found.get("digest", problem.digest) == problem.digest
        if not same or states != list(problem.model.cardinalities):
            raise InputError(
                f"{path}: belongs to another problem than {problem.name}; delete it, and it is computed again"
            )
        return found
    cache = default_cache() if cache is None else cache
    key = {
        "operation": "inference reference",
        "problem": problem.digest,
        "sample": problem.sample,
        "bits": WIDTH_BITS,
        "tasks": [*TASKS],
    }
    found = cache.get(key)
    if found is None:
        found = exact(problem)
        cache.put(key, found)
    cache.close()
    return found


def _kept(path: Path) -> Reference:
    """Read a reference that somebody kept, checked to its last number."""
    try:
        found = json.loads(contents(path))
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:160]
        raise InputError(f"{path}: not a reference in JSON ({reason})") from error
    validate(_File, found, f"{path}: not a reference")
    return found


def exact(problem: Problem) -> Reference:
    """Compute what is within reach; None stands for the rest."""
    found: Reference = {"digest": problem.digest}
    for case in cases_of(problem):
        case.row.solve(case, found)
    return found


def improved(reference: Reference, case: Case, value: float, found: dict[int, int]) -> Reference:
    """Copy a reference with a better value for a case, and the assignment (variable to state) that has it."""
    copy = json.loads(json.dumps(reference))
    keep(copy, case, value, [found[variable] for variable in case.query])
    return copy


def write_reference(problem: Problem, reference: Reference, folder: str | Path) -> None:
    """Write a problem's file into a folder; a file that says the same already is left alone."""
    path = Path(folder) / f"{problem.name}.reference.json"
    content = {"digest": problem.digest} | reference
    if not path.exists() or _kept(path) != reference:
        write_atomically(path, json.dumps(content, sort_keys=True) + "\n")
