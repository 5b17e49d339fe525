"""Parameters of a notebook, checked before anything runs."""

from collections.abc import Collection, Mapping
from typing import Any, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError

from srlib.errors import InputError
from srlib.prose import listed

KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "names with values",
}
STRICT = ConfigDict(strict=True)


def check_parameters(
    space: Mapping[str, Any],
    *,
    least: Mapping[str, float] | None = None,
    among: Mapping[str, Collection[str]] | None = None,
) -> None:
    """Compare a notebook's parameters with the types that its first cell states, and with further limits.

    Parameters
    ----------
    space : mapping
        What `globals()` gives in the notebook. A text stands for a `list` of any values; a number may be None.
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
    >>> check_parameters({"__annotations__": {"seeds": int}, "seeds": "abc"})
    Traceback (most recent call last):
        ...
    srlib.errors.InputError: seeds must be a whole number, got 'abc'
    """
    for name, kind in space.get("__annotations__", {}).items():
        value = space.get(name)
        allowed: Any = {list: list | str, int: int | None, float: float | None}.get(kind, kind)
        try:
            TypeAdapter(allowed, config=STRICT).validate_python(value)
        except ValidationError as error:
            raise InputError(f"{name} must be {_kind_text(kind)}, got {value!r}") from error
    for name, bound in (least or {}).items():
        if space[name] is None or not space[name] >= bound:
            raise InputError(f"{name} must be {bound:g} or more, got {space[name]!r}")
    for name, names in (among or {}).items():
        if space[name] and space[name] not in names:
            raise InputError(
                f"{name}: one of {listed(sorted(names), 20)} was expected, got {space[name]!r}"
            )


def _kind_text(kind: Any) -> str:
    outer, inner = get_origin(kind), get_args(kind)
    if kind is list:
        return "a list or a text"
    if outer is list and inner[0] in KINDS:
        return f"a list, each of them {KINDS[inner[0]]}"
    return KINDS.get(outer or kind, str(kind))
