"""One cell of method and dataset: what was reached in each aspect, and what became of each run, with the evidence."""

import json
from collections.abc import Collection, Mapping
from html import escape
from typing import Any

import pandas as pd

from srlib.displays.frame import scrolling
from srlib.displays.tables.aspects import aspect_names, whole
from srlib.displays.tables.evidence import in_words
from srlib.displays.tables.table import html_table
from srlib.ledger import MEANINGS
from srlib.prose import minus_signs

RUNS = 30  # of a cell; the report's table of every run has all
CELL = ["method", "dataset"]
FACTS = ("repetition", "r2_test", "complexity")
NEEDED = {*CELL, *FACTS, "solution_kind", "solution_evidence", "file", "row"}


def cell_facts(
    judgement: Any, wanted: Mapping[str, Collection[str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Write two tables for each cell that is wanted, empty texts where there is nothing to tell.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the numbers come from.
    wanted : mapping of str to collection of str
        Datasets by method.

    Returns
    -------
    dict of (str, str) to (str, str)
        HTML by method and dataset: value and points in each aspect; then the runs, one by one.
    """
    pairs = {(method, dataset) for method, names in wanted.items() for dataset in names}
    aspects, runs = judgement.aspects, judgement.assessments
    runs = runs[[name for name in runs if name in NEEDED]]
    signs = aspects["direction"].map({"higher": 1, "lower": -1})
    best = (aspects["value_rounded"] * signs).groupby([aspects["dataset"], aspects["aspect"]])
    aspects = aspects.assign(best=best.transform("max") * signs)
    order = {name: place for place, name in enumerate(aspect_names(judgement))}
    aspects = aspects.sort_values("aspect", key=lambda names: names.map(order), kind="stable")
    reached, ran = _by_cell(aspects, pairs), _by_cell(runs, pairs)
    lines = _by_cell(judgement.ledger, pairs)
    return {
        pair: (_values(pair[1], reached.get(pair)), _runs(pair[1], ran.get(pair), lines.get(pair)))
        for pair in pairs
    }


def _by_cell(table: pd.DataFrame, pairs: Collection[tuple[str, str]]) -> dict[Any, pd.DataFrame]:
    table = table[pd.MultiIndex.from_frame(table[CELL].astype("str")).isin(list(pairs))]
    return dict(list(table.groupby(CELL, observed=True)))


def _values(dataset: str, rows: pd.DataFrame | None) -> str:
    if rows is None:
        return ""
    table = pd.DataFrame(
        {
            "aspect": rows["aspect"],
            "value": rows["value_rounded"],
            "points": whole(rows["aspect_rank"]),
            "best value of any method": rows["best"],
            "runs": rows["n_runs"],
        }
    )
    return scrolling(html_table(table, f"Values and points on {dataset}"), f"Values on {dataset}")


def _runs(dataset: str, rows: pd.DataFrame | None, lines: pd.DataFrame | None) -> str:
    said, general = _said(lines)
    told = "".join(f"<p>{escape(text)}</p>" for text in general)
    if rows is None:
        return told + "<p>No run on this dataset was read.</p>"
    rows = rows.sort_values("repetition", kind="stable").head(RUNS)
    order = [name for name in FACTS if name in rows]
    table = rows[order].copy()
    if "solution_evidence" in rows:
        table["is it the truth?"] = rows["solution_kind"]
        table["evidence"] = [_evidence(text) for text in rows["solution_evidence"]]
    keys = zip(rows["repetition"], rows["file"], rows["row"], strict=True)
    table["what did not count as it stands"] = [said.get(key) for key in keys]
    shown = html_table(table.dropna(axis="columns", how="all"), f"Run by run on {dataset}")
    return scrolling(shown, f"Runs on {dataset}") + told


def _said(lines: pd.DataFrame | None) -> tuple[dict[Any, str], list[str]]:
    """Give what the ledger says of single runs, and what it says of the cell as a whole."""
    if lines is None:
        return {}, []
    texts = lines["action"] + ": " + lines["code"].map(MEANINGS).fillna(lines["code"])
    of_run = lines["level"] == "run"
    keys = [lines.loc[of_run, name] for name in ("repetition", "file", "row")]
    by_run = texts[of_run].groupby(keys).agg(lambda of_one: "; ".join(dict.fromkeys(of_one)))
    details = (texts + " (" + lines["detail"].astype("str") + ")").where(
        lines["detail"].notna() & (lines["detail"] != ""), texts
    )
    return by_run.to_dict(), list(dict.fromkeys(details[~of_run]))


def _evidence(text: Any) -> str | None:
    """Write the judge's evidence as a sentence: proof, points and digits, then in words where it holds or fails."""
    if not isinstance(text, str) or not text:
        return None
    found = json.loads(text)
    told = [found.get("proof"), in_words(found)]
    if found.get("points"):
        told.insert(1, f"{found['points']} points to {found.get('digits')} digits")
    return minus_signs("; ".join(filter(None, told))) or None
