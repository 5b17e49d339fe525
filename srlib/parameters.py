"""Parameters of a notebook, checked before anything runs."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from srlib.errors import InputError
from srlib.prose import listed

STRICT = ConfigDict(strict=True)
# beside what is stated: a text stands for a list of any values, and a number may be None
ALLOWED: dict[Any, Any] = {list: list | str, int: int | None, float: float | None}


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
        What `globals()` gives in the notebook; see `ALLOWED`.
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
    srlib.errors.InputError: seeds: input should be a valid integer, got 'abc'
    """
    for name, kind in space.get("__annotations__", {}).items():
        check_parameter(name, kind, space.get(name))
    for name, bound in (least or {}).items():
        if space[name] is None or not space[name] >= bound:
            raise InputError(f"{name} must be {bound:g} or more, got {space[name]!r}")
    for name, names in (among or {}).items():
        if space[name] and space[name] not in names:
            raise InputError(
                f"{name}: one of {listed(sorted(names), 20)} was expected, got {space[name]!r}"
            )


def check_parameter(name: str, kind: Any, value: Any) -> None:
    """Compare a value with the type that a notebook states for a parameter.

    Raises
    ------
    InputError
        One sentence: the parameter, what was allowed, what came.
    """
    try:
        TypeAdapter(ALLOWED.get(kind, kind), config=STRICT).validate_python(value)
    except ValidationError as error:
        fault = error.errors()[0]
        message = fault["msg"].replace("Input", "input")
        raise InputError(f"{name}: {message}, got {fault['input']!r}") from error
