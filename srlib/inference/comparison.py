"""Families of instances, by the names of the instances."""

import re


def family(instance: str) -> str:
    """Name of the family of an instance: its name up to the last number.

    Examples
    --------
    >>> family("u14_Grids_12"), family("or_chain_7.fg"), family("Grids_18_mlc#3"), family("42")
    ('u14_Grids', 'or_chain', 'Grids', '42')
    """
    return re.sub(r"[_.-]*\d+[^\d]*$", "", instance.partition("#")[0]) or instance
