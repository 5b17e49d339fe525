"""Parameters of a notebook, looked at before anything runs."""

from collections.abc import Collection, Mapping
from typing import Any, get_args, get_origin

from srlib.errors import InputError
from srlib.prose import listed

SAID: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "names with values",
}


def checked(
    space: Mapping[str, Any],
    *,
    least: Mapping[str, float] | None = None,
    among: Mapping[str, Collection[str]] | None = None,
) -> None:
    """Compare a notebook's parameters with the types that its first cell states, and with what else is said of them.

    Parameters
    ----------
    space : mapping
        What `globals()` gives in the notebook.
    least : mapping of str to float, optional
        The least value of a number.
    among : mapping of str to collection of str, optional
        The names that a text may be; it may be empty, too.

    Raises
    ------
    InputError
        One sentence: the parameter, what was allowed, what came.

    Examples
    --------
    >>> checked({"__annotations__": {"seeds": int}, "seeds": "abc"})
    Traceback (most recent call last):
        ...
    srlib.errors.InputError: seeds must be a whole number, got 'abc'
    """
    for name, kind in space.get("__annotations__", {}).items():
        value = space.get(name)
        if not (_fits(value, kind) or (value is None and kind in (int, float))):
            raise InputError(f"{name} must be {_said(kind)}, got {value!r}")
    for name, bound in (least or {}).items():
        if space[name] is None or not space[name] >= bound:
            raise InputError(f"{name} must be {bound:g} or more, got {space[name]!r}")
    for name, allowed in (among or {}).items():
        if space[name] and space[name] not in allowed:
            raise InputError(
                f"{name}: one of {listed(sorted(allowed), 20)} was expected, got {space[name]!r}"
            )


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value has a type; a whole number is a number, true is none, and a text stands for a list of any."""
    outer, inner = get_origin(kind), get_args(kind)
    if outer is list:
        return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
    if outer is dict:
        return isinstance(value, dict) and all(
            _fits(key, inner[0]) and _fits(one, inner[1]) for key, one in value.items()
        )
    if isinstance(value, bool) and kind in (int, float):
        return False
    if kind is float:
        kind = (int, float)
    if kind is list:
        kind = (list, str)
    return isinstance(value, kind)


def _said(kind: Any) -> str:
    outer, inner = get_origin(kind), get_args(kind)
    if kind is list:
        return "a list or a text"
    if outer is list and inner[0] in SAID:
        return f"a list, each of them {_said(inner[0])}"
    return SAID.get(outer or kind, str(kind))
