"""One table for people: as HTML, as LaTeX, and as a download."""

import csv
import io
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from srlib.displays.styling import Style
from srlib.displays.tables.table import Table, cell_texts, html_table, neutralise, text_of
from srlib.prose import visible
from srlib.table_files import write_frame
from tests.builders import each

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


def test_table_has_caption_and_scopes_and_escapes_all_text():
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


def test_small_p_keeps_two_digits_and_other_small_numbers_do_not():
    values, others = [9.2e-22, 0.0004, 0.001, 0.0, np.nan], ["0.001", "0.000", "–"]
    for name in ("p", "p_value", "p_holm", "holm p", "p_at_most"):
        assert cell_texts(pd.Series(values, name=name)) == ["9.2e−22", "4.0e−4", *others]
    for name in ("p_win", "r2", "step"):
        assert cell_texts(pd.Series(values, name=name)) == ["0.000", "<0.001", *others]
    table = Table(pd.DataFrame({"on": ["a"], "p": [1e-5]}), methods={"p": "p"})
    assert table.texts("p") == ["<0.001"], "a method"


def test_names_are_printed_as_labels_say_where_names_stand(monkeypatch):
    names = {"deap": "DEAP!", "a_b": "A, B", "one": "1"}
    monkeypatch.setattr(Style, "current", Style(names=names))
    frame = {
        "team": ["deap"],
        "property": ["a_b"],
        "method_a": ["deap"],
        "winners": [("deap", "x")],
    }
    frame |= {"note": ["one"], "deap": [2.0], "dataset (method)": [1.0]}
    methods = {"deap": "deap", "dataset (method)": "dataset"}
    page = soup(pd.DataFrame(frame), methods=methods, shaded=["deap"], leads=["l"])
    assert texts(page, "tbody :is(th, td)")[:5] == ["DEAP!", "A, B", "DEAP!", "DEAP! and x", "one"]
    assert texts(page, "thead th")[-2:] == ["DEAP!", "dataset (method)"]
    assert page.select_one(".cell")["aria-label"] == "DEAP! on DEAP!: 2.000"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formula_is_neutralised_in_downloads_only(start, tmp_path):
    frame = pd.DataFrame({"model": [f"{start}1+cmd()"], "score": [-2.5]})
    write_frame(frame, tmp_path / "models.csv")
    text = (tmp_path / "models.csv").read_bytes().decode()
    for written, sign in ((text, ""), (neutralise(text), "'")):
        rows = list(csv.reader(io.StringIO(written, newline="")))
        assert rows == [["model", "score"], [f"{sign}{start}1+cmd()", "-2.5"]]


def test_values_are_shown_as_words_and_rounded_numbers():
    shown = [text_of(value) for value in (None, pd.NA, False, 1234, "−1", -2)]
    assert shown == ["–", "–", "no", "1,234", "−1", "−2"]


@each("better shades", "higher | 15689\nlower | 95421")
def test_better_value_has_a_darker_shade_also_beside_one_far_out(better, shades):
    table = pd.DataFrame({"on": list("abcde"), "x": [-1e6, 1.0, 2.0, 3.0, 4.0]})
    cells = soup(table, shaded=["x"], lower=better == "lower").select("td")
    assert [cell["class"][1] for cell in cells] == [f"s{shade}" for shade in shades]


def test_shades_have_one_scale_over_all_columns():
    table = pd.DataFrame({"on": ["a", "b"], "x": [0.0, np.nan], "y": [9.0, 4.5], "z": [100.0, 0.0]})
    cells = soup(table, shaded=["x", "y"]).select("td")
    assert " ".join("".join(cell["class"]) for cell in cells) == "ns1 ns9 n n ns5 n"
    assert not soup(table[:1], shaded=["x"]).select(".s1, .s9"), "all equal: no shade says so"


def test_first_and_shaded_cells_and_methods_lead_elsewhere():
    pages = {"y": "p/y.html"}
    table = pd.DataFrame({"on": ["a", "b<"], "x": [0.0, np.nan], "y": [9.0, 4.5]})
    links = soup(table, shaded=["x", "y"], leads=["t-a", "t-b"], pages=pages).find_all("a")
    shown = " ".join(f"{link['href']} {link.get_text()}" for link in links)
    assert shown == "#t-a a #t-a 0.000 p/y.html#t-a 9.000 #t-b b< p/y.html#t-b 4.500"
    assert links[4]["aria-label"] == "y on b<: 4.500"
    names = pd.DataFrame({"rank": [1, 2], "method": ["y", "z"], "other": ["y", "y"]})
    links = soup(names, row_headers=2, pages=pages).find_all("a")
    assert [str(link) for link in links] == ['<a href="p/y.html">y</a>']
