"""Progress: a line that changes on a terminal, lines now and then in a log."""

import io
from concurrent.futures import Future
from threading import Timer

import pandas as pd
import pytest

from srlib import progress
from srlib.assessing import assess
from srlib.problems import load_problems
from srlib.rules import load_rules


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture()
def clock(monkeypatch):
    """A clock that goes on by ten seconds whenever it is looked at."""
    seconds = iter(range(0, 100_000, 10))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(seconds)))


def test_a_log_has_a_line_a_minute_with_an_estimate_and_what_failed(clock, capsys):
    step = progress.ticker(1200, "runs assessed")
    for number in range(1, 1201):
        step("simplify: timeout" if number % 10 == 0 else "unparsed" if number % 50 == 1 else "")
    lines = capsys.readouterr().err.splitlines()
    assert 1200 * 10 / 80 < len(lines) <= 1200 * 10 / 60
    assert lines[0] == "runs assessed: 7 of 1,200, about 3 h 18 min left; failed so far: 1 unparsed"
    assert lines[-1].startswith("runs assessed: 1,19")
    assert "failed so far: 119 simplify: timeout, 24 unparsed" in lines[-1]
    assert not any("\r" in line or "\x1b" in line for line in lines)


def test_a_terminal_has_one_line_that_goes_away(clock, monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
    *lines, last = screen.getvalue().split("\r")
    assert lines == [
        "",
        "letters: 1 of 3, about 20 s left\x1b[K",
        "letters: 2 of 3, about 10 s left\x1b[K",
    ]
    assert last == "\x1b[K"


def test_what_is_short_says_nothing_in_a_log(capsys):
    assert list(progress.progress("ab", 2, "letters")) == ["a", "b"]
    assert capsys.readouterr().err == ""


def test_a_log_says_that_long_items_are_still_waited_for(monkeypatch, capsys):
    monkeypatch.setattr(progress, "LOGGED_S", 0.05)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    late: Future[int] = Future()
    Timer(0.3, late.set_result, [1]).start()
    assert [future.result() for future in progress.completed([late], "reports rendered")] == [1]
    assert capsys.readouterr().err.startswith("reports rendered: 0 of 1, ")


def test_assess_says_in_a_log_what_failed(monkeypatch, capsys):
    monkeypatch.setattr(progress, "LOGGED_S", 0.0)
    texts = ["x1 + (", "", "x1", "x1 + 1"]
    runs = pd.DataFrame({"method": "M", "dataset": "noise_easy", "repetition": range(4),
                         "model": texts, "data_seed": 2082, "status": "ok"})  # fmt: skip
    problems = load_problems("synthetic-2022")
    assess(runs, problems, load_rules("judging-2022").measure, only=frozenset(), jobs=1)
    said = capsys.readouterr().err
    assert "runs assessed: 3 of 4, about 0 s left; failed so far: 1 unparsed, 1 empty" in said
