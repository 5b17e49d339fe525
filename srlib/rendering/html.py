"""From an executed notebook to one HTML page that asks the net for nothing and needs no script to be read."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets.config import Config

from srlib.displays.bundles import FIGURE, PEOPLE, REPORT, TABLE
from srlib.displays.frame import scrolling
from srlib.displays.participants.beside import linked
from srlib.displays.tables.table import opened
from srlib.rendering.figures import downloads, figure_html
from srlib.rendering.handover import ANSI, Failure, bundles, title_of
from srlib.rendering.numbers import heads_of, numbers_html
from srlib.rendering.page import FACE, finished, hashed, podium_html, style_sheet
from srlib.rendering.participants import people_html

HERE = Path(__file__).resolve().parent
KEPT = 2  # lines below the answer that are not folded
HEADING = re.compile(r'<h2 id="([^"]*)">(.*?)</h2>', re.DOTALL)


def page(
    notebook: Any,
    handed: dict[str, Any],
    failure: Failure | None,
    output: Path,
    suite_title: str,
    about: dict[str, Any] | None = None,
    title: str | None = None,
    links: dict[str, str] | None = None,
    others: Sequence[str] = (),
) -> str:
    """Write the page of a report.

    Parameters
    ----------
    notebook : NotebookNode
        Executed; its first heading is taken out, and cells that show nothing are joined with the next.
    handed : dict
        What stands in NAME.report.json.
    failure : Failure or None
        Shown first, in red, when there is one.
    output : Path
        Where the notebook wrote its figures and tables, for the downloads.
    suite_title : str
        Of the suite that the report belongs to.
    about : dict, optional
        What `srlib.rendering.provenance.about` gave; plain text.
    title : str, optional
        Heading of the page, instead of the notebook's first one.
    links : dict of str to str, optional
        Pages of the suite's other reports, by the name of their notebook.
    others : sequence of str
        Names of the suite's other reports, whose pages lie beside this one.
    """
    _join_silent_cells(notebook)
    heading = title or title_of(notebook, handed["title"])
    _take_out_heading(notebook)
    config = Config()
    config.HTMLExporter.exclude_anchor_links = True
    exporter = HTMLExporter(
        config=config, template_name="template", extra_template_basedirs=[str(HERE)]
    )
    people = {place["method"]: place["file"] for place in handed.get("participants", [])}
    tables = {name for bundle in bundles(notebook, PEOPLE) for name in bundle["tables"]}

    def shown(given: Any) -> str:
        text = opened(output_html(given, output, people), people)
        if people and given.get("data", {}).get(TABLE, {}).get("name") in tables:
            return linked(text, people)
        return text

    exporter.register_filter("shown", shown)
    exporter.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3"))
    facts = {"handed": handed, "failure": failure, "heading": heading, "suite_title": suite_title}
    facts["about"], facts["links"], facts["others"] = about or {}, links or {}, others
    said = next(iter(bundles(notebook, REPORT)), {})
    facts["details"] = in_short(said.get("details", ""), len(said.get("story", ())))
    facts["podium"] = ""
    if handed.get("certainty") and len(handed["ranking"]) > 1:
        facts["podium"] = podium_html(handed["ranking"], people, behind=True)
    facts["contents"] = write_prose(notebook)
    facts["css"] = style_sheet()
    facts["face"] = FACE
    first, *later = [
        (HERE / "template" / name).read_text(encoding="utf-8")
        for name in ("first.js", "figures.js", "tables.js")
    ]
    facts["scripts"] = [first, "\n".join(later)]
    facts["script_hashes"] = " ".join(map(hashed, facts["scripts"]))
    facts["parameters"] = {
        key: json.dumps(value, ensure_ascii=False) for key, value in handed["parameters"].items()
    }
    resources = {"srlib": facts, "metadata": {"name": handed["name"]}}
    facts["numbers"] = numbers_html(handed)
    # not that of HTMLExporter itself, which parses the whole page to find images without a description
    written = super(HTMLExporter, exporter).from_notebook_node(notebook, resources)[0]
    return finished(written, heads_of(facts["numbers"]))


def in_short(details: str, lines: int) -> str:
    """Fold all but the first lines of a list; what stands before the list is kept.

    Parameters
    ----------
    details : str
        HTML, of which the last list is of so many lines.
    lines : int
        What the notebook said beside its answer.

    Examples
    --------
    >>> in_short("<ul><li>a</li><li>b</li><li>c</li></ul>", 3)
    '<ul><li>a</li><li>b</li></ul><details><summary>1 more</summary><ul><li>c</li></ul></details>'
    """
    before, found, said = details.rpartition("<ul>")
    if not found or lines <= KEPT:
        return details
    items = said.removesuffix("</ul>").split("<li>")[1:]
    first, rest = ("".join(f"<li>{item}" for item in part) for part in (items[:KEPT], items[KEPT:]))
    more = f"<details><summary>{lines - KEPT} more</summary><ul>{rest}</ul></details>"
    return f"{before}<ul>{first}</ul>{more}"


def write_prose(notebook: Any) -> list[tuple[str, str]]:
    """Give each markdown cell its HTML, as metadata `html`, and list the page's headings with their addresses.

    Where the cell of a second-level heading has the tag `folded`, all up to the next such heading is folded below it.
    """
    contents: list[tuple[str, str]] = []
    end = ""
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        before, *rest = HEADING.split(markdown_html(cell.source))
        html = _prose(before)
        for address, heading, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            contents.append((address, heading))
            html += end
            if "folded" in cell.metadata.get("tags", ()):
                end = "</div></details>"
                html += f'<details class="part"><summary><h2>{heading}</h2></summary><div id="{address}">'
            else:
                end = ""
                html += f'<h2 id="{address}">{heading}</h2>'
            html += _prose(text)
        cell.metadata["html"] = html
    notebook.metadata["end"] = end
    return contents


def _prose(html: str) -> str:
    if html.strip():
        return f'<div class="prose">{html}</div>'
    return ""


def markdown_html(source: str) -> str:
    """Convert markdown to HTML with static mathematics.

    Examples
    --------
    >>> markdown_html("## The **ledger**").strip()
    '<h2 id="the-ledger">The <strong>ledger</strong></h2>'
    """
    renderer = IPythonRenderer(escape=False)
    renderer.inline_math = convert  # type: ignore[method-assign]
    renderer.block_math = lambda body: f'<div class="equation">{convert(body)}</div>'  # type: ignore[method-assign]
    renderer.heading = lambda text, level, **_: f'<h{level} id="{slug(text)}">{text}</h{level}>\n'
    return MarkdownWithMath(renderer=renderer).render(source)


def slug(heading: str) -> str:
    """Name of a heading in addresses.

    Examples
    --------
    >>> slug("Who <em>wins</em>, and why?")
    'who-wins-and-why'
    """
    plain = re.sub(r"<[^>]*>|&\w+;", "", heading).lower()
    return re.sub(r"[^\w]+", "-", plain).strip("-") or "section"


def _take_out_heading(notebook: Any) -> None:
    """Remove the first first-level heading: the page's head shows it."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.search(r"^# ", cell.source, re.MULTILINE):
            cell.source = re.sub(
                r"^# .*$\n?", "", cell.source, count=1, flags=re.MULTILINE
            ).lstrip()
            return


