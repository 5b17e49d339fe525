"""Problem files and PMLB folders -> `Problems`."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from srlib.errors import InputError, ModelTextError
from srlib.expressions import parse
from srlib.files import digest, shipped
from srlib.problems.data import header
from srlib.problems.formula import Recipe
from srlib.problems.manifest import Manifest, Problem
from srlib.problems.pmlb import read_folder
from srlib.yaml_files import load_yaml, validate


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
        return _finish(path.resolve().name, path, read_folder(path), Path(data_root or path))
    manifest = validate(Manifest, load_yaml(path), path)
    root = Path(data_root) if data_root is not None else path.parent / manifest.data_root
    found = _finish(manifest.name, path, manifest.problems, root)
    return replace(found, about=manifest.about())


def _finish(name: str, path: Path, problems: tuple[Problem, ...], root: Path) -> Problems:
    return Problems(name, path, tuple(_completed(problem, path, root) for problem in problems))


def _completed(problem: Problem, path: Path, root: Path) -> Problem:
    """Fill what the file leaves to the recipe or the data, and check the whole again."""
    problem._root = root
    where = f"{path}: dataset {problem.dataset}"
    known: dict[str, object] = {}
    if problem.data is not None and problem.data.generator == "formula":
        stated = {"formula": problem.truth, "ratio": problem.noise_level} | problem.data.arguments
        recipe = validate(Recipe, stated, f"{where}, key 'data.arguments'")
        known = {"truth": recipe.formula, "noise_level": recipe.ratio, "target": "y"}
        known |= {
            "features": (*recipe.features, *recipe.surrogates),
            "surrogates": tuple(recipe.surrogates) or None,
        }
        if problem.irrelevant is None:
            known["relevant"] = recipe.relevant
        known |= problem.model_dump(exclude_unset=True)
        problem = _again(
            problem, known | {"data": problem.data.model_copy(update={"arguments": stated})}, path
        )
    if not problem.features:
        if problem.data is None:
            raise InputError(f"{where}: features are needed where there are no data")
        columns = header(problem)
        target = problem.target or columns[-1]
        known = {"features": tuple(name for name in columns if name != target), "target": target}
        problem = _again(problem, problem.model_dump(exclude_unset=True) | known, path)
    try:
        # what a PMLB description holds is nobody's statement
        if problem.truth is not None and not path.is_dir():
            parse(problem.truth, problem.known_names)
    except ModelTextError as error:
        raise InputError(
            f"{path}: problem {problem.dataset}: the truth cannot be read: {error}"
        ) from error
    return problem


def _again(problem: Problem, content: dict[str, object], path: Path) -> Problem:
    result = validate(Problem, content, path)
    result._root = problem.root
    return result
