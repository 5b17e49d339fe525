"""Exact inference by bucket elimination in logarithms: partition function, marginals, most probable assignment.

Every function is an array of natural logarithms with its variables in the order in which they are eliminated,
so that the variable at hand is always the first axis. Variables of one state and observed ones are sliced away.
"""

import math
from collections.abc import Collection
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from srlib.errors import SrlibError
from srlib.inference.model import Array, Model
from srlib.inference.problems import Evidence
from srlib.limits import ENTRIES, WIDTH_BITS

Factor = tuple[tuple[int, ...], Array]


class TooWideError(SrlibError):
    """The problem needs tables that are larger than allowed."""


class _Bucket(NamedTuple):
    """What meets at a variable when it is eliminated: the variables there, it first, and the functions."""

    clique: tuple[int, ...]
    # with the variable whose elimination made it, -1 for the model's own
    factors: list[tuple[Factor, int]]


def log10_partition(model: Model, evidence: Evidence) -> float:
    """Logarithm of the sum of the likelihoods of all assignments that agree with the evidence, to base 10.

    Raises
    ------
    TooWideError
        When a table of more than 2**23 entries would be needed.

    Examples
    --------
    >>> coin = Model("MARKOV", (2,), ((0,),), np.array([30.0, 70.0]), (0,))
    >>> log10_partition(coin, {})
    2.0
    """
    return _eliminated(model, evidence)[0] / math.log(10)


def most_probable(
    model: Model, evidence: Evidence, query: Collection[int] | None = None
) -> tuple[float, Evidence]:
    """Find the most probable states of some variables, summed over the others.

    Parameters
    ----------
    model : Model
        The problem.
    evidence : dict of int to int
        Observed states.
    query : collection of int, optional
        Variables that are asked for (MMAP); all by default (MPE).

    Returns
    -------
    float, dict of int to int
        Logarithm to base 10 of the best value, and the states of the variables that are asked for.

    Raises
    ------
    TooWideError
        See `log10_partition`.
    """
    asked = frozenset(range(len(model.cardinalities)) if query is None else query)
    value, buckets = _eliminated(model, evidence, asked)
    states = {variable: evidence.get(variable, 0) for variable in asked}
    # the variable eliminated last first: all others of its bucket are settled
    for bucket in reversed(buckets):
        if bucket.clique[0] in asked:
            rest = [
                table[(slice(None), *(states[v] for v in scope[1:]))]
                for (scope, table), _ in bucket.factors
            ]
            states[bucket.clique[0]] = int(np.argmax(sum(rest))) if rest else 0
    return value / math.log(10), states


def posterior(model: Model, evidence: Evidence) -> tuple[float, list[Array] | None]:
    """Find the partition function and the probabilities of each variable's states given the evidence.

    Returns
    -------
    float, list of array or None
        Logarithm to base 10 of the partition function; one array a variable, 0 and 1 for observed ones, None
        when the evidence contradicts the model.

    Raises
    ------
    TooWideError
        See `log10_partition`.
    """
    value, buckets = _eliminated(model, evidence)
    if value == -np.inf:
        return value, None
    found = [
        certain(states, evidence.get(variable, 0))
        for variable, states in enumerate(model.cardinalities)
    ]
    above: dict[int, Factor] = {}  # by variable: what the rest of the network says to its bucket
    for bucket in reversed(buckets):
        variable, sizes = bucket.clique[0], [model.cardinalities[v] for v in bucket.clique]
        belief = _product([factor for factor, _ in bucket.factors], bucket.clique, sizes)
        if variable in above:
            belief += _aligned(above.pop(variable), bucket.clique)
        top = belief.max()
        np.exp(belief - top, out=belief)
        weights = belief.sum(axis=tuple(range(1, belief.ndim)))
        found[variable] = weights / weights.sum()
        for (scope, message), origin in bucket.factors:
            if origin >= 0:
                axes = tuple(place for place, v in enumerate(bucket.clique) if v not in scope)
                with np.errstate(divide="ignore", invalid="ignore"):
                    said = np.log(belief.sum(axis=axes)) + top - message
                above[origin] = (scope, np.where(np.isneginf(message), -np.inf, said))
    return value / math.log(10), found


def certain(states: int, state: int) -> Array:
    """Probabilities of a variable whose state is known.

    Examples
    --------
    >>> certain(3, 1).tolist()
    [0.0, 1.0, 0.0]
    """
    found = np.zeros(states)
    found[state] = 1.0
    return found


