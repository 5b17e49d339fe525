"""Exact inference by bucket elimination in logarithms: partition function, marginals, most probable states.

A factor is an array of natural logarithms. The axes are variables in the order of elimination, so the variable to
eliminate is always the first axis.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from scipy.special import softmax

from srlib.errors import SrlibError
from srlib.limits import ENTRIES, WIDTH_BITS
from srlib.tools.inference.uai_files import Array, Evidence, Function, UaiModel


class TooWideError(SrlibError):
    """Error for a problem whose elimination needs larger tables than `srlib.limits` allows."""


# variables; natural logarithms with one axis per variable; the eliminated variable that made it (None: the model)
Factor = tuple[tuple[int, ...], Array, int | None]
# for an eliminated variable: all variables of its factors, the eliminated one first, and these factors
Bucket = tuple[tuple[int, ...], list[Factor]]


def log10_partition(model: UaiModel, evidence: Evidence) -> float:
    """Return log10 of the partition function: the summed likelihood of all assignments that agree with the evidence.

    Raises
    ------
    TooWideError
        When a table, or all tables together, would have more entries than `srlib.limits` allows.

    Examples
    --------
    >>> coin = UaiModel((2,), (((0,), np.array([30.0, 70.0])),))
    >>> log10_partition(coin, {})
    2.0
    """
    return _eliminate(model, evidence)[0]


def most_probable(
    model: UaiModel, evidence: Evidence, query: Iterable[int]
) -> tuple[float, Evidence]:
    """Return the most probable states of the query variables, with the other variables summed out.

    Parameters
    ----------
    model : UaiModel
        The problem.
    evidence : dict of int to int
        Observed states.
    query : iterable of int
        Variables to maximise over: all of them (MPE) or some (MMAP).

    Returns
    -------
    float, dict of int to int
        Logarithm to base 10 of the largest likelihood, and the state of each query variable.

    Raises
    ------
    TooWideError
        See `log10_partition`.
    """
    maximised = frozenset(query)
    total, buckets = _eliminate(model, evidence, maximised)
    states = {variable: evidence.get(variable, 0) for variable in maximised}
    # from the last variable to the first: the states of all others in its bucket are decided
    for variable, (_, factors) in reversed(buckets.items()):
        if variable in maximised:
            belief = np.zeros(model.cardinalities[variable])
            for scope, table, _ in factors:
                belief += table[(slice(None), *(states[member] for member in scope[1:]))]
            states[variable] = int(np.argmax(belief))
    return total, states


def posterior(model: UaiModel, evidence: Evidence) -> tuple[float, list[list[float]] | None]:
    """Return log10 of the partition function, and the probabilities of each variable's states given the evidence.

    Returns
    -------
    float, list of list of float or None
        Logarithm to base 10 of the partition function; one list of probabilities per variable (0 and 1 if it is
        observed), or None if the evidence contradicts the model.

    Raises
    ------
    TooWideError
        See `log10_partition`.
    """
    total, buckets = _eliminate(model, evidence)
    if total == -math.inf:
        return total, None
    marginals = [
        np.eye(1, states, evidence.get(variable, 0))[0]
        for variable, states in enumerate(model.cardinalities)
    ]
    for variable, (clique, factors) in reversed(buckets.items()):
        belief = _multiply(factors, clique, model)
        other_axes = tuple(range(1, belief.ndim))
        marginals[variable] = softmax(np.logaddexp.reduce(belief, axis=other_axes))
        # reply to each bucket that sent a message: sum out the other variables, then divide by that message
        for scope, table, origin in factors:
            if origin is not None:
                axes = tuple(axis for axis, member in enumerate(clique) if member not in scope)
                sums = np.logaddexp.reduce(belief, axis=axes)
                with np.errstate(invalid="ignore"):
                    message = np.where(np.isneginf(table), table, sums - table)
                buckets[origin][1].append((scope, message, None))
    return total, [row.tolist() for row in marginals]


def condition(model: UaiModel, evidence: Evidence) -> list[Function]:
    """Return the model's functions restricted to the evidence, as unobserved variables and natural logarithms."""
    functions = []
    for scope, table in model.functions:
        values = table[tuple(evidence.get(variable, slice(None)) for variable in scope)]
        with np.errstate(divide="ignore"):
            functions.append(
                (tuple(variable for variable in scope if variable not in evidence), np.log(values))
            )
    return functions


