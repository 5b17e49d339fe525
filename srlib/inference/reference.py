"""What an answer is compared with: exact where the problem is narrow enough, else the best known; kept in files.

One file a problem, NAME.reference.json: log10_Z, mar, map_log_likelihood, mmap.log10_value, mlc.lines[k].log10_value,
and `digest` of the problem that it belongs to. A best known value is only ever replaced by a better one.
"""

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from srlib.cache import Cache, default_cache
from srlib.errors import InputError
from srlib.files import contents, write_atomically
from srlib.inference.answers import Case, cases_of
from srlib.inference.elimination import TooWideError, most_probable, posterior
from srlib.inference.problems import Problem
from srlib.limits import WIDTH_BITS
from srlib.yamlfile import validate

Reference = dict[str, Any]


def _stated(value: float) -> float:
    if value != value or value == float("inf"):
        raise ValueError("a number or minus infinity was expected")
    return value


Number = Annotated[float, AfterValidator(_stated)]
States = list[int] | None


class _Entry(BaseModel):
    """One case; more than these keys may stand here and in the file."""

    model_config = ConfigDict(strict=True)
    log10_value: Number | None = None
    assignment: States = None


class _Lines(BaseModel):
    model_config = ConfigDict(strict=True)
    query: States = None
    lines: list[_Entry] | None = None


class _File(BaseModel):
    model_config = ConfigDict(strict=True)
    digest: str = ""
    log10_z: Number | None = Field(None, alias="log10_Z")
    mar: list[list[Annotated[float, Field(ge=0, le=1 + 1e-6)]]] | None = None
    map_log_likelihood: Number | None = None
    map_assignment: States = None
    mmap: _Entry | None = None
    mlc: _Lines | None = None


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
    }
    found = cache.get(key)
    if found is None:
        found = exact(problem)
        cache.put(key, found)
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
    found: Reference = {
        "digest": problem.digest,
        "log10_Z": None,
        "mar": None,
        "map_log_likelihood": None,
    }
    try:
        found["log10_Z"], rows = posterior(problem.model, problem.evidence)
        found["mar"] = None if rows is None else [row.tolist() for row in rows]
    except TooWideError:
        pass
    for case in cases_of(problem):
        if case.query:
            try:
                value, states = most_probable(problem.model, case.evidence, case.query)
                _put(found, case, value, [states[v] for v in case.query])
            except TooWideError:
                _put(found, case, None, None)
    return found


def value_of(reference: Reference, case: Case) -> Any:
    """Give what the reference says to a case; None where it says nothing."""
    if case.task in ("PR", "MAR"):
        return reference.get({"PR": "log10_Z", "MAR": "mar"}[case.task])
    if case.task == "MPE":
        return reference.get("map_log_likelihood")
    if case.task == "MMAP":
        return (reference.get("mmap") or {}).get("log10_value")
    lines = (reference.get("mlc") or {}).get("lines") or []
    line = _line(case)
    if line < len(lines):
        return lines[line].get("log10_value")
    return None


def improved(reference: Reference, case: Case, value: float, found: dict[int, int]) -> Reference:
    """Copy a reference with a better value for a case, and the assignment (variable to state) that has it."""
    copy = json.loads(json.dumps(reference))
    _put(copy, case, value, [found[variable] for variable in case.query])
    return copy


def write_reference(problem: Problem, reference: Reference, folder: str | Path) -> None:
    """Write a problem's file into a folder; a file that says the same already is left alone."""
    path = Path(folder) / f"{problem.name}.reference.json"
    content = {"digest": problem.digest} | reference
    if not path.exists() or _kept(path) != reference:
        write_atomically(path, json.dumps(content, sort_keys=True) + "\n")


def _line(case: Case) -> int:
    return int(case.instance.rpartition("#")[2])


def _put(reference: Reference, case: Case, value: float | None, states: list[int] | None) -> None:
    if case.task == "MPE":
        reference |= {"map_log_likelihood": value, "map_assignment": states}
        return
    entry = {"log10_value": value, "assignment": states}
    if case.task == "MMAP":
        reference["mmap"] = {"query": list(case.query)} | entry
        return
    lines = reference.setdefault("mlc", {"query": list(case.query), "lines": []})["lines"]
    lines.extend({} for _ in range(_line(case) + 1 - len(lines)))
    lines[_line(case)] = entry
