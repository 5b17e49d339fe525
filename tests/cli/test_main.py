"""The frame of the command line: exit codes, one line on stderr, help with examples, what is imported."""

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest
import typer

from srlib.cli.app import (
    GET_RUNS,
    JUDGE,
    SET_UP,
    SHOW,
    app,
    command,
    one_line,
    print_lines,
    print_ranking,
)
from srlib.errors import InputError
from tests.processes import run, unread_pipe

COMMANDS = list(typer.main.get_command(app).commands)


@pytest.fixture
def probe(monkeypatch, call):
    """Call a command `probe WORD` that does with the word what a test says."""
    monkeypatch.setattr(app, "registered_commands", [*app.registered_commands])

    def run_probe(action, word=""):
        @command(JUDGE)
        def probe(word: str = typer.Argument("")) -> None:
            action(word)

        return call(f"probe {word}")

    return run_probe


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (typer.Exit(1), 1, ""),
        (InputError("runs.csv row 3: no model"), 2, "srlib: runs.csv row 3: no model\n"),
        (InputError("two\nlines \x1b[31mred\x07"), 2, "srlib: two lines \\x1b[31mred\\x07\n"),
        (PermissionError(13, "Permission denied", "out.csv"), 2, "srlib: out.csv: Permission denied\n"),
        (KeyboardInterrupt(), 130, "srlib: interrupted; the same command goes on from what is finished\n"),
        (MemoryError(), 2, "srlib: this machine has not enough memory for the command\n"),
        (typer.BadParameter("x\ny"), 2, "srlib: Invalid value: x y (see `srlib probe --help`)\n"),
    ],
)  # fmt: skip
def test_error_has_its_exit_code_and_at_most_one_line(probe, error, code, line):
    assert probe(Mock(side_effect=error)) == (code, "", line)


def test_help_lists_every_command_under_its_group(call):
    text = call("--help")[1]
    titles = [f"{title}:" for title in (JUDGE, SHOW, SET_UP, GET_RUNS)]
    assert [line for line in text.splitlines() if line in titles] == titles
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert "..." not in text.partition("Judge:")[2] and "  srlib judge demo" in text
    assert "score " not in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_has_an_example(name, call):
    text = call(f"{name} --help")[1]
    shown = text.partition("Commands:")[2]
    assert "..." not in shown
    if shown:  # it has commands of its own
        name += " " + re.findall(r"(?m)^  (\w+)  ", shown)[0]
        text = call(f"{name} --help")[1]
    assert f"Usage: srlib {name} " in text and f"\n    srlib {name} " in text


def test_long_names_are_cut_and_escaped_when_printed(capsys):
    names = ["a" * 61, "b\x1b[2J", "no place"]
    print_ranking(pd.DataFrame({"rank": [1, 2, None], "method": names, "score": [2.0, 1.0, None]}))
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"  1. {'a' * 59}…    2.000"
    assert second.startswith("  2. b\\x1b[2J ")
    print_lines("b\x1b[2J")
    assert capsys.readouterr().out == "b\\x1b[2J\n"
    assert one_line("a\r\nb\x9b1m\u202e\u2028c") == "a b\\x9b1m\\u202e c"


@pytest.mark.parametrize("words", ["--version", "judge --help"])
def test_help_imports_nothing_heavy(words):
    code = "import sys; from srlib.cli.main import main; main(sys.argv[1:]); sys.exit(' '.join(sys.modules))"
    program = [sys.executable, "-c", code, *words.split()]
    ended = subprocess.run(program, text=True, capture_output=True, check=False)
    loaded = set(ended.stderr.split())
    assert "typer" in loaded
    assert not loaded & {"pandas", "sympy", "papermill", "matplotlib", "sklearn", "scipy", "rich"}


def test_closed_pipe_ends_without_a_line():
    assert run(["--help"], output=unread_pipe()) == (141, None, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written_is_one_sentence():
    sentence = "srlib: standard output: No space left on device\n"
    assert run(["--help"], output=os.open("/dev/full", os.O_WRONLY)) == (2, None, sentence)


def test_cache_that_cannot_be_written_is_one_line_and_changes_no_result(
    competition, call, monkeypatch
):
    assess = "assess runs.csv --problems problems.yaml --jobs 1 --out"
    assert call(f"{assess} a.parquet")[::2] == (0, "")
    monkeypatch.setenv("SRLIB_CACHE", "runs.csv/cache")
    code, _, error = call(f"{assess} b.parquet")
    assert (code, error.count("\n")) == (0, 1) and "SRLIB_CACHE names another folder" in error
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()
