"""What simplifying finds depends on the model and the rules alone: no clock, no load, no order, no seed of hashes."""

import json
import os
import subprocess
import sys
import tracemalloc

import pytest

from srlib.assessing.outcomes import columns
from srlib.assessing.store import _alone
from srlib.expressions import parse, simplify
from srlib.expressions.simplify import OutOfWorkError
from srlib.workers import FORKS, bounded_map
from tests.assessing.sharing_cases import carried_out, tasks
from tests.assessing.work_cases import MODELS, WORK

pytestmark = pytest.mark.slow

FIRST = "import sympy; "


def found(seed: int, before: str, jobs: int, backwards: bool) -> list[dict]:
    code = f"{before}from tests.assessing.work_cases import main; main({jobs}, {backwards})"
    call = [sys.executable, "-c", code]
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    environment.pop("SYMPY_GROUND_TYPES", None)
    done = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def test_the_same_to_the_last_object():
    """Text, count, work and key of every model, and which is too much, also where sympy came first."""
    one, other = found(1, "", 1, False), found(2, FIRST, 2, True)
    assert one == other
    assert {result.pop("numbers") for result in one} == {"gmpy"}
    beyond = ["beyond" in result["value"] for result in one]
    assert any(beyond) and not all(beyond)
    assert all(0 < result["value"].get("work", 1) <= WORK for result in one)
    assert len(one) == len(MODELS)


def test_a_power_with_too_many_terms_is_not_opened():
    """Its 10 million terms would fill the memory before the first of them is an object."""
    terms = " + ".join(f"x{i}" for i in range(10))
    tracemalloc.start()
    with pytest.raises(OutOfWorkError):
        simplify(parse(f"({terms})**20*sin(x1) - ({terms})**21"), work=100_000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100_000_000


def test_work_stops_where_the_rules_say():
    with pytest.raises(OutOfWorkError, match="sympy does not end within 100 objects"):
        simplify(parse(MODELS[0]), work=100)
    simple = simplify(parse(MODELS[0]), work=10**6)
    assert simple == simplify(parse(MODELS[0]))
    assert simple.work > 100


def test_too_much_work_is_no_timeout():
    known = {"simplify_status": "skipped", "complexity_raw": 7}
    outcome = {
        "status": "ok",
        "value": {"beyond": "sympy does not end within 9 objects"},
        "detail": "",
    }
    row = columns(known, {"simplify": outcome})
    assert (row["simplify_status"], row["complexity"]) == ("work", 7)
    assert row["detail"] == "sympy does not end within 9 objects"
    assert columns(known, {"count": outcome})["complexity"] == 7


def test_what_shares_a_worker_finds_it_as_the_first_did():
    """Alone in a new worker, after the others, and before them: the same results, and sympy is not touched."""
    asked = tasks()
    preload = ("srlib.assessing.tasks", "srlib.expressions.warm")

    def found(items, **settings):
        outcomes = bounded_map(carried_out, items, timeout=60, preload=preload, **settings)
        return [outcome.value for _, outcome in sorted(outcomes, key=lambda pair: pair[0])]

    alone = found(asked, fresh=True)
    assert {state for _, state in alone} == {alone[0][1]}
    assert any("'proof': 'symbolic" in value for value, _ in alone)
    assert found(asked, jobs=1) == alone
    assert found(asked[::-1], jobs=1)[::-1] == alone
    assert not any(_alone(task, 10) for task in asked) or not FORKS
