"""The tutorials show what is printed: a block with a caption is a file; commands and Python run in the same folder.

In a page `[...]` stands for any text.
"""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from srlib.cli.main import WRONG_INPUT, main

pytestmark = pytest.mark.slow

TUTORIALS = sorted((Path(__file__).resolve().parents[2] / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(.*)\n(?::caption: (\S+)\n\n)?((?s:.*?))^```$", flags=re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*)\n", flags=re.MULTILINE)


def run_command(line):
    """Run a command in the present folder and give what it prints, on both streams."""
    program, *words = shlex.split(line)
    if program == "cat":
        return Path(words[0]).read_text(encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        assert program == "srlib" and main(words) < WRONG_INPUT, line
    return printed.getvalue()


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.name)
def test_a_tutorial_shows_what_is_printed(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for kind, caption, body in BLOCK.findall(path.read_text(encoding="utf-8")):
        if caption:
            Path(caption).parent.mkdir(parents=True, exist_ok=True)
            Path(caption).write_text(body, encoding="utf-8")
        elif kind == "console":
            _, *parts = COMMAND.split(body)
            for command, shown in zip(parts[::2], parts[1::2], strict=True):
                pattern = re.escape(shown).replace(re.escape("[...]"), "(?s:.*)")
                printed = run_command(command)
                assert re.fullmatch(pattern, printed), f"{command} prints\n{printed}"
        elif kind == "pycon":
            examples = doctest.DocTestParser().get_examples(body)
            session = doctest.DocTest(examples, names, path.name, None, 0, body)
            assert not doctest.DocTestRunner().run(session, clear_globs=False).failed
            names = session.globs
