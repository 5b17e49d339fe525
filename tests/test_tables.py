"""Tables: what is refused, by which sentence, and what survives a round trip."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from srlib import limits
from srlib.errors import InputError
from srlib.readers import read_runs
from srlib.table_files import read_frame, write_frame
from srlib.tables import RUNS, conform

GOOD = "method,dataset,repetition,model\nA,d,1,x1\nA,d,2,x1+1\n"


def table(text, folder, name="runs.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "runs.csv: the file is empty"),
        ("method,dataset,repetition\nA,d,1\n",
         "column 'model' is missing; a run table needs method, dataset, repetition, model"),
        ("method,dataset,repetition,model\n", "the table has no rows"),
        (GOOD.replace("method,", "method,method,"), "column 'method' appears twice in the header"),
        ("method,dataset,repetition,model\nA,d,1.5,x\n",
         "row 1: repetition must be a whole number below 2**53, got '1.5'"),
        ("a,\0\n", "runs.csv: not a text file in UTF-8"),
    ],
)  # fmt: skip
def test_bad_tables_get_one_sentence(text, sentence, tmp_path):
    with pytest.raises(InputError, match=r"^[^\n]*runs.csv[^\n]*$") as caught:
        read_runs(table(text, tmp_path))
    assert sentence in str(caught.value)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "feather", "xls"])
def test_binary_and_cut_off_files(suffix, tmp_path):
    (tmp_path / f"runs.{suffix}").write_bytes(bytes(range(128, 256)) * 40)
    with pytest.raises(InputError, match=f"runs.{suffix}: "):
        read_frame(tmp_path / f"runs.{suffix}")


def test_what_is_no_table_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    for name, layout, sentence in (
        ("none.csv", None, "no such file"),
        ("empty", None, "holds no table and no JSON files of runs$"),
        ("pipe.csv", None, "pipe.csv: a regular file was expected"),
        (table(GOOD, tmp_path).name, "odd", "odd: no such file.* llm-srbench, parfam"),
    ):
        with pytest.raises(InputError, match=sentence):
            read_runs(tmp_path / name, layout)


def test_text_stays_text(tmp_path):
    """A method called NA, a model `nan` and a model `inf` are what they say; no model is a failed run."""
    rows = "NA,None,1,nan\nNA,None,2,\nNA,None,3,inf\n"
    runs = read_runs(table("method,dataset,repetition,model\n" + rows, tmp_path)).frame
    assert (set(runs["method"]), set(runs["dataset"])) == ({"NA"}, {"None"})
    assert runs["model"].fillna("-").tolist() == ["nan", "-", "inf"]
    assert runs["status"].tolist() == ["ok", "failed", "ok"]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_round_trip(suffix, tmp_path):
    columns = {"method": ["A", "B"], "dataset": ["d", "=1+1"], "repetition": [1, 2], "model": ["x", None],
               "r2_test": [0.1 + 0.2, np.nan], "seed": [5, None]}  # fmt: skip
    frame = conform(pd.DataFrame(columns), RUNS, "here")
    write_frame(frame, tmp_path / f"t.{suffix}")
    again = conform(read_frame(tmp_path / f"t.{suffix}"), RUNS, "there")
    pd.testing.assert_frame_equal(again, frame)


def write_table(columns, path, **options):
    """Write a table of Arrow's arrays, as Parquet or Feather."""
    write = parquet.write_table if path.suffix == ".parquet" else feather.write_feather
    write(pa.table(columns), path, **options)
    return path


ONE = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["x"]}


def test_own_columns_row_and_file_are_set_aside(tmp_path):
    """What a table says of its own origin is kept, and never printed as the place where a run was found."""
    text = "row,file," + GOOD.replace("A,", "first,../../etc/passwd,A,")
    frame = read_runs(table(text, tmp_path)).frame
    write_frame(frame, tmp_path / "again.csv")
    again = read_runs(tmp_path / "again.csv").frame
    for runs, name in ((frame, "runs.csv"), (again, "again.csv")):
        assert (set(runs["file"]), runs["row"].tolist()) == ({name}, [1, 2])
        assert set(runs["file_given"]) == {"../../etc/passwd"}


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (pa.array([b"\xff"]), "column 'model' cannot be read"),
        (pa.array([b"\xff"]).view(pa.string()), "column 'model' cannot be read"),
        (pa.array([2**64 - 1], pa.uint64()), "column 'model' cannot be read .Integer value"),
        (pa.array([[1]]), "column 'model' cannot be read .Unsupported cast from list"),
        (pa.array([{"a": 1}]), "Unsupported cast from struct<a: int64>"),
    ],
)
def test_odd_columns_of_parquet_are_one_sentence(column, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence):
        read_frame(write_table(ONE | {"model": column}, tmp_path / "t.parquet"))


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_columns_come_as_text_numbers_or_truth_values(suffix, tmp_path):
    columns = {
        "text": pa.array(["a", None]).dictionary_encode(),
        "view": pa.array(["a", None], pa.string_view()),
        "bytes": pa.array([b"a", None]),
        "nothing": pa.nulls(2),
        "time": pa.array([0, None], pa.timestamp("us")),
        "whole": pa.array([2**60 + 1, None]),
        "wide": pa.array([2**62, 0], pa.uint64()),
        "exact": pa.array([2**60 + 1, 2], pa.int64()),
        "decimal": pa.array([1, None], pa.decimal128(5, 2)),
        "truth": pa.array([True, None]),
    }
    frame = read_frame(write_table(columns, tmp_path / f"t.{suffix}"))
    kinds = ["str"] * 5 + ["Int64", "int64", "int64", "str", "boolean"]
    assert [str(kind) for kind in frame.dtypes] == kinds
    assert frame["whole"][0] == frame["exact"][0] == 2**60 + 1
    assert frame["time"][0].startswith("1970-01-01")


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_a_table_is_weighed_before_it_is_unpacked(suffix, tmp_path):
    """One text of 10 MB, repeated 100,000 times in a file of some kilobytes: a terabyte."""
    codes, text = pa.array(np.zeros(10**5, "int32")), pa.array(["x" * 10**7])
    column = pa.DictionaryArray.from_arrays(codes, text)
    path = write_table({"model": column}, tmp_path / f"t.{suffix}", compression="zstd")
    assert path.stat().st_size < 10**6
    with pytest.raises(InputError, match="the table takes more than 4294967296 bytes, unpacked"):
        read_frame(path)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_cells_are_counted(suffix, tmp_path, monkeypatch):
    path = tmp_path / f"t.{suffix}"
    write_frame(pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}), path)
    monkeypatch.setattr(limits, "TABLE_CELLS", 6)
    assert len(read_frame(path)) == 3
    monkeypatch.setattr(limits, "TABLE_CELLS", 5)
    with pytest.raises(InputError, match="a table of at most .* columns and 5 cells was expected"):
        read_frame(path)


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (
            pd.DataFrame([["A", "A"]], columns=["method", "method"]),
            "there are two columns 'method'",
        ),
        (
            pd.DataFrame(ONE | {"method": ["A\0"]}),
            "row 1: method holds a control character, got 'A",
        ),
        (
            pd.DataFrame(ONE).astype(object).assign(model=pd.Series(["\ud800"], dtype=object)),
            "model holds half of a character",
        ),
        (pd.DataFrame(ONE | {"repetition": [2**70]}), "repetition must be a whole number below 2"),
    ],
)
def test_the_gate_names_what_it_refuses(frame, sentence):
    with pytest.raises(InputError, match=sentence):
        conform(frame, RUNS, "here")
