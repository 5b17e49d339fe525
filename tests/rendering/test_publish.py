"""Publishing goes on when the command is killed, and never leaves a part that looks whole."""

import itertools
from pathlib import Path

import pytest

from srlib.errors import InputError
from srlib.folders import LISTS_FOLDER, staging_folder
from srlib.rendering.publish import publish

MOVES = 3


def publish_word(out, word, *tables):
    """Publish a report whose files all hold the same word."""
    with staging_folder(out / LISTS_FOLDER, out) as staging:
        assert not list(staging.iterdir()), "a killed command's files are gone"
        (staging / "0/r/tables").mkdir(parents=True)
        for name in ("r.html", "r.report.json", *(f"r/tables/{table}.csv" for table in tables)):
            (staging / "0" / name).write_text(word)
        publish(staging / "0", out, "r")


def test_report_whose_publishing_ended_early_is_not_taken_for_complete(tmp_path, monkeypatch):
    """The k-th move fails, for every k: the next command sees that the report is not whole."""
    (tmp_path / ".srlib/new/0").mkdir(parents=True)
    publish_word(tmp_path, "old", "a", "b")
    real = Path.replace
    for last in range(MOVES):
        moves = itertools.count()

        def fail(path, target, moves=moves, last=last):
            if LISTS_FOLDER in path.parts and next(moves) == last:
                raise OSError("killed")
            return real(path, target)

        monkeypatch.setattr(Path, "replace", fail)
        with pytest.raises(InputError, match="cannot be written"):
            publish_word(tmp_path, "new", "a")
        assert (tmp_path / "r.report.json").read_text() == "{}\n"
    monkeypatch.setattr(Path, "replace", real)
    publish_word(tmp_path, "new", "a")
    words = {path.name: path.read_text() for path in tmp_path.rglob("*.*") if path.is_file()}
    assert words == dict.fromkeys(["r.html", "r.report.json", "a.csv"], "new")
