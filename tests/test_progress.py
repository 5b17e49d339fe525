"""Progress: a bar on a terminal that goes away, nothing in a log."""

import io

import pytest

from srlib import progress


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "DELAY_S", 0.0)
    monkeypatch.setattr(progress, "INTERVAL_S", 0.0)


def test_a_terminal_has_one_line_that_goes_away(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
    written = screen.getvalue()
    assert "letters:  67%" in written and "2/3" in written and "\n" not in written
    assert written.rpartition("\r")[0].rpartition("\r")[2].strip() == ""


@pytest.mark.parametrize("stderr", [None, io.StringIO()])
def test_a_log_stays_empty_and_a_closed_stderr_is_no_error(stderr, monkeypatch):
    monkeypatch.setattr("sys.stderr", stderr)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
    assert stderr is None or stderr.getvalue() == ""
