"""`srlib inference` from the outside: files, exit codes and what it says."""

import json
import math

import pandas as pd
import pytest

from srlib.cli.main import main
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


def test_score_writes_scores_ranking_and_references(folder):
    (folder / "answers" / "trivial").mkdir()
    (folder / "answers" / "trivial" / "small.uai.MPE").write_text("MPE\n2 1 0\n")
    options = {"problems": "problems", "answers": "answers", "reference": "reference"}
    assert run(folder, "score", **options, out="scores") == 0
    written = {path: path.read_bytes() for path in folder.glob("[rs]*/*.[cj]*")}
    assert len(written) == 3
    assert run(folder, "score", **options, out="scores") == 0
    assert written == {path: path.read_bytes() for path in written}
    scores, ranking = [pd.read_csv(folder / "scores" / f"{n}.csv") for n in ("scores", "ranking")]
    assert scores.columns.tolist() == [
        "solver", "task", "instance", "time_limit_s", "error", "max_error", "score", "status", "note"
    ]  # fmt: skip
    assert ranking.columns.tolist() == ["task", "solver", "n_instances", "score", "rank"]
    mpe = ranking[ranking["task"] == "MPE"].set_index("solver")["score"]
    assert mpe.to_dict() == {"a": 50, "trivial": 0}


def test_time_limits_have_weights(folder):
    (folder / "answers" / "a" / "small.uai.PR").unlink()
    paths = [f"--{name}={folder / name}" for name in ("problems", "answers", "out")]
    assert main(["inference", "score", "--weights", "1:1,9:4", *paths]) == 0
    assert pd.read_csv(folder / "out" / "ranking.csv")["score"].tolist() == [80]


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
        (["--weights", "1"], "--weights: LIMIT:WEIGHT with commas between was expected, got '1'"),
        (["--weights", "1:2"], "weights: one for each of the time limits 1, 9 was expected"),
        (["--trivial", "b"], "no solver 'b' that sets the scale; its solvers are a"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(folder, capsys, words, said):
    paths = [f"--{name}={folder / name}" for name in ("problems", "answers", "out")]
    assert main(["inference", "score", *paths, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


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
    assert "never: the evidence contradicts the model: no task of it can be evaluated" in said
    scores = pd.read_csv(folder / "scores" / "scores.csv", index_col=["solver", "task", "instance"])
    assert scores.loc[("b", "PR", "small"), "error"].iloc[0] == pytest.approx(
        2.05 - math.log10(7.8)
    )


def test_positive_answers_are_told_apart_where_the_trivial_one_is_impossible(folder):
    """All score 100 there; the distance to the best known likelihood says who is nearer."""
    (folder / "problems" / "small.uai").write_text(PAIR.replace("4 5 0", "0 0 2"))
    for solver, states in (("b", "1 2"), ("c", "0 0")):
        (folder / "answers" / solver).mkdir()
        (folder / "answers" / solver / "small.uai.MPE").write_text(f"MPE 2 {states}")
    (folder / "answers" / "a" / "1" / "small.uai.MPE").unlink()
    (folder / "answers" / "a" / "9" / "small.uai.MPE").unlink()
    assert run(folder, "score", problems="problems", answers="answers", out="scores") == 0
    scores = pd.read_csv(folder / "scores" / "scores.csv").query("task == 'MPE'")
    scores = scores.set_index("solver")
    assert scores["score"][["b", "c"]].tolist() == [100, 100]
    assert scores["error"]["b"] == pytest.approx(0, abs=1e-12)
    assert scores["error"]["c"] == pytest.approx(math.log10(3))
