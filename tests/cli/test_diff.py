import json
import shutil

import pandas as pd
import pytest

from srlib.cli.main import DONE, WRONG_INPUT, main
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
    words = ["diff", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path / "out")]
    assert main(words) == DONE
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


def test_whatever_file_was_edited_is_named(tmp_path, capsys):
    """Pages, LaTeX, figures and what was handed over by their hashes; a report is the same to the byte."""
    before = write_report(tmp_path / "a")
    others = [
        "r.html",
        "index.html",
        "r/tables/scores.tex",
        "r/figures/f.svg",
        "participants/a.html",
    ]
    for name in others:
        (before / name).parent.mkdir(exist_ok=True)
        (before / name).write_text("3.042")
    for name in [*others, "r.report.json"]:
        after = tmp_path / "b"
        shutil.copytree(before, after)
        (after / name).write_text("3.942")
        ((file, row, column, *hashes),) = rows(diff(before, after))
        assert (file, row, column) == (name, "", "") and len(set(hashes)) == 2
        assert main(["diff", str(before), str(after)]) == DONE
        line, total = capsys.readouterr().out.splitlines()
        assert line.startswith(f"{name}: ") and total == "1 difference in 1 file."
        shutil.rmtree(after)


def test_of_tables_the_cells_that_differ_are_listed(tmp_path, capsys):
    before = write_report(tmp_path / "a")
    scores = SCORES.replace("a,d2,1.0", "a,d2,2.0") + "c,d1,0.5\n"
    after = write_report(tmp_path / "b", scores=scores)
    write_report(after, "late")
    table = "r/tables/scores.csv"
    late, *cells, handed = rows(diff(before, after))
    assert late[:4] == ("late/tables/scores.csv", "", "", None) and late[4]
    assert handed[:4] == ("late.report.json", "", "", None) and handed[4]
    assert cells == [
        (table, "a · d2", "score", "1.0", "2.0"),
        (table, "c · d1", "score", None, "0.5"),
    ]
    assert main(["diff", str(before), str(after), "--out", str(tmp_path / "out")]) == DONE
    assert f"{table}: a · d2: score: 1.0 → 2.0\n" in capsys.readouterr().out
    assert rows(pd.read_csv(tmp_path / "out" / "diff.csv", dtype="str"))[1][3:] == ("1.0", "2.0")


def test_the_screen_begins_with_what_the_pages_say(tmp_path, capsys):
    """Of hundreds of differences: the sentences, the rankings, other cells, and files last, each in a line."""
    sides = []
    for name, winner, places in (("before", "a", "12"), ("after", "b", "21")):
        many = "method,score\n" + "".join(f"m{i},{places[0]}.{i}\n" for i in range(50))
        folder = write_report(tmp_path / name, scores=many, verdict=f"{winner} wins.")
        ranking = f"method,rank\na,{places[0]}\nb,{places[1]}\n"
        (folder / "r" / "ranking.csv").write_text(ranking)
        (folder / "r" / "tables" / "verdict.csv").write_text(
            f"name,value\nverdict,{winner} wins.\n"
        )
        sides.append(str(folder))
    assert main(["diff", *sides]) == DONE
    verdict, *places, cell = capsys.readouterr().out.splitlines()[:4]
    assert verdict == "r/tables/verdict.csv: verdict: value: a wins. → b wins."
    assert places == ["r/ranking.csv: a: rank: 1 → 2", "r/ranking.csv: b: rank: 2 → 1"]
    assert cell == "r/tables/scores.csv: m0: score: 1.0 → 2.0"
    assert main(["diff", *sides]) == DONE
    *_, last, more, total = capsys.readouterr().out.splitlines()
    assert last.startswith("r/tables/scores.csv: m36") and more.startswith("... and 14 more")
    assert total == "54 differences in 4 files."


def test_rows_without_a_name_are_numbered(tmp_path):
    scores = "method,score\na,1\na,2\n"
    before = write_report(tmp_path / "a", scores=scores)
    after = write_report(tmp_path / "b", scores=scores.replace("2", "3"))
    assert rows(diff(before, after)) == [("r/tables/scores.csv", "a · #2", "score", "2", "3")]


def test_what_is_no_folder_of_reports_is_one_sentence(tmp_path, capsys):
    before = write_report(tmp_path / "a")
    assert main(["diff", str(before), str(tmp_path / "none")]) == WRONG_INPUT
    error = capsys.readouterr().err
    assert "no folder of reports" in error and error.count("\n") == 1
