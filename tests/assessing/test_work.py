"""What simplifying finds depends on the model and the rules alone: no clock, no load, no order, no seed of hashes."""

import json
import os
import subprocess
import sys
import tracemalloc

import pytest

from srlib.assessing.measure import PRELOAD, Question, measure_model
from srlib.expressions import compare, parse, simplify, to_text
from srlib.expressions.normal_form import shortest
from srlib.expressions.simplify import OutOfWorkError
from srlib.workers import bounded_map

pytestmark = pytest.mark.slow

MODELS = (
    "sin(x)**2*y + cos(x)**2*y + 0.5*tan(x)*cos(x)",
    "1.01*B*q*v/p - 1.826*sin(p*v - 0.874*v + 1)*cos(q)",
    "(x + 1.5)**3/(x*y + y*z) - log(x*y) + log(x) + exp(x)*exp(-y)",
    "0.335*y + 1.332*sin(sin(y) + 100)**2 - 1.031 + cos(sin(y))",
    "abs(x*y)*sqrt(x**2) - max(0, 2 - x) + max(0.3, y - x)",
    "sin(x + y)*cos(x - y) + sin(2*x)/2 - sin(y + z)",
    "tanh(x)/cosh(y) + sinh(x)*cosh(x) - exp(-x)/(exp(x) + exp(-x))",
    "where(x > 1, x*y + y, 2*y) + sign(x*z)",
    "(a + b + c)**3*sin(a*b) - (a*b + c)/(a + c) + cos(a*b)*sin(c)",
    "gamma(x + 1)/gamma(x) + erf(y)*x",
    "1.71*a/(b*o + m) + 3.2*b/(c*m**20) - 0.043*m/(o - h/b) + 1.556*p**2/(c*(m + o))",
    "0.09*x**5*sin(x*y)**8*cos(y/(z + 1.5))**7/((x + cos(y*z + z))*(z + sin(x)**3 + 1))",
)
THREE_POLES = "x*y + 1e-12/(x - 2.5) + 1e-12/(y - 3.1) + 1e-12/(z - 3.1)"


def print_answers(jobs, order):
    """Simplify the models as `assess` does, and compare one; print what comes out as JSON."""
    settings = {"decimals": 3, "round_constants": "never", "work": 6_000}
    questions = [Question("size", parse(text), settings) for text in MODELS][::order]
    answers = bounded_map(measure_model, questions, timeout=100, preload=PRELOAD, jobs=jobs)
    values = {to_text(questions[place].model): outcome.value for place, outcome in answers}
    texts = [shortest(parse(text)).text for text in MODELS]
    evidence = compare(parse("x*y"), parse(THREE_POLES), {}).witness
    print(json.dumps([values, texts, evidence], sort_keys=True))


def answers_of(seed, before, jobs, order):
    code = f"{before}from tests.assessing.test_work import print_answers as p; p({jobs}, {order})"
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "SYMPY_GROUND_TYPES": "auto"}
    return json.loads(subprocess.check_output([sys.executable, "-c", code], env=environment))


def test_the_same_to_the_last_object():
    """Text, count and witness of every model, and which is too much: for any seed, order and jobs, and after sympy."""
    answers, texts, evidence = answers_of(1, "", 1, 1)
    assert answers_of(2, "import sympy; ", 2, -1) == [answers, texts, evidence]
    assert len(answers) == len(MODELS)
    assert {"beyond" in answer for answer in answers.values()} == {True, False}
    assert Question("size", parse("x"), {}).key["ground_types"] == "gmpy"


def test_a_power_with_too_many_terms_is_not_opened():
    """Its 10 million terms would fill the memory before the first of them is an object."""
    terms = " + ".join(f"x{i}" for i in range(10))
    tracemalloc.start()
    with pytest.raises(OutOfWorkError):
        simplify(parse(f"({terms})**20*sin(x1) - ({terms})**21"), work=100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


def test_work_stops_where_the_rules_say():
    model = parse(MODELS[0])
    with pytest.raises(OutOfWorkError, match="sympy does not end within 100 objects"):
        simplify(model, work=100)
    assert simplify(model, work=10**6) == simplify(model)
