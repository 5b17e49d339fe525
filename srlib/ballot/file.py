"""A ballot as it comes back: from the form, or from a spreadsheet in the manner of its country."""

import csv
import io
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.files import contents

MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
NUMBERS = ("rank", "trust")


def read_ballot(path: str | Path) -> pd.DataFrame:
    """Read a ballot whatever program saved it: UTF-8, UTF-16 or Latin-1; commas, semicolons or tabs.

    Columns and codes are read without regard to case and blanks, and rows without any content are left out.

    Returns
    -------
    DataFrame
        Text, NaN where a cell is empty; lower-case columns. `rank` 2,0 and 2.0 are 2.

    Raises
    ------
    InputError
        When there is no such file, or it is no table of text.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    text = _decoded(contents(path), path)
    head = text.lstrip("\r\n ").partition("\n")[0]
    separator = max(",;\t", key=head.count)
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise InputError(f"{path}: not a readable table ({error})") from error
    rows = [[cell.strip() for cell in row] for row in rows]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise InputError(f"{path}: the file is empty")
    names = [name.casefold() for name in rows[0]]
    for name in names:
        if name and names.count(name) > 1:
            raise InputError(f"{path}: column {name!r} appears twice in the header")
    width = len(names)
    cells = [(row + [""] * width)[:width] for row in rows[1:]]
    table = pd.DataFrame(cells, columns=pd.Index(names), dtype="str")
    table = table.loc[:, [bool(name) for name in names]].replace("", pd.NA)
    if "code" in table:
        table["code"] = table["code"].str.upper()
    for name in NUMBERS:
        if name in table:
            table[name] = table[name].str.replace(r"[.,]0+$", "", regex=True)
    return table


def _decoded(data: bytes, path: Path) -> str:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise InputError(f"{path}: not a text file ({error})") from error
    if b"\0" in data:
        raise InputError(f"{path}: not a text file; a CSV was expected")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
