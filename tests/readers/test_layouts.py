"""Layouts as data: published tables in their own columns become run tables; what is unclear is asked for by name."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.readers import read_runs
from srlib.readers.column_names import shipped_layouts
from tests.builders import each, refused


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


HALL_OF_FAME = 'Complexity,Loss,Equation\n1,2.5,"1.2"\n3,0.4,"x1 * 1.9"\n5,0.1,"x1 * (x1 + 0.5)"\n'


@each(
    "name layout message",
    """
20250101_120000_ab/hall_of_fame.csv | pysr | takes dataset and repetition from the file
t.csv | tpsrr | shipped layouts .* tpsr
""",
)
def test_a_layout_that_does_not_fit_or_exist_is_named(tmp_path, name, layout, message):
    with refused(message):
        read_runs(written(tmp_path, name, HALL_OF_FAME), layout)


def test_a_pattern_of_files_may_begin_with_flags(tmp_path):
    """Letters of either case; an expression may state flags at its start only."""
    layout = "schema: 1\nname: mine\nsource: me\ncolumns: {model: Equation}\nrows: last\n"
    layout += "files: '(?i)(?P<method>[a-z]+)-(?P<dataset>d\\d)-(?P<repetition>\\d+).csv'\n"
    path = written(tmp_path, "runs/Mine-D1-2.CSV", HALL_OF_FAME)
    runs = read_runs(path, written(tmp_path, "layout.yaml", layout)).frame
    columns = ["method", "dataset", "repetition", "model"]
    assert runs[columns].to_numpy().tolist() == [["Mine", "D1", 2, "x1 * (x1 + 0.5)"]]


LOG = '{"equation_id": "d", "gt_equation": "a*b", "discovered_equation": "a*b", "id_metrics": {"r2": 0.9}}\n'
# layout and file, its text, and of each run that counts: method, dataset, repetition, model, row
PUBLISHED = f"""srbench t.csv
algorithm,dataset,random_state,symbolic_model,true_model,target_noise,r2_test
A,d,1,x0*x1,a*b,0,0.5
A,d,2,not implemented,a*b,0,0.4
-> A,d@0,1,x0*x1,1
A,d@0,2,,2
====
physo t.csv
algorithm,dataset,random_state,symbolic_model,true_model,target_noise,r2_test,EQ NB,# EVALUATIONS
A,d,1,x0*x1,a*b,0,0.5,1,2
A,d,2,not implemented,a*b,0,0.4,1,2
-> A,d@0,1,x0*x1,1
A,d@0,2,,2
====
tpsr t.csv
formula,problem,target_noise,predicted_tree,predicted_tree_prefix,time,r2_fit,r2_predict
a*b,d1,0,(x_0 mul x_1),"mul,x_0,x_1",2.5,1,0.9
???,d2,0.001,(x_0 add 2),"add,x_0,2",3,1,0.8
#NAME?,d3,0,(x_0 add 3),"add,x_0,3",3,1,0.7
-> TPSR,d1@0,1,(x_0 mul x_1),1
TPSR,d2@0.001,1,(x_0 add 2),2
TPSR,d3@0,1,(x_0 add 3),3
====
parfam t.csv
model,seed,dataset,target_formula,estimated_formula,r_squared_test,training_time,target_noise
ParFamTorch,12,d1,a*b,x0*x1,0.99,40.5,0.0
ParFamTorch,12,d2,[],0,0.0,400,0.0
-> ParFamTorch,d1@0,12,x0*x1,1
ParFamTorch,d2@0,12,0,2
====
pysr d/seed1/hall_of_fame.csv
{HALL_OF_FAME}-> PySR,d,1,x1 * (x1 + 0.5),3
====
pysr_paper A_d_seed=1_v1_results.txt
a

a*b
-> A,d,1,a*b,2
====
submissions t.csv
method,dataset,model
A,d,a
A,d,b
-> A,d,1,a,1
A,d,2,b,2
====
llm-srbench logs/split/A/now/results.jsonl
{LOG}-> A,d,1,a*b,1
""".split("====\n")


def test_each_shipped_layout_has_an_example():
    names = [example.split()[0] for example in PUBLISHED]
    assert sorted(names) == sorted(layout.name for layout in shipped_layouts())


@pytest.mark.parametrize("example", PUBLISHED, ids=lambda example: example.split()[0])
def test_what_is_imported_is_checked_and_assessed(tmp_path, example, capsys):
    """Of several models of a run the last one counts; with the four columns of the contract all is a run table."""
    head, _, content = example.partition("\n")
    (layout, name), (text, expected) = head.split(), content.split("-> ")
    table, runs = written(tmp_path, name, text), tmp_path / "runs.csv"
    read = read_runs(table, layout if layout == "submissions" else None)
    frame = read.frame[["method", "dataset", "repetition", "model", "row"]]
    assert read.layout == layout
    assert frame.to_csv(index=False, header=False) == expected
    assert main(["import", str(table), "--layout", layout, "--out", str(runs)]) == 0
    words = capsys.readouterr().out
    assert words.startswith(f"{len(frame)} run") and words.endswith(f"written to {runs}\n")
    again = read_runs(runs)
    assert again.layout == "tidy"
    pd.testing.assert_series_equal(again.frame["model"], read.frame["model"])
    assert main(["check", str(runs)]) in (0, 1)
    problems = "schema: 1\nname: p\nproblems: [{dataset: d, features: [a, b], truth: a*b}]\n"
    words = ["--problems", str(written(tmp_path, "p.yaml", problems))]
    assert main(["assess", str(runs), *words, "--out", str(tmp_path / "a.parquet")]) == 0


def test_logs_are_read_packed_and_other_columns_by_their_path_in_the_object(tmp_path):
    path = tmp_path / "logs" / "split" / "A" / "now" / "results.jsonl.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(LOG.encode()))
    assert read_runs(path).frame["r2_test"].tolist() == [0.9]


def test_a_run_table_with_columns_of_measures_or_a_digest_is_one(tmp_path):
    text = "method,dataset,repetition,model,aspect,value,algorithm,r2_test,measure_digest\nA,d,1,x,y,1,B,0.5,z\n"
    runs = read_runs(written(tmp_path, "t.csv", text))
    assert runs.layout == "tidy" and runs.frame["method"].tolist() == ["A"]


def test_links_that_leave_a_folder_are_refused(tmp_path):
    head = "method,dataset,repetition,model\n"
    outside = written(tmp_path, "outside.csv", head + "B,d,1,x\n")
    written(tmp_path, "teams/a.csv", head + "A,d,1,x\n")
    (tmp_path / "teams" / "b.csv").symlink_to(outside)
    runs = read_runs(tmp_path / "teams")
    assert runs.frame["method"].tolist() == ["A"]
    assert "b.csv: this link leads out of the folder" in str(runs.unread[0])
