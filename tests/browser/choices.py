"""Rules with switches turned, one or many, and competitions unlike the demo: what the page's scorer is tried on."""

from collections.abc import Iterator
from functools import reduce
from operator import getitem
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pandas as pd
from pydantic import ValidationError

from srlib.errors import SrlibError
from srlib.judging import judge
from srlib.judging.measures import arranged
from srlib.judging.ranking import stages
from srlib.judging.screening import Screened, screen
from srlib.judging.verdict import Judgement, placed
from srlib.problems import Problems
from srlib.rules import Aspect, Judge, load_rules
from tests.judging.small import DTYPES, problems, row

EXCUSED = {
    "tracks": "the datasets of another track are not on the page",
    "qualification": "no switch of `srlib score`",
    "real_world": "no switch of `srlib score`",
}
NUMBERS: dict[str, tuple[Any, ...]] = {
    "repetitions": (1, 2, 3, 12),
    "minimal_accuracy": (None, 0.0, 0.5, 0.97, 1.0),
    "min_accuracy": (-1.0, 0.9, 1.5),
    "base": (None, 2.0, 10.0),
    "digits": (None, 0, 2, 6),
    "weight": (0.0, 0.5, 3.0),
    "from": ("r2_test", "complexity", "complexity_raw", "property", "value"),
}
SCREENED: dict[Any, Screened] = {}
METHODS = ["Ana", "ana ", "../<b>&", "a\u202eb", "zürich 東京", "z" * 70, "idle", "barred", "late"]


