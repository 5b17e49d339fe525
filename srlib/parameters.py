"""Checks of the types of a notebook's parameters, before other cells run."""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from srlib.errors import InputError

STRICT = ConfigDict(strict=True)
# types allowed for an annotated type: a text may stand for a list, and a number may be None
ALLOWED_TYPES: dict[Any, Any] = {list: list | str, int: int | None, float: float | None}


def check_parameters(namespace: Mapping[str, Any]) -> None:
    """Raise InputError if a parameter of a notebook does not have the type that its first cell annotates.

    Parameters
    ----------
    namespace : mapping
        The notebook's `globals()`, with `__annotations__`. `ALLOWED_TYPES` lists which other types are allowed for some
        annotated types.

    Raises
    ------
    InputError
        For the first wrong parameter: its name, what was allowed, and its value.

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
    """Raise InputError if a value does not have the annotated type of its parameter.

    Raises
    ------
    InputError
        The parameter, what was allowed, and the value.
    """
    try:
        TypeAdapter(ALLOWED_TYPES.get(kind, kind), config=STRICT).validate_python(value)
    except ValidationError as error:
        fault = error.errors()[0]
        message = fault["msg"].replace("Input", "input")
        raise InputError(f"{name}: {message}, got {fault['input']!r}") from error
