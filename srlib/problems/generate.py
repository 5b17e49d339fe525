"""Problem file and seeds -> CSV files and a manifest that points at them."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError, SrlibError
from srlib.files import write_atomically
from srlib.folders import result_folder
from srlib.problems.data import partitions
from srlib.problems.load import Problems
from srlib.problems.manifest import Problem
from srlib.progress import progress
from srlib.table_files import write_frame
from srlib.workers import bounded_map
from srlib.yaml_files import yaml_text

LIMIT_S = 300.0  # of computing, for the files of one dataset and seed
MEMORY_BYTES = 4 * 2**30


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
    chosen = [_with_seeds(problem, seeds, problems.path) for problem in problems.problems]
    tasks = [(problem, seed) for problem in chosen for seed in problem.data_seeds]
    with result_folder(out, "generate") as folder:
        path = _write(problems, tasks, folder)
    return Path(out) / path.name


def _write(problems: Problems, tasks: list[tuple[Problem, int]], folder: Path) -> Path:
    entries: dict[str, dict[str, Any]] = {}
    items = [(own, seed, folder) for own, seed in tasks]
    made: Any = bounded_map(
        _made, items, timeout=10 * LIMIT_S, computing=LIMIT_S, memory_bytes=MEMORY_BYTES
    )
    with closing(made):  # when the folder is removed, nobody writes into it any more
        for i, outcome in progress(made, len(items), "files written"):
            own, seed, _ = items[i]
            if outcome.status != "ok":
                where = f"{problems.path}: dataset {own.dataset}, seed {seed}"
                raise InputError(f"{where}: {outcome.detail or outcome.status}")
            files, refused = outcome.value
            if refused:
                raise InputError(refused)
            stated = own.model_dump(
                mode="json", exclude_none=True, exclude_defaults=True, exclude={"data"}
            )
            entries[own.dataset] = stated | {"target": own.target or "y", "data": files}
    ordered = [entries[own.dataset] for own in problems.problems]
    text = yaml_text({"schema": 1, "name": problems.name, "problems": ordered})
    path = folder / f"{Path(problems.name).name}.yaml"
    write_atomically(path, text)
    return path


def _made(task: tuple[Problem, int, Path]) -> tuple[dict[str, str], str]:
    """Write the files of one dataset and seed; in a worker, as the formulas may be anybody's."""
    own, seed, folder = task
    files: dict[str, str] = {}
    try:
        data = partitions(own, seed)
    except SrlibError as error:
        return files, str(error)
    for name in ("train", "test", "extrapolation"):
        part = getattr(data, name)
        if part is not None:
            files[name] = f"{{data_seed}}_{own.dataset}_data_{name}.csv"
            columns = {own.target or "y": part.y}
            frame = pd.DataFrame(part.X, columns=pd.Index(own.features)).assign(**columns)
            write_frame(frame, folder / files[name].replace("{data_seed}", str(seed)))
    return files, ""


def _with_seeds(problem: Problem, seeds: Sequence[int], path: Path) -> Problem:
    where = f"{path}: dataset {problem.dataset}"
    if problem.data is None:
        raise InputError(f"{where}: there is no key 'data' to make files from")
    if Path(problem.dataset).name != problem.dataset:
        raise InputError(
            f"{where}: the name becomes part of a file's name, which cannot hold a slash"
        )
    if not seeds and not problem.data_seeds:
        raise InputError(f"{where}: key 'data_seeds' or --seeds is needed")
    return problem.model_copy(update={"data_seeds": tuple(seeds) or problem.data_seeds})
