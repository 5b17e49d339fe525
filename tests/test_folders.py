"""A folder of results changes as one, claims end with their process, and nothing is left beside the files."""

import itertools
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from srlib.errors import InputError
from srlib.files import claim, write_atomically
from srlib.folders import result_folder

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 and no flock")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(out, word, files=3):
    with result_folder(out, "score") as folder:
        (folder / "sub").mkdir()
        for number in range(files):
            write_atomically(folder / "sub" / f"{number}.csv", word)


def words_in(out):
    return [path.read_text() for path in sorted(out.rglob("*.csv"))]


def test_a_result_replaces_the_one_before(tmp_path):
    write(tmp_path / "a" / "out", "old", files=5)
    write(tmp_path / "a" / "out", "new")
    assert words_in(tmp_path) == ["new"] * 3 and names(tmp_path / "a") == ["out"]


@pytest.mark.parametrize("name", ["notes.txt", "sub/notes.txt", ".gitignore"])
def test_a_folder_with_other_files_is_refused(name, tmp_path):
    write(tmp_path / "out", "old")
    (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(
        InputError, match=f"out: it holds {name}, which `srlib score` did not write"
    ):
        write(tmp_path / "out", "new")
    assert words_in(tmp_path) == ["old"] * 3 and (tmp_path / "out" / name).read_text() == "mine"
    assert names(tmp_path) == ["out"]


def test_the_current_folder_and_a_file_are_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file: a folder was expected"):
        write(tmp_path / "file", "new")
    with pytest.raises(InputError, match=r"file.*: cannot be written \(Not a directory\)"):
        write(tmp_path / "file" / "out", "new")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(InputError, match="^.: the current folder cannot be replaced"):
        write(".", "new")
    assert names(tmp_path) == ["file", "here"]


def test_a_failure_leaves_the_folder_as_it_was_and_names_it(tmp_path, monkeypatch):
    for before in ([], ["old"] * 3):
        with (
            pytest.raises(InputError, match=f"^{tmp_path}/a/out/b.csv/c.csv: cannot be written"),
            result_folder(tmp_path / "a" / "out", "score") as folder,
        ):
            write_atomically(folder / "b.csv", "new")
            write_atomically(folder / "b.csv" / "c.csv", "new")
        assert words_in(tmp_path) == before
        assert names(tmp_path / "a") == ["out"] * bool(before)
        write(tmp_path / "a" / "out", "old")


def test_whichever_rename_fails_the_result_is_the_old_or_the_new_one(tmp_path, monkeypatch):
    write(tmp_path / "out", "old")
    real = Path.rename
    for last in range(3):
        moves = itertools.count()

        def fail(path, target, moves=moves, last=last):
            if next(moves) == last:
                raise OSError("killed")
            return real(path, target)

        monkeypatch.setattr(Path, "rename", fail)
        if last < 2:
            with pytest.raises(InputError, match="out: cannot be written"):
                write(tmp_path / "out", "new")
            assert words_in(tmp_path / "out") == ["old"] * 3
        assert names(tmp_path) == ["out"]
    write(tmp_path / "out", "new")
    assert words_in(tmp_path) == ["new"] * 3


def test_a_linked_folder_and_a_linked_file_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link", "1")
    assert words_in(tmp_path / "real") == ["1"] * 3 and (tmp_path / "link").is_symlink()
    (tmp_path / "b.csv").symlink_to(tmp_path / "real" / "b.csv")
    write_atomically(tmp_path / "b.csv", "2")
    assert (tmp_path / "b.csv").is_symlink() and (tmp_path / "real" / "b.csv").read_text() == "2"


@POSIX
def test_a_claim_ends_with_its_process(tmp_path):
    path = tmp_path / "claims" / "key"
    code = (
        "import time\nfrom srlib.files import claim\n"
        f"with claim({str(path)!r}):\n    print(flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        with claim(path) as held:
            assert held is None
        process.kill()
    with claim(path) as held:
        assert held is not None


@POSIX
def test_who_waits_long_says_for_whom(tmp_path, monkeypatch):
    monkeypatch.setattr("srlib.files.SILENT_S", 0.2)
    code = "import sys\nfrom srlib import files\nfrom tests.test_folders import write\n"
    code += "files.SILENT_S = 0.2\nwrite(sys.argv[1], 'b')"
    with result_folder(tmp_path / "out", "score"):
        command = [sys.executable, "-c", code, str(tmp_path / "out")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        line = process.stderr.readline()
        process.stderr.close()
    assert line.endswith("out: in use by another command; waiting\n")
    assert process.wait(60) == 0 and words_in(tmp_path) == ["b"] * 3


@POSIX
def test_what_a_killed_process_left_of_a_file_goes_with_the_next_one(tmp_path):
    path = tmp_path / "a.csv"
    code = f"from srlib.files import write_atomically as write\nwhile True: write({str(path)!r}, 'x' * 10**7)"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while ".part" not in "".join(names(tmp_path)):
            process.send_signal(signal.SIGCONT)
            time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.01)
        process.kill()
    write_atomically(path, "whole")
    assert names(tmp_path) == ["a.csv"] and path.read_text() == "whole"


def test_results_of_another_command_are_not_replaced(tmp_path):
    write(tmp_path / "out", "old")
    with (
        pytest.raises(InputError, match="which `srlib robustness` did not write"),
        result_folder(tmp_path / "out", "robustness"),
    ):
        pass
    assert words_in(tmp_path) == ["old"] * 3
