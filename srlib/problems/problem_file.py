"""Problem files and PMLB folders: reading, writing with data files, and writing the public part for participants.

Errors are one sentence that names file, dataset and key.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import BeforeValidator, Field, ValidationInfo

from srlib.errors import InputError, ModelTextError, require
from srlib.expressions import parse
from srlib.files import shipped, write_atomically
from srlib.folders import result_folder
from srlib.problems.data import Partition, partitions, read_tables
from srlib.problems.generators import Recipe
from srlib.problems.leaks import find_leaks, is_open
from srlib.problems.problem import Name, Problem, Problems
from srlib.table_files import write_frame
from srlib.yaml_files import About, load_yaml, validate, yaml_text

# A line `F = mu*Nn` or `y' = x - cos(y)/x`: a name, perhaps with a prime, then the formula.
FORMULA_PATTERN = re.compile(
    r"^\s*(?P<target>[A-Za-z_]\w*'?)\s*=\s*(?P<formula>\S.*?)\s*$", re.MULTILINE
)
NUMBER_PATTERN = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
RANGE_PATTERN = re.compile(
    rf"^\s*(\S+)\s+in\s+\[\s*({NUMBER_PATTERN})\s*,\s*({NUMBER_PATTERN})\s*\]\s*$", re.MULTILINE
)
PUBLIC_KEYS = {"dataset", "track", "features", "target", "description"}


def fill_in_defaults(entry: Any, info: ValidationInfo) -> Any:
    """Return an entry of `problems` with the keys that it lacks from the file's `defaults`."""
    return info.data.get("defaults", {}) | entry if isinstance(entry, dict) else entry


Entry = Annotated[Problem, BeforeValidator(fill_in_defaults)]


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
    problems: Annotated[tuple[Entry, ...], Field(min_length=1)]
    """one entry for each dataset"""


def load_problems(
    name_or_path: str | Path | Problems,
    data_root: str | Path | None = None,
    faults: dict[str, str] | None = None,
) -> Problems:
    """Return the problems of a problem file, or of a folder in PMLB's layout.

    Parameters
    ----------
    name_or_path : str or Path, or Problems
        A YAML file, the name of a shipped file, or a folder with NAME/metadata.yaml or NAME/NAME.tsv.gz. `Problems` are
        returned unchanged.
    data_root : str or Path, optional
        Folder of the data files, in place of the one that the file states.
    faults : dict of str to str, optional
        Where it is given, problems that are wrong by themselves, as with an unreadable truth, are left out, and the
        reason is stored here under the dataset.

    Raises
    ------
    InputError
        When the file is invalid; the message names the file and the key.

    Examples
    --------
    >>> load_problems("synthetic-2022").problems[0].dataset
    'exact_formula_easier'
    """
    if isinstance(name_or_path, Problems):
        return name_or_path
    require(not data_root or Path(data_root).is_dir(), f"data_root: {data_root}: no such folder")
    path = shipped("problems", name_or_path)
    if path.is_dir():
        file = ProblemFile.model_construct(name=path.resolve().name, problems=read_folder(path))
        root = path
    else:
        file = validate(ProblemFile, load_yaml(path), path)
        root = path.parent / file.data_root
    problems, levels = list[Problem](), {}
    for entry in file.problems:
        dataset = entry.dataset
        require(dataset not in levels, f"{path}: dataset {dataset} is listed twice in problems")
        levels[dataset] = entry.noise_level
        try:
            problems.append(_complete_problem(entry, path, Path(data_root or root)))
            levels[dataset] = problems[-1].noise_level
        except InputError as error:
            if faults is None:
                raise
            faults[dataset] = str(error)
    for problem in problems:  # references need less noise, so there are no cycles
        reference = problem.noise_reference or ""
        level = problem.noise_level
        require(
            not reference or levels.get(reference, 1) < level,
            f"{path}: dataset {problem.dataset}: noise_reference must be a dataset of this file with a "
            f"noise_level below {level}, got {reference!r} with {levels.get(reference, 'none')}",
        )
    return Problems(file.name, path, tuple(problems), file.about())


