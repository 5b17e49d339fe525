"""Parts that all pages share, index.html (the winner, and all pages with their answers), and pages of results."""

import base64
import hashlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from srlib.displays.tables.table import Table, html_table, neutralise
from srlib.errors import advise_installation
from srlib.files import write_atomically
from srlib.folders import read_json
from srlib.prose import html_text
from srlib.rendering.provenance import Provenance
from srlib.rendering.suite import Suite
from srlib.result import Result, first_rows

LARGEST_INLINE_CSV = 100_000  # bytes of a CSV file; larger files are not embedded in the page
MOST_ROWS = 600  # of a table on a result's page
TEMPLATE = Path(__file__).resolve().parent / "template"


def read_template(name: str) -> str:
    """Return the text of a file of the template."""
    return (TEMPLATE / name).read_text(encoding="utf-8")


def fill_page(
    title: str,
    heading: str,
    template: str = "frame.html.j2",
    folder: Path = TEMPLATE,
    script: str = "",
    notebook: Any = None,
    names: Mapping[str, str] = {},
    **resources: Any,
) -> str:
    """Return a whole HTML page whose policy allows no request and no other script than `script`.

    Parameters
    ----------
    title, heading : str
        Title of the window and heading of the page; plain text.
    template : str
        File name of the template, which has the filters `text` (`html_text`), `address` (`file_address`), and `name`.
        frame.html.j2 takes `main`, HTML with everything escaped.
    folder : Path
        Folder of the files to which the page refers.
    script : str
        JavaScript of the page; empty for none.
    notebook : NotebookNode, optional
        Notebook that nbconvert converts to the page; other pages do not import nbconvert, which takes a second.
    names : mapping of str to str
        How names are printed, for the filter `name`.
    resources
        Further variables of the template.

    Examples
    --------
    >>> page = fill_page("A", "A & B", main="<p>Text.</p>")
    >>> "<h1>A &amp; B</h1>" in page
    True
    >>> "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in page
    True
    """
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    css = read_template("report.css")
    resources |= dict(title=title, heading=heading, policy=policy, script=script, css=css)
    filters: Any = {"text": html_text, "address": partial(file_address, folder=folder)}
    filters["name"] = lambda name: html_text(names.get(name, name))
    if notebook is None:
        environment = Environment(loader=FileSystemLoader(TEMPLATE), autoescape=False)
        environment.filters |= filters
        return environment.get_template(template).render(resources=resources)
    from nbconvert.exporters import HTMLExporter, TemplateExporter

    exporter = HTMLExporter(
        template_name=TEMPLATE.name,
        template_file=template,
        extra_template_basedirs=[str(TEMPLATE.parent)],
        filters=filters,
    )
    # HTMLExporter's own method parses and rewrites the finished page
    return TemplateExporter.from_notebook_node(exporter, notebook, resources)[0]


def file_address(file: str, folder: Path) -> str:
    """Return the address of a file for a page; PNG pictures and small CSV files are embedded as data URLs.

    Parameters
    ----------
    file : str
        Path relative to the folder; the address is empty if the file does not exist or is outside the folder.
    folder : Path
        Folder of the report, beside its page.
    """
    path = folder / file
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        return ""
    if path.suffix == ".png":
        return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    if path.suffix == ".csv" and path.stat().st_size < LARGEST_INLINE_CSV:
        data = neutralise(path.read_bytes().decode()).encode()
        return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(data).decode()}"
    return f"{folder.name}/{file}"


def read_report(out: Path, name: str, origin: Provenance) -> dict[str, Any]:
    """Return the content of NAME.report.json with the `state` good, failed or outdated; empty without a report."""
    content = read_json(out / f"{name}.report.json")
    if content.get("schema") != 1 or not (out / f"{name}.html").is_file():
        return {}
    state = "outdated"
    if content["failure"]:
        state = "failed"
    elif content["fingerprint"] == origin.fingerprint:
        state = "good"
    return content | {"state": state}


def write_index(suite: Suite, out: Path, origins: Mapping[str, Provenance]) -> None:
    """Write OUT/index.html: the first screen of the report with the winner, then all pages; nothing if there are none.

    Parameters
    ----------
    suite : Suite
        The suite, whose reports the index lists.
    out : Path
        Folder of the rendered reports.
    origins : mapping of str to Provenance
        Current provenance of each report; a report that was rendered from another one is outdated.
    """
    facts = {
        report.name: read_report(out, report.name, origins[report.name]) for report in suite.reports
    }
    if not any(facts.values()):  # with an index but no report, the next command would refuse OUT
        return
    pages = [report for report in suite.reports if facts[report.name] and not report.method]
    pages.sort(key=lambda report: report.notebook.stem != "synthetic")
    ranked_names = (
        report.name
        for report in pages
        if facts[report.name]["ranking"] and not facts[report.name]["failure"]
    )
    first_name = next(ranked_names, "")
    failed = "FAILED: " if any(content.get("failure") for content in facts.values()) else ""
    page = fill_page(
        f"{failed}{suite.title}",
        suite.title,
        "index.html.j2",
        out / first_name,
        suite=suite,
        facts=facts,
        links={report.notebook.stem: f"{report.name}.html" for report in pages},
        answer=facts.get(first_name, {}),
        names=suite.looks.get("names", {}),
    )
    write_atomically(out / "index.html", page)


@advise_installation()
def to_html(result: Result, path: str | Path | None = None) -> str:
    """Return a result as one HTML page, which loads nothing from other files or servers.

    Parameters
    ----------
    result : Result
        A result, such as a judgement.
    path : str or Path, optional
        File to which the page is written, too.

    Examples
    --------
    >>> import srlib
    >>> "<h1>Model</h1>" in srlib.to_html(srlib.parse("2*x"))
    True
    """
    from srlib.displays.drawing import display_of  # loads matplotlib

    display = display_of(result)
    parts = [f"<p>{html_text(sentence)}</p>" for sentence in result.sentences]
    parts += [] if display is None else [f"<p>{display.to_image()}</p>"]
    for caption, table in result.tables.items():
        rows, title = first_rows(table, caption, MOST_ROWS)
        equations = [name for name in result.equations if name in table]
        parts.append(html_table(Table(rows, equations=equations), title))
    page = fill_page(result.title, result.title, main="\n".join(parts))
    if path is not None:
        write_atomically(path, page)
    return page
