"""Publishing goes on when the command is killed, and two commands at once give the report that one gives."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from srlib.errors import InputError
from srlib.folders import read_json
from srlib.rendering.publish import STAGING, publish, rendering_lock
from tests import processes
from tests.rendering.small import CHECK, WORK, write_notebook, write_suite

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
FILES, MOVES = 6, 3


def publish_word(out, word, files=FILES):
    """Publish a report whose files all hold the same word."""
    with rendering_lock(out) as staging:
        for name in ["r.html", *(f"r/tables/{number}.csv" for number in range(files))]:
            (staging / "0" / name).parent.mkdir(parents=True, exist_ok=True)
            (staging / "0" / name).write_text(word)
        (staging / "0" / "r.report.json").write_text(json.dumps({"fingerprint": word}))
        publish(staging / "0", out, "r")


def test_wherever_publishing_ends_the_report_is_not_taken_for_complete(tmp_path, monkeypatch):
    """The k-th move fails, for every k: the next command sees that the report is not whole."""
    publish_word(tmp_path, "old")
    real = Path.replace
    for last in range(MOVES):
        moves = itertools.count()

        def fail(path, target, moves=moves, last=last):
            if STAGING in path.parts and next(moves) == last:
                raise OSError("killed")
            return real(path, target)

        monkeypatch.setattr(Path, "replace", fail)
        with pytest.raises(InputError, match="cannot be written"):
            publish_word(tmp_path, "new")
        assert read_json(tmp_path / "r.report.json") == {}
    monkeypatch.setattr(Path, "replace", real)
    publish_word(tmp_path, "new", files=FILES - 1)
    assert read_json(tmp_path / "r.report.json") == {"fingerprint": "new"}
    assert sorted(path.read_text() for path in tmp_path.rglob("*.csv")) == ["new"] * (FILES - 1)


def test_what_a_killed_command_staged_is_removed_by_the_next_one(tmp_path):
    (tmp_path / "out" / ".srlib" / STAGING / "0").mkdir(parents=True)
    with rendering_lock(tmp_path / "out") as staging:
        assert not staging.exists()


@pytest.mark.slow
def test_two_commands_at_once_give_the_reports_that_one_gives(tmp_path):
    for name in "ab":
        write_notebook(tmp_path / f"{name}.ipynb", WORK, CHECK)
    suite = write_suite(tmp_path, dict.fromkeys("ab", "{}"))
    command = ["report", str(suite), "--out"]
    assert processes.run([*command, str(tmp_path / "alone")])[0] == 0
    both = [processes.start([*command, str(tmp_path / "both")]) for _ in range(2)]
    for process in both:
        errors = process.communicate()[1]
        assert process.returncode == 0 and (errors == "" or ": in use by another" in errors)
    trees = [
        {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        for out in (tmp_path / "alone", tmp_path / "both")
    ]
    assert trees[0] == trees[1] and not list((tmp_path / "both").rglob(STAGING))