def _complete_problem(problem: Problem, path: Path, root: Path) -> Problem:
    """Return a problem with missing keys derived from its recipe or the columns of its data, checked again."""
    problem._root = root
    content = problem.model_dump(exclude_defaults=True)
    data = problem.data
    recipe = None
    if data and data.generator == "formula":
        arguments = {"formula": problem.truth, "ratio": problem.noise_level} | data.arguments
        recipe = validate(Recipe, arguments, f"{path}: {problem}, key 'data.arguments'")
        content["data"]["arguments"] = arguments
        names, generator = [*recipe.features], np.random.default_rng(problem.first_seed)
        for name in recipe.surrogates:  # their places must not tell which they are
            names.insert(generator.integers(len(names) + 1), name)
        content = {
            "truth": recipe.formula,
            "noise_level": recipe.ratio,
            "target": "y",
            "features": names,
            "surrogates": tuple(recipe.surrogates) or None,
        } | content
    if "features" not in content:
        require(data is not None, f"{path}: {problem}: features are needed where there are no data")
        table, *_ = read_tables(problem, problem.first_seed).values()
        columns = [*map(str, table)]
        target = problem.target or columns[-1]
        content |= {"features": [name for name in columns if name != target], "target": target}
    features = content["features"]
    truth = content.get("truth")
    if truth:
        try:
            names = (*features, *problem.constants)
            truth_features = parse(truth, names, names="features").features
        except ModelTextError as error:
            raise InputError(f"{path}: {problem}: the truth cannot be read: {error}") from error
        if recipe or problem.property == "relevant_features":
            content.setdefault("relevant", [name for name in features if name in truth_features])
    problem = validate(Problem, content, path)
    problem._root = root
    return problem


def read_folder(folder: Path) -> tuple[Problem, ...]:
    """Return a problem for every dataset of a folder in PMLB's layout, sorted by name.

    A problem has a truth and a domain if the description of the dataset states them, and data if the file exists.

    Raises
    ------
    InputError
        When the folder has no dataset, or a metadata file lacks its features.
    """
    problems = []
    for subfolder in sorted(folder.iterdir()):
        path = subfolder / "metadata.yaml"
        name = subfolder.name
        entry: dict[str, Any] = {"dataset": name, "target": "target", "track": "qualification"}
        if (subfolder / f"{name}.tsv.gz").is_file():
            entry["data"] = {"pmlb": name}
        if path.is_file():
            entry |= read_metadata(path)
        elif "data" not in entry:
            continue
        problems.append(validate(Problem, entry, path))
    require(
        bool(problems),
        f"{folder}: no NAME/metadata.yaml and no NAME/NAME.tsv.gz, so it is no PMLB folder",
    )
    return tuple(problems)


def read_metadata(path: Path) -> dict[str, Any]:
    """Return keys of a problem from PMLB's metadata: features, domain and, with a truth, also track and family."""
    content = load_yaml(path)
    try:
        features = tuple(str(entry["name"]) for entry in content["features"])
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{path}: key 'features': a list of entries with a name was expected"
        ) from error
    description = str(content.get("description") or "")
    domain = {
        name: (low, high)
        for name, low, high in RANGE_PATTERN.findall(description)
        if name in features and float(low) < float(high)
    }
    entry = {"features": features, "domain": domain or None}
    truth = find_formula(description, features)
    if truth is None:
        return entry
    family = path.parent.name.split("_")[0]
    return entry | {"track": "synthetic", "property": "solution", "truth": truth, "family": family}


def find_formula(description: str, features: tuple[str, ...]) -> str | None:
    r"""Return the right-hand side of the first line that defines the target by the features; None if there is none.

    Examples
    --------
    >>> find_formula("A model.\n\n  F = mu*Nn\n\n  mu in [1.0,5.0]", ("mu", "Nn"))
    'mu*Nn'
    >>> find_formula("y' = x - cos(y)/x", ("x", "y"))
    'x - cos(y)/x'
    >>> find_formula("Data from 1989 (n = 52).", ("lugs_1989",)) is None
    True
    """
    for match in FORMULA_PATTERN.finditer(description):
        words = re.findall(r"[^\W\d]\w*", match["formula"])
        if {*words} & {*features} and match["target"] not in features:
            with suppress(ModelTextError):
                parse(match["formula"], features)
                return match["formula"]
    return None


