"""The table of tasks: each row has what a task needs, and a task is added by a row alone."""

import json

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.inference.cases import Answer, Task
from srlib.inference.errors import measured
from srlib.inference.reference import exact, find_reference, improved, write_reference
from srlib.inference.tasks import TASKS, cases_of
from tests.inference.small import PAIR, stored


@pytest.mark.parametrize("name", TASKS)
def test_a_task_has_all_it_needs(name, tmp_path):
    row = TASKS[name]
    problem = stored(tmp_path, query="1 1", test="2\n1 0\n1 1\n0\n2\n0 0\n0 1\n")[0]
    cases = [case for case in cases_of(problem) if case.row is row]
    assert cases, f"{name}: nothing is asked"
    values = [row.trivial(case) for case in cases]
    reference = exact(problem)
    for case, value in zip(cases, values, strict=True):
        quality, status, _ = measured(case, Answer(value), reference)
        best = row.known(reference, case)
        assert (status, best is not None) == ("ok", True)
        assert quality <= best + 1e-12 if row.keep else quality >= 0
        if row.keep:
            better = improved(reference, case, 7.0, dict.fromkeys(case.query, 0))
            assert row.known(better, case) == 7.0
    others = {key for task in TASKS.values() if task is not row for key in task.stored}
    assert set(row.stored) <= set(reference) - others - {"digest"}
    write_reference(problem, reference, tmp_path)
    kept = find_reference(problem, tmp_path)
    assert [row.known(kept, case) for case in cases] == [row.known(reference, c) for c in cases]


def test_a_task_is_added_by_a_row(tmp_path, monkeypatch, capsys):
    """How many variables are observed: asked, answered, measured, kept and shown as all others are."""
    seen = Task(
        name="SEEN",
        heads=("SEEN", "OBSERVED"),
        cases=lambda problem: [(problem.name, problem.evidence, ())],
        parse=lambda block, cases, source: [Answer(int(word)) for word in block.split()],
        trivial=lambda case: 5,
        measure=lambda case, answer, truth: (abs(answer.value - truth), "ok", ""),
        stored={"seen": int | None},
        known=lambda reference, case: reference.get("seen"),
        solve=lambda case, reference: reference.update(seen=len(case.evidence)),
    )
    monkeypatch.setitem(TASKS, "SEEN", seen)
    stored(tmp_path, PAIR, evid="1 0 1")
    (tmp_path / "answers" / "a").mkdir(parents=True)
    (tmp_path / "answers" / "a" / "small.uai.OBSERVED").write_text("OBSERVED\n2\n")
    problems = ["--problems", str(tmp_path)]
    (tmp_path / "answers" / "trivial").mkdir()
    (tmp_path / "answers" / "trivial" / "small.uai.SEEN").write_text("SEEN\n5\n")
    kept = tmp_path / "reference"
    options = ["--answers", str(tmp_path / "answers"), "--reference", str(kept)]
    scores = ["--out", str(tmp_path / "scores")]
    assert main(["inference", "score", *problems, *options, *scores]) == 0
    assert json.loads((kept / "small.reference.json").read_text())["seen"] == 1
    assert " SEEN   1. a         75.000" in capsys.readouterr().out
    ranking = pd.read_csv(tmp_path / "scores" / "ranking.csv").set_index(["task", "solver"])
    assert ranking.loc[("SEEN", "a"), ["score", "rank"]].tolist() == [75.0, 1]
    assert ranking.loc[("SEEN", "trivial"), "score"] == 0
