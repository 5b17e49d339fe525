"""One table for people: as HTML, as LaTeX, and as a download."""

import csv
import io
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from srlib.displays.tables.table import Table, html_table, latex_table, neutralise, text_of
from srlib.prose import visible
from srlib.table_files import write_frame

HOSTILE = [
    "<script>alert(1)</script>",
    "</details>",
    "=cmd|' /C calc'!A0",
    "a\u202eb",
    "x" * 300,
    "$a_b$ & 5%",
]
SCORES = [0.12345, -1.5, float("nan"), 0.0, float("inf"), 1e9]


def soup(frame, caption="C", leads=(), pages=MappingProxyType({}), **layout):
    page = html_table(Table(frame, **layout), caption, leads=leads, pages=pages)
    return BeautifulSoup(page, "html.parser")


def texts(page, selector):
    return [tag.get_text() for tag in page.select(selector)]


def latex_rows(frame, **layout):
    """Lines below the heading of a table in LaTeX."""
    return (
        latex_table(Table(frame, **layout), "Rows", label="rows")
        .split("\\midrule\n")[1]
        .splitlines()
    )


def test_the_table_has_caption_and_scopes_and_escapes_all_text():
    frame = pd.DataFrame({"method": HOSTILE, "n_runs": range(6)})
    page = soup(frame, "Scores <of> all")
    assert texts(page, "caption") == ["Scores <of> all"]
    assert texts(page, "thead th[scope=col]") == ["method", "runs"]
    assert texts(page, "tbody th[scope=row]") == [*map(visible, HOSTILE)]
    assert not page.find_all(["script", "details"])


def test_numbers_are_rounded_for_reading_and_kept_in_the_csv(tmp_path):
    frame = pd.DataFrame({"method": HOSTILE, "score": SCORES})
    page = soup(frame, digits=2)
    assert texts(page, "tbody td.n") == ["0.12", "−1.50", "–", "0.00", "∞", "1.00e+09"]
    write_frame(frame, tmp_path / "scores.csv")
    assert pd.read_csv(tmp_path / "scores.csv")["score"].iloc[0] == 0.12345


def test_short_models_are_formulas_and_long_ones_text_that_breaks():
    sums = "+".join(f"{i}.123*sin(x{i})" for i in range(1, 9))
    models = pd.DataFrame(
        {"model": ["x1^2", sums, "no model (", "differences of words, in a line"]}
    )
    text = latex_table(Table(models, equations=["model"]), "Models_", label="a-models")
    assert r"\caption{Models\_}\label{tab:a-models}" in text and "p{5cm}" in text
    short, long, *others = latex_rows(models, equations=["model"])[:4]
    assert short == r"$x_{1}^{2}$ \\" and r"\allowbreak{}" in long and "$" not in long
    assert others == [r"no model ( \\", r"differences of words, in a line \\"]


def test_a_long_table_takes_several_pages():
    text = latex_table(pd.DataFrame({"row": range(100)}), "Rows", label="rows")
    assert r"\begin{longtable}{r}" in text and text.count(r"\label{tab:rows}") == 1
    assert "\\midrule\n\\endhead" in text and r"\begin{table}" not in text


def test_latex_rows_are_no_arguments_of_the_line_break_before():
    frame = pd.DataFrame({"a": ["[1]", "*", "b"], "p<{<": [0.0002, 0.0, 0.5]})
    assert r"a & p\textless{}\{\textless{} \\" in latex_table(frame, "Rows", label="r")
    rows = [r"{}[1] & \textless{}0.001 \\", r"{}* & 0.000 \\", r"b & 0.500 \\"]
    assert latex_rows(frame)[:3] == rows


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formulas_are_neutralised_in_downloads_only(start, tmp_path):
    frame = pd.DataFrame({"model": [f"{start}1+cmd()"], "score": [-2.5]})
    write_frame(frame, tmp_path / "models.csv")
    text = (tmp_path / "models.csv").read_bytes().decode()
    for written, model in ((text, f"{start}1+cmd()"), (neutralise(text), f"'{start}1+cmd()")):
        rows = list(csv.reader(io.StringIO(written, newline="")))
        assert rows == [["model", "score"], [model, "-2.5"]]


def test_values_as_shown():
    shown = [text_of(value) for value in (None, pd.NA, False, 1234, "−1", -2)]
    assert shown == ["–", "–", "no", "1,234", "−1", "−2"]


@pytest.mark.parametrize(("lower", "shades"), [(False, "15689"), (True, "95421")])
def test_shades_take_what_is_better_as_darker_and_survive_what_lies_far_out(lower, shades):
    table = pd.DataFrame({"on": list("abcde"), "x": [-1e6, 1.0, 2.0, 3.0, 4.0]})
    cells = soup(table, shaded=["x"], lower=lower).select("td")
    assert [cell["class"][1] for cell in cells] == [f"s{shade}" for shade in shades]


def test_shades_have_one_scale_over_all_columns():
    table = pd.DataFrame({"on": ["a", "b"], "x": [0.0, np.nan], "y": [9.0, 4.5], "z": [100.0, 0.0]})
    cells = [cell["class"] for cell in soup(table, shaded=["x", "y"]).select("td")]
    assert cells == [["n", "s1"], ["n", "s9"], ["n"], ["n"], ["n", "s5"], ["n"]]
    equal = soup(table[:1], shaded=["x"])
    assert not equal.select(".s1, .s9"), "all equal: no shade says so"


def test_first_and_shaded_cells_lead_elsewhere_and_so_do_methods():
    pages = {"y": "p/y.html"}
    table = pd.DataFrame({"on": ["a", "b<"], "x": [0.0, np.nan], "y": [9.0, 4.5]})
    links = soup(table, shaded=["x", "y"], leads=["t-a", "t-b"], pages=pages).find_all("a")
    assert [(link["href"], link.get_text()) for link in links] == [
        ("#t-a", "a"),
        ("#t-a", "0.000"),
        ("p/y.html#t-a", "9.000"),
        ("#t-b", "b<"),
        ("p/y.html#t-b", "4.500"),
    ]
    assert links[4]["aria-label"] == "y on b<: 4.500"
    names = pd.DataFrame({"rank": [1, 2], "method": ["y", "z"], "other": ["y", "y"]})
    links = soup(names, row_headers=2, pages=pages).find_all("a")
    assert [str(link) for link in links] == ['<a href="p/y.html">y</a>']
