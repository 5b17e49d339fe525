"""Links of the manual lead to files and headings; names in backticks of pages for maintainers exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from srlib.cli.main import main

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


FOLDERS = (CHECKOUT, CHECKOUT / "srlib")
MAINTAINED = ["CONTRIBUTING.md", "ARCHITECTURE.md"]
SOURCES = [*(CHECKOUT / "srlib").rglob("*.py"), *(CHECKOUT / "tests").rglob("*.py")]


def names_in(page):
    text = (CHECKOUT / page).read_text()
    return sorted({" ".join(name.split()) for name in re.findall(r"`([^`]+)`", text)})


@cache
def words():
    """All names and words of srlib and its tests."""
    return set(re.findall(r"\w+", " ".join(path.read_text() for path in SOURCES)))


def exists(name):
    if name.startswith("make "):
        return re.search(rf"(?m)^{name.split()[1]}:", (CHECKOUT / "Makefile").read_text())
    if name.startswith("srlib "):
        return main([*name.split()[1:], "--help"]) == 0
    if name.startswith("--"):  # commands name options after their parameters
        name = name.strip("-").replace("-", "_")
    if "/" in name or re.search(r"\.(py|md|toml|lock|yaml|ipynb)$", name):
        return any((folder / name).exists() for folder in FOLDERS)
    return set(re.findall(r"\w+", name)) <= words()


@pytest.mark.parametrize("page", MAINTAINED)
def test_name_on_a_page_exists(page, capsys):
    names = names_in(page)
    assert len(names) > 40
    assert [name for name in names if not exists(name)] == []
