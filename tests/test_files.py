"""Files of strangers: no bomb is unpacked, no link leads out of a folder."""

import gzip
from pathlib import Path

import pytest

from srlib import limits
from srlib.errors import InputError
from srlib.files import contents, shipped
from srlib.problems import load_problems, partitions
from srlib.table_files import read_frame

MANIFEST = (
    "{schema: 1, name: p, problems: [{dataset: d, features: [x], target: y, data: {test: FILE}}]}"
)


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FILE_BYTES", 1000)


def manifest(folder: Path, file: str) -> Path:
    path = folder / "p.yaml"
    path.write_text(MANIFEST.replace("FILE", file), encoding="utf-8")
    return path


def test_contents_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"text"))
    (tmp_path / "a").write_bytes(b"text")
    assert contents(tmp_path / "a.gz") == contents(tmp_path / "a", tmp_path) == b"text"


@pytest.mark.usefixtures("small_limit")
def test_a_bomb_is_refused_in_one_sentence(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"x,y\n" + b"1,2\n" * 10**5))
    with pytest.raises(InputError, match=r"bomb.csv.gz: more than 1000 bytes, unpacked"):
        read_frame(bomb)
    problem = load_problems(manifest(tmp_path, bomb.name)).find("d")
    assert problem is not None
    with pytest.raises(InputError, match=r"bomb.csv.gz: more than 1000 bytes, unpacked"):
        partitions(problem)


@pytest.mark.parametrize("way", ["link", "dots"])
def test_a_way_out_of_the_data_folder_is_refused(way: str, tmp_path: Path) -> None:
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


def test_a_file_in_the_way_of_a_shipped_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shipped("suites", "demo").is_absolute()
    Path("demo").mkdir()  # a folder bears the name of nothing that is read
    assert shipped("suites", "demo").is_absolute()
    Path("demo").rmdir()
    Path("demo").write_text("a note")
    with pytest.raises(InputError, match=r"^demo: a file .* in the way .* write \./demo"):
        shipped("suites", "demo")
    assert shipped("suites", "./demo") == shipped("suites", tmp_path / "demo").relative_to(tmp_path)
