"""Numbers in text files: read fast, checked as they are taken, errors by file and token. Memory: file + 4 x file."""

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from srlib.errors import InputError
from srlib.files import opened
from srlib.limits import FILE_BYTES

WINDOW = 512  # bytes; no number is as long as that
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan")
Values = NDArray[np.float64]


def content(path: Path, limit: int = FILE_BYTES) -> bytes:
    """Read a file without its comment lines (first letter c).

    Raises
    ------
    InputError
        When it cannot be read, or holds more bytes than `limit`.
    """
    try:
        with opened(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise InputError(
                    f"{path.name}: the file has {size:,} bytes; at most {limit:,} are read"
                )
            data = stream.read(limit)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if b"c" in data:
        return re.sub(rb"(?m)^[ \t]*c.*$", b"", data)
    return data


def uncommented(data: bytes) -> bytes:
    """Take out what stands between /* and */, in one pass.

    Examples
    --------
    >>> uncommented(b"1 /* one /* */ 2 /* 3")
    b'1  2 /* 3'
    """
    kept, at = [], 0
    while (start := data.find(b"/*", at)) >= 0 and (end := data.find(b"*/", start + 2)) >= 0:
        kept.append(data[at:start])
        at = end + 2
    return b"".join([*kept, data[at:]])


def numbers(data: bytes, source: str | Path, first: int = 1) -> Values:
    """Read numbers between blanks; nan and infinities are numbers.

    Parameters
    ----------
    data : bytes
        Nothing but numbers.
    source : str or Path
        Named in messages.
    first : int
        Number of the first token, counted from 1 in the whole file.

    Raises
    ------
    InputError
        Names the token that is no number.

    Examples
    --------
    >>> numbers(b"2 0.5 1e-3", "a file").tolist()
    [2.0, 0.5, 0.001]
    """
    pieces = np.frombuffer(data, np.uint8, len(data) // WINDOW * WINDOW).reshape(-1, WINDOW)
    try:
        if (pieces <= 32).any(axis=1).all():
            return np.fromstring(data, sep=" ")  # type: ignore[call-overload]
    except ValueError:
        pass
    for place, token in enumerate(re.finditer(rb"\S+", data), start=first):
        text = data[token.start() : min(token.end(), token.start() + 2 * WINDOW)]
        if len(text) >= WINDOW or not NUMBER.fullmatch(text):
            shown = text[:20].decode(errors="replace")
            raise InputError(f"{source} token {place}: a number was expected, got {shown!r}")
    raise InputError(f"{source}: not a list of numbers")


class EndedError(InputError):
    """A file ends too early."""


class Cursor:
    """Takes whole numbers from an array, one after the other.

    Parameters
    ----------
    values : array
        All numbers of a file.
    source : str or Path
        Named in messages.
    first : int
        Number of the first token, counted from 1 in the whole file.
    """

    def __init__(self, values: Values, source: str | Path, first: int = 1) -> None:
        self.values, self.source, self.first, self.at = values, source, first, 0

    @property
    def left(self) -> int:
        """How many numbers are still to be taken."""
        return len(self.values) - self.at

    def take(self, count: int, what: str, low: int, high: int) -> list[int]:
        """Take whole numbers from low to high, both allowed.

        Raises
        ------
        EndedError
            When the file ends before.
        InputError
            When a number is not one of these.
        """
        found = self.floats(count, what).tolist()
        self.at -= count
        for place, number in enumerate(found, start=self.first + self.at):
            if not (low <= number <= high and number.is_integer()):
                allowed = f"{what}, a whole number from {low} to {high}, was expected"
                raise InputError(f"{self.source} token {place}: {allowed}, got {number:g}")
        self.at += count
        return list(map(int, found))

    def floats(self, count: int, what: str) -> Values:
        """Take any numbers; `EndedError` is raised when the file ends before."""
        if count > self.left:
            place = self.first + len(self.values)
            raise EndedError(
                f"{self.source} token {place}: the file ends where {what} was expected"
            )
        self.at += count
        return self.values[self.at - count : self.at]

    def one(self, what: str, low: int, high: int) -> int:
        """Take one whole number; see `take`."""
        return self.take(1, what, low, high)[0]

    def end(self) -> None:
        """Raise `InputError` when something is left."""
        if self.left:
            token = self.first + self.at
            raise InputError(
                f"{self.source} token {token}: the end was expected, got {self.values[self.at]:g}"
            )
