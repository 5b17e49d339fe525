"""The key of a packet: which code stands for which model, and the packet's own name, which binds ballots to it."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from srlib.errors import InputError

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ"  # none that could be taken for a digit
NAME_LENGTH = 6
Codes = dict[str, dict[str, Any]]


def name_of(content: Any) -> str:
    """Name a packet by its content: six letters.

    Examples
    --------
    >>> name_of({"a": 1}) == name_of({"a": 1}) != name_of({"a": 2})
    True
    """
    text = json.dumps(content, sort_keys=True)
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big")
    letters = ""
    for _ in range(NAME_LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters += LETTERS[place]
    return letters


def key_text(path: Path, packet: str, codes: Mapping[str, Mapping[str, Any]]) -> str:
    """Write a key as text; at its path no other packet's key may stand.

    Raises
    ------
    InputError
        When another packet's key stands there: without it that packet's ballots could never be read.
    """
    text = json.dumps({"packet": packet, "codes": codes}, indent=1) + "\n"
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
        raise InputError(
            f"{path}: the key of another packet, which is never overwritten; write this one into another folder"
        )
    return text


def read_key(path: str | Path) -> tuple[str, Codes]:
    """Read a key: the packet's name, and by code the method, dataset and repetition.

    Raises
    ------
    InputError
        When the file is no key.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        packet, codes = content["packet"], content["codes"]
        sound = (
            isinstance(packet, str)
            and codes
            and all({"method", "dataset", "repetition"} <= set(entry) for entry in codes.values())
        )
    except (OSError, ValueError, AttributeError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            f"{path}: cannot be read as the key of a packet ({' '.join(str(error).split())})"
        ) from error
    if not sound:
        raise InputError(
            f"{path}: packet, and method, dataset and repetition of every code were expected"
        )
    return packet, codes
