import base64
import hashlib
import re

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from srlib.displays.bundles import FIGURE, REPORT, TABLE
from srlib.rendering.handover import Failure, report_json
from srlib.rendering.html import page
from srlib.rendering.page import FONT, framed, hashed
from srlib.rendering.provenance import Provenance

ORIGIN = Provenance((("runs: r.csv", "ab"),), {"python": "3"}, {"runs": "r.csv"}, "f")
PNG = base64.b64encode(b"\x89PNG").decode()


@pytest.fixture(name="notebook")
def notebook_fixture():
    table = "<table><caption>c</caption><tbody><tr><th scope=row>a</th></tr></tbody></table>"
    bundle = {
        "name": "t",
        "caption": "A <b>table</b>",
        "files": ["tables/t.csv", "tables/../../secret.csv"],
        "folded": True,
    }
    figure = {
        "name": "f",
        "caption": "Caption",
        "alt": 'A "figure" & more',
        "files": ["figures/f.svg"],
    }
    outputs = [
        new_output(
            "display_data",
            {"text/html": f"<details>{table}</details>", "text/plain": "t", TABLE: bundle},
        ),
        new_output("display_data", {"image/png": PNG, "text/plain": "f", FIGURE: figure}),
        new_output(
            "stream", name="stdout", text="<script>alert(1)</script>\nchecks passed: 1 of 1\n"
        ),
    ]
    words = new_markdown_cell("# Title\n\nWords and $x_1$.\n\n## Part *one*\n\n### Small")
    shown = new_code_cell("show()", outputs=outputs, execution_count=1)
    return new_notebook(cells=[words, new_code_cell("silent = 1"), shown])


def made(notebook, folder, failure=None):
    handed = report_json(notebook, "r", ORIGIN, failure)
    return page(notebook, handed, failure, folder, "The suite")


def test_the_page_needs_no_net_and_no_script(notebook, tmp_path):
    soup = BeautifulSoup(made(notebook, tmp_path), "html.parser")
    assert not soup.find_all(["link", "iframe", "object"])
    scripts = soup.find_all("script")
    own = [
        base64.b64encode(hashlib.sha256(script.string.encode()).digest()).decode()
        for script in scripts
    ]
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert not any(script.attrs for script in scripts) and policy.startswith("default-src 'none'")
    assert (
        policy.endswith("script-src " + " ".join(f"'sha256-{digest}'" for digest in own))
        and len(own) == 2
    )
    addresses = [tag.get("src") or tag.get("href") for tag in soup.find_all(["img", "a"])]
    assert all(address.startswith(("data:", "#", "index.html")) for address in addresses)
    assert (
        "@import" not in str(soup) and str(soup).count("url(") == str(soup).count('url("data:') == 1
    )


def test_certainty_is_a_badge_with_its_rule_folded(notebook, tmp_path):
    handed = report_json(notebook, "r", ORIGIN, None)
    sure = {"word": "narrow", "said": "A <b> wins.", "rule": "Narrow: all else."}
    for links, there in (({}, 0), ({"robustness": "r2.html"}, 1)):
        text = page(notebook, handed | {"certainty": sure}, None, tmp_path, "S", links=links)
        card = BeautifulSoup(text, "html.parser").find(class_="certainty")
        assert card.summary.get_text() == "Certainty: narrow"
        assert card.p.get_text() == "A <b> wins. Narrow: all else."
        assert len(card.find_all("a", href="r2.html")) == there
        assert card.find(class_="podium") is None
    places = [("a", 2.5, 1), ("b", 1.25, 2), ("c", 1.2499, 3), ("d", 1, 4)]
    named = [dict(zip(("method", "score", "rank"), place, strict=True)) for place in places]
    text = page(notebook, handed | {"certainty": sure, "ranking": named}, None, tmp_path, "S")
    podium = BeautifulSoup(text, "html.parser").find(class_="podium").find_all("li")
    assert [li.get_text().strip() for li in podium] == ["a", "b 1.250 behind", "c 1.250 behind"]
    assert BeautifulSoup(made(notebook, tmp_path), "html.parser").find(class_="certainty") is None


