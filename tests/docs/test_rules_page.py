"""docs/rules.md is what the switches say today, and docs/files.md what the files of users may hold."""

import runpy
from pathlib import Path

import pytest

from srlib.rules import load_rules

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


@pytest.mark.parametrize("name", ["rules", "files"])
def test_the_page_is_current(name):
    """Otherwise: run `make docs`, and commit the page."""
    page = runpy.run_path(str(DOCS / f"{name}_page.py"))["page"]()
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("name", ["judging-2022", "competition-2022"])
def test_every_switch_has_its_sentence_and_its_user(name):
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    for row in load_rules(name).switches():
        parts = row["switch"].split(".")
        path = row["switch"] if parts[0] != "aspects" else f"aspects.NAME.{parts[2]}"
        section = page.partition(f"\n### `{path}`\n")[2].partition("\n### ")[0]
        assert f"`{name}`" in section, path
        if parts[0] != "aspects":
            assert row["says"].replace("*", "\\*") in section, path
