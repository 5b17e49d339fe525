"""A folder of results changes as one, claims end with their process, and nothing is left beside the files."""

import itertools
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from srlib import files
from srlib.errors import InputError
from srlib.files import claim, write_atomically
from srlib.folders import publish, result_folder, staging_folder
from tests.builders import each, refused


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(out, word, command="judge"):
    with result_folder(out, command) as folder:
        (folder / "sub").mkdir()
        for number in range(3):
            write_atomically(folder / "sub" / f"{number}.csv", word)


def words_in(out):
    return [path.read_text() for path in sorted(out.rglob("*.csv"))]


@each(
    "name put command",
    """
notes.txt | write_text | judge
sub/notes.txt | write_text | judge
.gitignore | write_text | judge
.srlib | | robustness
link | symlink_to | judge
empty/folder | mkdir | judge
""",
)
@pytest.mark.parametrize("is_running", [False, True])
def test_folder_with_files_of_others_is_refused(name, put, command, is_running, tmp_path):
    """What was there before the command began, and what somebody puts there while it works."""
    out = tmp_path / "out"
    write(out, "old")

    def put_there():
        (out / name).parent.mkdir(exist_ok=True)
        if put:
            getattr(out / name, put)(*["nowhere"] * (put != "mkdir"))

    if not is_running:
        put_there()
    with (
        refused(f"out: it holds {name}.*, which `srlib {command}` did not"),
        result_folder(out, command) as folder,
    ):
        put_there()
        write_atomically(folder / "new.csv", "new")
    assert words_in(tmp_path) == ["old"] * 3 and names(tmp_path) == ["out"]
    assert not put or os.path.lexists(out / name)


def test_modes_stay_and_a_changed_result_is_named(tmp_path, capsys):
    out = tmp_path / "out"
    write(out, "old")
    out.chmod(0o700)
    (out / "sub/0.csv").chmod(0o600)
    write(out, "old")
    assert capsys.readouterr().err == ""
    (out / "sub/0.csv").write_text("by hand")
    write(out, "new")
    warning = "sub/0.csv was changed after `srlib judge` wrote it; it is replaced"
    assert capsys.readouterr().err == f"srlib: {out}: {warning}\n"
    write_atomically(out / "sub/0.csv", "newer")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (out, out / "sub/0.csv")]
    assert modes == [0o700, 0o600]


@pytest.mark.skipif(not Path("/dev/shm").is_mount(), reason="no file system is mounted there")
def test_mount_point_is_refused_before_the_work():
    with refused("/dev/shm: a file system is mounted there"), result_folder("/dev/shm", "judge"):
        pytest.fail("it began")


@pytest.mark.parametrize("n_moves", [0, 1, 2])
def test_files_that_belong_together_are_finished_by_the_next_command(
    n_moves, tmp_path, monkeypatch
):
    """Killed before each rename: the ledger is moved last, and the next command moves what is left."""
    replace, moves = Path.replace, itertools.count()
    (tmp_path / "c.csv").write_text("old")

    def stop(path, target):
        if "ready" in path.parts and next(moves) == n_moves:
            raise KeyboardInterrupt
        return replace(path, target)

    staging = tmp_path / ".c.csv.srlib"
    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(Path, "replace", stop)
        with staging_folder(staging, tmp_path) as new:
            for name in ("c-ledger.csv", "c.csv"):
                write_atomically(new / name, "new")
            publish(new)
    assert (tmp_path / "c-ledger.csv").exists() == (n_moves == 2)
    with staging_folder(staging, tmp_path):
        assert words_in(tmp_path) == ["new"] * 2
    assert not staging.exists()


def test_failure_leaves_the_folder_as_it_was_and_is_named(tmp_path):
    out = tmp_path / "a/out"
    for before in ([], ["old"] * 3):
        sentence = f"^{out}/b.csv/c.csv: cannot be written"
        with refused(sentence), result_folder(out, "judge") as folder:
            write_atomically(folder / "b.csv", "new")
            write_atomically(folder / "b.csv/c.csv", "new")
        assert words_in(tmp_path) == before and names(out.parent) == ["out"] * bool(before)
        write(out, "old")


@pytest.mark.parametrize("fault", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("last", [0, 1])
def test_rename_that_fails_leaves_the_old_result(last, fault, tmp_path, monkeypatch):
    write(tmp_path / "out", "old")
    rename, moves = Path.rename, itertools.count()

    def fail(path, target):
        if next(moves) == last:
            raise fault("stopped")
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises((InputError, KeyboardInterrupt), match="out: cannot be written|stopped"):
            write(tmp_path / "out", "new")
    assert words_in(tmp_path / "out") == ["old"] * 3 and names(tmp_path) == ["out"]


def test_command_killed_between_the_renames_leaves_the_old_result_to_the_next_one(tmp_path):
    write(tmp_path / "out", "old")
    (tmp_path / ".out.srlib").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.srlib/old")
    with refused("no"), result_folder(tmp_path / "out", "judge"):
        raise InputError("no")
    assert words_in(tmp_path / "out") == ["old"] * 3 and names(tmp_path) == ["out"]


def test_linked_folder_and_a_linked_file_are_followed(tmp_path):
    link, file, real = tmp_path / "link", tmp_path / "b.csv", tmp_path / "real"
    real.mkdir()
    link.symlink_to(real)
    write(link, "1")
    assert words_in(real) == ["1"] * 3
    file.symlink_to(real / "b.csv")
    write_atomically(file, "2")
    assert (real / "b.csv").read_text() == "2" and link.is_symlink() and file.is_symlink()


def test_claim_ends_with_its_process(tmp_path):
    path = tmp_path / "claims/key"
    code = (
        "import sys, time\nfrom srlib.files import claim\n"
        f"with claim('{path}'):\n    print(file=sys.stderr, flush=True)\n    time.sleep(60)"
    )
    program = [sys.executable, "-c", code]
    with subprocess.Popen(program, stderr=subprocess.PIPE) as process:
        process.stderr.readline()
        with claim(path) as held:
            assert held is None
        process.kill()
    with claim(path) as held:
        assert held is not None


def test_command_that_waits_long_says_for_whom(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(files, "SILENT_S", 0.01)
    with ThreadPoolExecutor() as pool:
        with result_folder(tmp_path / "out", "judge"):
            waiting = pool.submit(write, tmp_path / "out", "b")
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.1)
        waiting.result(timeout=60)
    line = f"srlib: {tmp_path}/out: in use by another command; waiting\n"
    assert capsys.readouterr().err == line and words_in(tmp_path) == ["b"] * 3
