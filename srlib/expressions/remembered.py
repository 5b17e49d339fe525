"""What mpmath remembers from one model to the next, put back, so that each finds a worker as the first did.

Its constants are kept with the most digits that anybody asked for, and cut from there, so that a last digit may hang
on who asked before. `keep` notes what is there once a worker's modules are imported; `put_back` makes it so again.
"""

import sys
import types
from collections.abc import Iterator
from typing import Any

_kept: list[tuple[dict[Any, Any], dict[Any, Any], list[tuple[Any, Any]]]] = []


def keep() -> None:
    """Note all that mpmath's functions remember now."""
    from srlib.expressions.truth.precise import as_made

    as_made()
    _kept.clear()
    for space in {id(space): space for space in _namespaces()}.values():
        held = {name: value for name, value in space.items() if _may_change(name, value)}
        inside = [
            (value, _copy(value)) for value in held.values() if isinstance(value, dict | list)
        ]
        if held:
            _kept.append((space, held, inside))


def put_back() -> None:
    """Make it so again; nothing happens where nothing was kept."""
    for space, held, inside in _kept:
        if any(space[name] is not value for name, value in held.items()):
            space.update(held)
        for value, copy in inside:
            if value != copy:
                value.clear()
                if isinstance(value, dict):
                    value.update(_copy(copy))
                else:
                    value.extend(_copy(copy))
    if _kept:
        from srlib.expressions.truth.precise import as_made

        as_made()


def _namespaces() -> Iterator[dict[Any, Any]]:
    """Modules that compute, what their functions have as attributes, and their defaults."""
    for path, module in sorted(sys.modules.items()):
        if not path.startswith("mpmath.libmp."):
            continue
        yield vars(module)
        for value in vars(module).values():
            if isinstance(value, types.FunctionType):
                cells = [cell.cell_contents for cell in value.__closure__ or ()]
                for function in (value, *cells):
                    if isinstance(function, types.FunctionType):
                        yield vars(function)
                        yield dict(enumerate(function.__defaults__ or ()))


def _may_change(name: Any, value: Any) -> bool:
    return name not in ("__builtins__", "__path__") and not callable(value)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_copy(inner) for inner in value)
    return value
