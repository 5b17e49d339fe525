"""`srlib inference score` from the outside: files, exit codes and what it says."""

import json
import math

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.tools.inference.tasks import compute_reference, find_reference, write_reference
from tests.builders import each
from tests.tools.inference.small import PAIR, stored

FILES = {
    "problems/small.uai": PAIR,
    "problems/never.uai": PAIR,
    "problems/never.uai.evid": "2 0 1 1 2",
    "answers/a/1/small.uai.MPE": "MPE 2 0 0",
    "answers/a/9/small.uai.MPE": "MPE 2 1 1",
    "answers/a/never.uai.MPE": "MPE 2 1 2",
    "answers/b/small.uai.PR": "PR\n2.05\n7",
}


@pytest.fixture
def run(tmp_path, capsys):
    """Call the command on a problem with an answer in 1 and in 9 seconds, and on one with evidence that cannot be."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def call(*words):
        paths = [f"--{name}={tmp_path / name}" for name in ("problems", "answers", "out")]
        return main(["inference", "score", *paths, *words]), *capsys.readouterr()

    return call


def test_beaten_best_value_is_updated_and_printed(run, tmp_path):
    option = f"--reference={tmp_path / 'reference'}"
    run(option)
    path = tmp_path / "reference/small.reference.json"
    known = json.loads(path.read_text())
    path.write_text(json.dumps(known | {"best": {"MPE small": [0.0, [0, 0]]}}))
    change = "older scores change: MPE small: a found 0.477121, the best known was 0\n"
    assert change in run(option)[1]
    assert json.loads(path.read_text()) == known
    better = known | {"best": {"MPE small": [9.0, [1, 1]]}}
    path.write_text(json.dumps(better))
    assert "older scores" not in run(option)[1]
    assert json.loads(path.read_text()) == better


def test_two_commands_keep_the_better_of_best_known_values(tmp_path):
    """A command that began before the other wrote does not put back what it had read."""
    [problem] = stored(tmp_path)
    for best in ([0.0, [0, 0]], [0.5, [1, 1]], [0.25, [0, 1]]):
        known = compute_reference(problem).model_copy(update={"best": {"MPE small": tuple(best)}})
        write_reference(problem, known, tmp_path)
    assert find_reference(problem, tmp_path).best == {"MPE small": (0.5, [1, 1])}
    assert not [path for path in tmp_path.iterdir() if "lock" in path.name]


@each(
    "option value sentence",
    """
--weights | 1 | weights: one for each of the time limits 1, 9 was expected
--weights | 1:2 | weights: one for each of the time limits 1, 9 was expected
--weights | 1:2,9:x | weights: one for each of the time limits 1, 9 was expected
--weights | 1:2,9:nan | weights: one for each of the time limits 1, 9 was expected
--weights | 1:0,9:0 | weights: one for each of the time limits 1, 9 was expected
--weights | 1:-1,9:4 | weights: one for each of the time limits 1, 9 was expected
--trivial | c | no solver 'c' that sets the scale; its solvers are a, b
""",
)
def test_wrong_call_is_one_line_and_exit_2(run, option, value, sentence):
    code, _, error = run(option, value)
    assert (code, error.count("\n")) == (2, 1) and sentence in error


def test_scores_and_ranking_are_written_and_remarks_printed(run, tmp_path):
    """Evidence that cannot be; several numbers of which the first counts; 0 at 1 s and 100 at 9 s."""
    code, text, _ = run("--weights", "1:1,9:4")
    assert code == 0
    assert "2 answers, as a on MPE never: the evidence contradicts the model" in text
    scores, ranking = (
        pd.read_csv(tmp_path / "out" / f"{name}.csv").set_index(["task", "solver"]).sort_index()
        for name in ("scores", "ranking")
    )
    error = scores.loc[("PR", "b")].set_index("instance")["error"]["small"]
    assert error.iloc[0] == pytest.approx(2.05 - math.log10(7.8))
    assert {*scores["status"]} >= {"not_evaluable", "missing"}
    assert ranking.loc[("MPE", "a"), "score"] == pytest.approx(80)
