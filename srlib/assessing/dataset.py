"""One dataset of a run table: its problem, and what is worked out once for all of its runs."""

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.store import Wanted
from srlib.assessing.tasks import Task
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, parse
from srlib.files import found_in, sha256
from srlib.problems import Problem, domain_of, partitions

MADE_ON = "the run does not say which data of its dataset it was made on"


class Dataset:
    """A problem as assessing needs it.

    Parameters
    ----------
    problem : Problem or None
        None where the problem file does not know the dataset.

    Raises
    ------
    InputError
        When the truth does not parse.
    """

    def __init__(self, problem: Problem | None) -> None:
        self.problem = problem
        self._sha256: dict[int | None, str] = {}
        if problem is not None and problem.truth is not None:
            try:
                parse(problem.truth, problem.known_names)
            except ModelTextError as error:
                raise InputError(
                    f"problem {problem.dataset}: the truth cannot be read: {error}"
                ) from error

    @cached_property
    def digest(self) -> str | None:
        """Hash of what an assessment reads from the problem."""
        if self.problem is not None:
            return self.problem.digest
        return None

    @cached_property
    def domain(self) -> dict[str, list[float]]:
        """Range of each feature."""
        if self.problem is None:
            return {}
        return {name: list(ends) for name, ends in domain_of(self.problem).items()}

    def seed(self, row: dict[str, Any]) -> int | None:
        """Seed of the data that a run was made on; None where there are no data to measure it on."""
        problem = self.problem
        if problem is None or problem.data is None or row["status"] != "ok":
            return None
        return data_seed(row, problem)

    def sha256(self, seed: int | None) -> str:
        """Hash of the data of one seed."""
        if seed not in self._sha256:
            data = None
            if self.problem is not None:
                data = partitions(self.problem, seed)
            self._sha256[seed] = data.sha256 if data is not None else ""
        return self._sha256[seed]

    def on_data(
        self, row: dict[str, Any], model: Expression, folder: Path | None, *, sweep: bool = False
    ) -> Wanted:
        """Tasks that measure a model on a run's data, and against its predictions where they lie in the folder.

        To `sweep` is to look for dust, too (`srlib.assessing.dust`).
        """
        seed = row["data_seed"]
        arguments: dict[str, Any] = {"problem": self.problem, "data_seed": seed}
        content = {"data": self.sha256(seed)}
        dust = {"sweep": sweep}
        wanted: Wanted = {"r2": (Task("r2", model, arguments | dust), content | dust)}
        if folder is None or not isinstance(row.get("predictions"), str):
            return wanted
        path = found_in(folder, row["predictions"])
        # an empty file is no prediction: a disk was full
        if path is not None and path.stat().st_size:
            wanted["match"] = (
                Task("match", model, arguments | {"path": str(path)}),
                content | {"predictions": sha256(path), "r2": True},
            )
        return wanted


def data_seed(row: dict[str, Any], problem: Problem) -> int:
    """Seed of the data that a run was made on: data_seed, else seed, else its repetition where that is one.

    Where the problem is `numbered`, data_seed or repetition may be the place of the seed among its data_seeds.

    Raises
    ------
    InputError
        When none of them is a data seed of the problem.
    """
    seeds = problem.data_seeds
    for name in ("data_seed", "repetition") if problem.numbered else ():
        value = row.get(name)
        if not pd.isna(value) and 1 <= int(value) <= len(seeds):
            return seeds[int(value) - 1]
        if not pd.isna(value):
            break
    for name in ("data_seed", "seed", "repetition"):
        value = row.get(name)
        if not pd.isna(value) and (not seeds or int(value) in seeds):
            return int(value)
        if not pd.isna(value) and name == "data_seed":
            break
    if seeds and len(seeds) == 1 and pd.isna(row.get("data_seed")):
        return seeds[0]
    allowed = ", ".join(map(str, seeds or ()))
    if problem.numbered:
        allowed = f"1 to {len(seeds)}, by number, or {allowed}"
    given = row.get("data_seed")
    raise InputError(
        f"{row.get('file', 'runs')} row {row.get('row', '?')} "
        f"(method {row['method']}, dataset {row['dataset']}): "
        + (
            f"{MADE_ON}; its seeds are {allowed}: state one as data_seed or seed, or as repetition"
            if pd.isna(given)
            else f"data_seed must be one of {allowed}, got {given}"
        )
    )
