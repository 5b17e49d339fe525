"""The entries of a cache on disk, for tests that look at them or damage them."""

import contextlib
import sqlite3
from pathlib import Path

NAME = "results.sqlite"


def entries(cache: Path) -> dict[bytes, str]:
    """What a cache's file holds, by name; nothing where there is no file yet."""
    if not (cache / NAME).exists():
        return {}
    with contextlib.closing(sqlite3.connect(cache / NAME, timeout=60)) as file:
        try:
            return dict(file.execute("SELECT name, text FROM results"))
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):  # it is being made
                return {}
            raise


def damage(cache: Path, texts: dict[bytes, str]) -> None:
    """Put other texts in the place of entries."""
    with contextlib.closing(sqlite3.connect(cache / NAME)) as file, file:
        for name, text in texts.items():
            file.execute("UPDATE results SET text = ? WHERE name = ?", (text, name))


def thinned(cache: Path) -> dict[bytes, str]:
    """Remove every second entry, and return what is left."""
    with contextlib.closing(sqlite3.connect(cache / NAME)) as file, file:
        file.execute("DELETE FROM results WHERE rowid % 2 = 0")
    return entries(cache)
