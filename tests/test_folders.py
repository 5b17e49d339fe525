"""A folder of results changes as one, claims end with their process, and nothing is left beside the files."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from srlib.errors import InputError
from srlib.files import write_atomically
from srlib.folders import STATE, changed, seal, stage, state_of, tidy, written_whole
from srlib.locks import claim

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 and no flock")
FILES = 12
# A process that forks those that write, each of which ends before one more of its steps on the disk than the last one.
TRIALS = f"""
import itertools, os, signal, sys
from pathlib import Path
from srlib.folders import tidy, written_whole
from tests.test_folders import words_in
STEPS = {{"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.truncate"}}
def write(out, word):
    with written_whole(out, "r") as folder:
        for number in range({FILES}):
            (folder / str(number % 7)).mkdir(exist_ok=True)
            (folder / str(number % 7) / f"{{number if number else word}}.csv").write_text(word)
def write_until(out, word, last):
    steps = itertools.count(1)
    def end(event, _):
        if event in STEPS and next(steps) == last:
            os.kill(os.getpid(), signal.SIGTERM if last % 4 == 0 else signal.SIGKILL)
    sys.addaudithook(end)
    write(out, word)
    os._exit(0)
os.fsync = lambda _: None  # the system lives on: what was written is there
out, seen = Path(sys.argv[1]), ["old"]
write(out, "old")
for last in itertools.count(1):
    word = "new" if seen[-1] == "old" else "old"
    child = os.fork()
    if child == 0:
        write_until(out, word, last)
    ended = os.waitpid(child, 0)[1]
    tidy(out)
    words = words_in(out)
    assert len(words) == 1, (last, words)
    seen += words
    if ended == 0:
        break
assert seen[-1] == word
assert not [p for p in (out / ".srlib").iterdir() if p.name != "r.json"], list((out / ".srlib").iterdir())
print(last > {4 * FILES}, sorted(set(seen[1:-1])))
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def words_in(out: Path) -> set[str]:
    """What the published files say; the one that is named after its word included."""
    files = [path for path in out.rglob("*.csv") if STATE not in path.parts]
    assert len(files) == FILES
    return {path.read_text() for path in files} | {p.stem for p in files if not p.stem.isdigit()}


def test_what_was_written_before_goes_and_what_is_others_stays(tmp_path):
    out = tmp_path / "a" / "out"
    for given in (["a.csv", "sub/b.csv", "c.csv"], ["a.csv"]):
        with written_whole(out, "score") as folder:
            for name in given:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(str(len(given)))
            (out / "c.csv").write_text("edited") if len(given) == 1 else None
            (out / "mine.txt").write_text("mine")
    left = {p.relative_to(out).as_posix(): p.read_text() for p in out.glob("*") if p.is_file()}
    assert left == {"a.csv": "1", "c.csv": "edited", "mine.txt": "mine"}
    assert not (out / "sub").exists() and names(out / STATE) == ["score.json"]
    assert list(state_of(out, "score")["files"]) == ["a.csv"] and changed(out, "score") == []
    (out / "a.csv").write_text("2")
    assert changed(out, "score") == ["a.csv"]


def test_a_failure_leaves_the_folder_as_it_was(tmp_path):
    def fail(out):
        with written_whole(out, "score") as folder:
            (folder / "a.csv").write_text("new")
            raise InputError("no")

    with pytest.raises(InputError, match="no"):
        fail(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []
    with written_whole(tmp_path / "b", "score", sealed=False) as folder:
        (folder / "a.csv").write_text("old")
    assert names(tmp_path / "b") == ["a.csv"]
    with pytest.raises(InputError, match="no"):
        fail(tmp_path / "b")
    assert (tmp_path / "b" / "a.csv").read_text() == "old" and len(names(tmp_path / "b")) == 1
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file.*: cannot be written \(Not a directory\)"):
        fail(tmp_path / "file" / "out")


def test_a_linked_folder_and_a_linked_file_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with written_whole(tmp_path / "link", "score") as folder:
        (folder / "a.csv").write_text("1")
    assert (tmp_path / "real" / "a.csv").is_file() and (tmp_path / "link").is_symlink()
    (tmp_path / "b.csv").symlink_to(tmp_path / "real" / "b.csv")
    write_atomically(tmp_path / "b.csv", "2")
    assert (tmp_path / "b.csv").is_symlink() and (tmp_path / "real" / "b.csv").read_text() == "2"


def test_a_journal_that_leads_out_of_the_folder_is_refused(tmp_path):
    staging = stage(tmp_path / "out", "score")
    (staging.new / "a.csv").write_text("1")
    seal(staging.folder, "score")
    staging.claim.release()
    journal = staging.folder / "whole.json"
    journal.write_text(journal.read_text().replace("a.csv", "../a.csv"))
    with pytest.raises(InputError, match="lies outside of the folder"):
        tidy(tmp_path / "out")


@POSIX
def test_killed_at_any_moment_it_is_the_old_result_or_the_new_one(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TRIALS, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "True ['new', 'old']\n"


@POSIX
def test_two_at_once_give_what_one_gives(tmp_path):
    write = (
        "import sys\nfrom srlib.folders import written_whole\nfor _ in range(20):\n"
        "    with written_whole(sys.argv[1], 'r') as folder:\n        for number in range(5):\n"
        "            (folder / f'{number}.csv').write_text(sys.argv[2])\n"
    )
    command = [sys.executable, "-c", write, str(tmp_path)]
    both = [subprocess.Popen([*command, word], stderr=subprocess.PIPE) for word in ("a", "b")]
    assert [(process.communicate()[1], process.returncode) for process in both] == [(b"", 0)] * 2
    assert len({path.read_text() for path in tmp_path.glob("*.csv")}) == 1
    assert changed(tmp_path, "r") == [] and names(tmp_path / STATE) == ["r.json"]


@POSIX
def test_a_claim_ends_with_its_process_and_children_may_share_it(tmp_path):
    path = tmp_path / "claims" / "key"
    code = f"import time\nfrom srlib.locks import claim\nassert claim({str(path)!r})\nprint(flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        assert claim(path) is None
        process.kill()
    mine = claim(path)
    assert mine is not None
    with subprocess.Popen(["sleep", "60"], pass_fds=[mine.handle]) as child:
        os.close(mine.handle)
        assert claim(path) is None
        child.kill()
    assert claim(path) is not None


@POSIX
def test_what_a_killed_process_left_of_a_file_goes_with_the_next_one(tmp_path):
    path = tmp_path / "a.csv"
    code = f"from srlib.files import write_atomically as write\nwhile True: write({str(path)!r}, 'x' * 10**7)"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while ".part" not in "".join(left := names(tmp_path)):
            process.send_signal(signal.SIGCONT)
            time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.01)
        write_atomically(path, "whole")
        assert set(left) <= set(names(tmp_path))  # it lives: what it writes is no orphan
        process.kill()
    write_atomically(path, "whole")
    assert names(tmp_path) == ["a.csv"] and path.read_text() == "whole"
