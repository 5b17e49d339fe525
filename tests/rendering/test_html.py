"""A page made of a small notebook: what it must hold, whatever stands in the notebook."""

import base64
import hashlib
import json
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from srlib.displays import Page, Table
from srlib.rendering.page import write_index
from srlib.rendering.provenance import Provenance
from srlib.rendering.report_page import write_report
from srlib.rendering.suite import Report, Suite
from srlib.rules import load_rules
from tests.builders import made_up_judgement, small_job
from tests.displays.conftest import keep_outputs

HEAD = "# Title\n\nWords and $x_1$.\n\n## Part *one*\n\n### Small"
LINES = [f"Line {i} <b>." for i in range(1, 8)]
FIRST_SCREEN = """made-up, 2 datasets, 2 of 2 methods ranked
alpha wins with a final score of 2.000 over 2 datasets (made-up); <script>alert(1)</script> $beta$ & =cmd() follows
with 1.100. alpha 2.000 <script>alert(1)</script> $beta$ & =cmd() 1.100 98 % <b>.
Line 1 <b>. Line 2 <b>. 5 more Line 3 <b>. Line 4 <b>. Line 5 <b>. Line 6 <b>. Line 7 <b>.
✓ 1 of 1 checks passed; 9 runs read = 8 scored + 1 excluded; rules judging-2022"""
REPORT = f"""Who wins? {FIRST_SCREEN} How sure is it? PDF
Words and x 1 . Part one Small a Text a. Last a b Text b. Last b
A <b>table</b> A <b>table</b> model score =x1^2 0.500 no model \\u202e −1.000 CSV LaTeX It <t> C PDF
<script>alert(1)</script> \u2068\u05d0\u2069 red checks passed: 1 of 1
Where the numbers come from The same files, versions and parameters give the same page, byte for byte.
Notebook with all code and checks"""
RULES = f"rules-{load_rules('judging-2022').digest[:8]}"
LINKS = f"""#main index.html #part-one #a #last-a #b #last-b #provenance index.html#{RULES}
sure.html r/figures/strip.pdf r/tables/t.tex #table-t r/figures/strip.pdf r/notebook.ipynb"""
INDEX = f"""T <b> 5 reports, 1 failed: do not use their numbers. Words & more Contact: me {FIRST_SCREEN} PDF
A page for each participant: The <first> Pages
Who wins? VERDICT ↻ Outdated: an input, the notebook, the suite or srlib has changed since; render it again
Who wins? ✓ 1 of 1 checks passed
none: not rendered yet
<b>Others Who wins? ✗ Failed. Broke <b>. The rules judging-2022"""


def in_words(tag):
    return " ".join(tag.get_text(" ").split())


def parse(path):
    return BeautifulSoup(path.read_text(), "html.parser")


