"""Every relative link of the manual leads to a file, and to a heading where it names one."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted(CHECKOUT.glob("*.md")), *sorted((CHECKOUT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(path):
    """The text of a page without its code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"(?:^    .*\n)+|`[^`\n]+`", "", text, flags=re.M)


def anchors(path):
    """Names of the headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def broken(page):
    found = []
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_lead_somewhere(page):
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "b.md").write_text("# One `key`\n")
    page = tmp_path / "a.md"
    page.write_text(
        "# A\n[1](b.md#one-key) [2](b.md#two) [3](c.md) [4](#a) [5](#b) [6](http://x)\n"
    )
    assert broken(page) == ["b.md#two", "c.md", "#b"]


def test_every_page_stands_in_a_table_of_contents():
    docs = CHECKOUT / "docs"
    named = set()
    for page in docs.rglob("*.md"):
        for tree in re.findall(r"^```{toctree}\n(.*?)^```", page.read_text(), flags=re.M | re.S):
            lines = [line for line in tree.splitlines() if line and not line.startswith(":")]
            named |= {str((page.parent / line).relative_to(docs)) for line in lines}
    pages = {str(page.relative_to(docs).with_suffix("")) for page in docs.rglob("*.md")}
    assert pages - named == {"index"}
