"""What one team, row, cell or table has wrong is a line, the others count; what has two readings is asked for."""

import gzip
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from srlib.cli.main import main
from srlib.comparing.benchmark import read_benchmark
from srlib.metrics import METRICS, metric_of
from srlib.readers import read_compared, read_results, read_runs
from tests.builders import each, examples, refused

HEAD = "method,dataset,repetition,model"
GOOD = f"{HEAD}\nAster,fen,1,a*b\nAster,fen,2,a + b\n"
PROBLEMS = """
schema: 1
name: fen
problems: [{dataset: fen, property: solution, features: [a, b], truth: "a*b", domain: {a: [1, 3], b: [1, 3]}}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(PROBLEMS)
    Path("good.csv").write_text(GOOD)


def written(name, content):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def reasons_of(frame):
    return frame.dropna(subset="reason")["reason"].tolist()


# rows below HEAD and what follows it, and the beginnings of the reasons; a lone surrogate is a byte that is not UTF-8
ROWS = """
 | Brook,fen,-1,b\\nBrook,fen,1,a\\nBrook,fen,x,c | repetition must be 0 or more, got '-1' // repetition must be a
 | Brook,fen,first,a | repetition must be a number, got 'first'
 | Brook,fen\\n1,2,3,4,5,6 | repetition is empty // the line has 6 values, the header 4; a value with ',' in it needs
 | "=1+1",fen,1,a\\n@x,fen,1,a\\n-x,fen,1,a | method begins with = // method begins with = // method begins with =
 | Brook,+1,1,a | dataset begins with =
 | ,fen,1,a\\n(the truth),fen,1,a | method is empty // method is a name that tables use for something else, got '(the
 | Brook,fen,1,a\\nBrook,fen,1,a | repetition 1 stands in row 1; row 2 with equal content; the first one counts
 | Brook,fen,1,a\\nBrook,fen,1,b | repetition 1 stands in row 1; row 2 with different content; // repetition 1 stands
 | Br\7ok,fen,1,a | method holds a control character, got 'Br\\x07ok'
 | Br\0ok,fen,1,a | the line is no text in UTF-8 (byte 0x0)
 | Br\udcf6ok,fen,1,a | the line is no text in UTF-8 (byte 0xf6)
 | Brook,fen,1,"a | the line is no CSV (unexpected end of data)
 | Brook,fen,1LONG,a\\nBrook,fen,nan,a | repetition must be a whole number // repetition is empty
