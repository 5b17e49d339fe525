"""One text that can be read in two ways: which reading is taken, by what evidence, and what the other would give."""

from typing import Any

import pandas as pd

from srlib.assessing.reading import START, Reading
from srlib.errors import ModelTextError
from srlib.expressions import parse, to_text
from srlib.expressions.reading.python import from_python

# of a reported R2: how close a reading gives it, and how far the other is off
NEAR, FAR = 1e-3, 1e-2
EXCERPT = 60


def choose(
    row: dict[str, Any],
    features: tuple[str, ...],
    values: dict[str, dict[str, Any]],
    others: tuple[str, str] | None,
) -> Reading:
    """Settle a text that can be read from x0 and from x1."""
    matching = [names for names, value in values.items() if value.get("matches")]
    if len(matching) == 1:
        return Reading(matching[0], "predictions")
    for part in ("test", "train"):
        only = _reproducing(row.get(f"r2_{part}"), {n: v.get(part) for n, v in values.items()})
        if only is not None:
            return Reading(only, "reported")
    if others is not None:
        names, where = others
        rest = "x1" if names == "auto" else "x0"
        return Reading(
            names,
            "others",
            f"can be read from x0 and from x1; read from {START[names]}, as other texts of the method are ({where}), "
            f"and not from {rest}",
        )
    fits = {names: value.get("train") for names, value in values.items()}
    known = {names: fit for names, fit in fits.items() if fit is not None}
    equal = len(set(known.values())) < len(known)
    best = "auto"
    if not equal:
        best = max(known, key=lambda names: known[names], default="auto")
    evidence = "fit" if known and not equal else "default"
    other = "auto" if best == "auto-x1" else "auto-x1"
    why = "as nothing tells"
    if evidence == "fit":
        why = "which fits the training rows better"
    return Reading(
        best,
        evidence,
        f"can be read from x0 and from x1; read from {START[best]}, {why}; "
        + _instead(row, features, values, best, other),
    )


def insist(
    row: dict[str, Any], features: tuple[str, ...], values: dict[str, dict[str, Any]]
) -> Reading:
    """Keep a text in the features' own names as it stands, and say what counting from 0 would give."""
    own = Reading("auto", "own")
    if not readable(row["model"], features, "x0") or (
        parse(row["model"], features) == parse(row["model"], features, names="x0")
    ):
        return own
    sentence = (
        "is in the features' own names and read so, though another text of the method counts from x0 on this dataset; "
        + _instead(row, features, values, "auto", "x0")
        + " (state names: x0 if it does)"
    )
    return own._replace(note=sentence)


def _reproducing(reported: Any, values: dict[str, float | None]) -> str | None:
    if pd.isna(reported):
        return None
    scale = max(1.0, abs(reported))
    off = {n: abs(v - reported) / scale for n, v in values.items() if v is not None}
    near = [names for names, distance in off.items() if distance <= NEAR]
    rest = [distance for names, distance in off.items() if names not in near]
    alone = len(near) == 1 and len(off) == len(values) and all(d > FAR for d in rest)
    return near[0] if alone else None


def _instead(
    row: dict[str, Any],
    features: tuple[str, ...],
    values: dict[str, dict[str, Any]],
    taken: str,
    other: str,
) -> str:
    """Say what the reading that was not taken would give."""
    scores = [values.get(names, {}).get("test") for names in (taken, other)]
    if all(score is not None for score in scores):
        return f"from {START[other]} its R2 would be {scores[1]:.3f} instead of {scores[0]:.3f}"
    try:
        text = to_text(parse(row["model"], features, names=other))
    except ModelTextError:
        return f"from {START[other]} it could not be read"
    return f"from {START[other]} it would be {short(text)}"


def readable(text: str, features: tuple[str, ...], names: str) -> bool:
    """Whether a text can be read in that way."""
    try:
        parse(text, features, names=names)
    except ModelTextError:
        return False
    return True


def short(text: str) -> str:
    """Cut a text to what fits into a sentence."""
    text = " ".join(text.split())
    if len(text) <= EXCERPT:
        return text
    return text[: EXCERPT - 3] + "..."


def as_read(text: str, features: tuple[str, ...]) -> str:
    """Give the text that is parsed: as it stands, or the formula of a function in Python."""
    return from_python(text, features) or text
