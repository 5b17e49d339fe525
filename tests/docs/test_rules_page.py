"""docs/rules.md is what the switches say today."""

import runpy
from pathlib import Path

import pytest

from srlib.rules import load_rules

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
MAKER = runpy.run_path(str(DOCS / "rules_page.py"))


def test_the_page_is_current():
    """Otherwise: run `make docs`, and commit docs/rules.md."""
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == MAKER["page"]()


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
