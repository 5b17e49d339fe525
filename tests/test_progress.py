"""Progress: a line that changes on a terminal, lines now and then in a log."""

import io

import pandas as pd
import pytest

from srlib import progress
from srlib.assessing import assess
from srlib.cache import Cache
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


def test_assess_says_in_a_log_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "LOGGED_S", 0.0)
    texts = ["x1 + (", "", "x1", "x1 + 1"]
    runs = pd.DataFrame({"method": "M", "dataset": "noise_easy", "repetition": range(4),
                         "model": texts, "data_seed": 2082, "status": "ok"})  # fmt: skip
    problems, measure = load_problems("synthetic-2022"), load_rules("judging-2022").measure
    assess(runs, problems, measure, cache=Cache(None), only=frozenset({"data"}), jobs=1)
    assert "models measured (data): 1 of 2" in capsys.readouterr().err


def test_a_closed_stderr_is_no_error(clock, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    monkeypatch.setattr(progress, "LOGGED_S", 0.0)
    assert list(progress.progress("abc", 3, "letters")) == ["a", "b", "c"]