def test_structure_of_the_page(notebook, tmp_path):
    soup = BeautifulSoup(made(notebook, tmp_path), "html.parser")
    assert soup.html["lang"] == "en" and "Title" in soup.title.get_text()
    assert [h.get_text() for h in soup.find_all("h1")] == ["Title"]
    assert soup.main["id"] == "main" and soup.find("a", class_="skip")["href"] == "#main"
    assert [a["href"] for a in soup.nav.find_all("a")] == ["#part-one", "#provenance"]
    assert all(soup.find(id=a["href"][1:]) is not None for a in soup.nav.find_all("a"))
    assert soup.find("img")["alt"] == 'A "figure" & more'
    assert "1 of 1 checks passed" in soup.find("section", class_="good").get_text()
    codes = soup.find_all("details", class_="code")
    assert (
        len(codes) == 1 and "silent = 1" in codes[0].get_text() and "show()" in codes[0].get_text()
    )
    assert soup.find("math") and "ab" in soup.find(id="provenance").get_text()


def test_a_part_with_the_tag_is_folded_up_to_the_next_heading(notebook, tmp_path):
    """The address lies inside: a link to it unfolds the part."""
    tagged = [new_markdown_cell(f"## {name}\n\nText {name}.\n\n## Last {name}") for name in "ab"]
    tagged[0].metadata["tags"] = ["folded"]
    notebook.cells += [tagged[0], new_code_cell("show()", execution_count=2), tagged[1]]
    notebook.cells[-2].outputs = [new_output("stream", name="stdout", text="beside a")]
    soup = BeautifulSoup(made(notebook, tmp_path), "html.parser")
    parts = {part.summary.get_text(): part for part in soup.find_all("details", class_="part")}
    assert list(parts) == ["a", "Last a", "Where the numbers come from"]
    assert "Text a." in parts["a"].get_text() and "beside a" in parts["Last a"].get_text()
    assert "Text b." not in parts["Last a"].get_text() and soup.find("h2", id="b")
    for address in ("a", "last-a", "provenance"):
        assert soup.find(id=address).find_parent("details", class_="part") is not None
    assert [a["href"] for a in soup.nav.find_all("a")][1:4] == ["#a", "#last-a", "#b"]


def test_tables_are_inside_the_page_and_neutralised_and_drawings_beside_it(notebook, tmp_path):
    for name, text in {"tables/t.csv": "model\n=cmd()\n", "figures/f.svg": "<svg/>"}.items():
        (tmp_path / "r" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "r" / name).write_text(text)
    (tmp_path / "secret.csv").write_text("no")
    soup = BeautifulSoup(made(notebook, tmp_path / "r"), "html.parser")
    links = {a["download"]: a["href"] for a in soup.find_all("a", download=True)}
    table = base64.b64decode(links.pop("t.csv").split(",")[1])
    assert table == b"model\r\n'=cmd()\r\n" and links == {"f.svg": "r/figures/f.svg"}
    assert soup.find("details", class_="folded").summary.get_text() == "A <b>table</b>"


def test_a_failure_is_the_first_thing_on_the_page(notebook, tmp_path):
    text = made(notebook, tmp_path, Failure("Cell 1 raised <b>", 1, "x < 1", "Traceback"))
    soup = BeautifulSoup(text, "html.parser")
    box = soup.find("h1").find_next_sibling()
    assert (
        "bad" in box["class"]
        and "This report failed" in box.get_text()
        and "raised <b>" in box.get_text()
    )
    assert not soup.find("section", class_="good") and soup.title.get_text().startswith("FAILED")


