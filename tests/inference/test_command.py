"""`srlib inference` from the outside: files, exit codes and what it says."""

import json
import math

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.inference import rank_solvers
from tests.inference.small import PAIR


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "problems").mkdir()
    (tmp_path / "problems" / "small.uai").write_text(PAIR)
    (tmp_path / "problems" / "small.uai.query").write_text("1 1")
    for name, text in {
        "1/small.uai.MPE": "MPE 2 0 0",
        "9/small.uai.MPE": "MPE 2 1 1",
        "small.uai.PR": "PR 0",
    }.items():
        path = tmp_path / "answers" / "a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def run(folder, command, **options):
    words = [word for name, value in options.items() for word in (f"--{name}", str(folder / value))]
    return main(["inference", command, *words])


def test_a_beaten_reference_is_updated_and_said(folder, capsys):
    options = {"problems": "problems", "answers": "answers", "reference": "reference"}
    assert run(folder, "score", **options, out="scores") == 0
    capsys.readouterr()
    path = folder / "reference" / "small.reference.json"
    known = json.loads(path.read_text())
    worse = known["best"] | {"MPE small": [0.0, [0, 0]]}
    path.write_text(json.dumps(known | {"best": worse}))
    assert run(folder, "score", **options, out="scores") == 0
    assert (
        "older scores change: MPE small: a found 0.477121, the best known was 0"
        in capsys.readouterr().out
    )
    assert json.loads(path.read_text()) == known
    assert run(folder, "score", **options, out="scores") == 0
    assert "older scores" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--weights", "1"], "weights: one for each of the time limits 1, 9 was expected"),
        (["--weights", "1:2"], "weights: one for each of the time limits 1, 9 was expected"),
        (["--weights", "1:2,9:x"], "weights: one for each of the time limits 1, 9 was expected"),
        (["--weights", "1:2,9:nan"], "weights: one for each of the time limits 1, 9 was expected"),
        (["--trivial", "b"], "no solver 'b' that sets the scale; its solvers are a"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(folder, capsys, words, said):
    paths = [f"--{name}={folder / name}" for name in ("problems", "answers", "out")]
    assert main(["inference", "score", *paths, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_weights_of_time_limits(folder):
    """At 1 s the answer is the worst, at 9 s the best: 0 and 100, of which the second counts four times."""
    paths = [f"--{name}={folder / name}" for name in ("problems", "answers", "out")]
    assert main(["inference", "score", *paths, "--weights", "1:1,9:4"]) == 0
    ranking = pd.read_csv(folder / "out" / "ranking.csv", index_col="task")
    equal = rank_solvers(pd.read_csv(folder / "out" / "scores.csv")).set_index("task")
    assert ranking.loc["MPE", "score"] != equal.loc["MPE", "score"]


def test_oddities_are_said(folder, capsys):
    """Evidence that cannot be, and several numbers of which the first counts."""
    problems, answers = folder / "problems", folder / "answers"
    (problems / "never.uai").write_text(PAIR)
    (problems / "never.uai.evid").write_text("2 0 1 1 2")
    (answers / "a" / "never.uai.PR").write_text("PR -inf")
    (answers / "b").mkdir()
    (answers / "b" / "small.uai.PR").write_text("PR\n2.05\n7")
    assert run(folder, "score", problems="problems", answers="answers", out="scores") == 0
    said = capsys.readouterr().out
    assert "2 answers, as a on PR never: the evidence contradicts the model" in said
    scores = pd.read_csv(folder / "scores" / "scores.csv", index_col=["solver", "task", "instance"])
    assert scores.loc[("b", "PR", "small"), "error"].iloc[0] == pytest.approx(
        2.05 - math.log10(7.8)
    )
