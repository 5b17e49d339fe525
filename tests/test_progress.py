"""Progress: a line that changes on a terminal and goes away, sentences for a listener, nothing in a log."""

import io
from concurrent.futures import Future

import pytest

from srlib import progress

LINES = ["letters: 1 of 3, about 0:00:20 left", "letters: 2 of 3, about 0:00:10 left"]


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that goes on by ten seconds whenever it is looked at."""
    seconds = iter(range(0, 100_000, 10))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(seconds)))


def test_a_terminal_has_one_line_that_goes_away(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
    assert screen.getvalue() == "".join(f"\r{text}\x1b[K" for text in [*LINES, ""])


def test_the_line_is_gone_while_a_caller_prints(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    futures = [Future() for _ in range(3)]
    for future in futures:
        future.set_result(None)
    for _ in progress.completed(futures, "letters"):
        assert screen.getvalue().endswith("\r\x1b[K")


def test_a_listener_gets_the_sentences(monkeypatch):
    screen, sentences = Screen(), []
    monkeypatch.setattr("sys.stderr", screen)
    token = progress.LISTENER.set(sentences.append)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
    progress.LISTENER.reset(token)
    assert (sentences, screen.getvalue()) == (LINES, "")


@pytest.mark.parametrize("stderr", [None, io.StringIO()])
def test_a_log_stays_empty_and_a_closed_stderr_is_no_error(stderr, monkeypatch):
    monkeypatch.setattr("sys.stderr", stderr)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
    assert stderr is None or stderr.getvalue() == ""