def _join_silent_cells(notebook: Any) -> None:
    """Put the code of cells that show nothing on top of the next code cell, so that it folds away as one."""
    joined: list[Any] = []
    for cell in notebook.cells:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.cell_type == cell.cell_type == "code"
            and not before.outputs
        ):
            cell.source = f"{before.source}\n\n{cell.source}"
            joined.pop()
        joined.append(cell)
    notebook.cells = joined


def output_html(output: Any, folder: Path, people: Mapping[str, str] | None = None) -> str:
    """Write one output: figures and tables by their bundles, all else as plainly as it comes.

    Parameters
    ----------
    output : NotebookNode
        Of an executed cell.
    folder : Path
        Where the notebook wrote its files, for the downloads.
    people : mapping of str to str, optional
        Addresses of the pages of participants, by method.
    """
    if output.output_type == "stream":
        said = ANSI.sub("", output.text)
        text = f'<pre class="stream" tabindex="0">{escape(said)}</pre>'
        if output.name == "stdout":
            return text
        return _folded_code("Messages", text) if said.strip() else ""
    if output.output_type == "error":
        error = ANSI.sub("", f"{output.ename}: {output.evalue}")
        return f'<pre class="stream bad" tabindex="0">{escape(error)}</pre>'
    data = output.get("data", {})
    if REPORT in data:
        return ""  # the page's head shows the verdict
    if PEOPLE in data:
        return people_html(people or {})
    if FIGURE in data:
        return figure_html(
            data[FIGURE], data.get("image/png", ""), output.get("metadata", {}), folder
        )
    if TABLE in data:
        return table_html(data[TABLE], data.get("text/html", ""), folder)
    if "text/html" in data:
        return data["text/html"]
    if "text/markdown" in data:
        return _prose(markdown_html(data["text/markdown"]))
    if "image/png" in data:
        alt = output.get("metadata", {}).get("image/png", {}).get("alt") or data.get(
            "text/plain", "A picture"
        )
        source = f"data:image/png;base64,{''.join(data['image/png'].split())}"
        return f'<figure><img loading="lazy" src="{source}" alt="{escape(alt)}"></figure>'
    return f'<pre class="stream" tabindex="0">{escape(data.get("text/plain", ""))}</pre>'


def _folded_code(summary: str, content: str) -> str:
    return f'<details class="code"><summary>{summary}</summary>{content}</details>'


def table_html(bundle: dict[str, Any], table: str, folder: Path) -> str:
    """Write a table that scrolls by itself, with its downloads; folded where the notebook asked for it."""
    name, caption = escape(bundle["name"]), escape(bundle["caption"])
    table = table[max(table.find("<table"), 0) : table.rfind("</table>") + len("</table>")]
    body = scrolling(table, bundle["caption"])
    more = [
        f'<a href="#table-{escape(to)}">{escape(text)}</a>' for text, to in bundle.get("see", [])
    ]
    body += downloads(bundle, folder)
    body += f'<p class="see">{" · ".join(more)}</p>' if more else ""
    body = f'<div class="block" id="table-{name}">{body}</div>'  # inside: a link to it unfolds it
    if bundle.get("folded"):
        return f'<details class="folded"><summary>{caption}</summary>{body}</details>'
    return body
