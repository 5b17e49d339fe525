"""What a worker does for a model, and what it remembers afterwards (importable in a worker)."""

import sympy
from sympy.core.cache import CACHE

from srlib.assessing.tasks import Task, carry_out
from srlib.expressions import parse
from srlib.expressions.shortest import REWRITES

DOMAIN = {"x": (1.0, 2.0), "y": (0.5, 3.0)}
TRUTH = "0.31*sin(x)*exp(y)**2 + gamma(x) + 1.7*log(y)**1.5 + pi*x"
MODELS = (
    "0.31*exp(2*y)*sin(x) + x*gamma(x + 1)/x**2 + 1.7*log(y)**1.5 + 3.14159265358979*x + 2.5",
    "0.62*exp(2*y)*sin(x) + 2*gamma(x) + 3.4*log(y)**1.5 + 6.28318530717958*x",
    "sqrt(x)*tanh(y) + erf(x*y)**0.3",
    "1e-30*atan(x**7) + log(1 + exp(x - y))/3 + where(x > y, 2*x, cos(1e9*y))",
    TRUTH,
)


def tasks() -> list[Task]:
    """All that the rules of 2026 ask about the models."""
    features, found = ("x", "y"), []
    for text in MODELS:
        model = parse(text, features)
        compared = {"truth": TRUTH, "features": features, "domain": DOMAIN}
        free = {"constants": "free", "free": ()}
        found += [
            Task("compare", model, compared),
            Task("canonical", model, {"rewrites": REWRITES}),
        ]
        found += [Task("compare", model, compared | free)]
    return found


def carried_out(task: Task) -> tuple[str, tuple[object, ...]]:
    """Carry a task out; tell what came, and what sympy remembers when the next one begins."""
    value = repr(carry_out(task))
    hits = [str(name.cache_info()) for name in CACHE if hasattr(name, "cache_info")]
    return value, (*hits, sympy.Dummy._count)
