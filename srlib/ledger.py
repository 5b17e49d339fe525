"""The ledger: a table of all runs, cells and files that could not be used unchanged, with reason and action."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Literal

import pandas as pd

from srlib.errors import SrlibError
from srlib.tables import KEY

Stage = Literal["read", "assess", "judge"]
Level = Literal["run", "cell", "file"]
Action = Literal["excluded", "replaced", "noted"]
Code = str  # a key of MEANINGS
LEFT_OUT_PREFIX = (
    "left out: "  # begins each sentence about a value of a row; the row has one `reason` for all
)
SENTENCE_END = "; "
COLUMNS = ("stage", "file", "row", *KEY, "level", "action", "code", "detail")
DTYPES: Any = dict.fromkeys(COLUMNS, "str") | {"row": "Int64", "repetition": "Int64"}


def read_sentences(text: str) -> dict[str, str]:
    """Return the sentence of each code, from a line `CODE: SENTENCE` for each."""
    return dict(line.split(": ", 1) for line in text.strip().splitlines())


MEANINGS = read_sentences("""
unparsed: the model text cannot be read
unread_file: a file of a folder of runs cannot be read, or holds no runs
empty_model: the run returned no model text
failed_run: the run failed or ran out of time
nonfinite_r2: R2 on the test set is not a finite number
work_limit: simplification takes more work than the rules allow; the count of the text stands, on any machine
machine_limit: a time or memory limit ended a measurement (a raw count stands in); elsewhere it may finish
not_simplified: simplification ends in an error, in no formula or in another model; the text is counted
memory: the memory limit was reached
crashed: the process died
unknown_dataset: the problem file does not know the dataset
other_track: the dataset belongs to another track
not_scored: the run or the aspect takes no part in the score
prediction_mismatch: the model text does not reproduce the stored predictions
other_data: the column data_seed names other data than the repetition, which counts
missing_runs: fewer usable runs than are expected
extra_runs: a repetition that neither the problem nor the rules expect
reference_worse: the noiseless result is too bad to be a reference of noise sensitivity
minimal_accuracy: the method is below the accuracy that the rules ask for
not_qualified: the method did not qualify; it has no place
property_undefined: a score is not defined for this usable run
constant_model: a model uses no feature, so that it leaves out all irrelevant ones
solution_unknown: equality with the truth could be neither shown nor refuted; it counts as not solved
invalid_value: a row or a recorded value cannot be used; the line says why
names_ambiguous: a name or a function can be read in two ways; the line says how it was read
shown_differs: the simplified model that is shown differs from the model that was judged
several_models: the text holds several models, and a run has one
no_closed_form: the text is a program or a stored object, and no formula
few_digits: a constant was rounded to 0
dust: terms too small to change any prediction were left out
""")
# advice to a participant
HELP = read_sentences("""
invalid_value: correct or delete this row; the other rows are read without it
unread_file: send it as a table of runs, in CSV with the columns method, dataset, repetition and model
failed_run: nothing to do if the run really failed: it counts as the worst
memory: nothing to do if the run really failed: it counts as the worst
crashed: nothing to do if the run really failed: it counts as the worst
empty_model: put the model's formula into the column model
unparsed: write the model as a formula alone, such as 0.4*x1 - sin(x2), in features' names or as x0, x1, ...
several_models: keep the one model that shall be judged, one row a run
no_closed_form: write what the program computes as one formula
unknown_dataset: use the datasets' names as the problem file has them
names_ambiguous: state in a column names how features are named: features, x0 or x1
few_digits: print constants with all their digits (in Python repr, 17 digits)
other_data: leave the column data_seed out: the number of a repetition says its data
nonfinite_r2: the model is not finite on the test rows: look at divisions, logarithms and powers
prediction_mismatch: compare the text with the model that made the predictions: constants, names, protected operators
missing_runs: add these runs; an absent one counts as the worst
""")


def entry(
    stage: Stage, code: Code, action: Action, detail: str, level: Level = "run", **place: Any
) -> dict[str, Any]:
    """Return one line of the ledger.

    Parameters
    ----------
    stage, code, action, level : str
        Stage at which the fault was found, code of the fault, action taken, and whether it concerns a run, a cell or a
        file.
    detail : str
        One sentence: what was expected and what was found.
    **place
        Values of `method`, `dataset`, `repetition`, `file` and `row`, as far as they apply; `row` counts from 1 below
        the header of `file`.
    """
    line = {"stage": stage, "level": level, "action": action, "code": code, "detail": detail}
    return dict.fromkeys(COLUMNS) | place | line


def lines_of(
    rows: pd.DataFrame, code: Code, action: Action, stage: Stage, detail: str, level: Level = "run"
) -> list[dict[str, Any]]:
    """Return a ledger line for each row of a table; `{NAME}` in `detail` is replaced by the value of column NAME.

    Several values in a cell are separated by commas. Values of a row that were left out have a line each.
    """
    places = (*KEY, "file", "row")
    lines = []
    columns = rows.columns.intersection([*places, *re.findall(r"{(\w+)}", detail)])
    for record in rows[columns].to_dict("records"):
        values = {
            str(name): ", ".join(value) if isinstance(value, tuple) else value
            for name, value in record.items()
            if isinstance(value, tuple) or not pd.isna(value)
        }
        text = detail.format_map(defaultdict(lambda: "not stated", values))
        place = {name: values.get(name) for name in places}
        lines += [entry(stage, code, action, part, level, **place) for part in split_reason(text)]
    return lines


def split_reason(reason: str) -> list[str]:
    """Return the sentences of a reason about values that were left out; any other text is one sentence.

    Examples
    --------
    >>> split_reason("left out: a is 1; 2; left out: b is 3"), split_reason("a; b")
    (['left out: a is 1; 2', 'left out: b is 3'], ['a; b'])
    """
    return re.split(f"{SENTENCE_END}(?={LEFT_OUT_PREFIX})", reason)


def to_frame(entries: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return ledger lines as a table, sorted by dataset, method, repetition and code."""
    frame = pd.DataFrame(list(entries), columns=list(COLUMNS)).astype(DTYPES)
    order = ["dataset", "method", "repetition", "stage", "code", "detail"]
    return frame.sort_values(order, kind="stable", ignore_index=True)


def excluded_runs(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return one line for each run that is excluded."""
    lines = ledger[(ledger["level"] == "run") & (ledger["action"] == "excluded")]
    return lines.drop_duplicates(list(KEY))


def check_run_counts(n_read: int, n_scored: int, ledger: pd.DataFrame) -> dict[str, int]:
    """Return the numbers of runs read, scored and excluded, after checking that they add up.

    Parameters
    ----------
    n_read, n_scored : int
        Numbers of runs in the tables, and of runs whose values entered a score.
    ledger : pandas.DataFrame
        All ledger lines.

    Returns
    -------
    dict
        `read`, `scored` and `excluded`, where read = scored + excluded.

    Raises
    ------
    SrlibError
        When they do not add up, which means that a run was dropped without a ledger line.

    Examples
    --------
    >>> line = entry("judge", "unparsed", "excluded", "?", method="A", dataset="d", repetition=1)
    >>> check_run_counts(3, 2, to_frame([line]))
    {'read': 3, 'scored': 2, 'excluded': 1}
    """
    n_excluded = len(excluded_runs(ledger))
    if n_read != n_scored + n_excluded:
        raise SrlibError(
            f"{n_read} runs read are not {n_scored} scored and {n_excluded} excluded: a run was lost (a bug of srlib)"
        )
    return {"read": n_read, "scored": n_scored, "excluded": n_excluded}
