"""A store on disk from content to JSON: one SQLite file, shared by processes that may be killed.

SQLite alone returns damaged text, or the text of another key, without an error. So each value has a checksum of its key
and its text, which is compared when it is read.
"""

import contextlib
import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

from srlib.files import digest

FILE_NAME = "results.sqlite"
LOCK_WAIT_S = 60.0  # while another process writes
FILE_ERRORS = (sqlite3.Error, OSError, UnicodeDecodeError)
_warnings: list[str] = []  # of this process; the command line prints the first of them when it ends


class Cache:
    """Store of results by the content that they depend on; to be closed after use.

    A file that cannot be used ends no command: values are then kept in memory, and `pop_warnings` has a sentence.

    Parameters
    ----------
    folder : Path or None
        Where the file of results lies, made where it does not exist; None keeps nothing on disk.

    Examples
    --------
    >>> cache = Cache(None)
    >>> cache.put({"operation": "add", "of": [1, 2]}, 3)
    >>> cache.get({"of": [1, 2], "operation": "add"})
    3
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = folder and folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None

    def get(self, key: dict[str, Any]) -> Any | None:
        """Return the stored value, or None when there is none or the entry is damaged."""
        name = digest(key)
        rows = self._execute("SELECT text FROM results WHERE name = ?", bytes.fromhex(name))
        checksum, _, text = str(rows[0][0] if rows else "").partition("\n")
        return json.loads(text) if checksum == _checksum(name, text) else None

    def put(self, key: dict[str, Any], value: Any) -> None:
        """Store a JSON value under the content that it depends on."""
        name = digest(key)
        text = json.dumps(value, sort_keys=True)
        entry = bytes.fromhex(name), f"{_checksum(name, text)}\n{text}"
        self._execute("INSERT OR REPLACE INTO results VALUES (?, ?)", *entry)

    def close(self) -> None:
        """Close the file until it is used again."""
        if self.path is not None and self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    __del__ = close

    def _execute(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query; where the file cannot be used, warn and keep values in memory from now on."""
        try:
            return self._connect().execute(query, values).fetchall()
        except FILE_ERRORS as error:
            self.close()
            _warnings.append(
                f"the cache cannot be used, and results are not kept: {self.path} ({error}); "
                "where it is damaged, delete it; SRLIB_CACHE names another folder"
            )
            self.path = None
            return self._connect().execute(query, values).fetchall()

    def _connect(self) -> sqlite3.Connection:
        """Return the open file, or a database in memory, and make the table of results in a new one."""
        if self._connection is None:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.path or ":memory:",
                timeout=LOCK_WAIT_S,
                check_same_thread=False,
                isolation_level=None,
            )
            columns = "name BLOB PRIMARY KEY, text TEXT NOT NULL"
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS results ({columns})")
            with contextlib.suppress(sqlite3.OperationalError):  # another process does it just now
                self._connection.execute("PRAGMA journal_mode = WAL")  # values are appended
                self._connection.execute("PRAGMA synchronous = NORMAL")
        return self._connection


def _checksum(name: str, text: str) -> str:
    return hashlib.blake2b(f"{name}\n{text}".encode(), digest_size=8).hexdigest()


def pop_warnings() -> list[str]:
    """Return the first sentence about caches that cannot be used, if there is one, and forget them all."""
    first = _warnings[:1]
    _warnings.clear()
    return first
