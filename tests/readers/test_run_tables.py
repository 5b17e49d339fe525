"""Run tables as people send them: everyday formats, bad rows, many files in one call."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.cli.main import main
from srlib.files import PARAMETERS
from srlib.readers import read_runs
from tests.builders import examples

PROBLEMS = """
schema: 1
name: bakery
problems:
  - {dataset: bread, property: solution, features: [flour, water], truth: flour + 2*water}
  - {dataset: cake, property: solution, features: [sugar], truth: 3*sugar}
"""
HEAD = "method,dataset,repetition,model,r2_test\n"
GOOD = HEAD + "Ana,bread,1,flour + 2*water,1.0\nAna,cake,1,3*sugar,0.9\nBo,bread,1,flour,0.4\n"


KNOWN = ["--problems", "problems.yaml", "--rules", "rules.yaml"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")
    Path("rules.yaml").write_text(rules.replace("repetitions: 10", "repetitions: 1"))
    Path("problems.yaml").write_text(PROBLEMS)


def test_a_folder_of_reports_called_demo_does_not_hide_the_shipped_runs(folder):
    shipped = read_runs("demo").methods
    Path("demo").mkdir()
    Path("demo/synthetic.report.json").write_text("{}")
    assert read_runs("demo").methods == shipped
    Path("demo/synthetic.report.json").unlink()
    Path("demo/own.csv").write_text(GOOD)
    assert read_runs("demo").methods == ["Ana", "Bo"]


def score(*words):
    return main(["judge", *words, *KNOWN, "--out", "out"])


def test_a_run_on_data_that_do_not_exist_is_a_ledger_line(folder, capsys):
    """Repetition 7 of 2."""
    for seed in (21, 22):
        Path(f"{seed}.csv").write_text("sugar,y\n1,3\n2,6\n4,12\n")
    data = 'data: {test: "{data_seed}.csv"}, data_seeds: [21, 22]}'
    Path("problems.yaml").write_text(PROBLEMS.replace("truth: 3*sugar}", f"truth: 3*sugar, {data}"))
    rows = "".join(f"A,cake,{repetition},3*sugar,1\n" for repetition in (21, 22, 7))
    Path("runs.csv").write_text(HEAD + rows)
    assert score("runs.csv") == 0
    assert "3 runs read = 2 scored + 1 excluded" in capsys.readouterr().out
    detail = pd.read_csv("out/ledger.csv").set_index("code").loc["invalid_value", "detail"]
    assert detail.endswith("none of the data of its dataset: 1 to 2, or one of the seeds 21, 22")


def test_a_folder_of_all_kinds_is_read_and_its_unread_files_are_named(folder, capsys):
    Path("teams/deep/bread").mkdir(parents=True)
    Path("teams/ana.csv").write_text(GOOD)
    frame = pd.DataFrame({"dataset": ["bread", "cake"], "model": ["water", "sugar"]})
    frame.assign(method="Cy", repetition=1, r2_test=0.2).to_feather("teams/deep/Cy.feather")
    run = {"dataset": "bread", "algorithm": "Di", "random_state": 1, "symbolic_model": "flour"}
    Path("teams/deep/bread/bread_Di_1.json").write_text(json.dumps(run | {"r2_test": 0.5}))
    for name in ("data: day 2.csv", "book.xlsx"):
        Path("teams", name).write_text("a,b\n1,2\n")
    runs = read_runs("teams")
    assert runs.frame.groupby("file")["method"].agg(list).to_dict() == {
        "ana.csv": ["Ana", "Ana", "Bo"],
        "deep/Cy.feather": ["Cy", "Cy"],
        "deep/bread/bread_Di_1.json": ["Di"],
    }
    [notice] = [notice for notice in runs.notices if notice.startswith("Not read: ")]
    assert (
        "data: day 2.csv: column 'method' is missing" in notice
        and "book.xlsx: a table ends in" in notice
    )
    assert score("teams") == 1
    out = capsys.readouterr().out
    assert "Not read: " in out and out.index("Not read: ") < out.index("1. Ana")
    ledger = pd.read_csv("out/ledger.csv").set_index("file")
    assert ledger.loc["teams/data: day 2.csv", "code"] == "unread_file"
    assert "day 2" not in ledger.loc["teams/data: day 2.csv", "detail"]
    assert main(["judge", "teams", "--problems", "problems.yaml", "--out", "teams/scores"]) == 2
    assert "a folder outside of the runs in teams was expected" in capsys.readouterr().err


RUN_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["Ana", "Bo"]), st.integers(1, 2), st.sampled_from(["flour", "water"])
    )
)


@examples(40)
@given(own=RUN_ROWS, others=RUN_ROWS.filter(len))
def test_a_run_that_tables_state_differently_counts_for_neither_and_moves_no_other_run(own, others):
    """Of equal rows the first counts; each line names the rows of both files, in whatever order they are read."""
    names = ["method", "repetition", "model"]
    tables = {
        name: pd.DataFrame(rows, columns=names).assign(dataset="bread", r2_test=0.5)
        for name, rows in {"a.csv": own, "b.csv": others}.items()
        if rows
    }
    with TemporaryDirectory() as path:
        for name, table in tables.items():
            table.to_csv(f"{path}/{name}", index=False)
        files = [f"{path}/{name}" for name in tables]
        frames = [read_runs(order).frame for order in (files, files[::-1])]
    lines, others_lines = (
        frame.set_index(["file", "row"])["reason"].sort_index() for frame in frames
    )
    pd.testing.assert_series_equal(lines, others_lines)
    models = pd.concat(tables).groupby(["method", "repetition"])["model"].agg(set)
    expected = [(*run, *found) for run, found in models.items() if len(found) == 1]
    usable = frames[0].query("status == 'ok'").sort_values(names)[names]
    assert list(usable.itertuples(index=False, name=None)) == expected
    for place, run in enumerate((row[:2] for row in own), start=1):
        if len(models[run]) > 1 and run in {row[:2] for row in others}:
            assert "a.csv" in lines["a.csv", place] and "b.csv" in lines["a.csv", place]


def test_a_run_in_the_tables_of_two_teams_is_a_line_for_both_and_the_others_count(folder, capsys):
    Path("a.csv").write_text(GOOD)
    Path("b.csv").write_text(HEAD + "Cy,bread,1,water,0.3\nBo,bread,1,water,0.5\n")
    assert score("a.csv", "b.csv") == 0
    out = capsys.readouterr().out
    assert out.index("Method 'Bo' has rows in a.csv and b.csv.") < out.index("1. Ana")
    assert "5 runs read = 3 scored + 2 excluded" in out
    line = "repetition 1 stands in a.csv row 3; b.csv row 2 with different content; none of them counts"
    ledger = pd.read_csv("out/ledger.csv").query("code == 'invalid_value'")
    assert ledger["detail"].tolist() == [f"the row cannot be used: {line}"] * 2


def test_a_file_called_runs_parquet_hides_no_other_team(folder):
    """Only beside the folder of single runs is runs.parquet what `srlib run` recorded."""
    Path("submissions").mkdir()
    Path("given.csv").write_text(GOOD)
    table = read_runs("given.csv").frame
    table[table["method"] == "Bo"].to_parquet("submissions/runs.parquet")
    table[table["method"] == "Ana"].to_csv("submissions/ana.csv")
    assert set(read_runs("submissions").frame["method"]) == {"Ana", "Bo"}
    Path("submissions/runs").mkdir()
    assert set(read_runs("submissions").frame["method"]) == {"Bo"}


def test_check_prints_a_line_for_each_team_and_kind(folder, capsys):
    rows = "".join(f"{team},bread,{i},flour $,0.5\n" for team in ("A", "B") for i in (1, 2, 3))
    Path("runs.csv").write_text(HEAD + rows)
    assert main(["check", "runs.csv"]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "unparsed; " in line]
    assert [": ".join(line.split(": ")[:2]) for line in lines] == [
        "3 unparsed; first: file runs.csv, row 1, method A, dataset bread",
        "3 unparsed; first: file runs.csv, row 4, method B, dataset bread",
    ]


def test_rows_without_a_method_are_ledger_lines_and_no_team(folder, capsys):
    """Damaged rows of two files have the same names, which are none; each is a line of its own."""
    Path("teams").mkdir()
    for team in ("Ana", "Bo"):
        rows = f"{team},bread,1,flour + 2*water,1.0\ncake,1\nx,y,z,1,2,3\n"
        Path(f"teams/{team}.csv").write_text(HEAD + rows)
    assert score("teams") == 0
    output = capsys.readouterr().out
    assert "6 runs read = 2 scored + 4 excluded" in output
    assert "(no name)" not in output.partition("written to")[2] and "has rows in" not in output
    ledger = pd.read_csv("out/ledger.csv")
    places = ledger.loc[ledger["code"] == "invalid_value", ["file", "row"]].to_numpy().tolist()
    assert sorted(places) == [["Ana.csv", 2], ["Ana.csv", 3], ["Bo.csv", 2], ["Bo.csv", 3]]


def test_assessments_that_a_team_sent_are_measured_again(folder, capsys):
    """Beside the others' runs they are runs again, and equal ones count once."""
    Path("teams").mkdir()
    Path("teams/field.csv").write_text(GOOD)
    Path("own.csv").write_text(HEAD + "Cy,bread,1,water,0.7\n")
    assert score("teams/field.csv", "own.csv") == 0
    expected = pd.read_csv("out/aspects.csv")
    assert main(["assess", "own.csv", *KNOWN, "--out", "teams/own.parquet"]) == 0
    claimed = pd.read_parquet("teams/own.parquet").assign(solution=True, r2_test=1.0)
    claimed.to_parquet("teams/own.parquet")
    Path("teams/both.parquet").write_bytes(Path("teams/own.parquet").read_bytes())
    assert score("teams") == 0
    pd.testing.assert_frame_equal(pd.read_csv("out/aspects.csv"), expected)
    assert "both.parquet row 1; own.parquet row 1 with equal content" in capsys.readouterr().out
