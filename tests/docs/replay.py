"""Run what a page of the manual shows: `python -m tests.docs.replay PAGE ...` writes what is printed today.

A block of code with a caption is a file; a block of console lines is run in the same folder, command by command.
In a page `[...]` stands for the rest of a line, and alone for any lines.
"""

import contextlib
import doctest
import io
import re
import shlex
import sys
import tempfile
from pathlib import Path

from srlib.cli.main import WRONG_INPUT, main

BLOCK = re.compile(r"^```(.*)\n((?s:.*?))^```$", flags=re.M)
CAPTION = re.compile(r":caption: (\S+)\n\n")


def printed(command):
    """What a command prints, on both streams, in the present folder."""
    program, *words = shlex.split(command)
    if program == "cat":
        return Path(words[0]).read_text(encoding="utf-8").rstrip("\n") + "\n"
    if program != "srlib":
        raise ValueError(f"neither srlib nor cat: {command}")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        code = main(words)
    if code >= WRONG_INPUT:
        raise ValueError(f"{command}: {shown.getvalue()}")
    return shown.getvalue()


def python(text, names):
    """The same session with what it prints today."""
    examples = doctest.DocTestParser().get_examples(text)
    lines = []
    for example in examples:
        shown = io.StringIO()
        first, *more = example.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in more)]
        with contextlib.redirect_stdout(shown):
            exec(compile(example.source, "page", "single"), names)
        lines += shown.getvalue().rstrip("\n").split("\n") if shown.getvalue() else []
    return "\n".join(lines) + "\n"


def alike(shown, real):
    """Whether a block says what was printed, up to what it leaves out."""
    pattern = re.escape(shown).replace(re.escape("[...]\n") + "", "\0")
    pattern = re.sub(r"(?:^|(?<=\n))\0", r"(?:.*\\n)*?", pattern)
    pattern = pattern.replace("\0", r".*\n").replace(re.escape("[...]"), ".*")
    return re.fullmatch(pattern, real) is not None


def session(shown):
    """A block of console lines with what its commands print."""
    commands = [line for line in shown.splitlines() if line.startswith("$ ")]
    blocks = re.split(r"^\$ .*\n", shown, flags=re.M)[1:]
    text = ""
    for command, old in zip(commands, blocks, strict=True):
        real = printed(command.removeprefix("$ "))
        text += f"{command}\n{old if old and alike(old, real) else real}"
    return text


def replayed(page):
    """The page with what its blocks print today, in the present folder."""

    names: dict[str, object] = {}

    def block(match):
        kind, body = match.groups()
        if caption := CAPTION.match(body):
            path = Path(caption[1])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body[caption.end() :], encoding="utf-8")
        elif kind == "console":
            body = session(body)
        elif kind == "pycon":
            real = python(body, names)
            body = body if alike(body, real) else real
        return f"```{kind}\n{body}```"

    return BLOCK.sub(block, page)


if __name__ == "__main__":
    for name in map(Path, sys.argv[1:]):
        text = name.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            made = replayed(text)
        name.write_text(made, encoding="utf-8")
