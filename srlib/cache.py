"""A store on disk from content to JSON: packed by the thousand, checked when read, shared by processes."""

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import cache_folder, digest
from srlib.packed import Packed

AT_ONCE = 1000  # results that wait to be written
PAUSE_S = 0.25  # that the first of them waits
_troubles: list[str] = []  # of this process; the command line says so in the end


class Cache:
    """Results by the content that they depend on; to be closed after use.

    Parameters
    ----------
    folder : Path or None
        Where the file of results lies; None keeps nothing on disk. Older versions kept a file a result below it: what
        is asked for is taken over.

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
        self._waiting: dict[str, str] = {}
        self._written = -PAUSE_S
        self._packed = folder and Packed(folder)
        self._unwritable = folder is None
        self._older = folder is not None and any(folder.glob("[0-9a-f][0-9a-f]"))

    def get(self, key: dict[str, Any]) -> Any | None:
        """Return the stored value, or None when there is none or the entry is damaged."""
        name = digest(key)
        if name in self._memory or self._packed is None:
            return self._memory.get(name)
        entry = self._waiting.get(name)
        if entry is None:
            try:
                entry = self._packed.read(name)
            except InputError as error:
                self._give_up(error)
                self._packed = None
                return self._memory.get(name)
        if entry is None and self._older:
            entry = self._taken_over(name)
        check, _, text = (entry or "").partition("\n")
        if check == _checksum(text):
            return json.loads(text)
        return None

    def put(self, key: dict[str, Any], value: Any) -> None:
        """Store a JSON value under the content that it depends on; in memory where the folder cannot be written.

        It is written at once, unless the last writing is less than a quarter of a second ago: then with others, or by
        `close`.
        """
        name = digest(key)
        if self._unwritable:
            self._memory[name] = value
        else:
            text = json.dumps(value, sort_keys=True)
            self._keep(name, f"{_checksum(text)}\n{text}")

    def close(self) -> None:
        """Write what waits, and let the file go until it is used again."""
        self._write()
        if self._packed is not None:
            self._packed.close()

    def _keep(self, name: str, entry: str) -> None:
        self._waiting[name] = entry
        if len(self._waiting) >= AT_ONCE or time.monotonic() - self._written >= PAUSE_S:
            self._write()

    def _write(self) -> None:
        if self._packed is None or not self._waiting:
            return
        try:
            self._packed.write(self._waiting)
            self._waiting = {}
        except InputError as error:
            self._give_up(error)
        self._written = time.monotonic()

    def _give_up(self, error: InputError) -> None:
        """Keep in memory what is found from now on."""
        _troubles.append(f"the cache is of no use, what was found is not kept: {error}")
        texts = {name: entry.partition("\n")[2] for name, entry in self._waiting.items()}
        self._memory |= {name: json.loads(text) for name, text in texts.items()}
        self._unwritable, self._waiting = True, {}

    def _taken_over(self, name: str) -> str | None:
        """Read what an older version kept in a file of its own."""
        assert self.folder is not None
        try:
            entry = (self.folder / name[:2] / name[2:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        if not self._unwritable:
            self._keep(name, entry)
        return entry


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
