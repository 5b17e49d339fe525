"""What a suite states of its figures' looks, and one look per method on all of its pages."""

import json

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.text import Text

from srlib.displays import DotsDisplay, PairsDisplay, ProfilesDisplay
from srlib.displays.conventions import STYLE
from srlib.displays.styling import WIDTHS, dashes, look, new_figure, style
from srlib.errors import InputError
from srlib.rendering.participants import expand_for_each, with_looks
from srlib.rendering.render import render_suite
from srlib.rendering.suite import load_suite
from tests.comparing.small import comparison_of
from tests.rendering.small import CHECK, write_notebook, write_suite

LOOKS = """import json
from srlib.displays import DotsDisplay
from srlib.displays.styling import look, style
import pandas as pd
from pathlib import Path
names = sorted(pd.read_csv(Path(runs))["method"])
shown = DotsDisplay.from_values({"x": {"": pd.DataFrame({n: [1.0, 2.0] for n in names})}}).plot()
drawn = [line for line in shown.ax_[0].lines if line.get_linestyle() == "None"]
with style():
    looks = {n: look(n) for n in names}
text = json.dumps(looks | {"drawn": sorted({l.get_color() for l in drawn})})
folder = Path(output_dir)
folder.mkdir(parents=True, exist_ok=True)
(folder / "looks.json").write_text(text)"""


def suite_of(folder, style="", **pages):
    """Write a suite with a page for each table of runs."""
    for name, methods in pages.items():
        rows = pd.DataFrame({"method": methods, "dataset": "d", "repetition": 1, "model": "x"})
        rows.to_csv(folder / f"{name}.csv", index=False)
        made = write_notebook(folder / f"{name}.ipynb", LOOKS, CHECK)
        made.write_text(made.read_text().replace("number: int", 'runs: str = \\"\\"\\nnumber: int'))
    path = write_suite(folder, {name: f"{{runs: {name}.csv}}" for name in pages})
    path.write_text(path.read_text().replace("reports:", f"{style}\nreports:", 1))
    return path


@pytest.mark.slow
def test_a_method_looks_the_same_on_all_pages_and_no_two_of_a_page_share_a_colour(tmp_path):
    path = suite_of(tmp_path, one=["gplearn", "deap"], two=["brush", "pysr", "deap", "gplearn"])
    render_suite(path, tmp_path / "out")
    one, two = (
        json.loads((tmp_path / "out" / n / "looks.json").read_text()) for n in ("one", "two")
    )
    assert one["deap"] == two["deap"] and one["gplearn"] == two["gplearn"]
    assert len({two[name]["color"] for name in ("brush", "pysr", "deap", "gplearn")}) == 4
    assert set(two["drawn"]) == {two[n]["color"] for n in ("brush", "pysr", "deap", "gplearn")}


def looks_of(path):
    """Read a suite whose reports have their looks."""
    return with_looks(expand_for_each(load_suite(path)), ())


@pytest.fixture
def handed(tmp_path, monkeypatch):
    """Hand the kernel's environment what a suite with this style says."""

    def hand(block):
        suite = looks_of(suite_of(tmp_path, f"style: {block}", one=["a", "b", "c"]))
        monkeypatch.setenv(STYLE, suite.reports[0].style)

    return hand


def test_a_suite_states_order_colours_widths_and_letters(handed):
    handed(
        "{order: [c, a], palette: ['#111111', '#222222'], widths: {column: 4.8, page: 5}, size: 9}"
    )
    assert [look(name)["color"] for name in "cab"] == ["#111111", "#222222", "#111111"]
    assert (look("c")["marker"], dashes("c")) == ("o", "-")
    assert new_figure("column", 1.0).get_figwidth() == 4.8 != WIDTHS["column"]
    with style():
        assert mpl.rcParams["font.size"] == 9.0
    handed("{palette: {b: red}, size: 6}")
    assert look("b")["color"] == "#ff0000" != look("a")["color"]


def test_a_suite_chooses_the_methods_that_figures_show(handed):
    handed("{methods: [a, c]}")
    values = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [0.0, 1.0]})
    for shown in (
        DotsDisplay.from_values({"x": {"": values}}),
        ProfilesDisplay.from_values(values),
        PairsDisplay.from_comparison(comparison_of(values)),
    ):
        words = {text.get_text().strip() for text in shown.plot().figure_.findobj(Text)}
        assert not words & {"b"} and shown.drawn_methods == ["a", "c"], type(shown)
        assert "2 of 3 methods are drawn" in shown.left_out
        assert "b" in set(shown.numbers.to_numpy().ravel()), "the table has all"


@pytest.mark.parametrize(("block", "said"), [
    ("{palette: 3}", "style.palette.*"),
    ("{palette: nope}", "style.palette': .*a name that seaborn knows.*got 'nope'"),
    ("{palette: [red, bleu]}", "style.palette': .*or colours were expected.*'bleu'"),
    ("{palette: {a: 3x}}", "style.palette': .*'3x'"),
    ("{palette: []}", "style.palette': .*or colours were expected, got \\[\\]"),
    ("{widths: {column: 3}}", "style.widths': .*at least 2"),
    ("{widths: {column: 3, page: 90}}", "style.widths.page.*': .*20.*got 90"),
    ("{font: DejaVu Sans}", "key 'style': unknown key 'font'"),
    ("{venue: ieee}", "key 'style': unknown key 'venue'; allowed: methods, order, palette, size, widths"),
    ("{size: 90}", "style.size': .*16.*got 90"),
    ("{language: de}", "key 'style': unknown key 'language'"),
    ("{colours: red}", "style.*colours"),
])  # fmt: skip
def test_a_wrong_style_is_one_sentence(tmp_path, block, said):
    with pytest.raises(InputError, match=said) as caught:
        load_suite(suite_of(tmp_path, f"style: {block}", one=["a"]))
    assert "\n" not in str(caught.value)
