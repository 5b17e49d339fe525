"""Generated pages are what srlib says today: switches, keys of users' files, and the files of a rendered suite."""

import runpy
from pathlib import Path

import pytest

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
