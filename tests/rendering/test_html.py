"""A page made of a small notebook: what it must hold, whatever stands in the notebook."""

import base64
import hashlib
import json
import re
import zipfile
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from srlib.displays import show_table, show_verdict
from srlib.rendering.page import write_index
from srlib.rendering.provenance import Provenance
from srlib.rendering.report_page import write_report
from tests.displays.conftest import keep_outputs
from tests.displays.made_up import made_up_judgement
from tests.rendering.small import small_job

WORDS = """# Title

Words and $x_1$.

## Part *one*

### Small"""
LINES = [f"Line {i} <b>." for i in range(1, 8)]


def strip_output(folder):
    """Make the output of a figure `strip`, whose files name one outside the folder."""
    for name in ("strip.png", "strip-column.png", "strip.pdf"):
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        (folder / "figures" / name).write_bytes(b"\x89PNG")
    note = {"kind": "figure", "name": "strip", "caption": "C", "alt": 'A "figure" & more', "width": 9,
            "files": ["figures/strip.pdf", "../secret.csv"]}  # fmt: skip
    data = {"image/png": base64.b64encode(b"\x89PNG").decode(), "text/plain": "f"}
    other = note | {"name": "f"}
    return [new_output("display_data", data, metadata={"srlib": one}) for one in (note, other)]


@pytest.fixture(name="rendered", scope="module")
def rendered_fixture(tmp_path_factory):
    """Notebook, report.json and page."""
    job = small_job(
        tmp_path_factory.mktemp("job"),
        title="The suite",
        robustness="sure.html",
        synthetic="r.html",
    )
    out = job.folder / "new"
    out.mkdir()
    (out / "secret.csv").write_text("no")
    with pytest.MonkeyPatch.context() as monkeypatch:
        outputs = keep_outputs(monkeypatch)
        show_verdict(made_up_judgement(), "Who wins?", details=LINES, certainty="98 % <b>.")
        models = pd.DataFrame({"model": ["=x1^2", "no model \u202e"], "score": [0.5, -1.0]})
        how = {
            "caption": "A <b>table</b>",
            "folded": True,
            "equations": ["model"],
            "see": {"It <t>": "t"},
        }
        show_table(models, out / "r", name="t", **how)
    outputs += strip_output(out / "r")
    text = "<script>alert(1)</script> \u05d0 \x1b[31mred\x1b[0m\nchecks passed: 1 of 1\n"
    outputs.append(new_output("stream", name="stdout", text=text))
    cells = [new_markdown_cell(WORDS), new_code_cell("silent = 1", execution_count=1)]
    for name in "ab":
        cells.append(new_markdown_cell(f"## {name}\n\nText {name}.\n\n## Last {name}"))
    cells[2].metadata["tags"] = ["folded"]
    cells.append(new_code_cell("show()", outputs=outputs, execution_count=2))
    notebook = new_notebook(cells=cells)
    nbformat.write(notebook, job.report.notebook)
    handed = write_report(job, notebook, "")
    text = (out / "r.html").read_text()
    soup = BeautifulSoup(text, "html.parser")
    return SimpleNamespace(out=out, job=job, notebook=notebook, handed=handed, text=text, soup=soup)


def test_the_page_asks_the_net_for_nothing_and_runs_its_own_script_alone(rendered):
    soup = rendered.soup
    assert not soup.find_all(["link", "iframe", "object"]) and "url(" not in rendered.text
    [script] = soup.find_all("script")
    digest = base64.b64encode(hashlib.sha256(script.string.encode()).digest()).decode()
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none'; img-src data:;") and not script.attrs
    assert policy.endswith(f"script-src 'sha256-{digest}'")
    addresses = [tag.get("src") or tag.get("href") for tag in soup.find_all(["img", "a"])]
    assert all(a.startswith(("data:", "#", "index.html", "sure.html", "r/")) for a in addresses)


def test_structure(rendered):
    soup = rendered.soup
    assert soup.html["lang"] == "en" and soup.title.get_text() == "Title – The suite"
    assert [h.get_text() for h in soup.find_all("h1")] == ["Title"]
    assert soup.main["id"] == "main" and soup.find("a", class_="skip")["href"] == "#main"
    anchors = [a["href"][1:] for a in soup.nav.find_all("a")[1:]]
    assert anchors == ["part-one", "a", "last-a", "b", "last-b", "provenance"]
    assert all(soup.find(id=anchor) for anchor in anchors) and soup.find("h3", id="small")
    assert len(soup.select("p > math")) == 1 and "alert(1)" in soup.find("pre").get_text()
    assert "\x1b" not in rendered.text and "[31m" not in rendered.text
    said = soup.find(id="provenance").get_text()
    assert "runs: <r>.csv" in said


def test_what_nobody_sees_is_written_out(rendered):
    assert "no model \\u202e" in rendered.soup.find(id="table-t").get_text()
    assert not re.search("[\x00-\x08\u200e\u200f\u202a-\u202e\u2066-\u2069]", rendered.text)
    assert "&#8296;\u05d0&#8297;" in rendered.text


def test_parts_are_folded_up_to_the_next_heading_and_links_unfold_what_they_lead_to(rendered):
    parts = {part.summary.get_text(): part for part in rendered.soup.select("details.part")}
    assert list(parts) == ["a", "Last a", "Where the numbers come from"]
    assert "Text a." in parts["a"].get_text() and "Text b." not in parts["Last a"].get_text()
    folded = rendered.soup.find("details", class_="folded")
    assert folded.summary.get_text() == "A <b>table</b>"
    for address in ("a", "last-a", "table-t"):
        assert rendered.soup.find(id=address).find_parent("details") is not None


