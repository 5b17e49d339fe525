"""A competition in the numbers that a scorer may ask for, whatever its switches say: what a page's own scorer reads."""

import base64
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.metrics import METRICS, metric_of
from srlib.errors import SrlibError
from srlib.judging.measures import values_of
from srlib.judging.properties import SCORERS
from srlib.judging.screening import Screened, screen
from srlib.judging.verdict import Judgement
from srlib.problems import Problem
from srlib.rules import Judge

MOST = 12_000  # runs
SIZES = ("complexity", "complexity_raw")
EVEN = "even_features_irrelevant"


def portable(judgement: Judgement) -> dict[str, Any]:
    """Write down a competition for a scorer elsewhere; empty where it has more than `MOST` runs.

    Every number is exact: what JSON cannot write shortly stands as 64-bit floats, little endian, in base64.

    Returns
    -------
    dict
        `methods` and `datasets`, sorted; `rows`, one a run (by number of method and dataset), and which of them are
        `unusable` or were not made; `columns` that aspects are taken from; `scores` of properties by each choice, for
        the rows on datasets of that property; what is known of directions and floors; `judge`, the rules' block.
    """
    given, block = judgement.given.reset_index(drop=True), judgement.rules.judge
    if len(given) > MOST:
        return {}
    picked, parts = np.zeros(len(given), dtype=int), {}
    candidates = [block.candidate]
    if judgement.screened.fronts is not None:
        candidates = list(get_args(Judge.model_fields["candidate"].annotation))
    for bit, how in enumerate(candidates):
        plain = block.model_copy(update={"quirks": (), "candidate": how})
        parts[how] = screen(given, judgement.problems, plain)
        picked[parts[how].runs.index] |= 1 << bit
    least = _noiseless(judgement)
    names = sorted({*given["dataset"].unique(), *least.values()})
    known = {name: problem for name in names if (problem := judgement.problems.find(name))}
    known = {name: problem for name, problem in known.items() if problem.track in block.tracks}
    at = {name: i for i, name in enumerate(known)}
    kept = np.flatnonzero((picked > 0) & given["dataset"].isin(list(at)).to_numpy())
    order = (
        given.loc[kept]
        .assign(at=given["dataset"].map(at))
        .sort_values(["at", "method", "repetition"])
    )
    methods = sorted(order["method"].unique())
    usable = pd.Index(np.unique(np.concatenate([part.usable.index for part in parts.values()])))
    made = pd.Index(np.unique(np.concatenate([part.attempts.index for part in parts.values()])))
    columns, scores = _measured(parts, block, order.index, known)
    return {
        "methods": methods,
        "barred": [i for i, name in enumerate(methods) if name in judgement.screened.barred],
        "datasets": [_dataset(problem, name, known, at) for name, problem in known.items()],
        "least": {at[name]: at.get(to, -1) for name, to in least.items() if name in at},
        "candidates": candidates * (len(candidates) > 1),
        "rows": {
            "method": order["method"].map({name: i for i, name in enumerate(methods)}).tolist(),
            "dataset": order["at"].tolist(),
            "repetition": order["repetition"].tolist(),
            "candidates": picked[order.index].tolist() * (len(candidates) > 1),
            "unusable": np.flatnonzero(~order.index.isin(usable)).tolist(),
            "unmade": np.flatnonzero(~order.index.isin(made)).tolist(),
        },
        "columns": {name: packed(values) for name, values in columns.items()},
        "scores": scores,
        "scorers": _scorers(),
        "floors": {name: _plain(metric_of(name).floor) for name in columns},
        "best": _plain(METRICS["r2_test"].best),
        "judge": block.model_dump(mode="json", by_alias=True),
    }


def packed(values: NDArray[np.float64]) -> str | list[Any]:
    """Write numbers in full, in the shorter of two ways: a list with null for NaN, or 64-bit floats in base64.

    Examples
    --------
    >>> packed(np.array([3.0, np.nan])), packed(np.array([1 / 3]))
    ([3, None], 'VVVVVVVV1T8=')
    """
    listed = [_plain(value) for value in values.tolist()]
    binary = base64.b64encode(values.astype("<f8").tobytes()).decode()
    if np.isinf(values).any() or len(json.dumps(listed, separators=(",", ":"))) > len(binary) + 2:
        return binary
    return listed