def figure_output(name):
    """The output of a figure, whose files name one outside the folder."""
    files = ["figures/strip.pdf", "../secret.csv"]
    note = {"kind": "figure", "name": name, "caption": "C", "width": 9, "files": files}
    data = {"image/png": base64.b64encode(b"\x89PNG").decode(), "text/plain": "f"}
    alt = {"alt": 'A "figure" & more'}
    return new_output("display_data", data, metadata={"srlib": note | alt})


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Notebook, report.json and page."""
    links = {"robustness": "sure.html", "synthetic": "r.html"}
    job = small_job(tmp_path_factory.mktemp("job"), title="The suite", **links)
    out = job.folder / "new"
    (job.output / "figures").mkdir(parents=True)
    for name in ("strip.png", "strip-column.png", "strip.pdf"):
        (job.output / "figures" / name).write_bytes(b"\x89PNG")
    (out / "secret.csv").write_text("no")
    with pytest.MonkeyPatch.context() as monkeypatch:
        outputs = keep_outputs(monkeypatch)
        page = Page({"output_dir": str(job.output)})
        page.answer(made_up_judgement(), "Who wins?", details=LINES, certainty="98 % <b>.")
        models = pd.DataFrame({"model": ["=x1^2", "no model \u202e"], "score": [0.5, -1.0]})
        models = Table(models, equations=["model"])
        page.table(models, "t", "A <b>table</b>", folded=True, see={"It <t>": "t"})
    text = "<script>alert(1)</script> \u05d0 \x1b[31mred\x1b[0m\nchecks passed: 1 of 1\n"
    outputs += [figure_output("strip"), figure_output("f")]
    outputs.append(new_output("stream", name="stdout", text=text))
    folded, unfolded = (f"## {name}\n\nText {name}.\n\n## Last {name}" for name in "ab")
    cells = [
        new_markdown_cell(HEAD),
        new_code_cell("silent = 1", execution_count=1),
        new_markdown_cell(folded, metadata={"tags": ["folded"]}),
        new_markdown_cell(unfolded),
        new_code_cell("show()", outputs=outputs, execution_count=2),
    ]
    notebook = new_notebook(cells=cells)
    nbformat.write(notebook, job.report.notebook)
    handed = write_report(job, notebook, "")
    text = (out / "r.html").read_text()
    soup = BeautifulSoup(text, "html.parser")
    return SimpleNamespace(out=out, job=job, notebook=notebook, handed=handed, text=text, soup=soup)


def test_page_asks_the_net_for_nothing_and_runs_its_own_script_alone(rendered):
    soup = rendered.soup
    assert not soup.find_all(["link", "iframe", "object"]) and "url(" not in rendered.text
    [script] = soup.find_all("script")
    digest = base64.b64encode(hashlib.sha256(script.string.encode()).digest()).decode()
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert policy == (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'"
    )
    assert not script.attrs and all(img["src"].startswith("data:") for img in soup.find_all("img"))


def test_page_has_its_words_in_order_and_escaped(rendered):
    """All text is escaped, what nobody sees is written out or isolated, and of long lists five lines are open."""
    soup = rendered.soup
    assert in_words(soup.main).partition(" Rules: ")[0] == REPORT.replace("\n", " ")
    assert "runs: <r>.csv abab" in in_words(soup.find(id="provenance"))
    assert not re.search("[\x00-\x08\x1b\u200e\u200f\u202a-\u202e\u2066-\u2069]", rendered.text)
    assert in_words(soup.title) == "Who wins? – The suite" and in_words(soup.h1) == "Who wins?"
    assert soup.section.img["alt"] == 'A "figure" & more' and rendered.handed["facts"]
    assert not soup.find(id="figure-strip"), "it stands on the first screen"


def test_links_lead_to_parts_of_the_page_or_to_files_of_the_report(rendered):
    links = [a["href"] for a in rendered.soup.find_all("a")]
    [table] = [link for link in links if link.startswith("data:")]
    assert [link for link in links if link != table] == LINKS.split()
    assert all(rendered.soup.find(id=link[1:]) for link in links if link.startswith("#"))
    cells = base64.b64decode(table.split(",")[1]).decode().splitlines()
    assert cells[1] == "'=x1^2,0.5", "a formula is no formula in a download"
    source = nbformat.read(rendered.out / "r/notebook.ipynb", as_version=4)
    assert [c.outputs for c in source.cells if c.cell_type == "code"] == 3 * [[]]


def test_parts_are_folded_up_to_the_next_heading_and_links_unfold_what_they_lead_to(rendered):
    parts = rendered.soup.select("details.part")
    assert [*map(in_words, parts[:2])] == ["a Text a.", "Last a"] and len(parts) == 3
    for address in ("a", "last-a", "table-t", "provenance"):
        assert rendered.soup.find(id=address).find_parent("details")


def test_failure_is_the_first_thing_on_the_page(rendered, tmp_path):
    write_report(small_job(tmp_path, "p/r"), rendered.notebook, "Cell 1 raised <b>")
    soup = parse(tmp_path / "new/p/r.html")
    box = soup.h1.find_next_sibling()
    assert "bad" in box["class"] and not soup.find("section", class_="good")
    assert in_words(box).endswith("Do not use any number on this page. Cell 1 raised <b>")
    assert (
        in_words(soup.title) == "FAILED: Who wins? – Small"
        and soup.nav.a["href"] == "../index.html"
    )


def test_index_has_the_first_screen_and_every_page_with_its_sentence_once(rendered):
    out, handed = rendered.out, rendered.handed
    failed = handed | {"failure": "Broke <b>.", "verdict": "Failed. Broke <b>."}
    (out / "p").mkdir()
    for name, facts in {"bad": failed, "p/one": handed, "old": handed}.items():
        (out / f"{name}.report.json").write_text(json.dumps(facts))
        (out / f"{name}.html").write_text("")
    more = {"bad": {"theme": "<b>Others"}, "p/one": {"method": "<one>"}}
    reports = [
        Report(
            name,
            Path("synthetic.ipynb" if name == "r" else "x.ipynb"),
            {},
            out,
            **more.get(name, {}),
        )
        for name in ("old", "r", "bad", "none", "p/one")
    ]
    origins = {report.name: rendered.job.origin for report in reports}
    about = {"description": "Words & more", "contact": "me"}
    names = {"one": "<one>", "<one>": "The <first>"}
    suite = Suite("s", "T <b>", out, tuple(reports), about, looks={"names": names})
    write_index(suite, out, origins | {"old": Provenance([], "new")})
    soup = parse(out / "index.html")
    text = INDEX.replace("\n", " ").replace("VERDICT", handed["verdict"])
    assert in_words(soup.main).startswith(text) and in_words(soup.title) == "FAILED: T <b>"
    states = [*sum((item["class"] for item in soup.select("ul.pages li")), [])]
    assert states == ["waiting", "good", "waiting", "bad"]
    links = [a["href"] for a in soup.main.find_all("a")]
    pages = ["p/one.html", "old.html", "r.html", "bad.html"]
    assert links == [f"index.html#{RULES}", "r/figures/strip.pdf", *pages]
    assert "dense" in in_words(soup.find(id=RULES)) and soup.find(id=RULES).find_parent("details")
    assert soup.section.img["src"].startswith("data:") and not soup.find_all(["script", "link"])
