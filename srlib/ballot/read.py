"""Reading ballots: every fault is one sentence, and nothing is unblinded before there is none."""

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.ballot.file import read_ballot
from srlib.ballot.key import Codes, read_key
from srlib.ballot.packet import COLUMNS

MOST_TRUST = 5
NEEDED = ["expert", "dataset", "code", "rank", "trust"]


def read_ballots(
    paths: Iterable[str | Path], key: str | Path
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Read the ballots of one or more experts.

    A dataset that an expert left empty as a whole is not judged by that expert; one that is filled in part is a
    fault.

    Returns
    -------
    trust : DataFrame
        As of `unblind`; empty when there is a fault.
    faults : list of str
        One sentence each, with the file's name.
    notes : list of str
        What is no fault, but worth a question: datasets left out, ranks that contradict trust.

    Raises
    ------
    InputError
        When a file cannot be read at all, or the key is none.
    """
    packet, codes = read_key(key)
    tables = {path: read_ballot(path) for path in paths}
    faults, filled = [], []
    for path, table in tables.items():
        faults += [f"{path}: {fault}" for fault in _other_packet(table, packet)]
    if not faults:
        for path, table in tables.items():
            kept = _filled(table)
            faults += [f"{path}: {fault}" for fault in find_faults(kept, codes)]
            filled.append(kept)
        faults += _votes_once(
            [str(n) for t in filled if "expert" in t for n in t["expert"].dropna().unique()]
        )
    if faults:
        return pd.DataFrame(), faults, []
    ballot = pd.concat(filled)
    return unblind(ballot, codes), [], [*_left_out(ballot, codes), *_contradictions(ballot)]


def _other_packet(table: pd.DataFrame, packet: str) -> list[str]:
    """Say that a ballot belongs to another packet than the key."""
    if "packet" not in table:
        return [f"column packet is missing; {', '.join(COLUMNS)} were expected"]
    others = [
        str(name) for name in table["packet"].dropna().unique() if str(name).upper() != packet
    ]
    if others:
        return [f"a ballot of packet {others[0]}, and the key is that of packet {packet}"]
    return []


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the datasets in which an expert gave no rank and no trust."""
    if not set(NEEDED) <= set(table):
        return table
    given = table[["rank", "trust"]].notna().any(axis=1)
    groups = [table[name].fillna("") for name in ("expert", "dataset")]
    return table[given.groupby(groups).transform("any")]


def _votes_once(names: list[str]) -> list[str]:
    """Find experts with two ballots."""
    return [
        f"expert {n} has a ballot in two files"
        for n in sorted({n for n in names if names.count(n) > 1})
    ]


def _left_out(ballot: pd.DataFrame, codes: Codes) -> list[str]:
    datasets = sorted({entry["dataset"] for entry in codes.values()})
    return [
        f"expert {expert} left out dataset {dataset}"
        for expert, own in ballot.groupby("expert")
        for dataset in datasets
        if dataset not in set(own["dataset"])
    ]


def _contradictions(ballot: pd.DataFrame) -> list[str]:
    """Find models that are ranked above others of the same dataset, but trusted less."""
    notes = []
    for (expert, dataset), own in ballot.groupby(["expert", "dataset"]):
        rows = own.assign(rank=own["rank"].astype(int), trust=own["trust"].astype(int))
        pairs = itertools.combinations(rows.sort_values("rank").to_dict("records"), 2)
        found = [(high, low) for high, low in pairs if low["trust"] > high["trust"]]
        if found:
            high, low = max(found, key=lambda pair: pair[1]["trust"] - pair[0]["trust"])
            more = ""
            if len(found) > 1:
                more = f" (and {len(found) - 1} more such pairs)"
            notes.append(
                f"expert {expert}, dataset {dataset}: {high['code']} is ranked above {low['code']} but trusted "
                f"less, {high['trust']} against {low['trust']}{more}; the ranks count"
            )
    return notes


def find_faults(ballot: pd.DataFrame, key: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """List what is wrong with a ballot, one sentence a fault.

    Parameters
    ----------
    ballot : DataFrame
        `expert`, `dataset`, `code`, `rank`, `trust` and perhaps `comment`, as text or numbers.
    key : dict
        By code: `method`, `dataset` and `repetition`.

    Examples
    --------
    >>> key = {"D1S1": {"dataset": "d"}, "D1S2": {"dataset": "d"}}
    >>> ballot = pd.DataFrame({"expert": "E", "dataset": "d", "code": ["D1S1"], "rank": 1, "trust": 9})
    >>> find_faults(ballot, key)
    ['row 1: trust of D1S1 must be a whole number from 1 to 5, got 9', 'expert E, dataset d: D1S2 is missing']
    """
    absent = [name for name in NEEDED if name not in ballot]
    if absent or ballot.empty:
        lacking = "no dataset is filled"
        if absent:
            lacking = f"column {absent[0]} is missing"
        return [f"{lacking}; {', '.join(COLUMNS)} were expected"]
    faults = []
    sizes = pd.Series([entry["dataset"] for entry in key.values()]).value_counts()
    for number, row in enumerate(ballot.to_dict("records"), start=1):
        if pd.isna(row["expert"]) or not str(row["expert"]).strip():
            faults.append(f"row {number}: the expert's name is empty")
        if row["code"] not in key:
            faults.append(f"row {number}: code {row['code']} is unknown")
        elif key[str(row["code"])]["dataset"] != row["dataset"]:
            faults.append(
                f"row {number}: {row['code']} belongs to {key[str(row['code'])]['dataset']}, got {row['dataset']}"
            )
        asked = {"rank": sizes.get(row["dataset"], len(key)), "trust": MOST_TRUST}
        for name, most in asked.items():
            if pd.to_numeric(row[name], errors="coerce") not in range(1, most + 1):
                got = "nothing" if pd.isna(row[name]) else row[name]
                faults.append(
                    f"row {number}: {name} of {row['code']} must be a whole number from 1 to {most}, got {got}"
                )
    for expert, own in ballot.groupby("expert"):
        for dataset in sorted(set(own["dataset"].dropna())):
            here, where = own[own["dataset"] == dataset], f"expert {expert}, dataset {dataset}"
            codes = [code for code, entry in key.items() if entry["dataset"] == dataset]
            ranks = pd.to_numeric(here["rank"], errors="coerce")
            faults += [
                f"{where}: {code} is missing" for code in codes if code not in set(here["code"])
            ]
            faults += [
                f"{where}: {code} appears twice"
                for code in here["code"][here["code"].duplicated()].unique()
            ]
            faults += [f"{where}: rank {rank:g} is given to {', '.join(map(str, here['code'][ranks == rank]))}"
                       for rank in ranks[ranks.duplicated()].dropna().unique()]  # fmt: skip
    return faults


def unblind(ballot: pd.DataFrame, key: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Name the methods of a ballot without faults, beside what was said of them."""
    methods = ballot["code"].map({code: entry["method"] for code, entry in key.items()})
    numbers = {name: pd.to_numeric(ballot[name]).astype("int64") for name in ("rank", "trust")}
    columns = ["expert", "method", "dataset", "rank", "trust", "code", "comment"]
    table = ballot.assign(method=methods, **numbers).reindex(columns=columns)
    return table.sort_values(["expert", "dataset", "rank"], ignore_index=True)
