"""Flags of authors beside verdicts, as tables of a page: counts, and the disputed runs one by one."""

from typing import Any

import pandas as pd

from srlib.displays.tables.runs import describe_evidence
from srlib.displays.tables.table import Table
from srlib.judging.flags import Flags

PROOFS = {
    "symbolic": "proof: equal normal forms",
    "numerical": "agreement at {points} points to {digits} digits",
}


def disputes_table(flags: Flags) -> Table:
    """Return the disputed runs, the plainest first: what the authors state, what the judge finds, and the evidence.

    Returns
    -------
    Table
        `run` (method, file and row), `dataset`, `r2` as reported, `author`, `judge`, `evidence`, `truth` and `model`.

    Examples
    --------
    >>> from srlib import read_runs
    >>> from srlib.judging.flags import judge_flags
    >>> from srlib.rules import load_rules
    >>> flags = judge_flags(read_runs("demo"), None, load_rules("judging-2022").measure)
    >>> disputes_table(flags).frame.empty
    True
    """
    table = flags.disputes
    files = table["file"].astype("str").str.split("/").str[-1]
    places = table["method"] + ", " + files + " row " + table["row"].astype("str")
    evidence = table["solution_evidence"].map(_describe)
    columns = {
        "run": places,
        "dataset": table["dataset"],
        "r2": table["r2_test_reported"],
        "author": table["flag"].map({True: "solution", False: "none"}),
        "judge": table["outcome"].astype("str"),
        "evidence": evidence,
        "truth": table["truth"],
        "model": table["model"],
    }
    headings = {"r2": "R² as reported"}
    return Table(
        pd.DataFrame(columns), headings=headings, equations=["truth", "model"], row_headers=2
    )


def _describe(evidence: dict[str, Any]) -> str:
    """Return the evidence of a verdict in words."""
    proof = PROOFS.get(evidence.get("proof") or "", "").format_map(evidence)
    parts = [describe_evidence(evidence), proof, evidence.get("reason")]
    return "; ".join(filter(None, parts)) or "the model is a constant"
