"""The table of tasks: each row has what a task needs, and a task is added by a row alone."""

import pytest

from srlib.inference.cases import Answer
from srlib.inference.errors import measured
from srlib.inference.reference import exact, find_reference, improved, write_reference
from srlib.inference.tasks import TASKS, cases_of
from tests.inference.small import stored


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
