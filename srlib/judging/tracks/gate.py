"""Who may be ranked: what the qualification stage decided, taken from its table.

The table names the baseline's own rows, so that rules with another baseline can be applied to the same R2.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.judging.coverage import some
from srlib.judging.tracks.qualification import margins, qualify_runs
from srlib.rules import Judge, Rules
from srlib.table_files import read_frame

CELLS = ("method", "dataset", "median_r2", "baseline_r2")


@dataclass(frozen=True)
class Gate:
    """What is known of the qualification.

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
        out, unknown = sorted(self.barred & methods), sorted(methods - self.barred - self.qualified)
        said = [self.note] if self.note else []
        if out:
            said.append(f"Not qualified, so without a place: {some(out)}.")
        if unknown and not self.note:
            said.append(
                f"Not in the table of the qualification, so ranked unseen: {some(unknown)}."
            )
        return tuple(said)


def read_gate(place: str | Path | pd.DataFrame, rules: Rules) -> Gate:
    """Read who qualified.

    Parameters
    ----------
    place : str, Path or DataFrame
        qualification.csv or verdicts.csv of `srlib qualify` or of the report, or 'demo'; nothing asks for no gate.
    rules : Rules
        Their block `judge.qualification` is applied to the R2 of qualification.csv; the verdicts of verdicts.csv
        stand as they are.

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
    if isinstance(place, pd.DataFrame):
        table, place = place.reset_index(drop=True), "the table of the qualification"
    elif not place:
        return Gate()
    else:
        table = _demo() if place == "demo" else read_frame(place)
    if {"method", "qualified"} <= set(table):
        passed = table["qualified"].astype("str").str.lower().map({"true": True, "false": False})
        if passed.isna().any():
            raise InputError(
                f"{place} row {passed.isna().argmax() + 1}: qualified: true or false expected, "
                f"got {table['qualified'][passed.isna()].iloc[0]}"
            )
        names = table["method"].astype("str")
        return Gate(frozenset(names[passed]), frozenset(names[~passed]))
    if missing := [name for name in CELLS if name not in table]:
        raise InputError(
            f"{place}: expected the columns {', '.join(CELLS)}, or method and qualified; "
            f"{missing[0]} is missing"
        )
    return _by_r2(table, str(place), rules.judge)


def _demo() -> pd.DataFrame:
    return qualify_runs("demo", "qualification-2022", "judging-2022").cells


def _by_r2(table: pd.DataFrame, place: str, block: Judge) -> Gate:
    baseline = block.qualification.baseline
    if baseline not in set(table["method"]):
        note = (
            f"The rules qualify against {baseline}, of which {place} has no R2: who qualifies is not known, "
            "and nobody stands below the line for it."
        )
        return Gate(note=note)
    value = pd.to_numeric(table["median_r2"], errors="coerce")
    wrong = value.isna() & ~table["median_r2"].isin(["", "nan", "NaN"]) & table["median_r2"].notna()
    twice = table.duplicated(["method", "dataset"])
    for mask, what in (
        (wrong, "median_r2 is no number"),
        (twice, "this method and dataset appear twice"),
    ):
        if mask.any():
            raise InputError(f"{place} row {mask.argmax() + 1}: {what}")
    table = table.assign(median_r2=value)
    r2 = table.pivot_table("median_r2", index="dataset", columns="method", dropna=False)
    # the baseline is not better than itself
    found = margins(r2.dropna(subset=[baseline]), block)["margin"]
    return Gate(
        frozenset(map(str, found.index[found > 0])), frozenset(map(str, found.index[~(found > 0)]))
    )
