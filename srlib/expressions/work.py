"""How much sympy may do: its work is counted in objects that it constructs, which no clock and no load can change."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from srlib.errors import SrlibError


class OutOfWorkError(SrlibError):
    """What was asked of sympy takes more than the work allowed."""


class _Enough(BaseException):
    """Passes through all of sympy's own `except Exception`."""


@dataclass
class Work:
    """What was made so far."""

    made: int = 0


@contextlib.contextmanager
def limited_work(most: int | None) -> Iterator[Work]:
    """Let sympy construct so many objects at most in this block; None sets no limit.

    Every expression, number and symbol that sympy makes passes `Basic.__new__`; what its caches answer does not, and
    so the count is the same only where the caches are (see `warm`).

    Parameters
    ----------
    most : int or None
        Objects; without a limit they are not counted.

    Raises
    ------
    OutOfWorkError
        When it would construct more.

    Examples
    --------
    >>> import sympy
    >>> with limited_work(10):
    ...     sympy.expand((sympy.Symbol("q1") + 1) ** 20)
    Traceback (most recent call last):
    ...
    srlib.expressions.work.OutOfWorkError: sympy does not end within 10 objects
    """
    work = Work()
    if most is None:
        yield work
        return
    from sympy.core.basic import Basic
    from sympy.ntheory import multinomial

    opened = multinomial.multinomial_coefficients
    plain = Basic.__new__

    def counted(cls: Any, *args: Any) -> Any:
        work.made += 1
        if work.made > most:
            raise _Enough
        return plain(cls, *args)

    def bounded(terms: int, power: int) -> Any:
        if terms and math.comb(terms + power - 1, power) > most:
            raise _Enough
        return opened(terms, power)

    patched: Any = Basic
    patched.__new__ = staticmethod(counted)
    multinomial.multinomial_coefficients = bounded
    try:
        yield work
    except _Enough:
        raise OutOfWorkError(f"sympy does not end within {most} objects") from None
    finally:
        patched.__new__ = staticmethod(plain)
        multinomial.multinomial_coefficients = opened
