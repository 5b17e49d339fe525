"""`srlib diff`: which files of two rendered folders or papers differ, and of tables which cells."""

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
    assert diff(BEFORE, BEFORE) == (
        ["No difference: every page, table, figure and number is the same."],
        [],
    )


@pytest.mark.parametrize("name", NOT_TABLES)
def test_edited_file_is_named(name, diff):
    """Pages, LaTeX, figures and what was handed over by their hashes."""
    (line, total), (row,) = diff(BEFORE, BEFORE | {name: "3.942"})
    old, new = re.fullmatch(rf"{name},,,(\w{{16}}),(\w{{16}})", row).groups()
    assert old != new and line == f"{name}: {old} → {new}"
    assert total == "1 difference in 1 file."


def test_cells_of_tables_that_differ_are_listed(diff):
    """Rows are named by their keys; those of the same names are numbered, and a new file is one row."""
    scores = SCORES.replace("a,d2,1.0", "a,d2,2.0").removesuffix("1.5\n") + "1.6\nc,d1,0.5\n"
    lines, rows = diff(BEFORE, BEFORE | {TABLE: scores, "late.csv": "a\n1\n"})
    late, *cells = rows
    assert late.startswith("late.csv,,,,")
    assert cells == [
        f"{TABLE},a · d2,score,1.0,2.0",
        f"{TABLE},<b> · d1 · #2,score,1.5,1.6",
        f"{TABLE},c · d1,score,,0.5",
    ]
    assert lines[1] == f"{TABLE}: a · d2: score: 1.0 → 2.0"


def test_screen_begins_with_what_the_pages_say(diff):
    """Of hundreds of differences: the sentences, the rankings, other cells, and files last, each in a line."""
    before, after = (
        BEFORE
        | {
            TABLE: "method,score\n" + "".join(f"m{i},{first}.{i}\n" for i in range(50)),
            "r/ranking.csv": f"method,rank\na,{first}\nb,{second}\n",
            "r/tables/verdict.csv": f"name,value\nverdict,{winner} wins.\n",
            "r.html": winner,
        }
        for winner, first, second in (("a", 1, 2), ("b", 2, 1))
    )
    lines, rows = diff(before, after)
    assert lines[:4] == [
        "r/tables/verdict.csv: verdict: value: a wins. → b wins.",
        "r/ranking.csv: a: rank: 1 → 2",
        "r/ranking.csv: b: rank: 2 → 1",
        f"{TABLE}: m0: score: 1.0 → 2.0",
    ]
    assert lines[39].startswith(f"{TABLE}: m36") and lines[40].startswith("... and 14 more")
    assert lines[41:] == ["54 differences in 4 files."] and len(rows) == 54


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
    assert lines[0] == "srlib/numbers.tex: r/t/deap/score: used: 2.298 → 2.301"
    assert len(rows) == 4 and rows[3].startswith("srlib/tables/t.tex,,,")


def test_paper_is_not_compared_with_reports(diff, call):
    diff(
        {"srlib/preamble.tex": "", "srlib/numbers.tex": ""},
        {"srlib/preamble.tex": "", "r.report.json": "{}"},
    )
    Path("b/srlib/preamble.tex").unlink()
    code, _, error = call("diff a b")
    assert code == 2 and "a: a folder that `srlib report` wrote, or two of its papers" in error
