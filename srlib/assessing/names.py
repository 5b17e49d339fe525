"""Decide how each run's text names the features, with the evidence; parse texts."""

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import numpy as np
import pandas as pd

from srlib.assessing.forms import predicts, rows_by_partition
from srlib.errors import ModelTextError
from srlib.expressions import Expression, parse
from srlib.expressions.names import NAMES
from srlib.expressions.parse import read_each
from srlib.problems import Problem, Problems, partitions
from srlib.problems.data import Partitions

MOST_PARSED = 10_000  # parsed models that are kept in memory
SAME_PREDICTIONS = 1e-6  # tolerance relative to the largest prediction, and to each value
MOST_BYTES = 100  # of a recorded prediction
# the models that a text means, by numbering; None where nothing depends on them
Models = dict[str, Any]
SPELLED = {"features": "by the features' names", "x0": "from x0", "x1": "from x1"}


class NameReading(NamedTuple):
    """Reading of the names in one text.

    `names_read` is the argument `names` of `parse`, None for a text that cannot be read. `names_evidence` is 'stated'
    (the table states it), 'predictions' (it alone reproduces the recorded predictions), 'text' (the text can only
    mean one model), 'others' (as in the method's other texts) or
    'default' (no evidence: by the features' names). `names_note` is a sentence if the text could also be read
    otherwise, or if the method names features in another way elsewhere; else None.
    """

    names_read: str | None
    names_evidence: str | None
    names_note: str | None = None


def read_names(
    runs: pd.DataFrame,
    problems: Problems | None,
    companions: pd.DataFrame | None = None,
    folder: Path | None = None,
) -> pd.DataFrame:
    """Return how each run's text names its features.

    The first evidence decides, in this order: the column `names` of the table; recorded predictions; the only model
    that the text can mean; the only numbering that fits all texts of the method on the dataset; on all datasets.
    Otherwise the text is read by the features' names, or not at all if these do not fit.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract.
    problems : Problems, optional
        Features of each dataset; without them only the column `names` is used.
    companions : pandas.DataFrame, optional
        Other runs of the same competition, whose texts may show how a method names features.
    folder : Path, optional
        Folder to which paths of predictions are relative; without it predictions are no evidence.

    Returns
    -------
    pandas.DataFrame
        The fields of `NameReading`, one row per run, with the index of `runs`.
    """
    tables = [runs] if companions is None else [runs, companions]
    columns = ["method", "dataset", "repetition", "model", "names", "predictions"]
    texts = pd.concat([table.reindex(columns=columns) for table in tables], ignore_index=True)
    rows = list[Any](texts.itertuples(index=False))
    evidence = [find_models(row, problems and problems.find(row.dataset), folder) for row in rows]
    # the numberings that fit all texts of a method: on each dataset, and on all (None)
    shared: dict[Any, set[str]] = defaultdict(lambda: set(NAMES))
    for row, (_, models) in zip(rows, evidence, strict=True):
        if models:
            shared[row.method, row.dataset] &= models.keys()
            shared[row.method, None] &= models.keys()
    readings = [
        settle(*pair, shared[row.method, row.dataset], shared[row.method, None])
        for row, pair in zip(rows[: len(runs)], evidence, strict=False)
    ]
    return pd.DataFrame(readings, runs.index, list(NameReading._fields), dtype="str")


def find_models(row: Any, problem: Problem | None, folder: Path | None) -> tuple[str, Models]:
    """Return the models that a run's text may mean, by numbering, and what tells: 'stated', 'predictions' or 'text'."""
    if row.names in NAMES:
        return "stated", {row.names: None}
    if problem is None or not isinstance(row.model, str):
        return "text", dict.fromkeys(NAMES)
    models = models_of(row.model, problem.features)
    path = find_predictions(row.predictions, folder)
    if path is not None and problem.data and len({*models.values()}) > 1:
        seed = problem.data_seed(row.repetition)
        data = partitions(problem, seed)
        predicting = {names: m for names, m in models.items() if match_predictions(m, data, path)}
        if len({*predicting.values()}) == 1:
            return "predictions", predicting
    return "text", models


