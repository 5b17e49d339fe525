"""The rules as a table: every switch, its value, what it does, and the document that settles it."""

from typing import Any

import pandas as pd

from srlib.rules import written

COLUMNS = ("block", "switch", "value", "says", "meaning", "source")


def rules_table(rules: Any) -> pd.DataFrame:
    """Put all switches of rules into a table.

    Parameters
    ----------
    rules : srlib.rules.Rules
        Any rules.

    Returns
    -------
    pandas.DataFrame
        `block` (measure or judge), `switch` (dotted where nested), `value` (as in YAML), `says` (what the value does),
        `meaning` (of the switch), `source` (of the value). Nested switches that are null are left out.
    """
    rows = [
        row | {"value": written(row["value"])}
        for row in rules.switches()
        if row["value"] is not None or "." not in row["switch"]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype("str")


SYNTHETIC = {
    "What is measured": ("tracks", "complexity", "count", "aspects"),
    "The property": ("properties", "noise_guard"),
    "From runs to a value": ("repetitions", "incomplete", "aggregate", "rank_per"),
    "Points": ("rank_start", "ties", "missing", "minimal_accuracy"),
    "Scores": ("combine", "quirks"),
}
RUNS = ("incomplete", "missing")
PAGES = {
    "synthetic": SYNTHETIC,
    "qualification": {
        "The stage": ("qualification",),
        "Absent runs": RUNS,
        "Ranks": ("ties",),
    },
    "properties": {"The property": ("properties", "noise_guard"), "Absent runs": RUNS},
    "noise": {"Noise": ("aggregate", "properties.noise_sensitivity", "noise_guard", "incomplete")},
    "real_world": {"The experts": ("real_world", "ties", "missing")},
}


def rules_said(rules: Any, page: str = "synthetic") -> dict[str, str]:
    """Say what the rules do on one of `PAGES`, section by section, from the values that they have.

    The property has no section on a page about a ranking that no aspect takes it into.
    """
    counts = any(aspect.from_ == "property" for aspect in rules.judge.aspects.values())
    return {
        title: rules.explained(*switches)
        for title, switches in PAGES[page].items()
        if counts or (page, title) != ("synthetic", "The property")
    }
