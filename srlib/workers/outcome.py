"""What became of one item, wherever it was worked on."""

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["ok", "timeout", "memory", "crashed", "error"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item.

    Attributes
    ----------
    status : {'ok', 'timeout', 'memory', 'crashed', 'error'}
        crashed: the process ended or was killed; error: the function raised.
    value : object
        What the function returned; None unless status is 'ok'.
    detail : str
        The reason in words; empty when status is 'ok'.
    seconds : float
        Wall-clock time from the moment the worker had received the item; NaN when it never did.
    signal : int
        The signal that ended the process, where it was not ours; 0 where there was none.
    by_clock : bool
        A timeout by the wall clock where computing is limited: it says as much of the machine as of the item.
    """

    status: Status
    value: Any = None
    detail: str = ""
    seconds: float = 0.0
    signal: int = 0
    by_clock: bool = False