def generate(problems: Problems, out: str | Path, seeds: Sequence[int] = ()) -> Path:
    """Write data files of every dataset and seed, and a problem file that names them.

    The files are SEED_DATASET_data_PARTITION.csv (without SEED_ if there are no seeds) and NAME.yaml.

    Parameters
    ----------
    problems : Problems
        Problems that all have data.
    out : str or Path
        Folder for the files.
    seeds : sequence of int
        Seeds to use instead of each problem's data_seeds.

    Returns
    -------
    Path
        The problem file NAME.yaml, which states the same problems with the files as data.

    Raises
    ------
    InputError
        When a dataset has no data or no seed, or its name cannot be part of a file's name.
    """
    manifest = f"{Path(problems.name).name}.yaml"
    entries = []
    with result_folder(out, "problems generate") as folder:
        for problem in problems.problems:
            require(
                bool(problem.data),
                f"{problems.path}: {problem}: there is no key 'data' to make files from",
            )
            problem = problem.model_copy(update={"data_seeds": tuple(seeds) or problem.data_seeds})
            prefix = "{data_seed}_" if problem.data_seeds else ""
            files = {}
            for seed in problem.data_seeds or (None,):
                for partition, rows in vars(partitions(problem, seed)).items():
                    if isinstance(rows, Partition):
                        name = f"{prefix}{problem.dataset}_data_{partition}.csv"
                        files[partition] = name
                        _write_part(problem, rows, folder / name.replace("{data_seed}", str(seed)))
            entry = problem.model_dump(mode="json", exclude_defaults=True)
            entries.append(entry | {"target": problem.target or "y", "data": files})
        content = {"schema": 1, "name": problems.name, **problems.about, "problems": entries}
        write_atomically(folder / manifest, yaml_text(content))
        load_problems(folder / manifest)  # checks the written file, also with new seeds
    return Path(out) / manifest


def write_public(
    problems: Problems, path: str | Path, warn: Callable[[str], object] = lambda line: None
) -> list[Path]:
    """Write the public part for participants: a problem file, and the training rows in a folder beside it.

    The truth, the test rows, the seeds and the tested properties are left out. `data_seeds` has the numbers 1, 2,
    ... of the seeds, so that `srlib check` knows how many runs are expected.

    Parameters
    ----------
    problems : Problems
        Problems with truths and all rows, which only the organizer has.
    path : str or Path
        The problem file; NUMBER_DATASET_train.csv are written to a folder with its name. NUMBER is the position of the
        seed in `data_seeds`: with the seed itself, participants who guess the recipe could draw the hidden rows.
    warn : callable
        Called with a sentence about rows that give away others, where everybody can have the rows in any case.

    Returns
    -------
    list of Path
        Paths of the written files, the problem file first.

    Raises
    ------
    InputError
        When `path` is the file with the truths or a folder, a problem states `numbered: false`, the rows of a problem
        give away hidden values of another, or a dataset's name cannot be part of a file's name.
    """
    path = Path(path)
    entries = []
    parts = {}
    require(
        path.resolve() != problems.path.resolve(),
        f"{path}: this is the file that holds the truths; name another one",
    )
    require(
        not path.is_dir(), f"{path}: the name of a file was expected, and a folder stands there"
    )
    for problem in problems.problems:
        require(
            problem.numbered is not False,
            f"{problems.path}: {problem}: numbered: true was expected, as participants know the "
            "numbers of their rows and not the seeds",
        )
        seeds = problem.data_seeds
        for number, seed in enumerate(seeds or [None], start=1):
            rows = partitions(problem, seed)
            if rows and rows.train:
                prefix = f"{number}_" if seeds else ""
                table_path = path.with_suffix("") / f"{prefix}{problem.dataset}_train.csv"
                parts[table_path] = problem, rows.train
        entry = problem.model_dump(mode="json", exclude_none=True, include=PUBLIC_KEYS)
        entries.append(entry | {"data_seeds": [*range(1, len(seeds) + 1)]})
    for problem, _, sentence in find_leaks(problems.problems):
        line = f"{problems.path}: {problem}: {sentence}"
        require(is_open(problem), f"{line}; give one of them other data_seeds, or rows of its own")
        warn(line)
    for table_path, (problem, part) in parts.items():  # written only after all data could be read
        _write_part(problem, part, table_path)
    text = f"# The public part of {problems.name}: what participants may know.\n"
    if parts:
        text += (
            f"# Training rows: {path.stem}/NUMBER_DATASET_train.csv; data_seeds are the numbers here.\n"
            "# A run names its rows by that number, as repetition; rows without one, DATASET_train.csv, are for all.\n"
            f"# For `srlib run` give each dataset data: {{file: '{path.stem}/{{data_seed}}_DATASET_train.csv'}}.\n"
        )
    text += yaml_text({"schema": 1, "name": problems.name, **problems.about, "problems": entries})
    write_atomically(path, text)
    return [path, *parts]


def _write_part(problem: Problem, part: Partition, path: Path) -> None:
    """Write rows as CSV, with the target as last column."""
    require(
        Path(problem.dataset).name == problem.dataset,
        f"{problem}: the name becomes part of a file's name, which cannot hold a slash",
    )
    frame = pd.DataFrame(part.X, columns=[*problem.features])
    write_frame(frame.assign(**{problem.target or "y": part.y}), path)
