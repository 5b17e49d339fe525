"""Which box of the explorer an error came from, so that it is shown beside it."""

from collections.abc import Iterator
from contextlib import contextmanager

from srlib.errors import InputError, SrlibError


class BoxError(InputError):
    """What is wrong with what stands in a box.

    Parameters
    ----------
    message : str
        One sentence.
    box : str
        Name of the box: a field of `Settings`.
    """

    def __init__(self, message: str, box: str) -> None:
        self.box = box
        super().__init__(message)


@contextmanager
def at(box: str) -> Iterator[None]:
    """Say of whatever goes wrong in here which box it came from.

    Raises
    ------
    BoxError
        In place of any error of srlib.

    Examples
    --------
    >>> try:
    ...     with at("runs"):
    ...         raise InputError("no such table")
    ... except BoxError as error:
    ...     print(error.box, error, sep=": ")
    runs: no such table
    """
    try:
        yield
    except SrlibError as error:
        raise BoxError(str(error), box) from error
