"""What participants may see of a problem file: no truth, no test rows, no seed, nothing of what is tested."""

from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.files import write_atomically
from srlib.problems.data import partitions
from srlib.problems.load import Problems
from srlib.progress import progress
from srlib.table_files import write_frame
from srlib.yaml_files import yaml_text

SHOWN = {"dataset", "track", "features", "target", "description"}


def public(problems: Problems, path: str | Path) -> list[Path]:
    """Write the public part: a problem file, and the training rows in a folder beside it.

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
    entries, written = [], []
    tasks = [(p, seed) for p in problems.problems for seed in (p.data_seeds or (None,))]
    for problem, seed in progress(tasks, len(tasks), "datasets written"):
        if problem.dataset not in {entry["dataset"] for entry in entries}:
            entries.append(problem.model_dump(mode="json", exclude_none=True, include=SHOWN))
        data, number = partitions(problem, seed), 0
        if seed is not None:
            number = problem.data_seeds.index(seed) + 1
        if data is None or data.train is None:
            continue
        if Path(problem.dataset).name != problem.dataset:
            raise InputError(
                f"{problems.path}: dataset {problem.dataset}: the name becomes part of a file's name"
            )
        name = f"{number}_{problem.dataset}_train.csv" if number else f"{problem.dataset}_train.csv"
        frame = pd.DataFrame(data.train.X, columns=pd.Index(data.features))
        frame[problem.target or "y"] = data.train.y
        written.append(path.parent / path.stem / name)
        write_frame(frame, written[-1])
    text = yaml_text({"schema": 1, "name": problems.name, **problems.about, "problems": entries})
    rows = f"# Training rows: {path.stem}/NUMBER_DATASET_train.csv\n" if written else ""
    rows += "# A run names the rows it was made on by their number, as repetition.\n" * bool(rows)
    write_atomically(
        path, f"# The public part of {problems.name}: what participants may know.\n{rows}{text}"
    )
    return [path, *written]