def _eliminate(
    model: UaiModel, evidence: Evidence, maximised: frozenset[int] = frozenset()
) -> tuple[float, dict[int, Bucket]]:
    """Eliminate all variables, those in `maximised` by maximum and the others by sum.

    Returns
    -------
    float, dict of int to Bucket
        Logarithm to base 10 of the result, and the bucket of each variable in the order of elimination.
    """
    # variables with one state count as observed, so that arrays have few axes
    observed = {
        member: 0 for member, states in enumerate(model.cardinalities) if states == 1
    } | evidence
    sizes = {
        member: states
        for member, states in enumerate(model.cardinalities)
        if member not in observed
    }
    functions = condition(model, observed)
    order = order_variables(sizes, [scope for scope, _ in functions], maximised)
    rank = {variable: place for place, variable in enumerate(order)}
    # by the variable that is eliminated first, as a 1-tuple; the key of factors without variables is ()
    waiting: dict[tuple[int, ...], list[Factor]] = defaultdict(list)
    for scope, table in functions:
        ordered_scope = tuple(sorted(scope, key=rank.__getitem__))
        axes = [scope.index(member) for member in ordered_scope]
        waiting[ordered_scope[:1]].append((ordered_scope, table.transpose(axes), None))
    buckets: dict[int, Bucket] = {}
    for variable in order:
        factors = waiting[(variable,)]
        members = {variable}.union(*(scope for scope, *_ in factors))
        clique = tuple(sorted(members, key=rank.__getitem__))
        buckets[variable] = clique, factors
        combine = np.maximum if variable in maximised else np.logaddexp
        message = combine.reduce(_multiply(factors, clique, model), axis=0)
        waiting[clique[1:2]].append((clique[1:], message, variable))
    total = sum(float(table) for _, table, _ in waiting[()])
    return total / math.log(10), buckets


def _multiply(factors: list[Factor], clique: tuple[int, ...], model: UaiModel) -> Array:
    """Return the product of factors as an array with one axis for each variable of the clique."""
    product = np.zeros([model.cardinalities[variable] for variable in clique])
    for scope, table, _ in factors:
        product += table[tuple(slice(None) if variable in scope else None for variable in clique)]
    return product


def order_variables(
    sizes: Mapping[int, int], scopes: Iterable[tuple[int, ...]], last: frozenset[int]
) -> list[int]:
    """Return an order of elimination: fewest new neighbours first (min-fill), then smallest table; `last` at the end.

    Parameters
    ----------
    sizes : mapping of int to int
        Number of states of each variable to eliminate.
    scopes : iterable of tuple of int
        Variables of each factor.
    last : frozenset of int
        Variables that are eliminated after all others.

    Raises
    ------
    TooWideError
        See `log10_partition`.
    """
    bits = {variable: math.log2(states) for variable, states in sizes.items()}
    neighbours = {variable: {variable} for variable in sizes}  # each with itself
    for scope in scopes:
        for variable in scope:
            neighbours[variable].update(scope)

    def cost(variable: int):
        """Return a tuple that sorts variables by the cost of eliminating them next, equal ones by number."""
        width = sum(bits[neighbour] for neighbour in neighbours[variable])
        gaps = math.inf  # the table will be refused; counting would take long
        if width <= WIDTH_BITS:
            gaps = sum(
                len(neighbours[variable] - neighbours[neighbour])
                for neighbour in neighbours[variable]
            )
        return variable in last, gaps, width, variable

    costs = {variable: cost(variable) for variable in sizes}
    order = []
    entries = 0.0
    while costs:
        *_, width, variable = min(costs.values())
        entries += 2**width
        if width > WIDTH_BITS:
            raise TooWideError(
                f"a table of 2**{width:.1f} entries is needed; 2**{WIDTH_BITS:.0f} are allowed"
            )
        if entries > ENTRIES:
            raise TooWideError(
                f"tables of more than 2**{math.log2(ENTRIES):.0f} entries in all are needed"
            )
        order.append(variable)
        del costs[variable]
        adjacent = neighbours.pop(variable) - {variable}
        for neighbour in adjacent:
            neighbours[neighbour] = (neighbours[neighbour] | adjacent) - {variable}
        changed = adjacent.union(*(neighbours[neighbour] for neighbour in adjacent))
        costs.update({neighbour: cost(neighbour) for neighbour in changed})
    return order
