"""Many small texts in one SQLite file, by name: several processes read and write it at once, and may die at any moment.

On a disk of the machine it is in WAL mode: a batch is an append, and nobody waits for readers. That mode needs memory
which all processes share, so on a network disk a file of another name has a rollback journal instead, and where locks
do not hold between machines there is none.
"""

import contextlib
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from srlib.disks import disk_of
from srlib.errors import InputError

NAMES = {False: "results.sqlite", True: "results-network.sqlite"}
OURS = 0x73726C62  # SQLite's application_id of such files
PATIENCE_S = 60.0  # for others that write
MADE = "CREATE TABLE IF NOT EXISTS results (name BLOB PRIMARY KEY, text TEXT NOT NULL)"


class Packed:
    """The file of a folder; opened when it is first used, until `close`.

    Parameters
    ----------
    folder : Path
        Made where it is not there. What cannot be written is still read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._disk = disk_of(folder)
        self.path = folder / NAMES[self._disk.shared]
        self._connection: sqlite3.Connection | None = None

    def read(self, name: str) -> str | None:
        """Return the text of a name, a number in hexadecimal; None where there is none.

        Raises
        ------
        InputError
            When the file is damaged, somebody else's, or cannot be read.
        """
        try:
            asked = "SELECT text FROM results WHERE name = ?"
            found = self._opened().execute(asked, (bytes.fromhex(name),)).fetchone()
        except sqlite3.Error as error:
            raise self._said(error) from error
        if found is None:
            return None
        return str(found[0])

    def write(self, texts: Mapping[str, str]) -> None:
        """Store texts by name, all of them or none; what had a name before is replaced.

        Raises
        ------
        InputError
            When the file cannot be written, is damaged, or is somebody else's.
        """
        try:
            connection = self._opened()
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                rows = ((bytes.fromhex(name), text) for name, text in texts.items())
                connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._said(error) from error

    def close(self) -> None:
        """Let the file go; using it again opens it again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    __del__ = close

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            if not self._disk.locks:
                what = f"a network disk ({self._disk.kind}) mounted without locks that hold for all machines"
                raise InputError(f"{self.folder}: {what}")
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"{self.folder}: cannot be written ({error.strerror or error})"
                ) from error
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
        places = [self.folder, *[self.path] * self.path.exists()]
        if all(os.access(place, os.W_OK) for place in places):
            return sqlite3.connect(self.path, **how)
        address = f"file:{quote(str(self.path.resolve()))}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, **how)

    def _arrange(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA application_id").fetchone()[0] != OURS:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
                if tables and ("results",) not in tables:
                    raise InputError(
                        f"{self.path}: a file of results was expected, got another database; delete or move it"
                    )
                connection.execute(MADE)
                connection.execute(f"PRAGMA application_id = {OURS}")
        with contextlib.suppress(sqlite3.OperationalError):  # another process does it just now
            if not self._disk.shared:
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")

    def _said(self, error: sqlite3.Error) -> InputError:
        self.close()
        what = f"{self.path}: cannot be written ({error})"
        if type(error) is sqlite3.DatabaseError:
            what = f"{self.path}: damaged, or no file of results ({error}); delete it, and a new one is made"
        return InputError(what)
