"""What simplifying finds depends on the model and the rules alone: no clock, no load, no order, no seed of hashes."""

import json
import os
import subprocess
import sys

import pytest

from srlib.assessing.outcomes import columns
from srlib.expressions import parse, simplify
from srlib.expressions.algebra.work import OutOfWorkError
from tests.assessing.work_cases import MODELS, WORK


def found(seed: int, jobs: int, order: str, beside: str = "") -> list[dict]:
    call = [sys.executable, "-m", "tests.assessing.work_cases", str(jobs), order]
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": beside}
    done = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def test_the_same_to_the_last_object(tmp_path):
    """Text, count and work of every model, and which of them takes too much; sympy takes any flint for its numbers."""
    (tmp_path / "flint.py").write_text("__version__ = '0.9.0'\n", encoding="utf-8")
    one, other = found(1, 1, "forwards"), found(2, 2, "backwards", str(tmp_path))
    assert one == other
    beyond = ["beyond" in result["value"] for result in one]
    assert any(beyond) and not all(beyond)
    assert all(0 < result["value"].get("work", 1) <= WORK for result in one)
    assert len(one) == len(MODELS)


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
