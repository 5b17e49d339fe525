"""Every task: its cases, its trivial answer, and its place in a reference."""

import pytest

from srlib.inference.references import compute_reference, find_reference, write_reference
from srlib.inference.tasks import TASKS
from tests.inference.small import stored


@pytest.mark.parametrize("name", TASKS)
def test_a_task_measures_its_trivial_answer_and_keeps_its_reference(name, tmp_path):
    task = TASKS[name]
    problem = stored(tmp_path, query="1 1", test="2\n1 0\n1 1\n0\n2\n0 0\n0 1\n")[0]
    reference = compute_reference(problem)
    write_reference(problem, reference, tmp_path)
    assert find_reference(problem, tmp_path) == reference
    cases = task.cases(problem)
    assert len(cases) == (2 if name == "MLC" else 1)
    for case in cases:
        truth = reference.value_of(case)
        quality, _ = task.measure(case, task.trivial(case), truth)
        if task.exact:
            assert quality < 0
        else:
            assert quality <= truth + 1e-12
            better = reference.with_best(case, 7.0, dict.fromkeys(case.query, 0))
            assert better.value_of(case) == 7.0
