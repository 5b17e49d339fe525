"""Checks of a notebook's parameters before anything runs."""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from srlib.errors import InputError

STRICT = ConfigDict(strict=True)
# beside what is stated: a text stands for a list of any values, and a number may be None
ALLOWED_TYPES: dict[Any, Any] = {list: list | str, int: int | None, float: float | None}


def check_parameters(namespace: Mapping[str, Any]) -> None:
    """Refuse a notebook's parameters whose values have not the types that its first cell states.

    Parameters
    ----------
    namespace : mapping
        The notebook's `globals()`; `ALLOWED_TYPES` has the types beside those that are stated.

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
    for name, kind in namespace.get("__annotations__", {}).items():
        check_parameter(name, kind, namespace.get(name))


def check_parameter(name: str, kind: Any, value: Any) -> None:
    """Refuse a value that has not the type that a notebook states for a parameter.

    Raises
    ------
    InputError
        One sentence: the parameter, what was allowed, what came.
    """
    try:
        TypeAdapter(ALLOWED_TYPES.get(kind, kind), config=STRICT).validate_python(value)
    except ValidationError as error:
        fault = error.errors()[0]
        message = fault["msg"].replace("Input", "input")
        raise InputError(f"{name}: {message}, got {fault['input']!r}") from error
