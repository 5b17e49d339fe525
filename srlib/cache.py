"""A store on disk from content to JSON: one SQLite file, checked when read, shared by processes that may be killed."""

import contextlib
import hashlib
import json
import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from srlib.errors import InputError
from srlib.files import cache_folder, digest

NAME = "results.sqlite"
OURS = 0x73726C62  # SQLite's application_id of such files
PATIENCE_S = 60.0  # for others that write
MADE = "CREATE TABLE IF NOT EXISTS results (name BLOB PRIMARY KEY, text TEXT NOT NULL)"
_troubles: list[str] = []  # of this process; the command line says so in the end


class Cache:
    """Results by the content that they depend on; to be closed after use.

    Parameters
    ----------
    folder : Path or None
        Where the file of results lies, made where it is not there; None keeps nothing on disk. What cannot be written
        is still read.

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
        self._readable = self._writable = folder is not None
        self._connection: sqlite3.Connection | None = None

    def get(self, key: dict[str, Any]) -> Any | None:
        """Return the stored value, or None when there is none or the entry is damaged."""
        name = digest(key)
        if name in self._memory or not self._readable:
            return self._memory.get(name)
        try:
            asked = "SELECT text FROM results WHERE name = ?"
            found = self._opened().execute(asked, (bytes.fromhex(name),)).fetchone()
        except (sqlite3.Error, OSError, InputError) as error:
            self._readable = False
            self._give_up(error)
            return None
        check, _, text = str(found[0] if found else "").partition("\n")
        if check == _checksum(text):
            return json.loads(text)
        return None

    def put(self, key: dict[str, Any], value: Any) -> None:
        """Store a JSON value under the content that it depends on; in memory where the folder cannot be written."""
        name = digest(key)
        if self._writable:
            text = json.dumps(value, sort_keys=True)
            try:
                written = "INSERT OR REPLACE INTO results VALUES (?, ?)"
                entry = bytes.fromhex(name), f"{_checksum(text)}\n{text}"
                self._opened().execute(written, entry)
                return
            except (sqlite3.Error, OSError, InputError) as error:
                self._give_up(error)
        self._memory[name] = value

    def close(self) -> None:
        """Let the file go until it is used again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    __del__ = close

    def _give_up(self, error: Exception) -> None:
        """Keep in memory what is found from now on."""
        self._writable = False
        self.close()
        said = str(error)
        if type(error) is sqlite3.DatabaseError:
            what = f"damaged, or no file of results ({error}); delete it, and a new one is made"
            said = f"{self._path}: {what}"
        elif not isinstance(error, InputError):
            said = f"{self._path}: cannot be written ({getattr(error, 'strerror', None) or error})"
        _troubles.append(f"the cache is of no use, what was found is not kept: {said}")

    @property
    def _path(self) -> Path:
        assert self.folder is not None
        return self.folder / NAME

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = self._connected()
            try:
                self._arrange(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _connected(self) -> sqlite3.Connection:
        how: dict[str, Any] = {
            "timeout": PATIENCE_S,
            "check_same_thread": False,
            "isolation_level": None,
        }
        places = [self._path.parent, *[self._path] * self._path.exists()]
        if all(os.access(place, os.W_OK) for place in places):
            return sqlite3.connect(self._path, **how)
        address = f"file:{quote(str(self._path.resolve()))}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, **how)

    def _arrange(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA application_id").fetchone()[0] != OURS:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
                if tables and ("results",) not in tables:
                    raise InputError(
                        f"{self._path}: a file of results was expected, got another database; delete or move it"
                    )
                connection.execute(MADE)
                connection.execute(f"PRAGMA application_id = {OURS}")
        with contextlib.suppress(sqlite3.OperationalError):  # another process does it just now
            connection.execute("PRAGMA journal_mode = WAL")  # a writing is an append
            connection.execute("PRAGMA synchronous = NORMAL")


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
