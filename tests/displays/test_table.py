import csv
import io

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from srlib.displays.tables.table import html_table, latex_table, neutralise, text_of
from srlib.prose import visible
from srlib.table_files import csv_text

HOSTILE = (
    "<script>alert(1)</script>",
    "</details>",
    "=cmd|' /C calc'!A0",
    "a\u202eb",
    "x" * 300,
    "$a_b$ & 5%",
)


@pytest.fixture(name="frame")
def frame_fixture():
    return pd.DataFrame(
        {
            "method": HOSTILE,
            "score": [0.12345, -1.5, float("nan"), 0.0, float("inf"), 1e9],
            "n_runs": range(6),
        }
    )


def test_the_table_has_caption_and_scopes_and_escapes_all_text(frame):
    page = BeautifulSoup(html_table(frame, "Scores <of> all"), "html.parser")
    assert page.caption.get_text() == "Scores <of> all"
    assert [th.get_text() for th in page.thead.find_all("th", scope="col")] == [
        "method",
        "score",
        "runs",
    ]
    assert [th.get_text() for th in page.tbody.find_all("th", scope="row")] == [
        *map(visible, HOSTILE)
    ]
    assert not page.find_all(["script", "details"])


def test_numbers_are_rounded_for_reading_and_kept_in_the_csv(frame):
    page = BeautifulSoup(html_table(frame, "Scores", digits=2), "html.parser")
    shown = [row.find("td").get_text() for row in page.tbody.find_all("tr")]
    assert shown == ["0.12", "−1.50", "–", "0.00", "∞", "1.00e+09"]
    assert all("n" in row.find("td")["class"] for row in page.tbody.find_all("tr"))
    assert pd.read_csv(io.StringIO(csv_text(frame)))["score"].iloc[0] == 0.12345


def test_short_models_are_formulas_and_long_ones_text_that_breaks():
    sums = "+".join(f"{i}.123*sin(x{i})" for i in range(1, 9))
    models = pd.DataFrame(
        {"model": ["x1^2", sums, "no model (", "differences of words, in a line"]}
    )
    text = latex_table(models, "Models_", equations=["model"], label="a-models")
    assert r"\caption{Models\_}\label{tab:a-models}" in text and "p{5cm}" in text
    rows = text.split("\\midrule\n")[1].splitlines()
    assert [rows[0], rows[2]] == [r"$x_{1}^{2}$ \\", r"no model ( \\"]
    assert r"\allowbreak{}" in rows[1] and "$" not in rows[1]
    assert rows[3] == r"differences of words, in a line \\", "words break nowhere"


def test_a_long_table_takes_several_pages():
    text = latex_table(pd.DataFrame({"row": range(100)}), "Rows", label="rows")
    assert r"\begin{longtable}{r}" in text and text.count(r"\label{tab:rows}") == 1
    assert "\\midrule\n\\endhead" in text and r"\begin{table}" not in text


def test_latex_rows_are_no_arguments_of_the_line_break_before():
    text = latex_table(
        pd.DataFrame({"a": ["[1]", "*", "b"], "p<{<": [0.0002, 0.0, 0.5]}), "Rows", label="r"
    )
    assert r"a & p\textless{}\{\textless{} \\" in text
    rows = text.split("\\midrule\n")[1].split("\n")[:3]
    assert rows == [
        r"{}[1] & \textless{}0.001 \\",
        r"{}* & 0.000 \\",
        r"b & 0.500 \\",
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formulas_are_neutralised_in_downloads_only(start):
    frame = pd.DataFrame({"model": [f"{start}1+cmd()"], "score": [-2.5]})
    rows = list(csv.reader(io.StringIO(neutralise(csv_text(frame)), newline="")))
    assert rows == [["model", "score"], [f"'{start}1+cmd()", "-2.5"]]
    assert f"{start}1+cmd()" in list(csv.reader(io.StringIO(csv_text(frame), newline="")))[1]


def test_values_as_shown():
    assert [text_of(value) for value in (None, pd.NA, True, False, 1234, "−1", -2)] == [
        "–",
        "–",
        "yes",
        "no",
        "1,234",
        "−1",
        "−2",
    ]


def test_shades_take_what_is_better_as_darker_and_survive_what_lies_far_out():
    table = pd.DataFrame({"on": list("abcde"), "x": [-1e6, 1.0, 2.0, 3.0, 4.0]})
    for lower, shades in ((False, [1, 5, 6, 8, 9]), (True, [9, 5, 4, 2, 1])):
        table.attrs["lower"] = lower
        page = BeautifulSoup(html_table(table, "S", shaded=["x"]), "html.parser")
        found = [cell["class"][1] for cell in page.tbody.find_all("td")]
        assert found == [f"s{n}" for n in shades]


def test_shades_have_one_scale_and_first_cells_lead_elsewhere():
    table = pd.DataFrame(
        {"on": ["a", "b<"], "x": [0.0, np.nan], "y": [9.0, 4.5], "z": [100.0, 0.0]}
    )
    leads, pages = ["t-a", "t-b"], {"y": "p/y.html"}
    rows = BeautifulSoup(
        html_table(table, "S", shaded=["x", "y"], leads=leads, pages=pages), "html.parser"
    )
    cells = [cell.get("class") for cell in rows.tbody.find_all("td")]
    assert cells == [["n", "s1"], ["n", "s9"], ["n"], ["n"], ["n", "s5"], ["n"]]
    assert [(a["href"], a.get_text()) for a in rows.find_all("a")] == [
        ("#t-a", "a"),
        ("#t-a", "0.000"),
        ("p/y.html#t-a", "9.000"),
        ("#t-b", "b<"),
        ("p/y.html#t-b", "4.500"),
    ]
    assert rows.find_all("a")[4]["aria-label"] == "y on b<: 4.500"
    names = pd.DataFrame({"rank": [1, 2], "method": ["y", "z"], "other": ["y", "y"]})
    page = BeautifulSoup(html_table(names, "S", row_headers=2, pages=pages), "html.parser")
    assert [str(a) for a in page.find_all("a")] == ['<a href="p/y.html">y</a>']
    same = BeautifulSoup(html_table(table.head(1), "S", shaded=["x"]), "html.parser")
    assert not same.select(".s1, .s9")  # all equal: no shade says so
