"""Files and texts of strangers: no bomb is unpacked, no link leads out, a message is one line that can be read."""

import gzip
import os
import pickle
from pathlib import Path

from srlib import limits
from srlib.errors import InputError, ModelTextError
from srlib.files import shipped
from srlib.problems import load_problems, partitions
from srlib.table_files import read_frame
from tests.builders import each, refused

PROBLEM = (
    "{schema: 1, name: p, problems: [{dataset: d, features: [x], target: y, data: {test: FILE}}]}"
)


def read_data(folder, file):
    """Read the data of a problem that lie in a file."""
    (folder / "p.yaml").write_text(PROBLEM.replace("FILE", file))
    return partitions(load_problems(folder / "p.yaml").problems[0])


def test_bomb_is_refused_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "FILE_BYTES", 1000)
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"x,y\n" + b"1,2\n" * 10**5))
    for read in (lambda: read_frame(bomb), lambda: read_data(tmp_path, bomb.name)):
        with refused("bomb.csv.gz: more than 1000 bytes, unpacked"):
            read()


@each(
    "file sentence",
    """
link.csv | leads out of the folder
../secret.csv | leads out of the folder
device.csv | leads out of the folder
pipe.csv | regular file was expected
""",
)
def test_data_outside_of_their_folder_or_no_regular_file_are_refused(file, sentence, tmp_path):
    """A pipe would wait for ever, and a device never ends."""
    folder, secret = tmp_path / "inside", tmp_path / "secret.csv"
    folder.mkdir()
    secret.write_text("x,y\n1,2\n2,3\n")
    (folder / "link.csv").symlink_to(secret)
    (folder / "device.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.csv")
    with refused(sentence):
        read_data(folder, file)


def test_shipped_name_wins_and_a_file_of_that_name_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("demo").touch()
    assert shipped("suites", "demo").is_absolute()
    assert shipped("suites", "./demo") == Path("demo")


def test_message_is_one_line_without_its_middle():
    assert str(InputError("row 1:\n\tname\u2028 'a\rb'")) == "row 1: name 'a b'"
    assert str(InputError("x" * 1500)) == "x" * 1500
    message = str(InputError("begins " + "x" * 10_000 + " ends"))
    assert message.startswith("begins x") and message.endswith("x ends") and len(message) < 1500


def test_errors_survive_their_way_out_of_a_worker():
    error = ModelTextError("no model", "x +" * 1000, 5)
    assert repr(pickle.loads(pickle.dumps(error))) == repr(error)
