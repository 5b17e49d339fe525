import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from srlib.displays.tables.latex import latex_table
from srlib.displays.tables.spreadsheet import neutralise
from srlib.displays.tables.table import html_table, text_of
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
    assert [th.get_text() for th in page.tbody.find_all("th", scope="row")] == list(HOSTILE)
    assert not page.find_all(["script", "details"])


def test_numbers_are_rounded_for_reading_and_kept_in_the_csv(frame):
    page = BeautifulSoup(html_table(frame, "Scores", digits={"score": 2}), "html.parser")
    shown = [row.find("td").get_text() for row in page.tbody.find_all("tr")]
    assert shown == ["0.12", "−1.50", "–", "0.00", "∞", "1.00e+09"]
    assert all("n" in row.find("td")["class"] for row in page.tbody.find_all("tr"))
    assert pd.read_csv(io.StringIO(csv_text(frame)))["score"].iloc[0] == 0.12345


def test_latex_has_a_label_and_the_winner_in_bold():
    ranking = pd.DataFrame({"rank": [1, 2], "method": ["a_b", "c"], "p": [0.0001, 0.2]})
    lines = latex_table(ranking, "Ranking", name="ranking").splitlines()
    assert r"\caption{Ranking}\label{tab:ranking}" in lines
    assert r"\bfseries 1 & \textbf{a\_b} & {\textbf{\textless{}0.001}} \\" in lines
    assert r"2 & c & 0.200 \\" in lines and r"{rank} & method & {p} \\" in lines


def test_latex_aligns_numbers_by_their_points_as_siunitx_reads_them():
    """A column S[table-format=...]: sign, digits before and after the point, exponent; all else in braces."""
    numbers = {
        "score": [-1.5, 22.25, None],
        "count": [3, 12, 100],
        "large": [1e9, -2e-7, np.inf],
        "text": ["1.5", "2", "a"],
    }
    text = latex_table(pd.DataFrame(numbers), "Numbers")
    shape = re.search(r"\\begin\{tabular\}\{(.*)\}", text)
    assert shape and shape[1] == ("S[table-format=-2.3]S[table-format=3.0]S[table-format=1.3e1]l")
    assert r"-1.500 & 3 & 1.000e9 & 1.5 \\" in text and r"{--} & 100 & {$\infty$} & a \\" in text
    needed = text.splitlines()[0]
    assert r"\usepackage{adjustbox,array,booktabs,etoolbox,siunitx}" in needed
    assert r"\robustify\bfseries" in needed and "detect-weight=true" in needed
    assert "siunitx" not in latex_table(pd.DataFrame({"text": ["1.5"]}), "Texts")


def test_long_formulas_wrap_at_their_signs_or_are_set_as_text_that_breaks():
    """Brackets, products and fractions that are too wide are opened; what stays too wide breaks anywhere, as text."""
    sums = " + ".join(f"{i}.123*sin(x{i})" for i in range(1, 9))
    text = latex_table(pd.DataFrame({"model": ["x1^2", sums]}), "Models", equations=["model"])
    assert "allowbreak" not in text and text.count("$") == 4 and text.count(" + ") == 7
    models = pd.DataFrame(
        {
            "model": [
                "x1^2",
                f"2*exp({sums})",
                f"x1 + ({sums})*x2",
                f"sqrt({sums})",
                f"where(x1 > 2, {sums}, 1)",
            ]
        }
    )
    text = latex_table(models, "Models", equations=["model"])
    assert "amsmath" not in text and "lualatex" not in text
    names = latex_table(pd.DataFrame({"method": ["Grün & Söhne", "東京"]}), "Teams")
    assert names.startswith("% needs") and "lualatex" in names.splitlines()[0]
    named = latex_table(pd.DataFrame({"model": ["erf(x1)"]}), "Models", equations=["model"])
    assert named.startswith("% needs \\usepackage{adjustbox,array,booktabs,amsmath}\n")
    assert "$x_{1}^{2}$" in text and text.count("$") == 6 and text.count("& ") == 0
    assert r"\left(1.123" not in text and r"$x_{1} + (1.123 \, \sin" in text
    assert text.count(r"\allowbreak{}") > 5
    product = "*".join(f"(x{i} + {i}.12345)" for i in range(40))
    text = latex_table(pd.DataFrame({"model": [product]}), "M", equations=["model"])
    assert text.count(r"\allowbreak \,") == 39 and "p{292pt}" in text


def test_latex_rows_are_no_arguments_of_the_line_break_before():
    text = latex_table(pd.DataFrame({"a": ["[1]", "*", "b"], "p": [0.0002, 0.0, 0.5]}), "Rows")
    rows = text.split("\\midrule\n")[1].split("\n")[:3]
    assert rows == [
        r"{}[1] & {\textless{}0.001} \\",
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


def test_what_only_one_library_writes_is_explained_under_the_table():
    models = pd.DataFrame({"method": ["A", "B"], "model": ["gplearn_log(x1) + x2", "sin(x1)"]})
    page = BeautifulSoup(html_table(models, "Models", equations=["model"]), "html.parser")
    foot = page.tfoot.get_text()
    assert (
        "gplearn_log(a) is" in foot
        and "Piecewise((log(abs(a)), abs(a) > 0.001), (0, True))" in foot
    )
    assert page.tfoot.td["colspan"] == "2" and page.tfoot.find("math")
    assert (
        "gplearn"
        in latex_table(models, "Models", equations=["model"]).split("caption")[1].split("}")[0]
    )
    known = html_table(models.iloc[1:], "Models", equations=["model"])
    assert not BeautifulSoup(known, "html.parser").tfoot


def test_shades_take_what_is_better_as_darker_and_survive_what_lies_far_out():
    table = pd.DataFrame({"on": list("abcde"), "x": [-1e6, 1.0, 2.0, 3.0, 4.0]})
    for lower, shades in ((False, [1, 1, 4, 7, 9]), (True, [9, 9, 7, 4, 1])):
        table.attrs["lower"] = lower
        page = BeautifulSoup(html_table(table, "S", shaded=["x"]), "html.parser")
        found = [cell["class"][1] for cell in page.tbody.find_all("td")]
        assert found == [f"s{n}" for n in shades]


def test_shades_have_one_scale_and_first_cells_lead_elsewhere():
    table = pd.DataFrame(
        {"on": ["a", "b<"], "x": [0.0, np.nan], "y": [9.0, 4.5], "z": [100.0, 0.0]}
    )
    rows = BeautifulSoup(
        html_table(table, "S", shaded=["x", "y"], leads=["t-a", "t-b"]), "html.parser"
    )
    cells = [cell.get("class") for cell in rows.tbody.find_all("td")]
    assert cells == [["n", "s1"], ["n", "s9"], ["n"], ["n"], ["n", "s5"], ["n"]]
    assert [(a["href"], a.get_text()) for a in rows.find_all("a")] == [
        ("#t-a", "a"),
        ("#t-b", "b<"),
    ]
    same = BeautifulSoup(html_table(table.head(1), "S", shaded=["x"]), "html.parser")
    assert not same.select(".s1, .s9")  # all equal: no shade says so
