"""References: exact values where a problem is narrow enough, and the best known states; kept in files.

The file NAME.reference.json of a problem names its content by a digest. A best known likelihood is only ever replaced
by a larger one.
"""

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from srlib.errors import InputError
from srlib.files import contents, write_atomically
from srlib.inference.exact import TooWideError, most_probable, posterior
from srlib.inference.tasks import Case, cases_of
from srlib.inference.uai_files import Problem
from srlib.yaml_files import validate

Logarithm = Annotated[float, Field(lt=math.inf)]
Probability = Annotated[float, Field(ge=0, le=1 + 1e-6)]


class Reference(BaseModel):
    """All that is known about the cases of a problem.

    Parameters
    ----------
    digest : str
        Of the problem.
    log10_Z : float or None
        Logarithm of the partition function; None where it is out of reach.
    mar : list of list of float, or None
        Probabilities of each variable's states; None where they are out of reach or the evidence is impossible.
    best : dict of str to (float, list of int)
        By the case's key the best known log10 likelihood and the states that have it, in the query's order; without
        the cases that are out of reach and were not answered.
    """

    model_config = ConfigDict(extra="forbid")
    digest: str
    log10_Z: Logarithm | None = None  # noqa: N815 - its name in the field
    mar: list[list[Probability]] | None = None
    best: dict[str, tuple[Logarithm, list[int]]] = {}

    def value_of(self, case: Case) -> Any:
        """Exact value of a case, None where there is none, or the best known log10 likelihood."""
        if not case.task.exact:
            return self.best.get(case.key, (-math.inf, []))[0]
        return self.log10_Z if case.task.name == "PR" else self.mar

    def with_best(self, case: Case, likelihood: float, states: dict[int, int]) -> "Reference":
        """Copy with a better likelihood of a case and the states that have it."""
        best = self.best | {case.key: (likelihood, [states[v] for v in case.query])}
        return self.model_copy(update={"best": best})


def find_reference(problem: Problem, folder: str | Path | None = None) -> Reference:
    """Read a problem's reference from a folder, or compute it where there is none.

    Raises
    ------
    InputError
        When the file is not a reference, or belongs to another problem.
    """
    path = Path(folder or "") / f"{problem.name}.reference.json"
    if folder is None or not path.exists():
        return compute_reference(problem)
    try:
        content = json.loads(contents(path))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a reference in JSON ({str(error)[:160]})") from error
    reference = validate(Reference, content, f"{path}: not a reference")
    sizes = None if reference.mar is None else tuple(map(len, reference.mar))
    if reference.digest != problem.digest or sizes not in (None, problem.model.cardinalities):
        raise InputError(
            f"{path}: belongs to another problem than {problem.name}; delete it, and it is computed again"
        )
    return reference


def compute_reference(problem: Problem) -> Reference:
    """Solve all cases of a problem that are within reach."""
    reference = Reference(digest=problem.digest)
    with suppress(TooWideError):
        reference.log10_Z, marginals = posterior(problem.model, problem.evidence)
        reference.mar = None if marginals is None else [row.tolist() for row in marginals]
    for case in cases_of(problem):
        if not case.task.exact:
            with suppress(TooWideError):
                solution = most_probable(problem.model, case.evidence, case.query)
                reference = reference.with_best(case, *solution)
    return reference


def write_reference(problem: Problem, reference: Reference, folder: str | Path) -> None:
    """Write a problem's reference into a folder."""
    text = json.dumps(reference.model_dump(), sort_keys=True)
    write_atomically(Path(folder) / f"{problem.name}.reference.json", text + "\n")
