"""Problem files and PMLB folders -> `Problems`."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from srlib.errors import InputError
from srlib.files import digest, shipped
from srlib.problems.data import header
from srlib.problems.manifest import Manifest, Problem
from srlib.problems.pmlb import read_folder
from srlib.yamlfile import load_yaml, validate


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
    """

    name: str
    path: Path
    problems: tuple[Problem, ...]

    @cached_property
    def digest(self) -> str:
        """Hash of all that is stated, in hexadecimal."""
        return digest([problem.model_dump(mode="json") for problem in self.problems])

    @cached_property
    def _by_name(self) -> dict[str, Problem]:
        return {problem.dataset: problem for problem in self.problems}

    def find(self, dataset: str) -> Problem | None:
        """Look up a dataset; `NAME@LEVEL` stands for the problem NAME with that noise level.

        Returns
        -------
        Problem or None
            None where there is no such dataset or LEVEL is no number in [0, 1).

        Examples
        --------
        >>> problems = load_problems("synthetic-2022")
        >>> problems.find("noise_base@0.2").noise_level
        0.2
        >>> problems.find("noise_basic") is None
        True
        """
        if dataset in self._by_name:
            return self._by_name[dataset]
        name, _, text = dataset.rpartition("@")
        problem = self._by_name.get(name)
        try:
            level = float(text)
        except ValueError:
            return None
        if problem is None or not 0 <= level < 1:
            return None
        changed: dict[str, object] = {"dataset": dataset, "noise_level": level}
        if problem.data is not None and "ratio" in problem.data.arguments:
            arguments = problem.data.arguments | {"ratio": level}
            changed["data"] = problem.data.model_copy(update={"arguments": arguments})
        return problem.model_copy(update=changed)


def load_problems(name_or_path: str | Path, data_root: str | Path | None = None) -> Problems:
    """Read a problem file, or a folder in PMLB's layout.

    Parameters
    ----------
    name_or_path : str or Path
        A YAML file, the bare name of a shipped one, or a folder with NAME/metadata.yaml or NAME/NAME.tsv.gz.
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
    path = shipped("problems", name_or_path)
    if path.is_dir():
        return _finish(path.resolve().name, path, read_folder(path), Path(data_root or path))
    manifest = validate(Manifest, load_yaml(path), path)
    root = Path(data_root) if data_root is not None else path.parent / manifest.data_root
    return _finish(manifest.name, path, manifest.problems, root)


def _finish(name: str, path: Path, problems: tuple[Problem, ...], root: Path) -> Problems:
    for problem in problems:
        problem._root = root
    return Problems(name, path, tuple(_with_features(problem, path) for problem in problems))


def _with_features(problem: Problem, path: Path) -> Problem:
    """Fill features and target that the file leaves to the data; check them again."""
    if problem.features:
        return problem
    if problem.data is None:
        raise InputError(f"{path}: dataset {problem.dataset}: features are needed where there are no data")
    columns = header(problem)
    target = problem.target or columns[-1]
    features = tuple(name for name in columns if name != target)
    stated = problem.model_dump(exclude_unset=True, exclude={"features", "target"})
    complete = validate(Problem, {**stated, "features": features, "target": target}, path)
    complete._root = problem.root
    return complete
