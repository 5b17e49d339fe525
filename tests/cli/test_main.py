"""The frame of the command line: exit codes, one line on stderr, help with examples, what is imported."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import typer

from srlib.cli.app import GET_RUNS, JUDGE, SET_UP, SHOW, app, command, one_line, print_ranking
from srlib.cli.main import WRONG_INPUT, main
from srlib.errors import InputError

PROGRAM = [sys.executable, "-m", "srlib.cli.main"]


COMMANDS = list(typer.main.get_command(app).commands)


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch):
    """Put a command `probe` into the app; it calls the function that the test gives."""
    monkeypatch.setattr(app, "registered_commands", [*app.registered_commands])

    def install(action):
        @command(JUDGE)
        def probe(word: str = typer.Argument("")) -> None:
            action(word)

    return install


def raising(error: BaseException):
    def action(word: str) -> None:
        raise error

    return action


def test_done_is_0_whatever_the_command_returns(probe):
    probe(lambda word: 7)
    assert main(["probe"]) == 0


def test_words_reach_the_command(probe):
    seen = []
    probe(seen.append)
    assert main(["probe", "report"]) == 0
    assert seen == ["report"]


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (typer.Exit(1), 1, ""),
        (InputError("runs.csv row 3: no model"), 2, "srlib: runs.csv row 3: no model\n"),
        (InputError("two\nlines \x1b[31mred\x07"), 2, "srlib: two lines \\x1b[31mred\\x07\n"),
        (
            PermissionError(13, "Permission denied", "out.csv"),
            2,
            "srlib: out.csv: Permission denied\n",
        ),
        (
            KeyboardInterrupt(),
            130,
            "srlib: interrupted; the same command goes on from what is finished\n",
        ),
        (MemoryError(), 2, "srlib: this machine has not enough memory for it\n"),
        (typer.BadParameter("x\ny"), 2, "srlib: Invalid value: x y (see `srlib probe --help`)\n"),
    ],
)
def test_every_end_has_its_exit_code_and_at_most_one_line(probe, capsys, error, code, line):
    probe(raising(error))
    assert main(["probe"]) == code
    assert capsys.readouterr().err == line


def test_a_fault_of_the_program_keeps_its_traceback(probe):
    probe(raising(ZeroDivisionError("ours")))
    with pytest.raises(ZeroDivisionError):
        main(["probe"])


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([], "Missing command (see `srlib --help`)"),
        (["nonsense"], "No such command 'nonsense'"),
        (["scor"], "Did you mean 'score'?"),
        (["--nonsense"], "No such option: --nonsense"),
        (["probe", "a", "b"], "extra argument"),
        (["a\nb\x1b[2J"], "No such command"),
    ],
)
def test_a_wrong_call_is_one_line_and_2(probe, capsys, words, part):
    probe(lambda word: None)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("srlib: ")
    assert part in err
    assert err.count("\n") == 1
    assert err[:-1].isprintable()


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("srlib 0.")


def test_help_lists_every_command_under_its_group(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    titles = [f"{title}:" for title in (JUDGE, SHOW, SET_UP, GET_RUNS)]
    assert [line for line in text.splitlines() if line in titles] == titles
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert "..." not in text.partition("Judge:")[2] and "  srlib score demo" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_has_an_example(name, capsys):
    words = [name]
    if name in ("ballot", "inference", "problems"):
        assert main([name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "..." not in shown.partition("Commands:")[2]
        words.append(re.findall(r"(?m)^  (\w+)  ", shown.partition("Commands:")[2])[0])
    assert main([*words, "--help"]) == 0
    call = " ".join(["srlib", *words])
    text = capsys.readouterr().out
    assert f"Usage: {call} " in text
    assert f"\n    {call} " in text


def test_long_names_are_cut_on_the_screen_and_escaped(capsys):
    names = ["a" * 61, "b\x1b[2J", "no place"]
    print_ranking(pd.DataFrame({"rank": [1, 2, None], "method": names, "score": [2.0, 1.0, None]}))
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"  1. {'a' * 59}…    2.000"
    assert second.startswith("  2. b\\x1b[2J ")


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
)
def test_help_imports_nothing_heavy(words):
    code = "import sys; from srlib.cli.main import main; main(sys.argv[1:]); sys.exit(' '.join(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code, *words], text=True, capture_output=True, check=False
    )
    loaded = set(ran.stderr.split())
    assert "typer" in loaded
    assert not loaded & {"pandas", "sympy", "papermill", "matplotlib", "sklearn", "scipy", "rich"}


def test_a_closed_pipe_is_quiet(tmp_path):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        ran = subprocess.run(
            [*PROGRAM, "--help"], stdout=closed, stderr=subprocess.PIPE, check=False
        )
    assert ran.stderr == b""
    assert ran.returncode == 141


def test_one_line_escapes_what_a_terminal_acts_on():
    assert one_line("a\r\nb\x9b1m\u202e\u2028c") == "a b\\x9b1m\\u202e c"


def test_console_script_exits_with_the_code():
    ran = subprocess.run([*PROGRAM, "nonsense"], text=True, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)


def test_output_that_cannot_be_written_is_one_sentence():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        words = [*PROGRAM, "--help"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == WRONG_INPUT
    assert done.stderr == "srlib: standard output: No space left on device\n"


def test_a_cache_that_cannot_be_written_is_said_and_judging_goes_on(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    (tmp_path / "runs.csv").write_text("method,dataset,repetition,model\nA,d,1,x1 + 1\n")
    problems = "{schema: 1, name: p, problems: [{dataset: d, features: [x1], truth: x1}]}"
    (tmp_path / "p.yaml").write_text(problems)
    monkeypatch.chdir(tmp_path)
    words = ["assess", "runs.csv", "--problems", "p.yaml", "--jobs", "1", "--out"]
    assert main([*words, "a.parquet"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path / "file" / "cache"))
    assert main([*words, "b.parquet"]) == 0
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "SRLIB_CACHE names another folder" in said
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
