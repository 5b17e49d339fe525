"""What each team is told about its own runs: one text a method, from the ledger."""

import re
from collections import Counter
from typing import Any

import pandas as pd

from srlib.assessing import readings
from srlib.judging.verdict import Judgement
from srlib.ledger import HELP, MEANINGS, excluded


def findings(judgement: Judgement) -> dict[str, str]:
    """Write for each method what was found in its runs, ready to be sent back.

    Returns
    -------
    dict of str to str
        By a file name that is made of the method's.
    """
    names = readings(judgement.assessments)
    names = names[names["names"] != "not recorded"]
    by_method: dict[Any, pd.DataFrame] = dict(list(judgement.ledger.groupby("method")))
    read_of: dict[Any, pd.DataFrame] = dict(list(names.groupby("method")))
    result: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for method, count in judgement.assessments.groupby("method").size().items():
        lines = by_method.get(method, judgement.ledger[:0])
        said = [
            f"{method}: {count} runs read, {count - len(excluded(lines))} scored.",
            *(_paragraph(str(code), group) for code, group in lines.groupby("code", sort=True)),
        ]
        said += [
            f"Names on {row.datasets} (runs: {row.runs}) were read as {row.names}: {row.evidence}."
            for row in read_of.get(method, names[:0]).itertuples()
        ]
        stem = re.sub(r"[^\w.-]+", "_", str(method)).strip("._")[:60] or "method"
        name = stem
        while name.casefold() in taken:
            taken[stem.casefold()] += 1
            name = f"{stem}-{taken[stem.casefold()]}"
        taken[name.casefold()] += 1
        result[name] = "\n\n".join(said) + "\n"
    return result


def _paragraph(code: str, lines: pd.DataFrame) -> str:
    where = [
        "  "
        + (f"{row.file} row {row.row}, " if isinstance(row.file, str) else "")
        + f"{row.dataset}: {row.detail} ({row.action})"
        for row in lines.itertuples()
    ]
    help_ = [f"  What to do: {HELP[code]}."] if code in HELP else []
    return "\n".join([f"{MEANINGS.get(code, code)} ({code}), {len(lines)} x", *where, *help_])
