"""Files made from problems: the data of every dataset and seed, and the public part that participants may see."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.files import write_atomically
from srlib.folders import result_folder
from srlib.problems.data import Partition, partitions
from srlib.problems.problem import Problem
from srlib.problems.problem_file import Problems
from srlib.problems.recipe import PARTITIONS
from srlib.progress import progress
from srlib.table_files import write_frame
from srlib.yaml_files import yaml_text

PUBLIC_KEYS = {"dataset", "track", "features", "target", "description"}


def generate(problems: Problems, out: str | Path, seeds: Sequence[int] = ()) -> Path:
    """Write SEED_DATASET_data_PARTITION.csv of every dataset and seed, and NAME.yaml that points at them.

    Parameters
    ----------
    problems : Problems
        Each with data.
    out : str or Path
        Folder for the files.
    seeds : sequence of int
        Seeds to use instead of each problem's data_seeds.

    Returns
    -------
    Path
        The manifest: a problem file that states the same and loads again.

    Raises
    ------
    InputError
        When a dataset has no data or no seed, or its name cannot be part of a file's name.
    """
    name = f"{Path(problems.name).name}.yaml"
    with result_folder(out, "generate") as folder:
        entries = [
            _write_rows(problem, tuple(seeds) or problem.data_seeds, folder, problems.path)
            for problem in progress(problems.problems, len(problems.problems), "datasets written")
        ]
        text = yaml_text({"schema": 1, "name": problems.name, "problems": entries})
        write_atomically(folder / name, text)
    return Path(out) / name


def _write_rows(
    problem: Problem, seeds: tuple[int, ...], folder: Path, source: Path
) -> dict[str, Any]:
    """Write the rows of a problem for some seeds; return its entry with the names of the files."""
    if problem.data is None:
        raise InputError(
            f"{source}: dataset {problem.dataset}: there is no key 'data' to make files from"
        )
    if not seeds:
        raise InputError(
            f"{source}: dataset {problem.dataset}: key 'data_seeds' or --seeds is needed"
        )
    problem, files = problem.model_copy(update={"data_seeds": seeds}), dict[str, str]()
    for seed in seeds:
        rows = partitions(problem, seed)
        for partition in PARTITIONS:
            if (part := getattr(rows, partition)) is not None:
                ending = f"{problem.dataset}_data_{partition}.csv"
                files[partition] = f"{{data_seed}}_{ending}"
                _write_part(problem, part, folder / f"{seed}_{ending}", source)
    entry = problem.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return entry | {"target": problem.target or "y", "data": files}


def write_public(problems: Problems, path: str | Path) -> list[Path]:
    """Write what participants may know: a problem file, and the training rows in a folder beside it.

    There is no truth, no test row, no seed, and nothing of what is tested.

    Parameters
    ----------
    problems : Problems
        With the truths and all rows, which stay with the organizer.
    path : str or Path
        The file; NUMBER_DATASET_train.csv go into a folder named after it. The number is the place of the rows' seed
        among the `data_seeds`: with the seed, who knows or guesses a recipe draws the hidden rows and the noise, too.

    Returns
    -------
    list of Path
        What was written, the problem file first.

    Raises
    ------
    InputError
        When the file would replace the one that holds the truths, or a dataset's name cannot be part of a file's.
    """
    path, tables = Path(path), list[Path]()
    if path.exists() and problems.path.exists() and path.samefile(problems.path):
        raise InputError(f"{path}: this is the file that holds the truths; name another one")
    for problem in progress(problems.problems, len(problems.problems), "datasets written"):
        numbers = [f"{number}_" for number in range(1, len(problem.data_seeds) + 1)]
        seeds = dict(zip(numbers, problem.data_seeds, strict=True)) or {"": None}
        for number, seed in seeds.items():
            rows = partitions(problem, seed)
            if rows is not None and rows.train is not None:
                tables.append(path.parent / path.stem / f"{number}{problem.dataset}_train.csv")
                _write_part(problem, rows.train, tables[-1], problems.path)
    entries = [
        problem.model_dump(mode="json", exclude_none=True, include=PUBLIC_KEYS)
        for problem in problems.problems
    ]
    heading = f"# The public part of {problems.name}: what participants may know.\n"
    if tables:
        heading += (
            f"# Training rows: {path.stem}/NUMBER_DATASET_train.csv\n"
            "# A run names the rows it was made on by their number, as repetition.\n"
        )
    text = yaml_text({"schema": 1, "name": problems.name, **problems.about, "problems": entries})
    write_atomically(path, heading + text)
    return [path, *tables]


def _write_part(problem: Problem, part: Partition, path: Path, source: Path) -> None:
    """Write rows as CSV, the target last."""
    if Path(problem.dataset).name != problem.dataset:
        raise InputError(
            f"{source}: dataset {problem.dataset}: the name becomes part of a file's name, which cannot hold a slash"
        )
    frame = pd.DataFrame(part.X, columns=pd.Index(problem.features))
    write_frame(frame.assign(**{problem.target or "y": part.y}), path)
