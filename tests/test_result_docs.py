"""The pages on importing and checking show what the commands print."""

import re
import shutil
from pathlib import Path

import pytest

from srlib.cli.main import main

DOCS = Path(__file__).resolve().parent.parent / "docs"


def blocks(page: str) -> list[str]:
    """Indented blocks of a page, without their indentation."""
    text = (DOCS / page).read_text()
    found = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)
    return [
        "\n".join(line[4:] for line in block.strip("\n").splitlines()) + "\n" for block in found
    ]


def shown(block: str, capsys: pytest.CaptureFixture) -> None:
    """Run the command of a block; each of its lines is printed, up to [...]."""
    command, *lines = block.splitlines()
    main(command.removeprefix("$ srlib ").split())
    out, err = capsys.readouterr()
    printed = (out + err).splitlines()
    assert len(printed) == len(lines)
    for line, real in zip(lines, printed, strict=True):
        before, cut, _ = line.partition("[...]")
        assert real.startswith(before) if cut else real == line


def test_the_page_on_importing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _, table, refused, layout, taken = blocks("import.md")
    Path("results.csv").write_text(table)
    Path("ours.yaml").write_text(layout)
    shown(refused, capsys)
    shown(taken, capsys)


def test_the_front_on_that_page(reference_data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(reference_data / "field" / "pysr_paper", "pysr_paper")
    shown(blocks("import.md")[0], capsys)


def test_the_page_on_checking(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    problems, submission, printed = blocks("check.md")
    Path("problems.yaml").write_text(problems)
    Path("submission.csv").write_text(submission)
    shown(printed, capsys)
