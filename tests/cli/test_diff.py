"""`srlib diff`: who moved between two folders of results, which files differ, and of tables which cells."""

import json
import re
from pathlib import Path

import pytest

SCORES = "method,dataset,score\na,d1,2.0\na,d2,1.0\n<b>,d1,1.5\n<b>,d1,1.5\n"
TABLE = "r/tables/scores.csv"
NOT_TABLES = [
    "r.html",
    "index.html",
    "r/t.tex",
    "r/figures/f.svg",
    "participants/a.html",
    "r.report.json",
]
BEFORE = {TABLE: SCORES} | dict.fromkeys(NOT_TABLES, "3.042")


@pytest.fixture
def diff(call):
    """Compare two folders of files; give the lines on the screen and those of diff.csv."""

    def run(before, after):
        for folder, files in (("a", before), ("b", after)):
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        code, output, _ = call("diff a b --out out")
        header, *rows = Path("out/diff.csv").read_text().splitlines()
        assert (code, header) == (bool(rows), "file,row,column,before,after")
        return output.splitlines(), rows

    return run


def test_same_folder_twice_differs_in_nothing(diff):
    sentence = "No difference: every page, table, figure and number is the same."
    assert diff(BEFORE, BEFORE) == ([sentence], [])


@pytest.mark.parametrize("name", NOT_TABLES)
def test_edited_file_is_named(name, diff):
    """Pages, LaTeX, figures and what was handed over by their hashes."""
    (total,), (row,) = diff(BEFORE, BEFORE | {name: "3.942"})
    old, new = re.fullmatch(rf"{name},,,(\w{{16}}),(\w{{16}})", row).groups()
    assert old != new and total == "1 difference in 1 file; --out FOLDER lists them."


def test_cells_of_tables_that_differ_are_listed(diff):
    """Rows are named by their keys; those of the same names are numbered, and a new file is one row."""
    scores = SCORES.replace("a,d2,1.0", "a,d2,2.0").removesuffix("1.5\n") + "1.6\nc,d1,0.5\n"
    _, rows = diff(BEFORE, BEFORE | {TABLE: scores, "late.csv": "a\n1\n"})
    late, *cells = rows
    assert late.startswith("late.csv,,,,")
    assert cells == [
        f"{TABLE},a · d2,score,1.0,2.0",
        f"{TABLE},<b> · d1 · #2,score,1.5,1.6",
        f"{TABLE},c · d1,score,,0.5",
    ]


RANKING = "r/ranking.csv"
STANDINGS = {
    RANKING: "method,score,rank\nAna,3.1,1\nCara,2.9,2\nBen,2.0,3\nEve,1.0,4\n",
    "r/aspects.csv": "method,dataset,aspect,value\nAna,d,accuracy,0.9\nBen,d,accuracy,0.7\nBen,e,accuracy,0.6\n",
}
MOVED = {
    RANKING: "method,score,rank\nAna,3.3,1\nDan,3.2,2\nCara,2.0,3\nBen,1.5,3\nFay,,\n",
    "r/aspects.csv": "method,dataset,aspect,value\nAna,d,accuracy,0.9\nBen,d,accuracy,0.8\nBen,e,accuracy,0.6\n",
}


def inputs(**hashes):
    names = {"rules": "rules: rules.yaml", "problems": "problems: p.yaml", "runs": "runs: a.csv"}
    entries = [{"name": names[key], "sha256": value} for key, value in hashes.items()]
    return {"r.report.json": json.dumps({"inputs": entries})}


@pytest.mark.parametrize("folder", ["r", ""])
def test_screen_says_which_rules_changed_who_entered_and_who_moved(folder, diff):
    """By places and own values: scores, which are means of ranks, all moved; `judge` writes no folder r."""

    def put(files):
        return {str(Path(folder, Path(name).name)): text for name, text in files.items()}

    before, after = (inputs(rules=sign, problems=sign, runs=sign) for sign in "12")
    lines, _ = diff(put(STANDINGS) | before, put(MOVED) | after)
    assert lines[:-1] == [
        "The rules differ: rules.yaml.",
        "The problems differ: p.yaml.",
        "Dan enters on place 2.",
        "Cara: place 2 → 3; its own values are the same.",
        "Ben: place 3 as before; its own values changed on d.",
        "Fay enters with no place.",
        "Eve is gone; it had place 4.",
    ]


def test_broken_rankings_leave_the_cells(diff):
    lines, rows = diff(BEFORE | STANDINGS, BEFORE | {RANKING: "a\n1\n", "r/aspects.csv": ""})
    assert len(lines) == 1 and rows


def test_numbers_of_two_papers_are_compared_key_by_key_those_that_are_used_first(diff):
    """The author's texts are not compared; they only tell which keys are used."""
    numbers = "\\srset{{a/b}}{{1}}\n\\srset{{r/t/deap/score}}{{{}}}\n\\srset{{{}}}{{−2 \\% {{}}}}\n"
    paper = {"paper.tex": "\\sr{r/t/deap/score} % \\sr{a/old}", "srlib/preamble.tex": "p"}
    before = paper | {
        "srlib/numbers.tex": numbers.format(2.298, "a/old"),
        "srlib/tables/t.tex": "1",
    }
    after = paper | {"srlib/numbers.tex": numbers.format(2.301, "a/new"), "srlib/tables/t.tex": "2"}
    lines, rows = diff(before, after | {"paper.tex": "Other words."})
    assert rows[:3] == [
        "srlib/numbers.tex,r/t/deap/score,used,2.298,2.301",
        "srlib/numbers.tex,a/old,,−2 \\% {},",
        "srlib/numbers.tex,a/new,,,−2 \\% {}",
    ]
    assert lines[0] == "r/t/deap/score: used: 2.298 → 2.301"
    assert len(rows) == 4 and rows[3].startswith("srlib/tables/t.tex,,,")
