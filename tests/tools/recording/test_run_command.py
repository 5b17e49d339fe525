"""`srlib run`: exit codes and what it says."""

from pathlib import Path

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.files import claim

pytestmark = pytest.mark.usefixtures("run")
METHODS = """
schema: 1
methods:
  - {name: KIND, estimator: "tests.tools.recording.estimators:KIND", model: {attribute: text_}}
"""


def words(kind):
    """Arguments of `srlib run` for one of the estimators."""
    Path("m.yaml").write_text(METHODS.replace("KIND", kind))
    return ["run", "m.yaml", "tiny.yaml", "--out", "out", "--jobs", "1"]


def test_runs_are_recorded_and_counted(capsys):
    assert main([*words("Good"), "--repetitions", "1"]) == 0
    assert capsys.readouterr().out == "1 run in out/runs.parquet: 1 ok\n"
    assert main(words("Good")) == 0
    assert len(pd.read_parquet("out/runs.parquet")) == 3


def test_failed_runs_are_counted_with_an_example(capsys):
    assert main(words("Raises")) == 1
    sentence = "Raises: 3 runs ended as failed; for example line: RuntimeError: no idea\n"
    assert sentence in capsys.readouterr().out


def test_module_beside_the_method_file_is_imported_and_a_missing_one_is_refused(capsys):
    Path("beside").mkdir()
    Path("beside/own.py").write_text("from tests.tools.recording.estimators import Good\n")
    text = METHODS.replace("KIND", "Good").replace("tests.tools.recording.estimators", "own")
    Path("beside/m.yaml").write_text(text)
    call = ["run", "beside/m.yaml", "tiny.yaml", "--out", "out", "--repetitions", "1"]
    assert main(call) == 0
    Path("beside/m.yaml").write_text(text.replace("own:", "absent:"))
    assert main(call) == 2
    error = capsys.readouterr().err
    assert error.startswith("srlib: beside/m.yaml, method Good: absent:Good cannot be imported (")
    assert "put its module beside the method file" in error
    assert len(pd.read_parquet("out/runs.parquet")) == 1


def test_second_command_on_the_folder_is_refused_and_only_results_remain(capsys):
    with claim("out/lock"):
        assert main(words("Writes")) == 2
        sentence = "another command records into this folder; wait until it is done"
        assert capsys.readouterr().err == f"srlib: out: {sentence}\n"
    assert main(words("Writes")) == 0
    assert {path.name for path in Path("out").iterdir()} == {"predictions", "runs", "runs.parquet"}