def test_the_first_screen_has_answer_certainty_places_strip_and_lines(rendered):
    box = rendered.soup.find("h1").find_next_sibling()
    assert box["class"] == ["box", "good"] and box.find(class_="headline").get_text().startswith(
        "alpha wins"
    )
    assert "made-up, 2 datasets, 2 of 2 methods ranked" in box.get_text()
    assert box.find(class_="certainty").get_text() == "98 % <b>."
    assert [li.get_text() for li in box.ol.find_all("li")][0] == "alpha 2.000"
    assert box.img["alt"] == 'A "figure" & more' and box.img["src"].startswith("data:image/png")
    open_lines = box.find("ul", recursive=False).find_all("li")
    assert [li.get_text() for li in open_lines] == LINES[:5]
    assert box.details.summary.get_text() == "2 more" and "Line 7 <b>." in box.details.get_text()
    state = box.find(class_="state").get_text()
    assert "1 of 1 checks passed; 9 runs read = 8 scored + 1 excluded; rules judging-2022" in state
    assert [a["href"] for a in box.find(class_="next").find_all("a")] == ["sure.html"]


def test_downloads_are_inside_the_page_neutralised_or_beside_it(rendered):
    block = rendered.soup.find(id="table-t")
    link = block.find("a", download="t.csv")
    table = base64.b64decode(link["href"].split(",")[1]).decode()
    assert table.splitlines()[1] == "'=x1^2,0.5" and link["aria-label"] == "CSV: A <b>table</b>"
    assert block.find("a", href="#table-t").get_text() == "It <t>"
    figure = rendered.soup.find(id="figure-f")
    assert not rendered.soup.find(id="figure-strip"), "it stands on the first screen"
    assert [a["href"] for a in figure.find_all("a")] == ["r/figures/strip.pdf"]
    links = [a["href"] for a in rendered.soup.select("#provenance a")]
    assert links == ["r/notebook.ipynb", "r/tables/latex.zip"]
    with zipfile.ZipFile(rendered.out / links[1]) as archive:
        assert archive.namelist() == ["t.tex"] and b"toprule" in archive.read("t.tex")
    source = json.loads((rendered.out / links[0]).read_text())
    assert [c["outputs"] for c in source["cells"] if c["cell_type"] == "code"] == 3 * [[]]


def test_the_same_notebook_gives_the_same_page(rendered):
    folder = rendered.out / "r"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    write_report(rendered.job, rendered.notebook, "")
    assert (rendered.out / "r.html").read_text() == rendered.text
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_failure_is_the_first_thing_on_the_page(rendered, tmp_path):
    write_report(small_job(tmp_path, "p/r"), rendered.notebook, "Cell 1 raised <b>")
    soup = BeautifulSoup((tmp_path / "new" / "p" / "r.html").read_text(), "html.parser")
    box = soup.find("h1").find_next_sibling()
    assert "bad" in box["class"] and box["role"] == "alert"
    assert "This report failed" in box.get_text() and "raised <b>" in box.get_text()
    assert not soup.find("section", class_="good")
    assert soup.title.get_text().startswith("FAILED") and soup.nav.a["href"] == "../index.html"


def test_the_index_has_the_first_screen_and_every_page_with_its_sentence(rendered):
    def report(name, stem="x", theme="", method=""):
        notebook = SimpleNamespace(stem=stem)
        return SimpleNamespace(name=name, notebook=notebook, theme=theme, method=method)

    out = rendered.out
    failed = rendered.handed | {"failure": "Broke <b>.", "verdict": "Failed. Broke <b>."}
    for name, handed in (("bad", failed), ("p/one", rendered.handed), ("old", rendered.handed)):
        (out / name).parent.mkdir(exist_ok=True)
        (out / f"{name}.report.json").write_text(json.dumps(handed))
        (out / f"{name}.html").write_text("")
    reports = (report("old"), report("r", "synthetic"), report("bad", theme="<b>Others"), report("none"),
               report("p/one", method="<one>"))  # fmt: skip
    about = {"description": "Words & more", "contact": "me"}
    origins = {one.name: rendered.job.origin for one in reports} | {"old": Provenance([], "new")}
    write_index(SimpleNamespace(title="T <b>", reports=reports, about=about), out, origins)
    soup = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    assert soup.title.get_text() == "FAILED: T <b>" and "5 reports, 1 failed" in soup.get_text()
    assert soup.find("p", class_="headline").get_text() == rendered.handed["verdict"]
    assert soup.find("section").img["src"].startswith("data:") and "Contact: me" in soup.get_text()
    items = soup.select("ul.pages li")
    assert [h2.get_text() for h2 in soup.find_all("h2")] == [
        "Pages",
        "<b>Others",
        "The rules judging-2022",
    ]
    assert [li["class"][0] for li in items] == ["waiting", "good", "waiting", "bad"]
    bad = soup.find("li", class_="bad").get_text()
    assert "✗ Failed. Broke <b>." in bad and "Outdated" in items[0].get_text()
    assert [a["href"] for a in soup.find(class_="see").find_all("a")] == ["p/one.html"]
    rule = rendered.soup.find("p", class_="state").a["href"].partition("#")[2]
    assert "dense" in soup.find(id=rule).get_text() and soup.find(id=rule).find_parent("details")
    assert not soup.find_all(["script", "link", "iframe"])
