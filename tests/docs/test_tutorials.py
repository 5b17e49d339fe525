"""The tutorials show what the commands print (`python -m tests.docs.replay PAGE` writes it anew)."""

from pathlib import Path

import pytest

from tests.docs.replay import alike, replayed

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parent.parent.parent
TUTORIALS = CHECKOUT / "docs" / "tutorials"


@pytest.mark.parametrize("name", sorted(path.name for path in TUTORIALS.glob("*.md")))
def test_a_tutorial_shows_what_is_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (TUTORIALS / name).read_text(encoding="utf-8")
    assert replayed(page) == page


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("one\ntwo\nthree\n", True),
        ("one\nt[...]\nthree\n", True),
        ("[...]\nthree\n", True),
        ("one\n[...]\n", True),
        ("one\n", False),
        ("one\nT[...]\nthree\n", False),
    ],
)
def test_what_a_page_leaves_out(shown, same):
    assert alike(shown, "one\ntwo\nthree\n") is same


def test_a_wrong_line_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = "```console\n$ srlib --version\nsrlib 0.0.0\n```"
    assert replayed(wrong) != wrong
