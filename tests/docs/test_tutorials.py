"""The tutorials show what the commands print (`python -m tests.docs.replay PAGE` writes it anew)."""

from pathlib import Path

import pytest

from tests.docs.replay import replayed

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parent.parent.parent
TUTORIALS = CHECKOUT / "docs" / "tutorials"


@pytest.mark.parametrize("name", sorted(path.name for path in TUTORIALS.glob("*.md")))
def test_a_tutorial_shows_what_is_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (TUTORIALS / name).read_text(encoding="utf-8")
    assert replayed(page) == page
