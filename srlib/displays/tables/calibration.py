"""How often the judge of solutions is wrong, beside the rates of solutions that depend on it."""

from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.calibrating import RATES, made_with
from srlib.displays.show import show_table
from srlib.errors import InputError
from srlib.files import DEMO
from srlib.tablefiles import read_frame

SHOWN = ["name", "error", "pairs", "wrong", "rate", "low", "high"]


def error_rates(place: str | Path, problems: Any, measure: Any) -> tuple[str, pd.DataFrame]:
    """Read what `srlib calibrate` wrote.

    Parameters
    ----------
    place : str or Path
        Its folder, its rates.csv, or 'demo'; nothing where no calibration is known.
    problems : srlib.problems.Problems
        Those of the report.
    measure : srlib.rules.Measure
        That of the report's rules.

    Returns
    -------
    sentence : str
        How often the judge was wrong over all pairs, or why that is not known; plain text.
    table : pandas.DataFrame
        The rates over all pairs, by kind and by dataset, with the ends of their 95% intervals; empty where they are
        those of other problems, another reading of equal constants, or another version of the judge.

    Raises
    ------
    InputError
        When the table is no such one.
    """
    nothing = pd.DataFrame(columns=SHOWN)
    if not place or problems is None:
        return "", nothing
    path = Path(place)
    if str(place) == "demo":
        path = DEMO / "calibration.csv"
    if path.is_dir():
        path = path / "rates.csv"
    found = read_frame(path)
    if missing := [name for name in RATES if name not in found]:
        raise InputError(
            f"{path}: rates.csv of `srlib calibrate` was expected; {missing[0]} is missing"
        )
    now, then = made_with(problems, measure), "".join(found["made_with"].astype("str").head(1))
    if then != now:
        return (
            f"How often the judge of solutions is wrong is not known here: {place} was calibrated for "
            f"{then or 'nothing'}, and this page is made with {now}; srlib calibrate measures it again.",
            nothing,
        )
    numbers = [name for name in SHOWN if name not in ("name", "error")]
    found[numbers] = found[numbers].apply(pd.to_numeric)
    said = [
        f"{row.error}s {row.wrong} of {row.pairs} (95% interval {row.low:.1%} to {row.high:.1%})"
        for row in found[found["by"] == "all"].itertuples()
    ]
    sentence = f"The judge of solutions, on models whose verdict is known: {', '.join(said)}."
    return sentence, found[SHOWN]


def show_error_rates(place: str | Path, problems: Any, measure: Any, output: Path) -> None:
    """Show the judge's own error rates, where a calibration is given; nothing slow is done for it."""
    sentence, table = error_rates(place, problems, measure)
    if not sentence:
        return
    print(sentence)
    if len(table):
        caption = "How often the judge of solutions is wrong: over all pairs, by kind, by dataset"
        show_table(table, output, name="error-rates", caption=caption, row_headers=2, folded=True)
