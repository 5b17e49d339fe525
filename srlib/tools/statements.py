"""Checks of published statements: whether what a paper says about methods holds in the data.

As in the papers, each dataset is a unit, missing values are left out, and a pair is tested by Wilcoxon's signed-rank
test (differences of zero by Pratt's method). Beside it stands what the test of `srlib compare` says over its units.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare_methods
from srlib.comparing.paired_tests import ALPHA, subtract
from srlib.errors import require
from srlib.metrics import average_levels
from srlib.prose import tally

CLAIM_KEYS = {"claim", "metric", "better", "than", "p_at_most", "not_shown", "first", "orders"}


def check_statements(benchmark: Benchmark, statements: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return for each published statement whether it holds, with each dataset as a unit and without missing values.

    Parameters
    ----------
    benchmark : Benchmark
        Measures of the methods.
    statements : iterable of dict
        Keys `claim` (text), `metric`, `better` (list of methods), `than` (list of methods; empty: all others), and one
        of these claims. `p_at_most`: each pair differs with at most this raw p-value, to two digits. `not_shown: true`:
        no pair differs at 0.05 after Bonferroni's correction over all pairs of methods. `first: n`: the methods in
        `better` are among the n best medians. `orders: [least, most]`: the medians of each pair differ by so many whole
        orders of magnitude, where a factor from 10 to below 100 is 1.

    Returns
    -------
    pandas.DataFrame
        `claim`, `stated` (the value of `p_at_most`), `p_value` (the largest raw p-value of the pairs; for `not_shown`
        the smallest), `n_pairs`, `orders` of magnitude between medians, `place` (the worst place by median), `holds`,
        and `tests`: the paper's test and ours in one line, empty for places.

    Raises
    ------
    InputError
        When a statement has other keys, or names a metric or method that the tables do not have.
    """
    columns = ["claim", "stated", "p_value", "n_pairs", "orders", "place", "holds", "tests"]
    compare_aspect = cache(partial(compare_methods, benchmark))
    rows = [_check_statement(benchmark, statement, compare_aspect) for statement in statements]
    return pd.DataFrame(rows, columns=columns).astype(
        {"n_pairs": "Int64", "orders": "str", "holds": "bool"}
    )


def _check_statement(
    benchmark: Benchmark,
    statement: Mapping[str, Any],
    compare_aspect: Callable[[str], Comparison],
) -> dict[str, Any]:
    """Return the row of `check_statements` for one statement."""
    require(
        {"claim", "metric", "better"} <= set(statement) <= CLAIM_KEYS,
        f"statement {str(statement)[:80]}: claim, metric and better were expected, and other keys among "
        f"{', '.join(sorted(CLAIM_KEYS))}",
    )
    claim = statement["claim"]
    values = average_levels(benchmark.cells(statement["metric"]))
    metric = benchmark.metric(statement["metric"])
    better = list(statement["better"])
    rivals = statement.get("than") or list(values.columns.difference(better))
    for name in [*better, *rivals]:
        require(
            name in values,
            f"statement {claim[:60]!r}: no method {name!r}; there are {', '.join(map(str, values))}",
        )
    medians = values.median()
    place = (metric.sign * medians).rank(ascending=False)[better].max()
    row = {"claim": claim, "stated": statement.get("p_at_most"), "place": place, "tests": ""}
    if "first" in statement:
        return row | {"holds": place <= statement["first"]}
    pairs = list(itertools.product(better, rivals))
    p_greater, p_less = np.transpose([_wilcoxon(metric.sign * values, *pair) for pair in pairs])
    p_values = np.minimum(2 * np.minimum(p_greater, p_less), 1)
    comparison = compare_aspect(statement["metric"])
    states = [comparison.results[a][b][0] for a, b in pairs]
    row |= {
        "n_pairs": len(pairs),
        "p_value": p_values.max(),
        "tests": f"with the paper's test (raw p, {len(values)} datasets) p is at most {p_values.max():.2g}; with ours "
        f"({len(comparison.unit_values)} {comparison.unit_name}): {tally(states)}",
    }
    if statement.get("not_shown"):
        corrected_p = p_values.min() * math.comb(values.shape[1], 2)
        return row | {"p_value": p_values.min(), "holds": corrected_p >= ALPHA}
    holds = bool((p_greater < p_less).all())
    if "p_at_most" in statement:
        holds &= float(f"{row['p_value']:.1e}") <= statement["p_at_most"]
    if "orders" in statement:
        logs = metric.sign * np.log10(medians.where(medians > 0))
        orders = [logs[a] - logs[b] for a, b in pairs]
        row["orders"] = f"{min(orders):.2f} to {max(orders):.2f}"
        lowest_order, highest_order = statement["orders"]
        holds &= lowest_order <= min(orders) and max(orders) < highest_order + 1
    return row | {"holds": holds}


def _wilcoxon(upward: pd.DataFrame, a: str, b: str) -> list[float]:
    """Return the p-values of Wilcoxon's test that a is better than b, and that it is worse."""
    from scipy import stats  # takes a second to import

    gains = subtract(upward[a].to_numpy(), upward[b].to_numpy())
    gains = gains[~np.isnan(gains)]
    if not gains.any():
        return [1.0, 1.0]
    tests: list[Any] = [
        stats.wilcoxon(gains, zero_method="pratt", alternative=side) for side in ("greater", "less")
    ]
    return [test.pvalue for test in tests]
