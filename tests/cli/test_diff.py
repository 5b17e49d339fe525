import json
import shutil

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from srlib.cli.main import CHECK_FAILED, DONE, WRONG_INPUT, main
from srlib.folders import written_whole
from srlib.rendering.diff import COLUMNS, diff
from tests import workers_cases

SCORES = "method,dataset,score\na,d1,2.0\na,d2,1.0\n<b>,d1,1.5\n<b>,d2,1.5\n"


def write_report(folder, name="r", scores=SCORES, **changed):
    """Write what `srlib report` leaves of a report, but its page."""
    (folder / name / "tables").mkdir(parents=True, exist_ok=True)
    (folder / name / "tables" / "scores.csv").write_text(scores)
    handed = {
        "schema": 1, "name": name, "title": "T", "verdict": "a wins.", "checks": {"passed": 2, "total": 2},
        "rows": {"read": 4, "scored": 4, "excluded": 0, "what": "measures"},
        "ranking": [{"method": "<b>", "score": 1.5, "rank": 1}, {"method": "a", "score": 1.5, "rank": 1}],
        "rules": {"name": "j", "digest": "d", "switches": [{"switch": "ties", "value": "dense", "source": "s"}]},
        "inputs": [{"name": "runs: r.csv", "sha256": "ab"}], "parameters": {"runs": "r.csv"},
        "versions": {"numpy": "2"}, "figures": [], "failure": None,
        "tables": [{"name": "scores", "caption": "Scores", "files": ["tables/scores.csv", "tables/scores.tex"]}],
    } | changed  # fmt: skip
    (folder / f"{name}.report.json").write_text(json.dumps(handed))
    return folder


def rows(found):
    return [
        tuple(None if pd.isna(value) else value for value in row)
        for row in found.itertuples(index=False)
    ]


def test_the_same_twice_differs_in_nothing(tmp_path, capsys):
    write_report(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert list(diff(tmp_path / "a", tmp_path / "b").columns) == COLUMNS
    assert (
        main(["diff", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path / "out")])
        == DONE
    )
    assert capsys.readouterr().out.startswith("No difference")
    assert (tmp_path / "out" / "diff.csv").read_text() == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (workers_cases.computes_for_ever, "stopped after 0.5 s"),
        (workers_cases.takes_all_memory, "out of memory"),
        (workers_cases.kill_itself, "killed by signal"),
    ],
)
def test_what_meets_a_limit_is_one_sentence(way, said, capsys, monkeypatch):
    monkeypatch.setattr("srlib.rendering.diff.diff", way)
    assert main(["diff", "a", "b", "--timeout", "0.5"]) == WRONG_INPUT
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("srlib: a and b: ") and err.count("\n") == 1
    assert said in err


def test_a_folder_that_was_changed_since_is_refused(tmp_path, capsys):
    with written_whole(tmp_path / "a", "r") as new:
        write_report(new)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    words = ["diff", str(tmp_path / "a"), str(tmp_path / "b")]
    assert main(words) == DONE
    scores = tmp_path / "b" / "r" / "tables" / "scores.csv"
    scores.write_text(SCORES.replace("2.0", "3.0"))
    assert main(words) == WRONG_INPUT
    assert "r/tables/scores.csv is not as the report r wrote it" in capsys.readouterr().err
    scores.unlink()
    assert main(words) == WRONG_INPUT


def test_the_page_forbids_scripts(tmp_path):
    write_report(tmp_path / "a")
    assert main(["diff", str(tmp_path / "a"), str(tmp_path / "a"), "--out", str(tmp_path)]) == DONE
    page = BeautifulSoup((tmp_path / "diff.html").read_text(), "html.parser")
    policy = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none'; ") and "script" not in policy


