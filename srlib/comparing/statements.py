"""Statements of a paper about its results, each beside the numbers that these data give."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare
from srlib.comparing.metrics import metric_of
from srlib.comparing.pairs import pairwise
from srlib.comparing.statistics import adjusted, effect_size
from srlib.errors import InputError

KINDS = {"p_at_most", "not_shown", "first", "orders"}
KEYS = {"claim", "metric", "better", "than"} | KINDS
LEVELS = ["p_value", "holm", "bonferroni"]


def check_statements(found: Benchmark, statements: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Work out what the data say about each statement.

    Parameters
    ----------
    found : Benchmark
        The data.
    statements : iterable of dict
        `claim` (text), `metric`, and one of: `better` [methods] `than` [methods; empty means all others] with
        `p_at_most` (the largest raw p-value, to two digits); the same with `not_shown: true` (no pair differs at 0.05
        after Bonferroni's correction over all pairs); `better` with `first: n` (these are among the n best medians);
        `better` `than` with `orders: [least, most]` (by how many whole orders of magnitude the medians of each pair
        differ: a factor from 10 to below 100 is 1).

    Returns
    -------
    pandas.DataFrame
        `claim`, `stated` p, the largest `p_value` of the pairs with the largest after `holm` and `bonferroni` over all
        pairs of methods (smallest where no difference is claimed), `n_pairs`, the `difference` of medians closest to
        none, the `orders` of magnitude between medians where they are claimed, the worst `place` by median, whether it
        `holds` as it was published, and what is claimed `now` that every source of datasets counts once and nothing is
        claimed that does not keep its level (see `compare`).

    Raises
    ------
    InputError
        When a statement has other keys or names a method that the data lack.
    """
    columns = [
        "claim",
        "stated",
        "p_value",
        "holm",
        "bonferroni",
        "n_pairs",
        "difference",
        "orders",
        "place",
        "holds",
        "now",
    ]
    rows, told, known = [], {}, dict[str, pd.DataFrame]()
    for one in map(dict, statements):
        row = _checked(found, one, known)
        metric = one["metric"]
        told[metric] = told.get(metric) or compare(found, metric)
        rows.append(row | {"now": _now(told[metric], one)})
    table = pd.DataFrame(rows, columns=columns)
    return table.astype({"n_pairs": "Int64", "orders": "str"})


def _checked(
    found: Benchmark, one: dict[str, Any], known: dict[str, pd.DataFrame]
) -> dict[str, Any]:
    """Work out what is said of one statement; `known` keeps the pairs of a metric for the next."""
    if not {"claim", "metric", "better"} <= set(one) <= KEYS or not KINDS & set(one):
        raise InputError(
            f"statement {str(one)[:80]}: keys must be among {', '.join(sorted(KEYS))}, with a claim"
        )
    values, metric = found.values(one["metric"]), metric_of(one["metric"])
    sign = 1 if metric.direction == "higher" else -1
    others = one.get("than") or [name for name in values if name not in one["better"]]
    unknown = [name for name in [*one["better"], *others] if name not in values]
    if unknown:
        raise InputError(
            f"statement {one['claim'][:60]!r}: no method {unknown[0]!r}; there are {', '.join(map(str, values))}"
        )
    places = (sign * values.median()).rank(ascending=False)
    row: dict[str, Any] = {
        "claim": one["claim"],
        "stated": one.get("p_at_most"),
        "place": places[one["better"]].max(),
    }
    if "first" in one:
        return row | {"holds": bool(row["place"] <= one["first"])}
    pairs = known.get(one["metric"])
    if pairs is None:
        pairs = pairwise(values, "none")
        raw = pairs["p_value"]
        pairs = pairs.assign(holm=adjusted(raw, "holm"), bonferroni=adjusted(raw, "bonferroni"))
        known[one["metric"]] = pairs
    a, b = pairs["method_a"], pairs["method_b"]
    chosen = pairs[
        (a.isin(one["better"]) & b.isin(others)) | (b.isin(one["better"]) & a.isin(others))
    ]
    best = chosen["method_a"].isin(one["better"])
    gap = sign * (chosen["median_a"] - chosen["median_b"]) * np.where(best, 1, -1)
    ahead = [
        sign * effect_size(values[x if left else y], values[y if left else x]) > 0
        for x, y, left in zip(chosen["method_a"], chosen["method_b"], best, strict=True)
    ]
    said = chosen[LEVELS]
    row |= {"n_pairs": len(chosen), "difference": gap.loc[gap.abs().idxmin()]}
    if one.get("not_shown"):
        return (
            row
            | dict(zip(LEVELS, said.min(), strict=True))
            | {"holds": bool((said["bonferroni"] >= 0.05).all())}
        )
    row |= dict(zip(LEVELS, said.max(), strict=True))
    holds = all(ahead)
    if "p_at_most" in one:
        holds = holds and float(f"{row['p_value']:.1e}") <= one["p_at_most"]
    if "orders" in one:
        apart = _orders(chosen, np.where(best, sign, -sign))
        row["orders"] = f"{apart.min():.2f} to {apart.max():.2f}"
        least, most = one["orders"]
        holds = holds and bool(((least <= apart) & (apart < most + 1)).all())
    return row | {"holds": holds}


def _orders(pairs: pd.DataFrame, better: NDArray[np.int_]) -> NDArray[np.float64]:
    """Orders of magnitude between the medians of each pair; `better` is 1 where a's has to be the larger one, else -1.

    NaN, which is within no bounds, where a median is not above 0.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return better * np.log10((pairs["median_a"] / pairs["median_b"]).to_numpy(float))


def _now(told: Comparison, one: Mapping[str, Any]) -> str:
    """Say of the same methods what the comparison of the page says."""
    better = list(one["better"])
    if "first" in one:
        place = told.ranking.set_index("method").loc[better, "rank"].max()
        return f"place {place} of {len(told.ranking)} by the {told.metric.centre}"
    others = one.get("than") or [name for name in told.ranking["method"] if name not in better]
    pairs = pd.concat([told.against(name) for name in better])
    states = pairs.loc[pairs["method_b"].isin(others), ["method_a", "method_b", "state", "why"]]
    wanted = "equivalent" if one.get("not_shown") else "better"
    open_ = states[states["state"] != wanted]
    shown = f"{wanted}: {len(states) - len(open_)} of {len(states)} pairs"
    if open_.empty:
        return shown
    row = open_.iloc[0]
    why = f" ({row['why']})" if row["why"] else ""
    return f"{shown}; {row['method_a']} is {row['state']} against {row['method_b']}{why}"
