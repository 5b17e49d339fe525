"""Every relative link of the manual leads to a file, and to a heading where it names one; tests that it names exist."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted(CHECKOUT.glob("*.md")), *sorted((CHECKOUT / "docs").rglob("*.md"))]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(path):
    """The text of a page without its code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    return re.sub(r"(?:^    .*\n)+|`[^`\n]+`", "", text, flags=re.M)


def anchors(path):
    """Names of the headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@each_page
def test_link_leads_to_a_file_and_its_heading(page):
    for link in LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", link):
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            assert target.exists() and (not anchor or anchor in anchors(target)), link


@each_page
def test_tests_that_a_page_names_exist(page):
    names = re.findall(r"[\w/]*test_\w+\.py", page.read_text())
    folders = (CHECKOUT, CHECKOUT / "tests")
    assert [name for name in names if not any((f / name).is_file() for f in folders)] == []