def _eliminated(
    model: Model, evidence: Evidence, asked: frozenset[int] = frozenset()
) -> tuple[float, list[_Bucket]]:
    """Eliminate all variables, those asked for last and by maximising; natural logarithm, and the buckets."""
    order = elimination_order(model.cardinalities, model.scopes, frozenset(evidence), asked)
    rank = {variable: place for place, variable in enumerate(order)}
    pools: dict[int, list[tuple[Factor, int]]] = {variable: [] for variable in order}
    total, buckets = 0.0, []
    single = {v: 0 for v, states in enumerate(model.cardinalities) if states == 1}
    for free, table in sliced(model, single | evidence):
        axes = sorted(range(len(free)), key=lambda axis: rank[free[axis]])
        if free:
            ordered = tuple(free[axis] for axis in axes)
            pools[ordered[0]].append(((ordered, np.ascontiguousarray(table.transpose(axes))), -1))
        else:
            total += float(table)
    for variable in order:
        factors = pools.pop(variable)
        met = {v for (scope, _), _ in factors for v in scope} | {variable}
        clique = tuple(sorted(met, key=rank.__getitem__))
        buckets.append(_Bucket(clique, factors))
        product = _product(
            [f for f, _ in factors], clique, [model.cardinalities[v] for v in clique]
        )
        message = product.max(axis=0) if variable in asked else _log_sum(product)
        if len(clique) > 1:
            pools[clique[1]].append(((clique[1:], message), variable))
        else:
            total += float(message)
    return total, buckets


def sliced(model: Model, evidence: Evidence) -> list[Factor]:
    """Give the functions at the evidence: their free variables, and natural logarithms."""
    places = [tuple(evidence.get(v, slice(None)) for v in scope) for scope in model.scopes]
    free = [tuple(v for v in scope if v not in evidence) for scope in model.scopes]
    return [
        (rest, model.log_table(f)[at])
        for f, (rest, at) in enumerate(zip(free, places, strict=True))
    ]


def _product(factors: list[Factor], clique: tuple[int, ...], sizes: list[int]) -> Array:
    product = np.zeros(sizes)
    for factor in factors:
        product += _aligned(factor, clique)
    return product


def _aligned(factor: Factor, clique: tuple[int, ...]) -> Array:
    scope, table = factor
    return table[tuple(slice(None) if v in scope else None for v in clique)]


def _log_sum(table: Array) -> Array:
    """Logarithm of the sum over the first axis; the table is used up."""
    top = table.max(axis=0)
    top = np.where(np.isneginf(top), 0.0, top)
    np.exp(np.subtract(table, top, out=table), out=table)
    with np.errstate(divide="ignore"):
        return np.log(table.sum(axis=0)) + top


@lru_cache(maxsize=128)
def elimination_order(
    cardinalities: tuple[int, ...],
    scopes: tuple[tuple[int, ...], ...],
    observed: frozenset[int],
    last: frozenset[int] = frozenset(),
) -> tuple[int, ...]:
    """Order the variables by fewest new neighbours (min-fill), then smallest table, those of `last` at the end.

    Raises
    ------
    TooWideError
        When a table of more than 2**23 entries would be needed.
    """
    free = [v for v, states in enumerate(cardinalities) if states > 1 and v not in observed]
    near: dict[int, set[int]] = {v: set() for v in free}
    for scope in scopes:
        for v in scope:
            if v in near:
                near[v].update(u for u in scope if u in near and u != v)
    bits = [math.log2(states) for states in cardinalities]
    waits = last if len(last) < len(cardinalities) else frozenset()

    def width_of(v: int) -> float:
        return bits[v] + sum(bits[u] for u in near[v])

    def cost(v: int) -> tuple[bool, float, float, int]:
        # each neighbour has a bit at least: beyond so many it is too wide, and its neighbours are not counted again
        width = math.inf if len(near[v]) > WIDTH_BITS else width_of(v)
        fill = math.inf if width > WIDTH_BITS else sum(len(near[v] - near[u]) - 1 for u in near[v])
        return (v in waits, fill, width, v)

    costs = {v: cost(v) for v in free}
    queue = list(costs.values())
    heapify(queue)
    order, entries = [], 0.0
    while costs:
        found = heappop(queue)
        v = found[-1]
        if costs.get(v) != found:  # an older cost of it
            continue
        if found[2] > WIDTH_BITS:
            width = min(width_of(u) for u in costs if (u in waits) == (v in waits))
            raise TooWideError(
                f"a table of 2**{width:.1f} entries is needed; 2**{WIDTH_BITS:.0f} are allowed"
            )
        entries += 2 ** found[2]
        if entries > ENTRIES:
            raise TooWideError(
                f"tables of more than 2**{math.log2(ENTRIES):.0f} entries in all are needed"
            )
        order.append(v)
        del costs[v]
        around = near.pop(v)
        changed = set(around)
        for u in around:
            near[u].discard(v)
            for w in around - near[u] - {u}:  # a new edge closes a gap of those that know both ends
                near[u].add(w)
                near[w].add(u)
                changed |= near[u] & near[w]
        for u in changed:
            again = cost(u)
            if again != costs[u]:
                costs[u] = again
                heappush(queue, again)
    return tuple(order)
