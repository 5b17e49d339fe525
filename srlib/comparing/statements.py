"""Published statements about results, each beside the numbers that the data give."""

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.metrics import Metric, average_levels, metric_of
from srlib.comparing.paired_tests import compare_two
from srlib.errors import InputError

KINDS = {"p_at_most", "not_shown", "first", "orders"}
KEYS = {"claim", "metric", "better", "than"} | KINDS
COLUMNS = ["claim", "stated", "p_value", "n_pairs", "orders", "place", "holds"]


def check_statements(benchmark: Benchmark, statements: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Check published statements as they were made: each dataset a unit, missing values left out, raw p-values.

    Parameters
    ----------
    benchmark : Benchmark
        The data.
    statements : iterable of dict
        `claim` (text), `metric`, and one of: `better` [methods] `than` [methods; empty means all others] with
        `p_at_most` (the largest raw p-value, to two digits); the same with `not_shown: true` (no pair differs at 0.05
        after Bonferroni's correction over all pairs of methods); `better` with `first: n` (these are among the n best
        medians); `better` `than` with `orders: [least, most]` (by how many whole orders of magnitude the medians of
        each pair differ: a factor from 10 to below 100 is 1).

    Returns
    -------
    pandas.DataFrame
        `claim`, `stated` p, the largest raw `p_value` of the pairs (the smallest where no difference is claimed),
        `n_pairs`, the `orders` of magnitude between medians, the worst `place` by median, and whether it `holds`.

    Raises
    ------
    InputError
        When a statement has other keys, or names a metric or method that is not there.
    """
    rows = [_check(benchmark, statement) for statement in statements]
    return pd.DataFrame(rows, columns=COLUMNS).astype(
        {"n_pairs": "Int64", "orders": "str", "holds": "bool"}
    )


def _check(benchmark: Benchmark, statement: Mapping[str, Any]) -> dict[str, Any]:
    if not {"claim", "metric", "better"} <= set(statement) <= KEYS or not KINDS & set(statement):
        keys = ", ".join(sorted(KEYS))
        raise InputError(
            f"statement {str(statement)[:80]}: keys must be among {keys}, with a claim"
        )
    claim, metric = statement["claim"], metric_of(statement["metric"])
    values = average_levels(benchmark.cells(statement["metric"]))
    better = list(statement["better"])
    rivals = statement.get("than") or list(values.columns.difference(better))
    for name in [*better, *rivals]:
        if name not in values:
            methods = ", ".join(map(str, values))
            raise InputError(f"statement {claim[:60]!r}: no method {name!r}; there are {methods}")
    medians = values.median()
    place = (metric.sign * medians).rank(ascending=False)[better].max()
    row = {"claim": claim, "stated": statement.get("p_at_most"), "place": place}
    if "first" in statement:
        return row | {"holds": place <= statement["first"]}
    plain = Metric(metric.label, metric.direction)  # the paper tests differences of sizes, too
    pairs = list(itertools.product(better, rivals))
    tests = [compare_two(values[a], values[b], plain) for a, b in pairs]
    _, p_values, signs, _ = zip(*tests, strict=True)
    row |= {"n_pairs": len(pairs), "p_value": max(p_values)}
    if statement.get("not_shown"):
        corrected = min(p_values) * math.comb(values.shape[1], 2)
        return row | {"p_value": min(p_values), "holds": corrected >= 0.05}
    holds = set(signs) == {metric.sign}
    if "p_at_most" in statement:
        holds &= float(f"{row['p_value']:.1e}") <= statement["p_at_most"]
    if "orders" in statement:
        logs = metric.sign * np.log10(medians.where(medians > 0))
        orders = [logs[a] - logs[b] for a, b in pairs]
        row["orders"] = f"{min(orders):.2f} to {max(orders):.2f}"
        least, most = statement["orders"]
        holds &= all(least <= order < most + 1 for order in orders)
    return row | {"holds": holds}
