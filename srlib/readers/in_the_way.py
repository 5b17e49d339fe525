"""A file or folder named demo, where the demo that srlib ships may have been meant."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from srlib.errors import InputError

SAID = "it stands in the way of the demo that srlib ships: rename it, or work in another folder"
Read = TypeVar("Read", bound=Callable[..., Any])


def or_the_demo(read: Read) -> Read:
    """Let a reader of runs say what it took for the demo, or that this cannot be read."""

    @wraps(read)
    def told(name: Any, *rest: Any, **how: Any) -> Any:
        names = name
        if not isinstance(name, list | tuple):
            names = [name]
        meant = any(isinstance(one, str | Path) and str(one) == "demo" for one in names)
        if not (meant and Path("demo").exists()):
            return read(name, *rest, **how)
        try:
            found = read(name, *rest, **how)
        except InputError as error:
            if not str(error).startswith(("demo:", "demo/")):
                raise
            raise InputError(f"{error}; {SAID}") from error
        said = "demo: what has this name here was read, not the demo that srlib ships"
        return replace(found, notices=(*found.notices, said))

    return told  # pyright: ignore
