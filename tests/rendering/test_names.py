"""What a suite calls its methods: on pages in tables, sentences and labels; never in files, models and commands."""

import json

import pytest
from bs4 import BeautifulSoup

from srlib.displays.stated import STYLE
from srlib.errors import InputError
from srlib.rendering.names import MARK, with_names
from srlib.rendering.styles import with_looks
from srlib.rendering.suite import load_suite
from tests.rendering.people import competition, rendered
from tests.rendering.test_styles import suite_of

NAMES = {"x_y.1": "X & Y", "Ana": "Anna <2>", "best": "Best One"}


@pytest.mark.parametrize(("page", "shown"), [
    ("<td>Ana</td>", "<td>Anna &lt;2&gt;</td>"),
    ("<th>x_<wbr>y.1</th>", "<th>X &amp; Y</th>"),
    ("<p>Ana leads; x_y.1 is last.</p>", "<p>Anna &lt;2&gt; leads; X &amp; Y is last.</p>"),
    ("<p>the best of all</p><td>best</td>", "<p>the best of all</p><td>Best One</td>"),
    ("<p>Anatol, Ana-2, x_y.10, Ana_b</p>", "<p>Anatol, Ana-2, x_y.10, Ana_b</p>"),
    ("<p>Anna &lt;2&gt; wins</p>", "<p>Anna &lt;2&gt; wins</p>"),
    ('<a id="Ana" href="participants/Ana.html" aria-label="Ana on d: 2">2</a>',
     '<a id="Ana" href="participants/Ana.html" aria-label="Anna &lt;2&gt; on d: 2">2</a>'),
    ("<code>Ana</code><pre>Ana</pre><math><mi>best</mi></math>",
     "<code>Ana</code><pre>Ana</pre><math><mi>best</mi></math>"),
])  # fmt: skip
def test_names_are_shown_where_they_are_names(page, shown):
    assert with_names(page, NAMES) == shown
    assert with_names(page + MARK, {}) == page


def test_the_page_of_a_report_and_its_participants_show_them_and_say_whose_they_are(
    tmp_path, monkeypatch
):
    monkeypatch.setenv(STYLE, json.dumps({"names": NAMES}))
    out = rendered(competition(), tmp_path / "out", monkeypatch, names=NAMES)
    handed = (out / "r.report.json").read_text(encoding="utf-8")
    assert "Anna" not in handed and '"Ana"' in handed
    for file in ("r.html", "participants/Ana.html"):
        page = BeautifulSoup((out / file).read_text(encoding="utf-8"), "html.parser")
        rows = [
            [cell.get_text() for cell in row("td")]
            for row in page.select("#names-in-files tbody tr")
        ]
        assert ["Ana"] in rows and len(rows) == 2
        table = page.select_one("#table-final-ranking, #datasets-table")
        assert "Anna <2>" in table.get_text() and "Ana" not in table.get_text().split()
    assert page.h1.get_text() == "Anna <2>" and page.title.get_text().startswith("Anna <2>")
    held = json.loads(page.select_one("#others").string)
    assert "X & Y" in [other["name"] for other in held["others"]]
    assert any("Beside X & Y: " in other["said"] for other in held["others"])
    tex = (out / "r" / "tables" / "final-ranking.tex").read_text(encoding="utf-8")
    assert "Anna" in tex and "Ana " not in tex
    assert "Ana" in (out / "r" / "tables" / "final-ranking.csv").read_text()


@pytest.mark.parametrize(("block", "said"), [
    ("{names: {a: X, b: X}}", "style.names': .*'a' and 'b' are both called 'X'"),
    ("{names: {a: b}}", "style.names: 'a' is called 'b', which is another method's own name"),
    ("{names: {a: ''}}", "style.names"),
])  # fmt: skip
def test_two_methods_cannot_have_one_name(tmp_path, block, said):
    path = suite_of(tmp_path, f"style: {block}", one=["a", "b"])
    with pytest.raises(InputError, match=said) as caught:
        with_looks(load_suite(path))
    assert "\n" not in str(caught.value)


def test_two_methods_may_swap_their_names(tmp_path):
    with_looks(load_suite(suite_of(tmp_path, "style: {names: {a: b, b: a}}", one=["a", "b"])))
    assert with_names("<td>a</td><td>b</td>", {"a": "b", "b": "a"}) == "<td>b</td><td>a</td>"
