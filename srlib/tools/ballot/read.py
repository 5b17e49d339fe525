"""Read ballots: faults are listed as sentences, and with any fault nothing is unblinded."""

import io
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import BaseModel, Field

from srlib.errors import InputError, require
from srlib.files import contents
from srlib.judging.real_world import TRUST, rank_by_trust
from srlib.prose import listed
from srlib.rules import JudgeRules
from srlib.tables import conform
from srlib.tools.ballot.packet import COLUMNS
from srlib.yaml_files import validate

MOST_TRUST = 5
NUMBER_COLUMNS = ["rank", "trust"]
REQUIRED_COLUMNS = COLUMNS[:-1]  # all but the comment


class Entry(BaseModel):
    """Run that a code of the packet stands for."""

    method: str
    dataset: str
    repetition: int


Codes = dict[str, Entry]


class Key(BaseModel):
    """Key of a packet: the run behind each code."""

    packet: str
    representative: str = ""
    codes: Codes = Field(min_length=1)


def read_ballots(
    paths: Iterable[str | Path], key: str | Path
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Read the ballots of one or more experts, and return the unblinded ranks and trust, faults and notes.

    If an expert left a whole dataset empty, the expert does not judge it; a partly filled dataset is a fault.

    Returns
    -------
    trust : DataFrame
        `expert`, `method`, `dataset`, `rank`, `trust`, `code`, `comment`, and, if the key states it, `representative`,
        how the packet chose the model of a method; empty if there is a fault.
    faults : list of str
        A sentence for each fault, with the name of the file.
    notes : list of str
        Sentences about datasets that an expert left out, which are no faults but may need a question.

    Raises
    ------
    InputError
        When a file cannot be read, or the key is not the key of a packet.
    """
    source = f"{key}: cannot be read as the key of a packet"
    require(Path(key).is_file(), f"{source} (no such file)")
    packet_key = validate(Key, contents(Path(key)), source)
    codes = packet_key.codes
    ballots = {path: drop_empty_datasets(read_ballot(path, packet_key.packet)) for path in paths}
    faults = [
        f"{path}: {fault}"
        for path, ballot in ballots.items()
        for fault in find_faults(ballot, codes)
    ]
    table = pd.concat([ballot.assign(file=str(path)) for path, ballot in ballots.items()])
    n_files = table.groupby("expert")["file"].nunique()
    faults += [f"expert {name} has a ballot in two files" for name in n_files.index[n_files > 1]]
    if faults:
        return pd.DataFrame(), faults, []
    table["method"] = table["code"].map({code: entry.method for code, entry in codes.items()})
    table = table.astype(dict.fromkeys(NUMBER_COLUMNS, "int64"))
    trust = table.reindex(
        columns=["expert", "method", "dataset", *NUMBER_COLUMNS, "code", "comment"]
    )
    trust = trust.sort_values(["expert", "dataset", "rank"], ignore_index=True)
    if packet_key.representative:
        trust["representative"] = packet_key.representative
    datasets = {entry.dataset for entry in codes.values()}
    notes = [
        f"expert {expert} left out dataset {dataset}"
        for expert, judged in trust.groupby("expert")["dataset"]
        for dataset in sorted(datasets - {*judged})
    ]
    return trust, [], notes


def read_ballot(path: str | Path, packet: str) -> pd.DataFrame:
    """Read a ballot as saved by common programs, with commas, semicolons or tabs, which a first line `sep=;` may name.

    Case and surrounding blanks of columns and codes are ignored, and empty rows are left out.

    Returns
    -------
    DataFrame
        Cells as text, missing if empty; columns in lower case; the index has the number of each row below the header.
        Ranks and trust such as 2,0 and 2.0 are read as 2.

    Raises
    ------
    InputError
        When the file does not exist, is not a table with the columns of a ballot, or belongs to another packet.
    """
    path = Path(path)
    require(path.is_file(), f"{path}: no such file")
    text = decode_ballot(contents(path), path)
    declaration = re.match(r"\s*sep=(.)\r?\n", text)  # Excel's line about the separator
    text = text[declaration.end() :] if declaration else text
    header = text.lstrip().partition("\n")[0]
    separator = declaration[1] if declaration else max(",;\t", key=header.count)
    try:
        rows = pd.read_csv(
            io.StringIO(text), sep=separator, header=None, dtype="str", na_values="", keep_default_na=False
        )  # fmt: skip
    except ValueError as error:  # raised by pandas
        raise InputError(f"{path}: not a readable table ({str(error).strip()})") from error
    rows = rows.dropna(how="all", axis="columns")  # pandas would rename columns that repeat
    table = rows[1:].set_axis(rows.iloc[0].str.strip().str.casefold(), axis="columns")
    require(
        table.columns.is_unique and set(REQUIRED_COLUMNS) <= set(table),
        f"{path}: the columns {', '.join(COLUMNS)} were expected, got {', '.join(map(str, table))}",
    )
    table = table.apply(lambda column: column.str.strip()).replace("", pd.NA).dropna(how="all")
    for name in NUMBER_COLUMNS:
        table[name] = table[name].str.replace(r"[.,]0+$", "", regex=True)
    table["code"] = table["code"].str.upper()
    other_packets = {*table["packet"].dropna().str.upper()} - {packet}
    require(
        not other_packets,
        f"{path}: a ballot of packet {packet}, as in the key, was expected, got {', '.join(sorted(other_packets))}",
    )
    return table


def decode_ballot(data: bytes, path: Path) -> str:
    """Return the text of a file in UTF-8, UTF-16 or a code page of Windows.

    Raises
    ------
    InputError
        When the code pages for western and central Europe differ on the file; the message names the first such line.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[1:2] == b"\0":
        return data.decode("utf-16" if data[0] > ord("z") else "utf-16-le", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        western, central = (data.decode(name, errors="replace") for name in ("cp1252", "cp1250"))
    for place, (first, second) in enumerate(zip(western, central, strict=True)):
        require(
            first == second != "\ufffd",
            f"{path}: line {western.count(chr(10), 0, place) + 1}: a letter can be {first} or {second}, as the file is "
            "not in UTF-8; save it as CSV UTF-8",
        )
    return western


def describe_trust(
    trust: pd.DataFrame, judge_rules: JudgeRules, aspects: pd.DataFrame | None = None
) -> list[str]:
    """Return sentences about ranks that contradict the trust, what hangs on them, and another choice of models.

    Parameters
    ----------
    trust, judge_rules, aspects
        As for `srlib.judging.real_world.rank_by_trust`.
    """
    trust = conform(trust, TRUST, "trust")
    sentences, without_ranks = list[str](), trust.copy()
    ballots = trust.dropna(subset=NUMBER_COLUMNS).sort_values(
        NUMBER_COLUMNS, ascending=[True, False]
    )
    for (expert, dataset), rows in ballots.groupby(["expert", "dataset"]):
        if not rows["trust"].is_monotonic_decreasing:
            ranks, scores = (listed([f"{n:g}" for n in rows[name]]) for name in NUMBER_COLUMNS)
            sentences.append(
                f"expert {expert}, dataset {dataset}: ranks {ranks} have the trust {scores}; rank 1 is best, trust 5 "
                "is most, and the ranks count"
            )
            without_ranks.loc[rows.index, "rank"] = np.nan
    if sentences:
        first, second = (
            listed(list(ranking["method"][ranking["rank"] == 1]))
            for table in (trust, without_ranks)
            for ranking in [rank_by_trust(table, judge_rules, aspects).ranking]
        )
        hangs = f"the winner hangs on it: by the trust of these experts it is {second}, not {first}"
        sentences.append(hangs if first != second else f"{first} wins by their trust as well")
    chosen = judge_rules.real_world.representative
    for choice in {*trust.get("representative", [])} - {chosen}:
        sentences.append(
            f"the packet shows each method's {choice} run (representative: {choice}), and the rules say {chosen}"
        )
    return sentences


def drop_empty_datasets(ballot: pd.DataFrame) -> pd.DataFrame:
    """Return the ballot without the datasets for which an expert gave neither rank nor trust."""
    filled = ballot[NUMBER_COLUMNS].notna().any(axis=1)
    groups = [ballot[name].fillna("") for name in ("expert", "dataset")]
    return ballot[filled.groupby(groups).transform("any").astype(bool)]


def find_faults(ballot: pd.DataFrame, codes: Codes) -> list[str]:
    """Return a sentence for each fault of a ballot; rows are counted from 1 below the header of the file."""
    if ballot.empty:
        return [f"no dataset is filled; {', '.join(COLUMNS)} were expected"]
    faults = []
    dataset_of = pd.Series({code: entry.dataset for code, entry in codes.items()})
    for number, row in ballot.fillna("").to_dict("index").items():
        code, dataset = row["code"], row["dataset"]
        if not row["expert"]:
            faults.append(f"row {number}: the expert's name is empty")
        if dataset_of.get(code) != dataset:
            owner = (
                f"belongs to {dataset_of[code]}, got {dataset}" if code in codes else "is unknown"
            )
            faults.append(f"row {number}: code {code} {owner}")
        n_sheets = sum(dataset_of == dataset) or len(codes)
        for name, limit in (("rank", n_sheets), ("trust", MOST_TRUST)):
            if row[name] not in map(str, range(1, limit + 1)):
                faults.append(
                    f"row {number}: {name} of {code} must be a whole number from 1 to {limit}, "
                    f"got {row[name] or 'nothing'}"
                )
    for (expert, dataset), rows in ballot.groupby(["expert", "dataset"]):
        source = f"expert {expert}, dataset {dataset}"
        missing = sorted({*dataset_of.index[dataset_of == dataset]} - {*rows["code"]})
        faults += [f"{source}: {code} is missing" for code in missing]
        for rank, same_rank in rows.groupby("rank")["code"]:
            if len(same_rank) > 1:
                faults.append(f"{source}: rank {rank} is given to {', '.join(map(str, same_rank))}")
    return faults
