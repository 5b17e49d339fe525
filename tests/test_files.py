"""Files of strangers: no bomb is unpacked, no link leads out of a folder."""

import gzip
import tempfile
from pathlib import Path

import pytest

from srlib import limits
from srlib.errors import InputError
from srlib.files import cache_folder, contents, shipped
from srlib.problems import load_problems, partitions
from srlib.table_files import read_frame

MANIFEST = (
    "{schema: 1, name: p, problems: [{dataset: d, features: [x], target: y, data: {test: FILE}}]}"
)


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(limits, "FILE_BYTES", 1000)


def manifest(folder: Path, file: str) -> Path:
    path = folder / "p.yaml"
    path.write_text(MANIFEST.replace("FILE", file), encoding="utf-8")
    return path


def test_contents_are_unpacked(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"text"))
    (tmp_path / "a").write_bytes(b"text")
    assert contents(tmp_path / "a.gz") == contents(tmp_path / "a", tmp_path) == b"text"


@pytest.mark.usefixtures("small_limit")
def test_a_bomb_is_refused_in_one_sentence(tmp_path):
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"x,y\n" + b"1,2\n" * 10**5))
    with pytest.raises(InputError, match=r"bomb.csv.gz: more than 1000 bytes, unpacked"):
        read_frame(bomb)
    problem = load_problems(manifest(tmp_path, bomb.name)).find("d")
    assert problem is not None
    with pytest.raises(InputError, match=r"bomb.csv.gz: more than 1000 bytes, unpacked"):
        partitions(problem)


@pytest.mark.parametrize("way", ["link", "dots"])
def test_a_way_out_of_the_data_folder_is_refused(way, tmp_path):
    (tmp_path / "secret.csv").write_text("x,y\n1,2\n2,3\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    problem = load_problems(
        manifest(inside, "link.csv" if way == "link" else "../secret.csv")
    ).find("d")
    assert problem is not None
    with pytest.raises(InputError, match="leads out of the folder"):
        partitions(problem)


def test_a_shipped_name_wins_and_a_file_of_that_name_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("demo").write_text("a note")
    assert shipped("suites", "demo").is_absolute()
    assert shipped("suites", "./demo") == Path("demo")


def test_a_user_without_a_home_has_a_cache_all_the_same(monkeypatch):
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    for name in ("SRLIB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_folder().is_relative_to(tempfile.gettempdir())
