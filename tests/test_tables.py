"""Tables: what is refused, by which sentence, and what survives a round trip."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from srlib.readers import read_runs
from srlib.table_files import read_frame, write_frame
from srlib.tables import RUNS, Contract, conform
from tests.builders import each, examples, refused

HEAD = "method,dataset,repetition,model\n"
GOOD = HEAD + "A,d,1,x1\nA,d,2,x1+1\n"
ONE = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["x"]}


def test_text_stays_text(tmp_path):
    """A method called NA, a model `nan` and a model `inf` are what they say; no model is a failed run."""
    (tmp_path / "runs.csv").write_text(HEAD + "NA,None,1,nan\nNA,None,2,\nNA,None,3,inf\n")
    runs = read_runs(tmp_path / "runs.csv").frame
    assert runs[["method", "dataset"]].to_numpy().tolist() == [["NA", "None"]] * 3
    assert runs["model"].fillna("-").tolist() == ["nan", "-", "inf"]
    assert runs["status"].tolist() == ["ok", "failed", "ok"]


def test_own_columns_row_and_file_are_set_aside(tmp_path):
    """What a table says of its own origin is kept, and never printed as the place where a run was found."""
    text = "row,file," + GOOD.replace("A,", "first,../../etc/passwd,A,")
    (tmp_path / "runs.csv").write_text(text)
    write_frame(read_runs(tmp_path / "runs.csv").frame, tmp_path / "again.csv")
    for name in ("runs.csv", "again.csv"):
        runs = read_runs(tmp_path / name).frame[["file", "row", "file_given"]]
        assert runs.to_numpy().tolist() == [[name, row, "../../etc/passwd"] for row in (1, 2)]


def write_table(columns, path, **options):
    """Write a table of Arrow's arrays, as Parquet or Feather."""
    write = parquet.write_table if path.suffix == ".parquet" else feather.write_feather
    write(pa.table(columns), path, **options)
    return path


ODD = {
    "row 1: model is no text in UTF-8": pa.array([b"\xff"]),
    "not a readable .parquet file .Integer value": pa.array([2**64 - 1], pa.uint64()),
    "not a readable .parquet file .Unsupported cast from list": pa.array([[1]]),
}


@pytest.mark.parametrize("sentence", ODD)
def test_odd_column_of_parquet_is_one_sentence(sentence, tmp_path):
    with refused(sentence):
        read_frame(write_table(ONE | {"model": ODD[sentence]}, tmp_path / "t.parquet"))


ARRAYS = [
    pa.array(["a", None]).dictionary_encode(),
    pa.array(["a", None], pa.string_view()),
    pa.array([b"a", None]),
    pa.array([0, None], pa.timestamp("us")),
    pa.array([1, None], pa.decimal128(5, 2)),
    pa.nulls(2),
    pa.array([2**60 + 1, None]),
    pa.array([2**60 + 1, 2]),
    pa.array([2**62, 0], pa.uint64()),
    pa.array([True, None]),
]


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_columns_come_as_text_numbers_or_truth_values(suffix, tmp_path):
    columns = dict(zip("abcdefghij", ARRAYS, strict=True))
    frame = read_frame(write_table(columns, tmp_path / f"t.{suffix}"))
    assert " ".join(map(str, frame.dtypes)) == "str str str str str str Int64 int64 int64 boolean"
    first = ["a", "a", "a", "1970-01-01 00:00:00.000000", "1.00", 2**60 + 1, 2**60 + 1, 2**62, True]
    assert frame.iloc[0].dropna().tolist() == first


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_table_is_weighed_before_it_is_unpacked(suffix, tmp_path):
    """One text of 10 MB, repeated 100,000 times in a file of some kilobytes: a terabyte."""
    codes, text = pa.array(np.zeros(10**5, "int32")), pa.array(["x" * 10**7])
    column = pa.DictionaryArray.from_arrays(codes, text)
    path = write_table({"model": column}, tmp_path / f"t.{suffix}", compression="zstd")
    assert path.stat().st_size < 10**6
    with refused("a table of at most 4294967296 bytes, unpacked, was expected"):
        read_frame(path)


def test_half_of_a_character_is_refused():
    with refused("row 1: model holds half of a character"):
        conform(pd.DataFrame(ONE | {"model": pd.Series(["\ud800"], dtype=object)}), RUNS, "here")


def test_two_columns_of_one_name_are_refused():
    with refused("there are two columns 'method'"):
        conform(pd.DataFrame([["A", "A"]], columns=["method", "method"]), RUNS, "here")


VALUES = Contract(
    "row", {"features": "texts", "evidence": "json", "r2": "float", "seed": "Int", "row": "int"}
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers(-(2**60), 2**60)
TREES = st.recursive(
    NUMBERS | TEXT, lambda item: st.lists(item) | st.dictionaries(TEXT, item), max_leaves=5
)
ROWS = st.tuples(
    st.none() | st.lists(TEXT).map(tuple),
    st.none() | st.dictionaries(TEXT, TREES, max_size=4),
    st.floats(),
    st.none() | st.integers(-(2**52), 2**52),
)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
@examples(40)
@given(rows=st.lists(ROWS, min_size=1, max_size=4))
def test_table_survives_a_round_trip(suffix, rows, tmp_path_factory):
    frame = pd.DataFrame(rows, columns=[*VALUES.columns][:4], dtype=object).assign(row=1)
    path = tmp_path_factory.getbasetemp() / f"cells.{suffix}"
    frame = conform(frame, VALUES, "here")
    write_frame(frame, path)
    again = conform(read_frame(path), VALUES, "there")
    pd.testing.assert_frame_equal(again, frame, check_exact=True)
    assert again[["features", "evidence"]].to_numpy().tolist() == [list(row[:2]) for row in rows]


@each(
    "column text fault",
    """
features | ["a", "b | a JSON list of texts
features | a | a JSON list of texts
features | 5 | a JSON list of texts
features | {"a": 1} | a JSON list of texts
features | [1] | a JSON list of texts
evidence | {"proof": "wit | a JSON object
evidence | [] | a JSON object
evidence | NESTED | a JSON object
""",
)
def test_damaged_cell_is_named_by_row_and_column(column, text, fault):
    frame = pd.DataFrame({"features": ['["a"]'] * 2, "evidence": ["{}"] * 2})
    frame.loc[1, column] = text.replace("NESTED", "[" * 10**5)
    with refused(f"here row 2: {column} must be {fault}, got '"):
        conform(frame, VALUES, "here")