,status | Brook,fen,1,a,Done | status must be one of ok, failed
,status,reason | Brook,fen,-3,a,invalid,ours\\nBrook,fen,1,a,invalid, | ours
"""


@each("columns rows reasons", ROWS)
def test_a_bad_row_is_a_line_and_stops_nobody(columns, rows, reasons):
    """Also where it is the only one of its table; the invented repetitions of bad rows are free."""
    text = f"\ufeff\ufeff{HEAD}{columns}\n{rows}\n".replace("LONG", "0" * 400)
    written("bad.csv", text.encode(errors="surrogateescape"))
    table = read_runs(["good.csv", "bad.csv"])
    others = table.frame[table.frame["file"] != "bad.csv"]
    assert others["status"].tolist() == ["ok", "ok"]
    bad = table.frame[table.frame["status"] == "invalid"]
    assert bad["repetition"].lt(0).all() and not bad["repetition"].duplicated().any()
    pairs = zip(reasons_of(bad), reasons.split(" // "), strict=True)
    assert all(reason.startswith(start) for reason, start in pairs)


def test_a_status_counts_whatever_its_case():
    written("s.csv", f"{HEAD},status,names\nS,fen,1,a,OK,X0\nS,fen,2,a, Timeout ,Features\n")
    runs = read_runs("s.csv").frame
    assert runs[["status", "names"]].to_numpy().tolist() == [["ok", "x0"], ["timeout", "features"]]


ODD = {
    "UTF16": GOOD.encode("utf-16"),
    "TRUNCATED": gzip.compress(GOOD.encode(), mtime=0)[:-9],
}
TABLES = """
t.csv | \0\1 | bytes that are not UTF-8
t.csv | | the file is empty
t.csv | HEAD,model\\nB,fen,1,a,b | column 'model' appears twice in the header
t.csv | HEAD | the table has no rows
t.csv | method,dataset\\nB,fen | column 'repetition' is missing; a run table needs
t.csv | UTF16 | bytes that are not UTF-8
t.csv.gz | TRUNCATED | not a readable .gz file
t.parquet | PAR1 | not a readable .parquet file
t.parquet | version https://git-lfs.github.com/spec/v1\\noid sha256:0 | Git LFS pointer
t.xlsx | PK | save a sheet of a workbook as CSV
t.jsonl | {"method": "Brook", | row 1: the line is no readable JSON
t.json | {} | a table ends in .csv
t/readme | | this folder holds no table
"""


@each("name content reason", TABLES)
def test_a_table_that_cannot_be_read_is_a_line_and_stops_nobody(name, content, reason):
    written(name, ODD.get(content, content.replace("HEAD", HEAD)))
    source = name.partition("/")[0]
    table = read_runs([source, "good.csv"])
    assert table.frame["method"].tolist() == ["Aster"] * 2
    [line] = table.unread_lines
    assert (line["code"], line["file"], line["level"]) == ("unread_file", source, "file")
    assert reason in line["detail"]
    with refused(reason):
        read_runs(source)


def test_commands_name_a_table_that_cannot_be_read_and_refuse_one_that_is_not_there(capsys):
    written("t.json", "{}")
    words = ["good.csv", "t.json", "--problems", "p.yaml", "--out"]
    assert main(["judge", *words, "o"]) == main(["check", *words, "f.csv"]) == 1
    for path in ("o/ledger.csv", "f.csv"):
        assert pd.read_csv(path).set_index("code").loc["unread_file", "file"] == "t.json"
    assert main(["check", "good.csv", "gone.csv"]) == 2
    assert "gone.csv: no such file" in capsys.readouterr().err


@each(
    "line reason",
    r"""
{"method": "Br\ud83d", "dataset": "fen", "repetition": 1, "model": "a"} | surrogates not allowed
{"model": "a", "model": "b"} | the key 'model' stands twice
{"method": "Brook", "model | Unterminated string
[[1, 2], 3] | the line is no readable JSON
{"model": NESTED} | recursion
\xff | the line is no readable JSON
""",
)
def test_a_damaged_line_of_json_is_a_row(line, reason):
    good = '{"method": "Brook", "dataset": "fen", "repetition": 1, "model": "a"}\n'
    text = line.replace("NESTED", "[" * 3000).replace(r"\xff", "\xff")
    written("t.jsonl", b"\xef\xbb\xbf" + (good + text).encode("latin-1"))
    runs = read_runs("t.jsonl").frame
    assert runs["status"].tolist() == ["ok", "invalid"] and reason in runs["reason"][1]


def test_a_cell_of_parquet_that_is_not_utf8_damages_its_row():
    values = pa.array([b"a", b"\xff", b""])
    texts = pa.Array.from_buffers(pa.string(), 3, values.buffers())
    columns = {"method": ["B"] * 3, "dataset": ["fen"] * 3, "repetition": [1, 2, 3], "model": texts}
    parquet.write_table(pa.table(columns), "t.parquet")
    runs = read_runs("t.parquet").frame
    assert runs["status"].tolist() == ["ok", "invalid", "failed"]
    assert reasons_of(runs) == ["model is no text in UTF-8"]


EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=6)), min_size=1, max_size=4
)
SUFFIXES = ["csv", "tsv", "jsonl", "csv.gz", "parquet", "feather"]


@examples(60)
@given(suffix=st.sampled_from(SUFFIXES), edits=EDITS)
def test_damage_of_one_table_never_changes_rows_of_another(suffix, edits):
    frame = pd.DataFrame({"method": "Brook", "dataset": "fen", "repetition": range(3, 9)})
    frame = frame.assign(model="a*b", r2_test=0.5)
    name = f"t.{suffix}"
    if suffix in ("parquet", "feather"):
        getattr(frame, f"to_{suffix}")(name)
    elif suffix == "jsonl":
        frame.to_json(name, orient="records", lines=True)
    else:
        zipped = {"method": "gzip", "mtime": 1} if suffix == "csv.gz" else None
        frame.to_csv(name, index=False, sep="\t" if suffix == "tsv" else ",", compression=zipped)
    content = Path(name).read_bytes()
    for place, length, replacement in edits:
        start = int(place * len(content))
        content = content[:start] + replacement + content[start + length :]
    Path(name).write_bytes(content)
    table = read_runs(["good.csv", name])
    others = table.frame[table.frame["file"] == "good.csv"]
    models = others.set_index(["method", "dataset", "repetition"])["model"].to_dict()
    assert models == {("Aster", "fen", 1): "a*b", ("Aster", "fen", 2): "a + b"}
    assert others["reason"].isna().all()
    assert len(others) < len(table.frame) or table.unread


@each(
    "column value text",
    """
r2_test | 97.2 | must be at most 1
r2_test | inf | must be at most 1
training_time_s | -1 | must be finite and at least 0
complexity_raw | -3 | must be finite and at least 0
""",
)
def test_a_value_that_cannot_be_is_left_out_with_the_same_line_everywhere(
    column, value, text, capsys
):
    written("r.csv", f"{HEAD},{column}\nC,fen,1,a,{value}\nD,fen,1,a,0.5\n".replace("0.5", "1"))
    line = f"left out: {column} {text}, got '{value}'"
    assert read_runs("r.csv").frame[column].isna().tolist() == [True, False]
    main(["import", "r.csv", "--out", "o.csv"])
    assert f"r.csv row 1: {line}" in capsys.readouterr().out
    assert main(["check", "r.csv", "--out", "f.csv"]) == 1
    assert line in pd.read_csv("f.csv")["detail"].tolist()
    assert line in read_benchmark("r.csv").ledger["detail"].tolist()


def test_the_best_values_and_failures_are_possible():
    """An R2 of -inf is what a model that is nowhere finite has; it fails, and is not left out."""
    written("r.csv", f"{HEAD},r2_test,training_time_s\nC,fen,1,a,1,0\nC,fen,2,a,-inf,1e9\n")
    assert reasons_of(read_runs("r.csv").frame) == []


def test_measures_have_the_same_limits():
    rows, details = [], []
    for aspect in METRICS.keys() - {"dataset_score"}:
        metric = METRICS[aspect]
        value = metric.best + 1.0 if metric.direction == "higher" else metric.lowest - 1.0
        rows += [("M", "d", 0, aspect, value), ("N", "d", 0, aspect, metric.best)]
        details.append(f"{aspect} cannot be {value}; it counts as missing")
    frame = pd.DataFrame(rows, columns=["method", "dataset", "repetition", "aspect", "value"])
    assert {*read_benchmark(frame).ledger["detail"]} == {*details}


@each(
    "column value fault",
    """
r2_test | 97.2 | must be at most 1
r2_test_reported | 97.2 | must be at most 1
status | fine | must be one of ok, failed, .*
names | x2 | must be one of features, x0, x1
""",
)
def test_assessments_with_a_wrong_value_are_refused(column, value, fault):
    """They are srlib's own: nobody else's rows stand in them."""
    assessed = read_results("demo").frame.head(2).drop(columns=["file", "row"])
    assert read_runs(assessed).kind == "assessments"
    with refused(f"row 1: {column} {fault}, got '{value}'"):
        read_runs(assessed.assign(**{column: [value, None]}))


@each("name suffix", "pred.csv | .csv\npred | no suffix\np.npz.txt | .txt\nP.NPZ | ")
def test_predictions_that_are_no_npz_are_a_line(name, suffix):
    written("r.csv", f"{HEAD},r2_test,predictions\nP,fen,1,a*b,1,{name}\n")
    runs = read_runs("r.csv").frame
    line = f"left out: predictions: an .npz with arrays train and test is read, got {suffix}"
    assert reasons_of(runs) == ([line] if suffix else [])
    assert runs["predictions"].isna().tolist() == [bool(suffix)]


LAYOUT = "schema: 1\nname: mine\nsource: me\n"
FRONT = "Complexity,Loss,Equation\n1,4.1,0.7\n3,1.2,a\n5,0.0,a*b\n"
FILES = "files: '(?P<dataset>[^/]+)/(?P<method>[^/]+)\\.csv'\ncolumns: {model: Equation}\n"


def test_a_front_is_refused_until_the_layout_states_what_its_rows_are(capsys):
    written("fen/Hall.csv", FRONT)
    written("l.yaml", LAYOUT + FILES)
    words = ["judge", "fen/Hall.csv", "--problems", "p.yaml", "--layout", "l.yaml", "--out", "o"]
    assert main(words) == 2
    assert "state rows: repetitions, first or last" in capsys.readouterr().err
    for rows, models in {
        "repetitions": ["0.7", "a", "a*b"], "first": ["0.7"], "last": ["a*b"]
    }.items():  # fmt: skip
        written("l.yaml", f"{LAYOUT}{FILES}rows: {rows}\n")
        runs = read_runs("fen/Hall.csv", "l.yaml").frame
        assert runs["model"].tolist() == models
        assert runs["repetition"].tolist() == [1, 2, 3][: len(models)]
    with refused("'rows': input should be 'repetitions', 'first' or 'last'"):
        read_runs("fen/Hall.csv", written("l.yaml", f"{LAYOUT}{FILES}rows: best\n"))


def test_rows_of_our_own_columns_without_a_repetition_are_asked_for():
    written("t.csv", "method,dataset,model\nA,d,a\nA,d,b\nB,d,b\n")
    with refused("state rows: .*--layout submissions states repetitions"):
        read_runs("t.csv")
    assert read_runs("t.csv", "submissions").frame["repetition"].tolist() == [1, 2, 1]


def test_one_row_without_a_repetition_has_one_reading():
    written("fen/Hall.csv", "Equation\na\n")
    assert read_runs("fen/Hall.csv", written("l.yaml", LAYOUT + FILES)).frame["repetition"][0] == 1


CLUB = "crew,harbour,turn,course,fit,method,age\nA,bay,1,x,0.5,old,7\nA,bay,2,y,0.7,old,\n"
COLUMNS = "columns: {method: crew, dataset: harbour, repetition: turn, model: course%s}\n"


@each(
    "columns message",
    """
, r2_test: fitness | column 'fitness' is not there, .* takes r2_test from; there are crew
, budget: '{age}/{years}' | column 'years' is not there
""",
)
def test_a_misspelt_column_of_a_layout_is_one_sentence(columns, message):
    written("t.csv", CLUB)
    layout = written("l.yaml", LAYOUT + COLUMNS % columns)
    with refused(message):
        read_runs("t.csv", layout)
    layout = written("l.yaml", f"{LAYOUT}{COLUMNS % columns}recognised: [crew, harbour]\n")
    assert read_runs("t.csv", layout).frame["model"].tolist() == ["x", "y"]


def test_columns_can_be_joined_and_ignored():
    written("t.csv", CLUB)
    columns = COLUMNS.replace("harbour,", "'{harbour}-{age}',") % ""
    layout = written("l.yaml", f"{LAYOUT}{columns}ignore: [method, fit, gone]\nnames: x1\n")
    runs = read_runs("t.csv", layout).frame
    assert runs["dataset"].tolist() == ["bay-7", "(no name)"]
    assert reasons_of(runs) == ["dataset is empty"]
    assert not {"method_given", "fit"} & set(runs) and set(runs["names"]) == {"x1"}


@each(
    "content faults",
    """
method;dataset;r2\\nB\xe4r;fen;0,93 | bytes that are not UTF-8, semicolons between columns and decimal commas
method;dataset;r2\\nBar;fen;0.93 | semicolons between columns
method\tdataset\tr2\\nBar\tfen\t-1,5 | tabs between columns and decimal commas
m\xe9thod,dataset | bytes that are not UTF-8
""",
)
def test_all_faults_of_a_spreadsheet_are_told_at_once_with_the_remedy(content, faults):
    written("x.csv", content.encode("cp1252"))
    with refused(f"got {faults}; set the decimal separator .* save it as 'CSV UTF-8 .comma del"):
        read_runs("x.csv")


def test_text_files_with_the_model_alone_are_runs_of_a_folder_and_of_files_alike():
    files = "files: '(?P<dataset>[^/_]+)_(?P<method>[^/_]+)_(?P<repetition>\\d+)\\.txt'\n"
    layout = written("l.yaml", LAYOUT + files)
    paths = [written(f"txt/ash_Tern_{i}.txt", f"{i}*a\n") for i in (1, 2)]
    for source in ("txt", paths):
        runs = read_runs(source, layout).frame
        assert runs[["method", "dataset", "repetition", "model"]].to_numpy().tolist() == [
            ["Tern", "ash", 1, "1*a"], ["Tern", "ash", 2, "2*a"]
        ]  # fmt: skip


def test_a_comparison_needs_no_models(capsys):
    written("t.csv", "method,dataset,repetition,r2_test\nA,d,1,0.5\nB,d,1,0.4\nB,e,1,\n")
    [table] = read_compared(["t.csv"])
    assert table.frame["status"].tolist() == ["ok"] * 3
    words = ["compare", "t.csv", "x.csv", "--metric", "r2_test", "--out", "c.csv"]
    written("x.csv", b"\x00")
    assert main(words) == 0
    assert "A against B" in capsys.readouterr().out
    assert pd.read_csv("c-ledger.csv").query("code == 'unread_file'")["file"].tolist() == ["x.csv"]
    with refused("column 'model' is missing"):
        read_runs("t.csv")


@each(
    "metric message",
    """
r2_test:lower | metric 'r2_test:lower': r2_test was expected; its direction is known
nmse | metric 'nmse': which values are better is not known; nmse:lower or nmse:higher
nmse:less | nmse:less:lower or nmse:less:higher was expected
""",
)
def test_a_metric_is_known_or_states_its_direction_once(metric, message):
    with refused(message):
        metric_of(metric)
    assert metric_of("nmse", "lower").sign == metric_of("nmse:lower").sign == -1


ALIASES = """
check | Aster=Brook Brook=Aster |
check | Bruk=Moon | alias: 'Bruk' is no method; there are Aster, Brook
check | Brook= | alias: a name was expected for 'Brook', got ''
judge --problems p.yaml --out o | Brook=Aster | MERGED
assess --problems p.yaml --out o.csv | Brook=Aster | MERGED
compare --metric r2_test --out o.csv | Brook=Aster | MERGED
import --out o.csv | Brook=Aster | MERGED
import --out o.csv | Aster=Brook Brook=Aster |
"""
MERGED = "good.csv row 1 and b.csv row 1 hold the same run: method 'Aster'"


@each("command pairs message", ALIASES)
def test_methods_have_other_names_in_every_command(command, pairs, message, capsys):
    rows = GOOD.replace("\n", ",0.5\n").replace("model,0.5", "model,r2_test")
    written("good.csv", rows)
    written("b.csv", rows.replace("Aster", "Brook"))
    words = [*command.split(), "good.csv", "b.csv"]
    code = main([*words, *(word for pair in pairs.split() for word in ("--alias", pair))])
    streams = capsys.readouterr()
    assert (code == 2) == bool(message) and message.replace("MERGED", MERGED) in streams.err
    if not message and command.startswith("import"):
        assert pd.read_csv("o.csv")["method"].unique().tolist() == ["Brook", "Aster"]
