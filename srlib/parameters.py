"""Parameters of a notebook, checked before anything runs."""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from srlib.errors import InputError

STRICT = ConfigDict(strict=True)
# beside what is stated: a text stands for a list of any values, and a number may be None
ALLOWED: dict[Any, Any] = {list: list | str, int: int | None, float: float | None}


def check_parameters(space: Mapping[str, Any]) -> None:
    """Compare a notebook's parameters with the types that its first cell states.

    Parameters
    ----------
    space : mapping
        What `globals()` gives in the notebook; see `ALLOWED`.

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
