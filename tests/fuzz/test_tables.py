"""Hostile tables: whatever a file holds, it is refused in one sentence or read as the contract says."""

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from srlib.ballot.read import read_ballots
from srlib.comparing.benchmark import read_benchmark
from srlib.errors import SrlibError
from srlib.files import DEMO
from srlib.judging import judge
from srlib.problems import load_problems
from srlib.readers import RunTable, read_results
from srlib.rules import load_rules
from srlib.table_files import read_frame, write_frame
from srlib.tables import ASSESSMENTS, DTYPES, MEASURES, RUNS
from tests.fuzz.bytes_and_cells import NUMBERS, TEXTS, damaged
from tests.fuzz.harness import hammer

pytestmark = pytest.mark.slow

LAYOUTS: dict[str, dict[str, list[Any]]] = {
    "runs": {
        "method": ["A", "A", "B"], "dataset": ["d", "e", "d"], "repetition": [1, 1, 1], "model": ["x1", "x2*x1", None],
        "r2_test": [0.5, 0.6, None], "seed": [1, 2, None], "status": ["ok", "ok", "failed"],
    },
    "measures": {
        "method": ["A", "B"], "dataset": ["d", "d"], "repetition": [0, 0], "aspect": ["r2_test", "r2_test"],
        "value": [0.5, 0.25],
    },
    "srbench": {
        "algorithm": ["*A", "B"], "dataset": ["d", "d"], "r2_test": [0.5, 0.25], "model_size": [3, 4],
        "symbolic_solution_rate_(%)": [50, 0], "target_noise": [0, 0.1], "data_group": ["g", "g"],
    },
    "feather": {
        "algorithm": ["A", "B"], "dataset": ["d", "d"], "random_state": [1, 1], "symbolic_model": ["x0", "x1"],
        "r2_test": [0.5, 0.25], "true_model": ["x0", None], "target_noise": [0, 0.1],
        "symbolic_error_is_zero": [True, None], "symbolic_error_is_constant": [False, None],
        "symbolic_fraction_is_constant": [False, None], "simplified_symbolic_model": ["x0", "x1"],
    },
    "ballot": {
        "expert": ["E", "E"], "dataset": ["d", "d"], "code": ["S1", "S2"], "rank": [1, 2], "trust": [5, 3],
    },
}  # fmt: skip
KEY = {
    "S1": {"method": "A", "dataset": "d", "repetition": 1},
    "S2": {"method": "B", "dataset": "d", "repetition": 1},
}
NAMES = sorted(
    {
        *ASSESSMENTS.columns, *MEASURES.columns, "file", "row", "file_given", "index", "__index_level_0__", "level_0",
        "variable", "track", "property", "score", "rank", "n_runs", "direction", "group", "symbolic", "candidate",
        "expert", "code", "comment", "", "self", "count", "Index",
    }
)  # fmt: skip
ARROW = (
    pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(),
    pa.bool_(), pa.null(), pa.timestamp("ns"), pa.date32(), pa.list_(pa.string()), pa.string_view(),
    pa.dictionary(pa.int32(), pa.string()), pa.decimal128(10, 2), pa.duration("s"),
)  # fmt: skip


def assessments() -> pd.DataFrame:
    return read_frame(DEMO / "assessments.parquet").iloc[::97]


def columns_of(random: Random) -> tuple[str, dict[str, list[Any]]]:
    kind = random.choice((*LAYOUTS, "assessments", "runs"))
    found = (
        assessments().astype(object).to_dict("list")
        if kind == "assessments"
        else {name: list(values) for name, values in LAYOUTS[kind].items()}
    )
    length = len(next(iter(found.values())))
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        name = random.choice([*found, random.choice(NAMES)])
        what = random.randrange(5)
        if what == 0 and name in found and len(found) > 1:
            del found[name]
        elif what == 1:
            found[name] = [random.choice((*TEXTS, *NUMBERS)) for _ in range(length)]
        elif what == 2 and name in found:
            found[name][random.randrange(length)] = random.choice((*TEXTS, *NUMBERS, None))
        elif what == 3 and name in found:
            found[random.choice(NAMES)] = found.pop(name)
        else:
            found[name] = [random.choice((*TEXTS, None))] * length
    return kind, found


def arrow_of(values: list[Any], random: Random) -> pa.Array:
    if random.random() < 0.1:
        try:
            return pa.array([None if v is None else str(v) for v in values]).cast(
                random.choice(ARROW)
            )
        except (pa.ArrowException, UnicodeError):
            return pa.nulls(len(values), random.choice(ARROW))
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, UnicodeError):
        return pa.array(
            [None if v is None else str(v).encode(errors="surrogatepass") for v in values]
        )