def _plain(value: float) -> float | None:
    if np.isnan(value):
        return None
    if float(value).is_integer() and abs(value) < 2**53:
        return int(value)
    return float(value)


def _noiseless(judgement: Judgement) -> dict[str, str]:
    """Find the datasets without noise that have runs, each with the noisy one whose runs a quirk replaces by them."""
    noisy = [p for p in judgement.problems.problems if p.noise_reference]
    noisy.sort(key=lambda problem: -problem.noise_level)
    here = set(judgement.given["dataset"].unique())
    pairs = ((p.noise_reference, p.dataset) for p in noisy)
    return {base: own for base, own in pairs if base is not None and base in here}


def _dataset(
    problem: Problem, name: str, known: Mapping[str, Problem], at: Mapping[str, int]
) -> dict[str, Any]:
    base = known.get(problem.noise_reference or "")
    gap, reference = 0.0, -1
    if base is not None:
        gap = abs((problem.noise_level or 0.0) - (base.noise_level or 0.0))
        reference = at[problem.noise_reference or ""]
    return {
        "name": name,
        "property": problem.property,
        "weight": problem.weight,
        "scored": problem.scored,
        "reference": reference,
        "gap": gap,
        "seir": "seir" in (problem.family or ""),
    }


def _measured(
    parts: Mapping[str, Screened], block: Judge, rows: pd.Index, known: Mapping[str, Problem]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, dict[str, Any]]]:
    """Measure all rows by every source of an aspect, and by every score of their dataset's property."""

    def column(judge: Judge) -> NDArray[np.float64]:
        found = [pd.Series(values_of(p, judge)[0], index=p.usable.index) for p in parts.values()]
        whole = pd.concat(found)
        return whole[~whole.index.duplicated()].reindex(rows).to_numpy(dtype=float)

    sources = [aspect.from_ for aspect in block.aspects.values()]
    wanted = dict.fromkeys(["r2_test", *sources, *SIZES * bool({*SIZES} & {*sources})])
    columns = {
        name: column(_alone({"from": name, "direction": "higher"}))
        for name in wanted
        if name != "property"
    }
    scores: dict[str, dict[str, Any]] = {}
    if "property" not in sources:
        return columns, scores
    datasets = pd.concat([part.runs["dataset"] for part in parts.values()])
    kinds = datasets[~datasets.index.duplicated()].reindex(rows).map(lambda n: known[n].property)
    for kind, choice in SCORERS:
        own = (kinds == kind).to_numpy()
        for quirk, name in (((), choice), ((EVEN,), f"{choice} even")):
            if not own.any() or choice == "ratio" or (quirk and kind != "relevant_features"):
                continue
            with suppress(SrlibError):  # a score that cannot be worked out is no choice on a page
                aspect = {"from": "property", "direction": "by_property"}
                values = column(_alone(aspect, {kind: choice}, quirk))[own]
                written = packed(values)
                if np.array_equal(values, columns["r2_test"][own], equal_nan=True):
                    written = "r2_test"
                scores.setdefault(kind, {})[name] = written
    return columns, scores


def _alone(
    aspect: dict[str, str], properties: dict[str, str] | None = None, quirks: tuple[str, ...] = ()
) -> Judge:
    """Rules of one aspect, which is neither transformed nor rounded."""
    block = {"aspects": {"value": aspect}, "properties": properties or {}, "quirks": quirks}
    return Judge.model_validate(block)


def _scorers() -> dict[str, dict[str, list[float | None]]]:
    """Direction, as a sign, and floor of every score of a property."""
    found: dict[str, dict[str, list[float | None]]] = {}
    for (kind, choice), (_, direction, floor) in SCORERS.items():
        sign = 1
        if direction == "lower":
            sign = -1
        found.setdefault(kind, {})[choice] = [sign, _plain(floor)]
    return found
