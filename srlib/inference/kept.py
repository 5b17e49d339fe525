"""Where a reference keeps what is known of each task, and exact inference that fills it."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from srlib.inference.cases import Case, Reference
from srlib.inference.elimination import TooWideError, most_probable, posterior


def _stated(value: float) -> float:
    if value != value or value == float("inf"):
        raise ValueError("a number or minus infinity was expected")
    return value


Number = Annotated[float, AfterValidator(_stated)]
States = list[int] | None
Rows = list[list[Annotated[float, Field(ge=0, le=1 + 1e-6)]]]


class Entry(BaseModel):
    """One case; more than these keys may stand here and in the file."""

    model_config = ConfigDict(strict=True)
    log10_value: Number | None = None
    assignment: States = None


class Lines(BaseModel):
    """The cases of a file of tests."""

    model_config = ConfigDict(strict=True)
    query: States = None
    lines: list[Entry] | None = None


def solve_sums(case: Case, reference: Reference) -> None:
    """Find the partition function and the marginals, which one elimination gives; the second call does nothing."""
    if "log10_Z" in reference:
        return
    reference |= {"log10_Z": None, "mar": None}
    try:
        reference["log10_Z"], rows = posterior(case.problem.model, case.evidence)
    except TooWideError:
        return
    reference["mar"] = None if rows is None else [row.tolist() for row in rows]


def solve_states(case: Case, reference: Reference) -> None:
    """Find the most probable states of the queried variables."""
    value, states = None, None
    try:
        value, found = most_probable(case.problem.model, case.evidence, case.query)
        states = [found[variable] for variable in case.query]
    except TooWideError:
        pass
    keep(reference, case, value, states)


def keep(reference: Reference, case: Case, value: float | None, states: list[int] | None) -> None:
    """Write a likelihood and its states to where the task has its place."""
    if case.row.keep is not None:
        case.row.keep(reference, case, value, states)


def keep_all(reference: Reference, case: Case, value: Any, states: Any) -> None:
    """Keep the most probable states of all variables."""
    reference |= {"map_log_likelihood": value, "map_assignment": states}


def keep_query(reference: Reference, case: Case, value: Any, states: Any) -> None:
    """Keep those of the queried variables."""
    reference["mmap"] = {"query": list(case.query), "log10_value": value, "assignment": states}


def keep_line(reference: Reference, case: Case, value: Any, states: Any) -> None:
    """Keep those of one line of tests."""
    lines = reference.setdefault("mlc", {"query": list(case.query), "lines": []})["lines"]
    lines.extend({} for _ in range(_line(case) + 1 - len(lines)))
    lines[_line(case)] = {"log10_value": value, "assignment": states}


def known_line(reference: Reference, case: Case) -> Any:
    """Give the best known likelihood of one line of tests."""
    lines = (reference.get("mlc") or {}).get("lines") or []
    if _line(case) < len(lines):
        return lines[_line(case)].get("log10_value")
    return None


def _line(case: Case) -> int:
    return int(case.instance.rpartition("#")[2])
