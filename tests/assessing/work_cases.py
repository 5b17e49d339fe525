"""Simplify models as `assess` does, in the order and with the jobs that the test names; write what came out as JSON."""

import json

from srlib.assessing.measure import PRELOAD, Question, measure_model
from srlib.expressions import parse, to_text
from srlib.workers import bounded_map

WORK = 6_000
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


def main(jobs: int, backwards: bool) -> None:
    """Print texts, counts and work."""
    settings = {"decimals": 3, "round_constants": "never", "work": WORK}
    questions = [Question("size", parse(text), settings) for text in MODELS]
    questions = questions[::-1] if backwards else questions
    limits: dict = {"timeout": 100, "preload": PRELOAD, "jobs": jobs}
    found = {
        to_text(questions[place].model): (outcome.value, questions[place].key["ground_types"])
        for place, outcome in bounded_map(measure_model, questions, **limits)
    }
    print(json.dumps(found, sort_keys=True))