def test_what_a_late_run_and_a_changed_rule_moved(tmp_path, capsys):
    before = write_report(tmp_path / "a")
    ranking = [{"method": "a", "score": 2.0, "rank": 1}, {"method": "<b>", "score": 1.5, "rank": 2}]
    rules = {
        "name": "j",
        "digest": "e",
        "switches": [{"switch": "ties", "value": "min", "source": "s"}],
    }
    scores = SCORES.replace("a,d2,1.0", "a,d2,2.0") + "c,d1,0.5\n"
    after = write_report(
        tmp_path / "b", scores=scores, verdict="a wins alone.", ranking=ranking, rules=rules
    )
    by = "switches ties: dense → min"
    assert rows(diff(before, after)) == [
        ("r", "verdict", "", "a wins.", "a wins alone.", None),
        ("r", "rank", "<b>", "1", "2", by),
        ("r", "score", "a", "1.5", "2.0", f"{by}; as values differ on d2"),
        ("r", "rules", "digest", "d", "e", None),
        ("r", "switch", "ties", "dense", "min", None),
        ("r", "cell", "scores: a · d2: score", "1.0", "2.0", None),
        ("r", "row", "scores: c · d1", None, "there", None),
    ]
    out = tmp_path / "out"
    assert main(["diff", str(before), str(after), "--out", str(out)]) == DONE != CHECK_FAILED
    assert (
        "r: score a: 1.5 → 2.0 (by switches ties: dense → min; as values differ on d2)\n"
        in capsys.readouterr().out
    )
    assert rows(pd.read_csv(out / "diff.csv", dtype="str"))[1:3] == rows(diff(before, after))[1:3]
    page = BeautifulSoup((out / "diff.html").read_text(), "html.parser")
    assert (
        page.find("b") is None
        and "Differences in 1 report" in page.find(class_="headline").get_text()
    )
    headings = [heading.get_text() for heading in page.find_all("h2")]
    assert headings == [
        "Verdicts",
        "Places and scores",
        "Rules and inputs",
        "Tables",
    ]


def test_only_runs_that_changed_are_blamed(tmp_path):
    """A late run of b moves a, whose own runs are as they were: ranks are relative."""
    scores = SCORES.replace("a,d2,1.0", "a,d2,0.5")
    ranking = [{"method": "a", "score": 1.25, "rank": 2}, {"method": "b", "score": 2, "rank": 1}]
    old, new = {"a": {"d1": "1", "d2": "2"}, "b": {"d1": "3"}}, {"a": {"d1": "1", "d2": "2"}}
    new["b"] = {"d1": "4", "d2": "5"}
    before = write_report(tmp_path / "a", runs=old)
    after = write_report(tmp_path / "b", scores=scores, ranking=ranking, runs=new)
    by = diff(before, after).set_index(["kind", "subject"])["moved_by"]
    assert by["score", "a"] == by["rank", "a"] == "others' runs: b on d1, d2"
    assert by["score", "b"] == "runs on d1, d2"
    same = write_report(
        tmp_path / "c", ranking=ranking, runs=old, inputs=[{"name": "problems: p", "sha256": "c"}]
    )
    by = diff(before, same).set_index(["kind", "subject"])["moved_by"]
    assert by["score", "a"] == "inputs problems: p"


def test_reports_and_tables_that_came_or_went_stand_for_what_is_in_them(tmp_path):
    before, after = write_report(tmp_path / "a"), write_report(tmp_path / "b", tables=[])
    write_report(after, "late")
    assert rows(diff(before, after)) == [
        ("late", "report", "", None, "there", None),
        ("r", "table", "scores", "there", None, None),
    ]


def test_rows_without_a_name_are_numbered(tmp_path):
    scores = "method,score\na,1\na,2\n"
    before = write_report(tmp_path / "a", scores=scores)
    after = write_report(tmp_path / "b", scores=scores.replace("2", "3"))
    assert rows(diff(before, after)) == [("r", "cell", "scores: a · #2: score", "2", "3", None)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 2}, "no report of schema 1: schema: Input should be 1, got 2"),
        ({"ranking": "none"}, "no report of schema 1: ranking"),
        (
            {"tables": [{"name": "t", "files": ["../../a.csv"]}]},
            "the report names the table ../../a.csv",
        ),
        (
            {"tables": [{"name": "t", "files": ["tables/gone.csv"]}]},
            "tables/gone.csv, which is not there",
        ),
    ],
)
def test_what_is_no_report_is_one_sentence(tmp_path, capsys, change, said):
    before, after = write_report(tmp_path / "a"), write_report(tmp_path / "b", **change)
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert main(["diff", str(before), str(after)]) == WRONG_INPUT
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_folders_that_are_no_reports(tmp_path, capsys):
    before = write_report(tmp_path / "a")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "x.report.json").write_text("{")
    for other, said in (
        (tmp_path / "none", "no folder of reports"),
        (tmp_path / "bad", "x.report.json: no report"),
    ):
        assert main(["diff", str(before), str(other)]) == WRONG_INPUT
        assert said in capsys.readouterr().err
