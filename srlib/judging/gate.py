"""Who may be ranked: what the qualification decided, read from its table."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.judging.notices import name_some
from srlib.judging.qualification import CELL, by_dataset, margins, qualify_runs
from srlib.rules import Judge, Rules
from srlib.table_files import read_frame

COLUMNS = (*CELL, "median_r2", "baseline_r2")  # of a table of R2


@dataclass(frozen=True)
class Gate:
    """Who may be ranked, as the qualification decided.

    Parameters
    ----------
    qualified, barred : frozenset of str
        Methods that qualified, and those that did not; of any other it is not known.
    note : str
        Why nothing follows from the table, where nothing does.
    """

    qualified: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()
    note: str = ""

    def notices(self, methods: set[str]) -> tuple[str, ...]:
        """Say what the gate means for the methods of a competition."""
        if self.note:
            return (self.note,)
        notices = []
        if barred := sorted(self.barred & methods):
            notices.append(f"Not qualified, so without a place: {name_some(barred)}.")
        if unseen := sorted(methods - self.barred - self.qualified):
            notices.append(
                f"Not in the table of the qualification, so ranked unseen: {name_some(unseen)}."
            )
        return tuple(notices)


def read_gate(source: str | Path | pd.DataFrame, rules: Rules) -> Gate:
    """Read who qualified.

    Parameters
    ----------
    source : str, Path or DataFrame
        qualification.csv or verdicts.csv of `srlib qualify` or of the report, or 'demo'; empty asks for no gate.
    rules : Rules
        Their block `judge.qualification` is applied to the R2 of qualification.csv, which has the baseline's own
        rows, so that rules with another baseline can be applied; the verdicts of verdicts.csv stand as they are.

    Raises
    ------
    InputError
        When the table has neither verdicts nor R2, or states nothing of a method.

    Examples
    --------
    >>> from srlib.rules import load_rules
    >>> sorted(read_gate("demo", load_rules("judging-2022")).barred)
    ['LinearRegression', 'gplearn']
    """
    name = str(source)
    if isinstance(source, pd.DataFrame):
        table, name = source.reset_index(drop=True), "the table of the qualification"
    elif not source:
        return Gate()
    elif source == "demo":
        table = qualify_runs("demo", "qualification-2022", "judging-2022").cells
    else:
        table = read_frame(source)
    if {"method", "qualified"} <= set(table):
        passed = table["qualified"].astype("str").str.lower().map({"true": True, "false": False})
        if passed.isna().any():
            raise InputError(
                f"{name} row {passed.isna().argmax() + 1}: qualified: true or false expected, "
                f"got {table['qualified'][passed.isna()].iloc[0]}"
            )
        methods = table["method"].astype("str")
        return Gate(frozenset(methods[passed]), frozenset(methods[~passed]))
    if missing := [column for column in COLUMNS if column not in table]:
        raise InputError(
            f"{name}: expected the columns {', '.join(COLUMNS)}, or method and qualified; "
            f"{missing[0]} is missing"
        )
    return _gate_by_r2(table, name, rules.judge)


def _gate_by_r2(table: pd.DataFrame, name: str, judge: Judge) -> Gate:
    baseline = judge.qualification.baseline
    if baseline not in set(table["method"]):
        return Gate(
            note=f"The rules qualify against {baseline}, of which {name} has no R2: who qualifies is not known, "
            "and nobody stands below the line for it."
        )
    r2 = pd.to_numeric(table["median_r2"], errors="coerce")
    stated = table["median_r2"].notna() & ~table["median_r2"].isin(["", "nan", "NaN"])
    for wrong, sentence in (
        (r2.isna() & stated, "median_r2 is no number"),
        (table.duplicated(CELL), "this method and dataset appear twice"),
    ):
        if wrong.any():
            raise InputError(f"{name} row {wrong.argmax() + 1}: {sentence}")
    # the baseline is not better than itself
    qualified = margins(by_dataset(table.assign(median_r2=r2), baseline), judge)["qualified"]
    return Gate(
        frozenset(map(str, qualified.index[qualified])),
        frozenset(map(str, qualified.index[~qualified])),
    )
