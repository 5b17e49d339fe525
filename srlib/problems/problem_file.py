"""Problem files and PMLB folders -> `Problems`; a fault is one sentence that names file, dataset and key."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from srlib.errors import InputError, ModelTextError
from srlib.expressions import parse
from srlib.files import digest, shipped
from srlib.problems.data import column_names
from srlib.problems.generators import arguments_model
from srlib.problems.pmlb_folder import read_folder
from srlib.problems.problem import Name, Problem
from srlib.problems.recipe import Recipe
from srlib.yaml_files import About, load_yaml, validate


class ProblemFile(About):
    """A problem file as it stands."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    """version of this layout: 1"""
    name: Name
    """name of the problems, as reports show it"""
    data_root: str = "."
    """folder of the data files, relative to this file"""
    defaults: dict[str, Any] = {}
    """values of problems that do not state their own"""
    problems: Annotated[tuple[Problem, ...], Field(min_length=1)]
    """one entry for each dataset"""

    @model_validator(mode="before")
    @classmethod
    def _merge_defaults(cls, content: Any) -> Any:
        """Fill what a problem leaves out from the defaults block."""
        defaults, entries = content.get("defaults"), content.get("problems")
        if not isinstance(defaults, dict) or not isinstance(entries, list):
            return content
        for key in defaults:
            if key not in Problem.model_fields:
                allowed = ", ".join(sorted(Problem.model_fields))
                raise ValueError(f"unknown key 'defaults.{key}'; allowed: {allowed}")
        merged = [defaults | entry if isinstance(entry, dict) else entry for entry in entries]
        return content | {"problems": merged}


@dataclass(frozen=True)
class Problems:
    """The problems of one file or folder.

    Attributes
    ----------
    name : str
        The name that the file states; of a folder, its own.
    path : Path
        Where they were read from.
    problems : tuple of Problem
        In the file's order.
    about : dict of str to str
        What the file says of the competition itself: date, deadline, contact, description.
    """

    name: str
    path: Path
    problems: tuple[Problem, ...]
    about: dict[str, str] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Hash of all that is stated, in hexadecimal."""
        return digest([problem.content for problem in self.problems])

    @cached_property
    def _by_name(self) -> dict[str, Problem]:
        return {problem.dataset: problem for problem in self.problems}

    def find(self, dataset: str) -> Problem | None:
        """Look up a dataset.

        A problem file lists each noise level as a dataset of its own. A folder in PMLB's layout states no competition:
        there `NAME@LEVEL` is the dataset NAME with that noise level, as SRBench writes it.

        Returns
        -------
        Problem or None
            None where there is no such dataset or LEVEL is no number in [0, 1).

        Examples
        --------
        >>> problems = load_problems("synthetic-2022")
        >>> problems.find("noise_base").noise_level
        0.0
        >>> problems.find("noise_base@0.2") is None
        True
        """
        if dataset in self._by_name or not self.path.is_dir():
            return self._by_name.get(dataset)
        name, _, text = dataset.rpartition("@")
        problem = self._by_name.get(name)
        try:
            level = float(text)
        except ValueError:
            return None
        if problem is None or not 0 <= level < 1:
            return None
        return problem.model_copy(update={"dataset": dataset, "noise_level": level})


def load_problems(
    name_or_path: "str | Path | Problems", data_root: str | Path | None = None
) -> Problems:
    """Read a problem file, or a folder in PMLB's layout.

    Parameters
    ----------
    name_or_path : str or Path, or Problems
        A YAML file, the bare name of a shipped one, or a folder with NAME/metadata.yaml or NAME/NAME.tsv.gz. What was
        read before is taken as it is.
    data_root : str or Path, optional
        Folder of the data, instead of the one that the file states.

    Raises
    ------
    InputError
        One sentence that names the file and the key.

    Examples
    --------
    >>> load_problems("synthetic-2022").problems[0].dataset
    'exact_formula_easier'
    """
    if isinstance(name_or_path, Problems):
        return name_or_path
    if data_root is not None and not Path(data_root).is_dir():
        raise InputError(f"data_root: {data_root}: no such folder")
    path = shipped("problems", name_or_path)
    if path.is_dir():
        content = {"schema": 1, "name": path.resolve().name, "problems": read_folder(path)}
        file, root = ProblemFile.model_validate(content), path
    else:
        file = validate(ProblemFile, load_yaml(path), path)
        root = path.parent / file.data_root
    problems = tuple(
        _complete_problem(problem, path, Path(data_root or root)) for problem in file.problems
    )
    _check_datasets(problems, path)
    return Problems(file.name, path, problems, file.about())


def _complete_problem(problem: Problem, path: Path, root: Path) -> Problem:
    """Derive what the entry leaves to its recipe or to the columns of its data, then check it again."""
    problem._root = root
    data, derived = problem.data, dict[str, Any]()
    source, content = (
        f"{path}: dataset {problem.dataset}",
        problem.model_dump(exclude_defaults=True),
    )
    if data is not None and data.generator:
        arguments = data.arguments
        if data.generator == "formula":
            arguments = {"formula": problem.truth, "ratio": problem.noise_level} | arguments
            content["data"] = data.model_copy(update={"arguments": arguments})
        model = arguments_model(data.generator)
        checked = validate(model, arguments, f"{source}, key 'data.arguments'")
        if isinstance(checked, Recipe):
            derived = checked.derive_entries()
            if problem.irrelevant is not None:
                del derived["relevant"]
    if not (problem.features or derived):
        if data is None:
            raise InputError(f"{source}: features are needed where there are no data")
        columns = column_names(problem)
        target = problem.target or columns[-1]
        derived = {"features": [name for name in columns if name != target], "target": target}
    if derived:
        problem = validate(Problem, derived | content, path)
        problem._root = root
    try:
        # a PMLB description is no statement of the organizer: its formula may be unreadable
        if problem.truth is not None and not path.is_dir():
            parse(problem.truth, problem.known_names)
    except ModelTextError as error:
        raise InputError(f"{source}: the truth cannot be read: {error}") from error
    return problem


def _check_datasets(problems: tuple[Problem, ...], path: Path) -> None:
    """Refuse a dataset that is listed twice, and a noise reference that is none or has as much noise.

    As the noise falls from reference to reference, no chain of them is a circle.
    """
    levels = dict[str, float]()
    for problem in problems:
        if problem.dataset in levels:
            raise InputError(f"{path}: dataset {problem.dataset} is listed twice in problems")
        levels[problem.dataset] = problem.noise_level
    for problem in problems:
        if problem.noise_reference is None:
            continue
        reference = (
            f"{path}: dataset {problem.dataset}: noise_reference {problem.noise_reference!r}"
        )
        level = levels.get(problem.noise_reference)
        if level is None:
            raise InputError(f"{reference} is no dataset of this file")
        if level >= problem.noise_level:
            raise InputError(
                f"{reference} must have a lower noise_level than {problem.noise_level}, got {level}"
            )
