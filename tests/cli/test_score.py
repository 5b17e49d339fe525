"""`srlib score` and `srlib assess` as a user calls them: files, exit codes, sentences for bad input."""

from pathlib import Path

import pandas as pd
import pytest

from srlib import table_files
from srlib.cli.main import main
from srlib.errors import InputError
from srlib.files import PARAMETERS

PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
"""
RUNS = """method,dataset,repetition,model,r2_test
A,d,1,a + b,1.0
A,e,1,a*b + 1,0.9
B,d,1,a,0.5
B,e,1,a + b*b,0.9
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rules = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(
        rules.replace("repetitions: 10", "repetitions: 1"), encoding="utf-8"
    )
    (tmp_path / "problems.yaml").write_text(PROBLEMS, encoding="utf-8")
    (tmp_path / "runs.csv").write_text(RUNS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(*more: str, runs: str = "runs.csv") -> int:
    return main(
        [
            "score",
            runs,
            "--problems",
            "problems.yaml",
            "--rules",
            "rules.yaml",
            "--out",
            "out",
            *more,
        ]
    )


def test_four_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A solves both (a*b + 1 is a*b up to an offset); on e both have accuracy 0.9, A is simpler."""
    assert score("--explain", "A", "--dataset", "d") == 0
    ranking = pd.read_csv(folder / "out" / "ranking.csv")
    assert ranking["method"].tolist() == ["A", "B"]
    aspects = pd.read_csv(folder / "out" / "aspects.csv").set_index(["method", "dataset", "aspect"])
    assert aspects.loc[("A", "e", "property"), "value"] == 1
    assert (
        aspects.loc[("A", "e", "accuracy"), "aspect_rank"]
        == aspects.loc[("B", "e", "accuracy"), "aspect_rank"]
        == 2
    )
    # d: A ranks 2 1 2 -> 1.5; B (constant count 1, no solution) ranks 1 2 1 -> 3 / (1 + 1/2 + 1) = 1.2
    scores = pd.read_csv(folder / "out" / "datasets.csv").set_index(["method", "dataset"])["score"]
    assert scores["A", "d"] == pytest.approx(1.5)
    assert scores["B", "d"] == pytest.approx(1.2)
    said = capsys.readouterr().out
    assert "4 runs read = 4 scored + 0 excluded" in said
    assert "dataset_score" in said


def test_a_folder_changes_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (folder / "rules.yaml").read_text(encoding="utf-8")
    other = text.replace("name: judging-2022", "name: other")
    (folder / "other.yaml").write_text(other, encoding="utf-8")
    assert score("--rules", "other.yaml") == 0
    several = {p: p.read_bytes() for p in (folder / "out").rglob("*.csv")}
    assert len(several) == 9
    columns = ["method", "judging-2022 rank", "judging-2022 score", "other rank", "other score"]
    assert pd.read_csv(folder / "out" / "side-by-side.csv").columns.tolist() == columns
    with monkeypatch.context() as patch:
        real, written = table_files.write_frame, []

        def full(frame: pd.DataFrame, path: Path) -> None:
            written.append(path)
            if len(written) == 3:
                raise InputError("the disk is full")
            real(frame, path)

        patch.setattr(table_files, "write_frame", full)
        assert score("--rules", "other.yaml") == 2
    assert {p: p.read_bytes() for p in (folder / "out").rglob("*.csv")} == several
    assert score() == 0  # what several rules had written goes
    names = {"ranking.csv", "aspects.csv", "datasets.csv", "ledger.csv"}
    assert {p.name for p in (folder / "out").glob("[!.]*")} == names


def test_assessments_can_be_scored(folder: Path) -> None:
    assert main(["assess", "runs.csv", "--problems", "problems.yaml", "--out", "a.parquet"]) == 0
    assert score(runs="a.parquet") == 0
    first = (folder / "out" / "aspects.csv").read_bytes()
    assert score() == 0
    assert (folder / "out" / "aspects.csv").read_bytes() == first


def test_bad_rows_are_said_and_kept_in_the_ledger(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = RUNS + "C,d,1,a + foo(b),0.3\nC,e,1,a,NaN\nC,nowhere,1,a,0.4\n"
    (folder / "runs.csv").write_text(bad, encoding="utf-8")
    assert score() == 0
    ledger = pd.read_csv(folder / "out" / "ledger.csv")
    runs = ledger[ledger["level"] == "run"].set_index("code")
    assert set(runs.index) == {"unparsed", "nonfinite_r2", "unknown_dataset"}
    assert runs.loc["unparsed", ["file", "row", "method"]].tolist() == ["runs.csv", 5, "C"]
    said = capsys.readouterr().out
    assert "7 runs read = 4 scored + 3 excluded" in said
    assert "first: file runs.csv, row 5, method C, dataset d: " in said
    assert "no place: C, no usable run" in said


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("runs.csv", "", "runs.csv: the file is empty"),
        ("runs.csv", RUNS.replace("model", "text"), "column 'model' is missing"),
        ("runs.csv", "\x00\x01\x02\x80" * 50, "runs.csv: "),
        (
            "runs.csv",
            RUNS.replace(",d,", ",nowhere,").replace(",e,", ",there,"),
            "no run is on a dataset that these rules score",
        ),
        ("rules.yaml", "schema: 1\nname: x\ntied: dense\n", "unknown key 'tied'"),
        ("problems.yaml", PROBLEMS.replace("truth", "thruth"), "unknown key"),
        ("problems.yaml", PROBLEMS.replace("a + b", "a +"), "truth cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    file: str, content: str, sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if file == "rules.yaml":
        content = (folder / file).read_text(encoding="utf-8") + "\ntied: dense\n"
    (folder / file).write_bytes(content.encode("latin-1"))
    assert score() == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("srlib: ") and said.err.count("\n") == 1
    assert sentence in said.err
    assert not (folder / "out").exists()


def test_without_a_scored_run_there_is_no_ranking_and_the_exit_code_is_1(folder, capsys):
    bad = "method,dataset,repetition,model,r2_test\nIndia,d,1,a +,1.0\nIndia,e,1,,0.9\n"
    (folder / "bad.csv").write_text(bad, encoding="utf-8")
    assert score(runs="bad.csv") == 1
    said = capsys.readouterr().out
    assert "No run could be scored, so there is no ranking. 2 runs read: " in said
    assert "1. India" not in said
    assert pd.read_csv(folder / "out" / "ranking.csv")["rank"].isna().all()
