"""`srlib run`: exit codes and what it says."""

from pathlib import Path

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.files import claim
from tests.builders import recorded_problem

METHODS = """
schema: 1
methods:
  - {name: KIND, estimator: "tests.tools.recording.estimators:KIND", model: {attribute: text_}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for all tests, so that they share the processes that import its modules."""
    path = tmp_path_factory.mktemp("run")
    (path / "tiny.yaml").write_text(recorded_problem([11, 12]))
    (path / "own.py").write_text("from tests.tools.recording.estimators import Good\n")
    return path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Call the command on an estimator; return its exit code, its output and its errors."""
    monkeypatch.chdir(folder.parent)

    def call(kind, *words, out="out", text=METHODS):
        (folder / "m.yaml").write_text(text.replace("KIND", kind))
        paths = [
            f"{folder.name}/m.yaml",
            f"{folder.name}/tiny.yaml",
            "--out",
            f"{folder.name}/{out}",
        ]
        return main(["run", *paths, "--jobs", "1", *words]), *capsys.readouterr()

    return call


def test_module_beside_the_method_file_is_imported_and_a_missing_one_is_refused(run, folder):
    own = METHODS.replace("tests.tools.recording.estimators", "own")
    code, text, _ = run("Good", "--repetitions", "1", text=own)
    assert (code, text) == (0, f"1 run in {folder.name}/out/runs.parquet: 1 ok\n")
    code, _, error = run("Good", text=own.replace("own:", "absent:"))
    assert code == 2 and "nothing was run" in error
    start = f"srlib: {folder.name}/m.yaml, method Good: absent:Good cannot be imported ("
    assert error.startswith(start) and "put its module beside the method file" in error
    assert len(pd.read_parquet(folder / "out/runs.parquet")) == 1


def test_failed_runs_are_counted_with_an_example(run):
    code, text, _ = run("Raises", out="failed")
    sentence = "Raises: 2 runs ended as failed; for example line: RuntimeError: no idea\n"
    assert code == 1 and sentence in text


def test_second_command_on_the_folder_is_refused_and_only_results_remain(run, folder):
    with claim(folder / "twice/lock"):
        code, _, error = run("Writes", "--repetitions", "1", out="twice")
    sentence = "another command records into this folder; wait until it is done"
    assert (code, error) == (2, f"srlib: {folder.name}/twice: {sentence}\n")
    assert run("Writes", "--repetitions", "1", out="twice")[0] == 0
    names = {path.name for path in Path(folder, "twice").iterdir()}
    assert names == {"predictions", "runs", "runs.parquet"}
