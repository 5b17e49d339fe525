"""What differs between two rendered folders: verdicts, places, rules, inputs, and every cell of their tables."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import BaseModel, Field, ValidationError

from srlib.errors import InputError
from srlib.files import digest
from srlib.folders import changed, differing, read_json
from srlib.rendering.cards import CARD

COLUMNS = ["report", "kind", "subject", "before", "after", "moved_by"]
KEYS = ["method", "method_a", "method_b", "dataset", "aspect", "property", "repetition", "expert", "solver",
        "task", "instance", "time_limit_s", "stage", "level", "row", "action", "code", "switch", "check"]  # fmt: skip
RunTable = Mapping[str, Mapping[str, str]]  # by method and dataset the digest of the runs
Key = tuple[str, tuple[str, ...], str]  # kind, names, column
PLACES = ("rank", "score")


class _Place(BaseModel):
    method: str
    score: float | None
    rank: int | None


class _Handed(BaseModel):
    """What `srlib diff` reads of NAME.report.json (ARCHITECTURE.md, Report files)."""

    schema_: Literal[1] = Field(alias="schema")
    verdict: str
    checks: dict[str, int]
    rows: dict[str, int | str]
    ranking: list[_Place]
    rules: dict[str, Any]
    inputs: list[dict[str, str]]
    parameters: dict[str, Any]
    versions: dict[str, str]
    tables: list[dict[str, Any]]
    runs: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}

    def facts(self) -> Iterator[tuple[str, str, Any]]:
        """Give kind, subject and value of all but the tables."""
        yield "verdict", "", self.verdict
        yield from (("checks", key, value) for key, value in self.checks.items())
        yield from (("runs", key, value) for key, value in self.rows.items())
        for place in self.ranking:
            yield "rank", place.method, place.rank
            yield "score", place.method, place.score
        yield from (
            ("rules", key, self.rules[key]) for key in ("name", "digest") if key in self.rules
        )
        yield from (
            ("switch", str(row["switch"]), row["value"]) for row in self.rules.get("switches", [])
        )
        yield from (("input", given["name"], given["sha256"]) for given in self.inputs)
        yield from (("parameter", key, value) for key, value in self.parameters.items())
        yield from (("version", key, value) for key, value in self.versions.items())


def diff(before: str | Path, after: str | Path) -> pd.DataFrame:
    """Compare two rendered folders through what their reports handed over and the tables that they offer.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` wrote.

    Returns
    -------
    pandas.DataFrame
        `report`, `kind` (report, verdict, checks, runs, rank, score, rules, switch, input, parameter, version,
        table, row or cell), `subject`, `before` and `after` as text (null where there is none), and `moved_by`:
        the switches, inputs and runs behind a moved rank or score; others' runs move it as well, as ranks are relative.
        No row where nothing differs.

    Raises
    ------
    InputError
        When a folder holds no report, one that this version cannot read, or one that was changed since.
    """
    folders = [Path(before), Path(after)]
    old, new = (_reports(folder) for folder in folders)
    rows: list[tuple[Any, ...]] = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            rows.append(
                (
                    name,
                    "report",
                    "",
                    *("there" if name in side else None for side in (old, new)),
                    None,
                )
            )
            continue
        sides = [
            _facts(side[name], folder / name)
            for folder, side in zip(folders, (old, new), strict=True)
        ]
        changes = _changes(*sides)
        moved = _moved_runs(old[name].runs, new[name].runs)
        for (kind, of, column), *values in changes:
            subject = ": ".join([of[0], *filter(None, [" · ".join(of[1:]), column])])
            rows.append(
                (
                    name,
                    kind,
                    subject,
                    *values,
                    _movers(changes, moved, of[0]) if kind in PLACES else None,
                )
            )
    return pd.DataFrame(rows, columns=COLUMNS).astype("str")


def _reports(folder: Path) -> dict[str, _Handed]:
    files = sorted(folder.glob("*.report.json")) if folder.is_dir() else []
    if not files:
        raise InputError(
            f"{folder}: no folder of reports; `srlib report` writes NAME.report.json into one"
        )
    found = {path.name.removesuffix(".report.json"): _read(path) for path in files}
    for name, handed in found.items():
        others = [*changed(folder, name), *differing(folder, handed.files)]
        compared = [
            f
            for f in others
            if f.endswith((".report.json", ".csv"))
            or Path(f).stem == CARD
            or "participants" in Path(f).parts[:-1]
        ]
        if compared:
            raise InputError(
                f"{folder}: {compared[0]} is not as the report {name} wrote it; render it again"
            )
    return found


def _read(path: Path) -> _Handed:
    content = read_json(path)
    given = content.pop("digest", None)
    if given is not None and given != digest(content):
        raise InputError(f"{path} is not as the report was written; render it again")
    try:
        return _Handed.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "file"
        came = f", got {first['input']!r}"[:80] if where == "schema" else ""
        raise InputError(f"{path}: no report of schema 1: {where}: {first['msg']}{came}") from error


def _facts(handed: _Handed, folder: Path) -> dict[Key, str]:
    """All that is compared, as text: what was handed over, then the tables, cell by cell."""
    facts = {(kind, (subject,), ""): str(value) for kind, subject, value in handed.facts()}
    for table in handed.tables:
        for file in (str(file) for file in table.get("files", []) if str(file).endswith(".csv")):
            path = folder / file
            if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
                raise InputError(f"{folder}: the report names the table {file}, which is not there")
            facts |= _cells(
                str(table.get("name")), pd.read_csv(path, dtype="str", keep_default_na=False)
            )
    return facts


def _cells(table: str, frame: pd.DataFrame) -> dict[Key, str]:
    """Every cell by the names in its row and its column; a row that has no name by its number."""
    named = [name for name in KEYS if name in frame.columns]
    rest = [name for name in frame.columns if name not in named]
    cells: dict[Key, str] = {("table", (table,), ""): "there"}
    for names, values in zip(
        frame[named].to_numpy().tolist(), frame[rest].to_numpy().tolist(), strict=True
    ):
        row, number = (table, *names), 1
        while ("row", row, "") in cells:
            row, number = (table, *names, f"#{number + 1}"), number + 1
        cells[("row", row, "")] = "there"
        cells |= {("cell", row, column): value for column, value in zip(rest, values, strict=True)}
    return cells


def _changes(
    old: Mapping[Key, str], new: Mapping[Key, str]
) -> list[tuple[Key, str | None, str | None]]:
    """Facts that differ; a table that came or went stands for its rows, a row for its cells."""
    whole = {(kind, of) for kind, of, _ in old.keys() ^ new.keys()}
    return [
        (key, old.get(key), new.get(key))
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
        and not (key[0] in ("row", "cell") and ("table", key[1][:1]) in whole)
        and not (key[0] == "cell" and ("row", key[1]) in whole)
    ]


def _moved_runs(old: RunTable, new: RunTable) -> dict[str, list[str]] | None:
    """By method the datasets on which its runs are others; None where one of the reports does not tell its runs."""
    if not old or not new:
        return None
    return {
        name: where
        for name in sorted(old.keys() | new.keys())
        if (where := _differing(old.get(name, {}), new.get(name, {})))
    }


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]


def _movers(
    changes: list[tuple[Key, str | None, str | None]],
    moved: dict[str, list[str]] | None,
    method: str,
) -> str:
    """Name the switches and inputs that changed, a method's own runs that did, and those of others."""
    switches = [
        f"{of[0]}: {old} → {new}" for (kind, of, _), old, new in changes if kind == "switch"
    ]
    inputs = [of[0] for (kind, of, _), *_ in changes if kind == "input"]
    inputs = [name for name in inputs if not name.startswith("runs")]
    told = [("switches", switches), ("inputs", list(dict.fromkeys(inputs)))]
    if moved is None:
        cells = [
            " · ".join(of[2:]) or of[0]
            for (kind, of, _), *_ in changes
            if kind in ("row", "cell") and method in of[1:2]
        ]
        told.append(("as values differ on", list(dict.fromkeys(cells))))
    else:
        others = {name: where for name, where in moved.items() if name != method}
        named = [f"{name} on {_few(where, 3)}" for name, where in others.items()]
        told += [("runs on", moved.get(method, [])), ("others' runs:", named)]
    parts = [f"{word} {_few(names)}" for word, names in told if names]
    return "; ".join(parts) or "what the reports do not tell"


def _few(names: list[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
