"""Names and shares in prose."""

import re
from collections.abc import Sequence

TIED = "all tied"
SHARED = " = "  # between winners


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Join names as prose does; of many only the first ones.

    Examples
    --------
    >>> listed(["A", "B", "C"]), listed(["A", "B", "C"], 2), listed([])
    ('A, B and C', 'A, B and 1 more', '')
    """
    shown = list(names[:most])
    if len(shown) < len(names):
        shown.append(f"{len(names) - len(shown)} more")
    return " and ".join([", ".join(shown[:-1]), *shown[-1:]][len(shown) < 2 :])


def raised(power: int) -> str:
    """Write a power of ten.

    Examples
    --------
    >>> raised(-12)
    '10⁻¹²'
    """
    return f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def in_short(said: Sequence[str], what: str = "", most: int = 12) -> str:
    """Join what is said of each; of many only the first ones.

    Examples
    --------
    >>> in_short(["A 1", "B 2", "C 3"], "methods", most=1)
    'A 1; and 2 more methods'
    """
    more = []
    if len(said) > most:
        more = [f"and {len(said) - most} more {what}".strip()]
    return "; ".join([*said[:most], *more])


def percent(share: float) -> str:
    """Write a share so that only certainty reads as 0 % or 100 %.

    Examples
    --------
    >>> percent(1.0), percent(0.9996), percent(0.123), percent(0.0001)
    ('100%', '>99%', '12%', '<1%')
    """
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1:
        return ">99%"
    return f"{share:.0%}"


def won(name: str) -> str:
    """Say that one of `srlib.judging.robustness.competition.winners` won.

    Examples
    --------
    >>> won("A"), won("A = B"), won("all tied")
    ('A wins', 'A and B share the first place', 'all methods tie')
    """
    if name == TIED:
        return "all methods tie"
    if SHARED in name:
        return f"{together(name)} share the first place"
    return f"{name} wins"


def together(name: str) -> str:
    """Write several winners as prose does.

    Examples
    --------
    >>> together("A = B"), together("A")
    ('A and B', 'A')
    """
    return listed(name.split(SHARED))


def minus(text: str) -> str:
    """Write the signs of numbers in a sentence as print does, and leave the hyphens of names.

    Examples
    --------
    >>> minus("x-1 has -0.5 and 1e-05")
    'x-1 has −0.5 and 1e-05'
    """
    return re.sub(r"(?<![\w.)-])-(?=[\d.])", "−", text)
