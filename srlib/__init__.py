"""Judge symbolic-regression competitions: rules as data, evidence for every verdict, offline reports.

Examples
--------
>>> import srlib
>>> judged = srlib.judge("demo", problems="synthetic-2022", rules="judging-2022")
>>> judged.ranking.columns.tolist()
['method', 'score', 'rank']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srlib.api.models import equivalent, parse
    from srlib.api.reporting import report
    from srlib.api.scoring import complexity_score, solution_rate
    from srlib.api.verbs import assess, check, compare, judge, read_runs, robustness
    from srlib.errors import SrlibError

__version__ = "0.2.0"
__all__ = [
    "SrlibError",
    "assess",
    "check",
    "compare",
    "complexity_score",
    "equivalent",
    "judge",
    "parse",
    "read_runs",
    "report",
    "robustness",
    "solution_rate",
]
_HOMES = {
    "SrlibError": "errors",
    "assess": "api.verbs",
    "check": "api.verbs",
    "compare": "api.verbs",
    "complexity_score": "api.scoring",
    "equivalent": "api.models",
    "judge": "api.verbs",
    "parse": "api.models",
    "read_runs": "api.verbs",
    "report": "api.reporting",
    "robustness": "api.verbs",
    "solution_rate": "api.scoring",
}


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used: `import srlib` alone loads nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the names that can be imported from here."""
    return sorted([*__all__, "__version__"])
