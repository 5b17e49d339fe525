"""A suite's paths, faults and looks: one sentence before anything is executed, one look per method on all pages."""

import re

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.text import Text

from srlib.displays import DotsDisplay, Page, PairsDisplay, ProfilesDisplay
from srlib.displays.styling import line_look, look, new_figure, style
from srlib.files import PARAMETERS, STYLE_FILE
from srlib.rendering import report as render
from srlib.rendering.suite import expand_for_each, load_suite, with_style_and_links
from tests.builders import CHECK, each, refused, write_notebook, write_runs, write_suite
from tests.comparing.small import comparison_of


def test_paths_are_relative_to_the_suite_file_and_bare_names_stay(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    (tmp_path / "runs.csv").write_text("x")
    [report] = load_suite(write_suite(tmp_path, {"a": "{number: 2}"})).reports
    assert report.notebook == tmp_path / "a.ipynb" and report.parameters == {"number": 2}
    assert report.path_of("runs", "./runs.csv") == tmp_path / "runs.csv"
    assert report.path_of("rules", "judging-2022") == PARAMETERS / "rules/judging-2022.yaml"
    assert report.path_of("runs", "demo") is report.path_of("number", 2) is None
    with refused("runs: ./none.csv does not exist beside the suite"):
        report.path_of("runs", "./none.csv")


# what is replaced in the suite, by what, and the sentence that comes
FAULTS = r"""
schema: 1 | schema: 2 | schema
defaults: {} | default: {} | unknown key 'default'
defaults: {} | contact: [1] | contact
name: a, | name: index, | taken by the index
name: a, | name: ../a, | name
name: a, | name: a, for_each: method, | no parameter 'method'; it takes number, runs
notebook: a.ipynb | notebook: b.ipynb | no notebook b.ipynb
{}} | {output_dir: x}} | a.ipynb has no parameter 'output_dir'; it takes number
{}} | {number: abc}} | number: input should be a valid integer, got 'abc'
{}} | {number: true}} | number: input should be a valid integer, got True
{}} | {runs: 7}} | runs: input should be a valid string, got 7
defaults | style: {palette: 3}\ndefaults | style.palette
defaults | style: {palette: nope}\ndefaults | a name that seaborn knows
defaults | style: {palette: [red, bleu]}\ndefaults | 'bleu'
defaults | style: {palette: {a: red}}\ndefaults | stand in labels.yaml
defaults | style: {order: [a]}\ndefaults | stand in labels.yaml
defaults | style: {palette: []}\ndefaults | or colours were expected, got []
defaults | style: {widths: {column: 3}}\ndefaults | at least 2
defaults | style: {widths: {column: 3, page: 90}}\ndefaults | style.widths.page
defaults | style: {size: 90}\ndefaults | style.size
defaults | style: {font: x}\ndefaults | unknown key 'font'; allowed: methods, palette, size
"""


@each("old new message", FAULTS)
def test_wrong_suite_is_refused_in_one_sentence(tmp_path, old, new, message):
    write_notebook(tmp_path / "a.ipynb", CHECK, texts="runs")
    path = write_suite(tmp_path, {"a": "{}"})
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    with refused(f"suite.yaml: .*{re.escape(message)}"):
        render(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


METHODS = {"one": "ca", "two": "bac"}  # whose runs the reports read, in the order of their figures


@pytest.fixture
def hand(tmp_path):
    """Write a suite with this style, and begin the notebook of one of its reports."""

    def hand(block, page=0, labels="", without=""):
        for name, methods in METHODS.items():
            write_runs(tmp_path / f"{name}.csv", *methods.replace(without, ""))
            write_notebook(tmp_path / f"{name}.ipynb", CHECK, texts="runs")
        parameters = {name: f"{{runs: {name}.csv}}" for name in METHODS}
        (tmp_path / "labels.yaml").write_text(f"schema: 1\nlabels: {{{labels}}}")
        path = write_suite(tmp_path, parameters, f"{{}}\nlabels: labels.yaml\nstyle: {block}")
        suite = expand_for_each(load_suite(path))
        report = with_style_and_links(suite, []).reports[page]
        # a blank, as each kernel remembers its own looks
        (tmp_path / STYLE_FILE).write_text(report.style + " " * page)
        Page({"output_dir": str(tmp_path)})
        return suite

    yield hand
    (tmp_path / STYLE_FILE).unlink(missing_ok=True)
    Page({"output_dir": str(tmp_path)})


def test_method_looks_the_same_on_all_pages_and_no_two_share_a_colour(hand):
    pages = []
    for page, methods in enumerate(METHODS.values()):
        hand("{}", page)
        pages.append({method: look(method) for method in methods})
    assert pages[1] == pages[1] | pages[0]
    assert len({each["color"] for each in pages[1].values()}) == 3


def test_suite_states_order_colours_widths_and_letters(hand):
    style_block = "{palette: ['#111111', '#222222'], widths: {column: 4, page: 5}, size: 9}"
    hand(style_block, labels="c: C, a: {group: g}")
    assert [look(name)["color"] for name in "cab"] == ["#111111", "#222222", "#111111"]
    assert (look("c")["marker"], line_look("c", 0)["ls"]) == ("o", "-")
    assert new_figure("column", 1.0).get_figwidth() == 4
    with style():
        assert mpl.rcParams["font.size"] == 9


@each("palette", "[]\nviridis\n['#0072b2', red, green]")
@each("without", "\na\nb\nc")
def test_one_method_less_changes_no_colour_and_a_stated_colour_is_one_methods(
    hand, palette, without
):
    style_block = "{}" if palette == "[]" else f"{{palette: {palette}}}"
    labels = "b: {colour: red}, d: data, c: {print: See}, a: A"
    pages = []
    for missing in ("", without):
        hand(style_block, 1, labels, missing)
        pages.append({name: look(name) for name in "abc" if name != missing})
    assert pages[0] == pages[0] | pages[1] and pages[0]["b"]["color"] == "#ff0000"
    assert len({each["color"] for each in pages[0].values()}) == 3


# the labels, and the sentence that comes
LABEL_FAULTS = r"""
a: "" | labels.yaml: key 'labels.a.print': a text of 1 to 60 letters
a: " " | labels.a.print
a: "\u200b" | without control characters was expected, got '\u200b'
a: {print: "x\u202e"} | labels.a.print
a: {group: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx} | labels.a.group
a: {colour: bleu} | labels.a.colour
a: {symbolic: perhaps} | labels.a.symbolic
a: {name: A} | unknown key 'name'; allowed: colour, group, print, symbolic
a: [A] | key 'labels.a': input should be
a: A, a: B | duplicate key 'a'
a: X, b: X | labels.yaml: 'a' and 'b' would both be printed as 'X'
a: b | 'a' and 'b' would both be printed as 'b'
a: d | 'a' and 'd' would both be printed as 'd'
a: {symbolic: false, print: "c*"} | 'a' and 'c' would both be printed as 'c*'
"""


@each("labels message", LABEL_FAULTS)
def test_wrong_labels_are_refused_in_one_sentence(hand, labels, message):
    with refused(re.escape(message)):
        hand("{}", labels=labels)


def test_labels_of_names_that_no_report_reads_are_one_notice(hand):
    """Names of methods, datasets, metrics and parameters are read."""
    assert hand("{}", labels="a: A, d: data, r2_test: R, two.csv: file").notice == ""
    notice = hand("{}", labels="aa: A, zebra: Z, b: B").notice
    assert notice.endswith("labels.yaml: no report reads aa and zebra. Did you mean a?")


def test_symbolic_methods_have_a_star_if_others_are_not_symbolic(hand):
    names = hand("{}", labels="a: {print: A, symbolic: false}, b: B, d: data").looks["names"]
    assert names == {"a": "A", "b": "B*", "c": "c*", "d": "data"}
    assert hand("{}", labels="a: {symbolic: true}").looks["names"] == {}


def test_suite_chooses_the_methods_that_figures_show(hand):
    hand("{methods: [a, c]}")
    values = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [0.0, 1.0]})
    for display in (
        DotsDisplay.from_values({"x": {"": values}}),
        ProfilesDisplay.from_values(values),
        PairsDisplay.from_comparison(comparison_of(values)),
    ):
        texts = {text.get_text().strip() for text in display.plot().figure_.findobj(Text)}
        assert "b" not in texts and display.drawn_methods == ["a", "c"], type(display)
        assert "2 of 3 methods are drawn" in display.omissions
        assert "b" in set(display.numbers.to_numpy().ravel()), "the table has all"
