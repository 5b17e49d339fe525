"""A store on disk from content to JSON: written atomically, checked when read, shared by processes."""

import hashlib
import json
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import cache_folder, digest, write_atomically

_troubles: list[str] = []  # of this process; the command line says so in the end


class Cache:
    """Results by the content that they depend on.

    Parameters
    ----------
    folder : Path or None
        Where the entries lie; None keeps nothing on disk.

    Examples
    --------
    >>> cache = Cache(None)
    >>> cache.put({"operation": "add", "of": [1, 2]}, 3)
    >>> cache.get({"of": [1, 2], "operation": "add"})
    3
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._memory: dict[str, Any] = {}

    def get(self, key: dict[str, Any]) -> Any | None:
        """Return the stored value, or None when there is none or the entry is damaged."""
        name = digest(key)
        if name in self._memory or self.folder is None:
            return self._memory.get(name)
        try:
            check, _, text = self._path(name).read_text(encoding="utf-8").partition("\n")
        except (OSError, UnicodeDecodeError):
            return None
        if check == _checksum(text):
            return json.loads(text)
        return None

    def put(self, key: dict[str, Any], value: Any) -> None:
        """Store a JSON value under the content that it depends on; in memory where the folder cannot be written."""
        name = digest(key)
        if self.folder is not None:
            text = json.dumps(value, sort_keys=True)
            try:
                write_atomically(self._path(name), f"{_checksum(text)}\n{text}", durable=False)
                return
            except InputError as error:
                _troubles.append(f"the cache is of no use, what was found is not kept: {error}")
        self._memory[name] = value

    def _path(self, name: str) -> Path:
        if self.folder is None:
            raise InputError("this cache keeps nothing on disk")
        return self.folder / name[:2] / name[2:]


def _checksum(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def default_cache() -> Cache:
    """Cache of the user: on disk, or in memory where no folder is known."""
    try:
        return Cache(cache_folder())
    except InputError as error:
        _troubles.append(f"there is no cache, what was found is not kept: {error}")
        return Cache(None)


def told() -> list[str]:
    """Hand over, once, what was wrong with caches: the first of all that went wrong."""
    first = [f"{trouble}; SRLIB_CACHE names another folder" for trouble in _troubles[:1]]
    _troubles.clear()
    return first
