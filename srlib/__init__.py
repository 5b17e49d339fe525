"""Judge symbolic-regression competitions: rules as data, evidence for every verdict, offline reports.

Examples
--------
>>> import srlib
>>> judged = srlib.judge("demo", problems="synthetic-2022", rules="judging-2022")
>>> judged.ranking.columns.tolist()
['method', 'score', 'rank']
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"
_MODULES = {  # where the names are that can be imported from here; __init__.pyi tells them to type checkers
    "errors": ["SrlibError"],
    "api.verbs": ["assess", "check", "compare", "judge", "read_runs", "robustness"],
    "api.scoring": ["complexity_score", "solution_rate"],
    "api.models": ["equivalent", "parse"],
    "api.reporting": ["report"],
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_HOMES)  # pyright: ignore


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used: `import srlib` alone loads nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the names that can be imported from here."""
    return [*__all__, "__version__"]
