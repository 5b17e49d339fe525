"""Files made from problems: the data of every dataset and seed, and the public part that participants may see."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.files import write_atomically
from srlib.folders import result_folder
from srlib.problems.data import Partition, partitions
from srlib.problems.load import Problems
from srlib.problems.manifest import Problem
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
    for problem in problems.problems:
        where = f"{problems.path}: dataset {problem.dataset}"
        if problem.data is None:
            raise InputError(f"{where}: there is no key 'data' to make files from")
        _check_file_name(problem, problems.path)
        if not seeds and not problem.data_seeds:
            raise InputError(f"{where}: key 'data_seeds' or --seeds is needed")
    chosen = [
        p.model_copy(update={"data_seeds": tuple(seeds) or p.data_seeds}) for p in problems.problems
    ]
    files: dict[str, dict[str, str]] = {problem.dataset: {} for problem in chosen}
    tasks = [(problem, seed) for problem in chosen for seed in problem.data_seeds]
    name = f"{Path(problems.name).name}.yaml"
    with result_folder(out, "generate") as folder:
        for problem, seed in progress(tasks, len(tasks), "files written"):
            data = partitions(problem, seed)
            for partition in ("train", "test", "extrapolation"):
                if (part := getattr(data, partition)) is not None:
                    pattern = f"{{data_seed}}_{problem.dataset}_data_{partition}.csv"
                    files[problem.dataset][partition] = pattern
                    path = folder / pattern.replace("{data_seed}", str(seed))
                    write_frame(_to_frame(problem, part), path)
        entries = [
            problem.model_dump(
                mode="json", exclude_none=True, exclude_defaults=True, exclude={"data"}
            )
            | {"target": problem.target or "y", "data": files[problem.dataset]}
            for problem in chosen
        ]
        text = yaml_text({"schema": 1, "name": problems.name, "problems": entries})
        write_atomically(folder / name, text)
    return Path(out) / name


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
    path = Path(path)
    if path.exists() and problems.path.exists() and path.samefile(problems.path):
        raise InputError(f"{path}: this is the file that holds the truths; name another one")
    entries = [
        problem.model_dump(mode="json", exclude_none=True, include=PUBLIC_KEYS)
        for problem in problems.problems
    ]
    tables = list[Path]()
    tasks = [(p, seed) for p in problems.problems for seed in (p.data_seeds or (None,))]
    for problem, seed in progress(tasks, len(tasks), "datasets written"):
        data = partitions(problem, seed)
        if data is None or data.train is None:
            continue
        _check_file_name(problem, problems.path)
        name = f"{problem.dataset}_train.csv"
        if seed is not None:
            name = f"{problem.data_seeds.index(seed) + 1}_{name}"
        tables.append(path.parent / path.stem / name)
        write_frame(_to_frame(problem, data.train), tables[-1])
    heading = f"# The public part of {problems.name}: what participants may know.\n"
    if tables:
        heading += (
            f"# Training rows: {path.stem}/NUMBER_DATASET_train.csv\n"
            "# A run names the rows it was made on by their number, as repetition.\n"
        )
    text = yaml_text({"schema": 1, "name": problems.name, **problems.about, "problems": entries})
    write_atomically(path, heading + text)
    return [path, *tables]


def _to_frame(problem: Problem, part: Partition) -> pd.DataFrame:
    frame = pd.DataFrame(part.X, columns=pd.Index(problem.features))
    return frame.assign(**{problem.target or "y": part.y})


def _check_file_name(problem: Problem, path: Path) -> None:
    if Path(problem.dataset).name != problem.dataset:
        raise InputError(
            f"{path}: dataset {problem.dataset}: the name becomes part of a file's name, which cannot hold a slash"
        )