def written(found: dict[str, list[Any]], folder: Path, random: Random) -> Path:
    suffix = random.choice((".csv", ".csv", ".csv.gz", ".parquet", ".feather"))
    path = folder / f"t{suffix}"
    if suffix.startswith(".csv"):
        text = pd.DataFrame(found, dtype=object).to_csv(index=random.random() < 0.05)
        data = text.encode(errors="surrogatepass")
        data = damaged(data, random) if random.random() < 0.3 else data
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    else:
        table = pa.table({name: arrow_of(values, random) for name, values in found.items()})
        if random.random() < 0.3:
            table = table.replace_schema_metadata(
                {"pandas": random.choice(TEXTS[:-1]), "ARROW:schema": "AAAA"}
            )
        try:
            if suffix == ".parquet":
                parquet.write_table(
                    table, path, compression=random.choice(("snappy", "zstd", "none"))
                )
            else:
                feather.write_feather(
                    table, path, compression=random.choice(("lz4", "zstd", "uncompressed"))
                )
        except (pa.ArrowException, UnicodeError):
            path.write_bytes(b"PAR1")
    if random.random() < 0.3:
        path.write_bytes(damaged(path.read_bytes(), random))
    return path


def json_folder(folder: Path, random: Random) -> Path:
    """A folder as SRBench writes it."""
    inside = folder / "d"
    inside.mkdir()
    for seed in range(random.choice((1, 3))):
        content: dict[str, Any] = {
            "dataset": "d", "algorithm": "A", "random_state": seed, "symbolic_model": "x0", "r2_test": 0.5,
            "target_noise": 0.0, "time_time": 1.0, "model_size": 3,
        }  # fmt: skip
        for _ in range(random.choice((0, 1, 3))):
            name = random.choice([*content, "symbolic_error_is_zero", "true_model", "file", "row"])
            content[name] = random.choice((*TEXTS, *NUMBERS, None, [], {}, [[1]], 10**400, True))
        data = json.dumps(content).encode()
        if random.random() < 0.2:
            data = random.choice(
                (b"[" * 10**5, b'{"a":' * 10**5, damaged(data, random), b"", b"{}", b"5")
            )
        name = f"d_A_{seed}_target-noise0.1.json" if random.random() < 0.8 else f"odd{seed}.json"
        (inside / name).write_bytes(data)
    return folder


def attempt(seed: int, folder: Path) -> str:
    random = Random(seed)
    if random.random() < 0.15:
        table = read_results(json_folder(folder, random))
    else:
        kind, found = columns_of(random)
        path = written(found, folder, random)
        if kind == "ballot":
            key = {"packet": "p", "codes": KEY} if random.random() < 0.5 else dict(KEY)
            if random.random() < 0.1:
                key["S1"] = random.choice(
                    ([], {}, 5, {"method": [], "dataset": {}, "repetition": None})
                )
            (folder / "key.json").write_text(json.dumps(key))
            faults = read_ballots([path], folder / "key.json")[1]
            assert all("\n" not in fault or "\n" in repr(found) for fault in faults)
            return "faults named" if faults else "read"
        table = read_results(path)
    check(table)
    return followed(table, folder)


def check(table: RunTable) -> None:
    """What the reader gave is what the contract says."""
    frame = table.frame
    contract = MEASURES if table.measured else ASSESSMENTS if table.assessed else RUNS
    for name in (*contract.required, "file", "row"):
        assert name in frame, name
    for name, kind in contract.columns.items():
        assert name not in frame or str(frame[name].dtype) == DTYPES[kind], (
            name,
            frame[name].dtype,
        )
    for name in contract.required:
        assert name in contract.nullable or frame[name].notna().all(), name
    assert frame["row"].dtype == "int64"
    assert not frame.duplicated(list(contract.key)).any()
    assert frame["file"].str.startswith(("t.", "d/")).all()


def followed(table: RunTable, folder: Path) -> str:
    """Take the table through writing, comparing and judging."""
    for suffix in ("csv", "parquet"):
        write_frame(table.frame, folder / f"again.{suffix}")
        assert len(read_results(folder / f"again.{suffix}").frame) == len(table.frame)
    said = "read"
    try:
        read_benchmark([table])
        if table.assessed:
            judge(table.frame, load_problems("synthetic-2022"), load_rules("judging-2022"))
    except SrlibError as error:
        said = f"read; {type(error).__name__} later"
        assert "\n" not in str(error)
    return said


def test_tables() -> None:
    counts = hammer("tables", 150)
    assert counts["read"] > counts.total() / 20
    assert counts["refused"] > counts.total() / 5