def test_headings_open_the_rules_and_links_lead_to_other_tables(notebook, tmp_path):
    switches = [
        {"switch": "ties", "value": "<dense>", "source": "a document"},
        {"switch": "aspects.accuracy.digits", "value": "3", "source": "x"},
    ]
    report = {"rules": {"name": "r", "digest": "d", "source": "s", "switches": switches}}
    head = (
        "<tr>"
        + "".join(
            f'<th class="n" scope="col">{n}</th>' for n in ("score", "mean accuracy points", "x")
        )
        + "</tr>"
    )
    table = f"<table><caption>c</caption><thead>{head}</thead><tbody><tr><td>1</td></tr></tbody></table>"
    bundle = {"name": "s", "caption": "c", "files": [], "see": [["Table <t>", "t"]]}
    data = [{REPORT: report, "text/html": ""}, {"text/html": table, TABLE: bundle}]
    notebook.cells[-1].outputs[:0] = [new_output("display_data", one) for one in data]
    soup = BeautifulSoup(made(notebook, tmp_path), "html.parser")
    asked = soup.find(id="table-s").find_all("button")
    opened = {button.get_text(): button["popovertarget"] for button in asked}
    assert opened == {"score": "rule-score", "mean accuracy points": "rule-aspect-rank"}
    listed = soup.find(id="numbers").p.find_all("button")
    assert len(listed) == 8 and all(
        soup.find(id=button["popovertarget"]).has_attr("popover") for button in [*asked, *listed]
    )
    rule = soup.find(id="rule-aspect-rank").find_next("ul")
    assert [li.get_text(" ", strip=True) for li in rule.find_all("li")] == [
        "ties: <dense> a document"
    ]
    assert [(a["href"], a.get_text()) for a in soup.find(class_="see").find_all("a")] == [
        ("#table-t", "Table <t>")
    ]
    # a link to what is inside unfolds it
    assert soup.find("details", class_="folded").find(id="table-t")


def test_a_reference_turns_no_line_around(notebook, tmp_path):
    """What turns a line is shown, however it was written; what HTML needs stays as it is."""
    turning = "a&#8238;b &#x202E;c &rlm;d &#34;e&#34; &lt;f&gt; \x07g &nbsp;&#1488;"
    notebook.cells[0].source += f"\n\n{turning}"
    made_page = made(notebook, tmp_path)
    assert "a[U+202E]b [U+202E]c [U+200F]d" in made_page
    assert "&lt;f&gt; \\x07g &#160;&#8296;&#1488;&#8297;" in made_page


def test_an_image_without_a_description_says_so(notebook, tmp_path):
    notebook.cells[2].outputs.append(
        new_output("display_data", {"text/html": '<p><img src="data:x"></p>', "text/plain": "x"})
    )
    image = BeautifulSoup(made(notebook, tmp_path), "html.parser").select('img[src="data:x"]')[0]
    assert image["alt"] == "No description has been provided for this image"


def test_equations_bring_their_font_along_once():
    """Without one for mathematics on the machine, roots would be broken; pages without equations stay light."""
    plain, drawn = (framed("T", "T", text) for text in ("<p>x</p>", "<math></math>" * 2))
    assert drawn.count("@font-face") == 1 and "@font-face" not in plain
    assert 'font-family: "srlib math"' in drawn and len(drawn) - len(plain) < 60_000
    data = base64.b64decode(drawn.partition("data:font/woff2;base64,")[2].partition('"')[0])
    assert data == FONT.read_bytes() and data[:4] == b"wOF2"
    assert "font-src data:" in drawn and FONT.with_name("math-LICENSE.txt").is_file()


def test_the_first_screen_waits_for_no_script_and_no_data(notebook, tmp_path):
    """What stands before the end of the verdict is all that the first paint needs: 20 kB, most of it the style."""
    failure = Failure(cell=1, what="It broke.", detail="", source="")
    pages = [made(notebook, tmp_path), made(notebook, tmp_path, failure)]
    box = '<section class="box place"><p>First.</p></section>'
    pages.append(framed("T", "T", f"{box}<math></math>", script="1"))
    for text in pages:
        before, _, after = text.partition("</section>")
        assert 'class="box' in before and len(before) < 20_000
        assert "<script" not in before and "base64" not in before
        assert after.index('"first verdict"') < 60_000
        policy = BeautifulSoup(text, "html.parser").find("meta", attrs={"http-equiv": True})
        scripts = re.findall("<script>(.*?)</script>", text, re.DOTALL)
        assert len(scripts) == 2 and all(hashed(script) in policy["content"] for script in scripts)