def settle(evidence: str, models: Models, *shared: set[str]) -> NameReading:
    """Return the reading of a text from its models by numbering, and from what fits the method's texts."""
    for source, allowed in [(evidence, set(NAMES)), *(("others", names) for names in shared)]:
        fitting = [names for names in NAMES if names in models.keys() & allowed]
        if len({models[names] for names in fitting}) == 1:
            names_read, evidence = fitting[0], source
            break
    else:
        if "features" not in models:
            return NameReading(None, None)
        names_read, evidence = "features", "default"
    distinct = {models[names]: names for names in reversed(NAMES) if names in models}.values()
    ways = " and ".join(SPELLED[names] for names in NAMES if names in distinct)
    note, spelled = None, SPELLED[names_read]
    if evidence == "default":
        note = f"the text can be read {ways}; read {spelled}, as nothing tells: state names"
    elif evidence == "others" and names_read != "features":
        note = f"the text can be read {ways}; read {spelled}, as other texts of the method are"
    elif evidence != "stated" and len(models) < len(NAMES) and not shared[-1]:
        note = f"the text is read {spelled}, and no numbering fits all texts of the method"
    return NameReading(names_read, evidence, note)


def find_predictions(name: Any, folder: Path | None) -> Path | None:
    """Return the path of a run's stored predictions.

    None if no file is named, if it is missing or empty, or if it lies outside the folder after resolving links.
    """
    if folder is None or not isinstance(name, str):
        return None
    with suppress(OSError, ValueError, RuntimeError):  # too long, a NUL, a circle of links
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file() and path.stat().st_size:
            return path
    return None


def match_predictions(model: Expression, data: Partitions | None, path: Path) -> bool | None:
    """Return whether a model gives all recorded predictions, within 1e-6 of the largest plus 1e-6 of each value.

    None if the file or the data hold no predictions. Nothing larger than the data is read, and nothing that is not
    numbers; a damaged archive may raise any error.
    """
    rows = rows_by_partition(data)
    matches = []
    with suppress(Exception), ZipFile(path) as archive, np.load(path) as arrays:
        sizes = {Path(file.filename).stem: file.file_size for file in archive.filelist}
        for name, (columns, y) in rows.items():
            if 0 < sizes.get(name, 0) <= MOST_BYTES * (len(y) + MOST_BYTES):
                values = arrays[name].astype(float)
                if values.size:
                    is_alike = values.shape == y.shape
                    tolerances = SAME_PREDICTIONS, SAME_PREDICTIONS
                    matches.append(is_alike and predicts(model, columns, values, *tolerances))
    return all(matches) if matches else None


@lru_cache(MOST_PARSED)
def models_of(text: str, features: tuple[str, ...]) -> Models:
    """Return the models that a text may mean, by numbering; equal texts are read once."""
    with suppress(ModelTextError):
        return dict[str, Any](read_each(text, features))
    return {}


@lru_cache(MOST_PARSED)
def parse_once(
    text: Any, features: tuple[str, ...] | None, names: str | None = "features"
) -> Expression | ModelTextError:
    """Return a parsed text, or the error that says why it cannot be read; equal texts are parsed once."""
    try:
        return parse(
            text if isinstance(text, str) else "", features, names=names if names in NAMES else None
        )
    except ModelTextError as error:
        return error.with_traceback(None)


def as_written(run: Mapping[Any, Any], problem: Problem) -> Expression:
    """Parse the text that a method wrote, unsimplified, with the names read as decided.

    Parameters
    ----------
    run : mapping
        A row of assessments with `model`; without `names_read`, the text tells.
    problem : Problem
        The problem that has the features.

    Raises
    ------
    ModelTextError
        When the text cannot be read.
    """
    model = parse_once(run["model"], problem.features, run.get("names_read"))
    if isinstance(model, ModelTextError):
        raise model
    return model
