"""A cache on disk for JSON values: one SQLite file, shared by processes that may be killed.

SQLite alone may return damaged text, or the text of another key, without an error. So a checksum of key and text is
stored with each value and verified when the value is read.
"""

import contextlib
import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

from srlib.files import digest

FILE_NAME = "results.sqlite"
LOCK_WAIT_S = 60.0  # longest wait for another process that writes
FILE_ERRORS = (sqlite3.Error, OSError, UnicodeDecodeError)
_warnings: list[str] = []  # of this process; the command line prints the first one at its end


class Cache:
    """Cache of results by the content that they depend on; to be closed after use.

    If the file cannot be used, no error is raised: values are kept in memory, and `pop_warnings` returns a sentence.

    Parameters
    ----------
    folder : Path or None
        Folder of the file of results, created if it does not exist; None keeps values in memory only.

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
        """Return the stored value; None if there is none or the entry is damaged."""
        name = digest(key)
        rows = self._execute("SELECT text FROM results WHERE name = ?", bytes.fromhex(name))
        checksum, _, text = str(rows[0][0] if rows else "").partition("\n")
        return json.loads(text) if checksum == _checksum(name, text) else None

    def put(self, key: dict[str, Any], value: Any) -> None:
        """Store a JSON value under a key, the content that it depends on; numbers of numpy become floats."""
        name = digest(key)
        text = json.dumps(value, sort_keys=True, default=float)
        entry = bytes.fromhex(name), f"{_checksum(name, text)}\n{text}"
        self._execute("INSERT OR REPLACE INTO results VALUES (?, ?)", *entry)

    def close(self) -> None:
        """Close the file; the next call of `get` or `put` opens it again."""
        if self.path is not None and self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    __del__ = close

    def _execute(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query; if the file cannot be used, add a warning and use memory from then on."""
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
        """Return the connection to the file or to a database in memory; open it and create its table if needed."""
        if self._connection is None:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.path or ":memory:",
                timeout=LOCK_WAIT_S,
                check_same_thread=False,
                isolation_level=None,
            )
            # bytes that are not UTF-8 fail the checksum of their entry alone
            self._connection.text_factory = lambda text: text.decode(errors="replace")
            columns = "name BLOB PRIMARY KEY, text TEXT NOT NULL"
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS results ({columns})")
            with contextlib.suppress(
                sqlite3.OperationalError
            ):  # another process is doing it at the moment
                self._connection.execute("PRAGMA journal_mode = WAL")  # values are appended
                self._connection.execute("PRAGMA synchronous = NORMAL")
        return self._connection


def _checksum(name: str, text: str) -> str:
    return hashlib.blake2b(f"{name}\n{text}".encode(), digest_size=8).hexdigest()


def pop_warnings() -> list[str]:
    """Return the first warning about a cache that cannot be used, as a list of at most one, and clear all warnings."""
    first = _warnings[:1]
    _warnings.clear()
    return first
