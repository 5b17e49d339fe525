"""Generated pages are what srlib says today: switches, keys of users' files, and the files of a rendered suite."""

import runpy
from pathlib import Path

import pytest

from srlib.rules import load_rules

CHECKOUT = Path(__file__).resolve().parents[2]
FUNCTIONS = {  # of the scripts in docs/, by page
    "docs/rules.md": ("rules_page.py", "page"),
    "docs/files.md": ("files_page.py", "page"),
    "reports/README.md": ("files_page.py", "reports_page"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_generated_page_is_current(name):
    """Otherwise: run `make docs`, and commit the page."""
    script, function = FUNCTIONS[name]
    page = runpy.run_path(str(CHECKOUT / "docs" / script))[function]()
    assert (CHECKOUT / name).read_text() == page


@pytest.mark.parametrize("name", ["judging-2022", "competition-2022"])
def test_page_of_rules_has_sentence_and_user_of_every_switch(name):
    page = (CHECKOUT / "docs/rules.md").read_text()
    for row in load_rules(name).switches():
        parts = row["switch"].split(".")
        path = row["switch"] if parts[0] != "aspects" else f"aspects.NAME.{parts[2]}"
        section = page.partition(f"\n### `{path}`\n")[2].partition("\n### ")[0]
        assert f"`{name}`" in section, path
        if parts[0] != "aspects":
            assert row["says"].replace("*", "\\*") in section, path
