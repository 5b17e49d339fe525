"""Ledger lines of texts that could be read otherwise."""

from typing import Any

import pandas as pd

from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import entry, lines_of


def read_otherwise(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Texts whose names could be read otherwise; what other texts tell is one line a cell, else one a run."""
    lines = []
    for sentence, there in ambiguous_texts(rows["model"]):
        counts = rows[there].groupby("method").size()
        lines += [_doubt(str(method), sentence, count) for method, count in counts.items()]
    if not {"names_note", "names_evidence"} <= set(rows):
        return lines
    rows = rows[rows["names_note"].notna()]
    told = rows["names_evidence"] == "others"
    lines += lines_of(
        rows[~told], "names_ambiguous", "noted", "assess", "the text {names_note}", {}
    )
    for (method, dataset, note), group in rows[told].groupby(["method", "dataset", "names_note"]):
        count = len(group)
        detail = f"{count} text{'s' * (count > 1)} {note}"
        about: dict[str, Any] = {"level": "cell", "method": method, "dataset": dataset}
        lines.append(entry("assess", "names_ambiguous", "noted", detail, **about))
    return lines


def _doubt(method: str, sentence: str, count: int) -> dict[str, Any]:
    detail = f"{count} text{'s' * (count > 1)}: {sentence}"
    return entry("assess", "names_ambiguous", "noted", detail, level="cell", method=method)