def values(block: Any = Judge, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every switch of a block with each value that it can take; one of numbers that is not known here is an error."""
    for field, info in block.model_fields.items():
        name = info.alias or field
        kinds = [k for k in get_args(info.annotation) if k is not NoneType]
        if name in EXCUSED:
            continue
        if isinstance(info.annotation, type) and hasattr(info.annotation, "model_fields"):
            yield from values(info.annotation, (*path, name))
        elif field == "aspects":
            yield from values(Aspect, ("aspects", "*"))
        elif get_origin(info.annotation) is Literal:
            yield from (((*path, name), value) for value in kinds)
        elif any(get_origin(kind) is Literal for kind in kinds):
            some = next(kind for kind in kinds if get_origin(kind) is Literal)
            if get_origin(info.annotation) is tuple:
                yield from (((*path, name), [value]) for value in get_args(some))
                yield (*path, name), list(get_args(some))
                yield (*path, name), []
            else:
                yield from (((*path, name), value) for value in (None, *get_args(some)))
        else:
            yield from (((*path, name), value) for value in NUMBERS[name])


TURNS = list(values())


def turned(block: dict[str, Any], path: tuple[str, ...], value: Any, aspect: str) -> None:
    """Set a switch, and what goes with it."""
    path = tuple(aspect if part == "*" else part for part in path)
    *outer, last = path
    part = reduce(getitem, outer, block)
    part[last] = value
    if last == "transform":
        part["base"] = 5.0 if value else None
    if last == "base":
        part["transform"] = "neg_log" if value else None
    if last == "digits":
        part["round"] = None if value is None else part["round"] or "after"
    if last == "round":
        part["digits"] = None if value is None else part["digits"] or 0
    if last == "from":
        part["direction"] = "by_property" if value == "property" else "higher"
        part["transform"] = part["base"] = None
    if value == "noise_base_as_easy" or value == ["noise_base_as_easy"]:
        block["properties"]["noise_sensitivity"] = "r2_test"


def choices(
    portable: dict[str, Any], generator: np.random.Generator, many: int, shipped: tuple[str, ...]
) -> list[Any]:
    """Every switch of shipped rules turned alone, then many at once, with methods and datasets left out."""
    columns, found = {*portable["columns"], "property"}, []
    nothing: dict[str, list[int]] = {"methods": [], "datasets": []}
    blocks = [load_rules(name).judge.model_dump(mode="json", by_alias=True) for name in shipped]
    ours = [b for b in blocks if {a["from"] for a in b["aspects"].values()} <= columns]
    turns = [t for t in TURNS if t[0][-1] != "from" or t[1] in columns]
    for block in ours:
        found.append((block, nothing))
        for path, value in turns:
            for aspect in block["aspects"] if "*" in path else [""]:
                new = copied(block)
                turned(new, path, value, aspect)
                found.append((new, nothing))
    for kind in nothing:
        found += [(portable["judge"], nothing | {kind: [i]}) for i in range(len(portable[kind]))]
    for _ in range(many):
        new = copied(ours[generator.integers(len(ours))])
        for at in generator.choice(len(turns), generator.integers(1, 8), replace=False):
            turned(new, *turns[at], list(new["aspects"])[generator.integers(len(new["aspects"]))])
        left = {
            kind: sorted(generator.choice(n, generator.integers(0, n // 2 + 1), False).tolist())
            for kind in nothing
            if (n := len(portable[kind]))
        }
        found.append((new, [nothing, left][int(generator.integers(2))]))
    return found


def copied(block: dict[str, Any]) -> dict[str, Any]:
    return {
        key: copied(value) if isinstance(value, dict) else value for key, value in block.items()
    }


def official(given: Judgement, names: dict[str, Any], block: dict[str, Any], without: Any) -> Any:
    """Give what `srlib score` ranks by these rules: method, place and score; a sentence where it refuses."""
    try:
        rules = Judge.model_validate(block)
    except ValidationError as error:
        return str(error)
    out = {kind: [names[kind][i] for i in some] for kind, some in without.items()}
    gone = (tuple(out["methods"]), tuple(one["name"] for one in out["datasets"]))
    try:
        screened = screened_once(given, rules.candidate, rules.quirks, gone)
        if not screened.used:
            return "no run could be scored"
        ranking = placed(screened, stages(*arranged(screened, rules), rules))
    except SrlibError as error:
        return str(error)
    return [
        [row.method, None if pd.isna(row.rank) else int(row.rank), row.score]
        for row in ranking.itertuples()
    ]


def screened_once(given: Judgement, candidate: Any, quirks: Any, gone: Any) -> Screened:
    """Screen once for all rules that differ in nothing that screening reads."""
    key = (id(given), candidate, quirks, gone)
    if key not in SCREENED:
        frame, block = given.given, given.rules.judge
        frame = frame[~(frame["method"].isin(gone[0]) | frame["dataset"].isin(gone[1]))]
        block = block.model_copy(update={"candidate": candidate, "quirks": quirks})
        frame = frame.reset_index(drop=True)
        SCREENED[key] = screen(frame, given.problems, block, given.screened.barred)
    return SCREENED[key]


def made_up(seed: int, fronts: bool = False) -> tuple[pd.DataFrame, Problems]:
    """Make assessments with ties, absent and unusable runs, odd names, any values, and more runs than expected."""
    generator, rows = np.random.default_rng(seed), []
    names = [problem.dataset for problem in problems().problems]
    features = ['["a"]', '["a", "b"]', '["a", "c", "d"]', "[]", '["c"]', None]
    for method in METHODS:
        for dataset in names:
            if generator.random() < 0.1:
                continue
            made = int(generator.choice([1, 2, 3, 3, 3, 4, 9, 12]))
            for n in generator.choice(50, made, replace=False).tolist():
                for candidate in range(1, int(generator.integers(2, 4)) if fronts else 2):
                    rows.append(_run(generator, method, dataset, n, candidate, features))
    frame = pd.DataFrame(rows).assign(row=range(len(rows)))
    if not fronts:
        frame = frame.drop(columns="candidate")
    return frame.astype(DTYPES | {"value": float}), problems()


def _run(
    generator: np.random.Generator, method: str, dataset: str, n: int, candidate: int, features: Any
) -> dict[str, Any]:
    r2 = float(
        generator.choice([0.9, 0.91, 0.95, 0.9504, 0.9996, 0.0, -0.4, -4e6, 1.0, 0.12345678])
    )
    if generator.random() < 0.4:
        r2 = 1 - float(generator.exponential())
    size = int(generator.choice([1, 3, 5, 5, 25, 26, 400]))
    changes: dict[str, Any] = {
        "r2_test": r2,
        "r2_extrapolation": generator.choice([r2, np.nan, -1e7, 0.5]),
        "complexity": size,
        "complexity_raw": size + int(generator.integers(0, 3)),
        "features_used": features[generator.integers(len(features))],
        "simplified_model": ["a", "a + b", "a*b + 1", None][generator.integers(4)],
        "solution": bool(generator.random() < 0.3),
        "value": generator.choice([1.0, 2.5, np.nan, np.inf, 0.1 + 0.2, 0.3]),
        "candidate": candidate,
    }
    if method == "idle" or generator.random() < 0.1:
        changes |= {"status": "failed", "parse_status": "empty", "r2_test": np.nan}
    elif generator.random() < 0.03:
        changes |= {"status": "invalid", "parse_status": "empty", "r2_test": np.nan}
    return row(method, dataset, n, **changes)


def judged(frame: pd.DataFrame, known: Problems, rules: str) -> Judgement:
    """Judge what was made up, without a method that did not qualify."""
    return judge(frame, known, load_rules(rules), frozenset({"barred"}))
