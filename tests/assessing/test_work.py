"""What simplifying finds depends on the model and the rules alone: no clock, no load, no order, no seed of hashes."""

import json
import os
import subprocess
import sys
import tracemalloc

import pytest

from srlib.expressions import parse, simplify
from srlib.expressions.simplify import OutOfWorkError
from tests.assessing.work_cases import MODELS

pytestmark = pytest.mark.slow

FIRST = "import sympy; "


def found(seed: int, before: str, jobs: int, backwards: bool) -> dict:
    code = f"{before}from tests.assessing.work_cases import main; main({jobs}, {backwards})"
    call = [sys.executable, "-c", code]
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    environment.pop("SYMPY_GROUND_TYPES", None)
    done = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def test_the_same_to_the_last_object():
    """Text and count of every model, and which is too much: for any seed, order and jobs, and after sympy."""
    one, other = found(1, "", 1, False), found(2, FIRST, 2, True)
    assert one == other and len(one) == len(MODELS)
    assert {numbers for _, numbers in one.values()} == {"gmpy"}
    beyond = ["beyond" in value for value, _ in one.values()]
    assert any(beyond) and not all(beyond)


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
    assert simplify(parse(MODELS[0]), work=10**6) == simplify(parse(MODELS[0]))
