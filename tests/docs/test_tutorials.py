"""README and tutorials show what is printed: a block with a caption is a file; commands and Python run in one folder.

In a page `[...]` stands for any text.
"""

import contextlib
import doctest
import io
import re
import runpy
import shlex
from pathlib import Path

import pytest

from srlib.cli.main import WRONG_INPUT, main

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
README = CHECKOUT / "README.md"
PAGES = [README, *sorted((CHECKOUT / "docs/tutorials").glob("*.md"))]
BLOCK = re.compile(r"^```(.*)\n(?::caption: (\S+)\n\n)?((?s:.*?))^```$", flags=re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*)\n", flags=re.MULTILINE)


def run_command(line):
    """Run a command in the present folder and give what it prints, on both streams; installing is not tried here."""
    program, *words = shlex.split(line, comments=True)
    if program == "cat":
        return Path(words[0]).read_text()
    if program in ("make", "pip", "conda"):
        check_installation(line)
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        assert program == "srlib" and main(words) < WRONG_INPUT, line
    return printed.getvalue()


def check_installation(line):
    """Fail unless the targets of make and the files that are named exist."""
    targets = re.findall(r"(?m)^([a-z-]+):", (CHECKOUT / "Makefile").read_text())
    assert set(re.findall(r"\bmake ([a-z-]+)", line)) <= set(targets), line
    assert all((CHECKOUT / name).is_file() for name in re.findall(r"\S+\.(?:lock|yml)", line)), line


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_page_shows_what_is_printed(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}
    for kind, caption, body in BLOCK.findall(path.read_text()):
        if caption:
            Path(caption).parent.mkdir(parents=True, exist_ok=True)
            Path(caption).write_text(body)
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
        elif kind == "python":
            exec(compile(body, path.name, "exec"), names)
    if path == README:
        check_report_files(tmp_path / "reports/demo")


def check_report_files(folder):
    """Compare the files of a rendered suite with reports/README.md, in both directions."""
    rows = runpy.run_path(str(CHECKOUT / "docs/files_page.py"))["REPORT_FILES"]
    patterns = [name.replace("NAME", "synthetic") for name in rows]
    files = [path.relative_to(folder) for path in folder.rglob("[!.]*") if path.is_file()]
    names = [file for file in files if ".srlib" not in file.parts]
    matches = {file: [pattern for pattern in patterns if file.match(pattern)] for file in names}
    assert [file for file, matching in matches.items() if len(matching) != 1] == []
    assert {pattern for matching in matches.values() for pattern in matching} == {*patterns}
