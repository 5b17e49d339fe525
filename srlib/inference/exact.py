"""Exact inference by bucket elimination in logarithms: partition function, marginals, most probable states.

A factor is an array of natural logarithms whose axes are variables in the order of elimination, so that the variable
that is eliminated is always the first axis.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from scipy.special import softmax

from srlib.errors import SrlibError
from srlib.inference.uai_files import Array, Evidence, Function, Model
from srlib.limits import ENTRIES, WIDTH_BITS


class TooWideError(SrlibError):
    """The problem needs tables that are larger than allowed."""


# variables, natural logarithms with one axis a variable, and the variable whose elimination made it (None: the model)
Factor = tuple[tuple[int, ...], Array, int | None]
# all factors of a variable at the time of its elimination, and their variables, itself first
Bucket = tuple[tuple[int, ...], list[Factor]]


def log10_partition(model: Model, evidence: Evidence) -> float:
    """Return the logarithm to base 10 of the sum of the likelihoods of all assignments that agree with the evidence.

    Raises
    ------
    TooWideError
        When a table of more than 2**23 entries would be needed.

    Examples
    --------
    >>> coin = Model((2,), (((0,), np.array([30.0, 70.0])),))
    >>> log10_partition(coin, {})
    2.0
    """
    return _eliminate(model, evidence)[0]


def most_probable(model: Model, evidence: Evidence, query: Iterable[int]) -> tuple[float, Evidence]:
    """Return the most probable states of some variables, summed over the others.

    Parameters
    ----------
    model : Model
        The problem.
    evidence : dict of int to int
        Observed states.
    query : iterable of int
        Variables whose states are sought: all (MPE), or some (MMAP).

    Returns
    -------
    float, dict of int to int
        Logarithm to base 10 of the largest likelihood, and the states of the query variables.

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


def posterior(model: Model, evidence: Evidence) -> tuple[float, list[list[float]] | None]:
    """Return the partition function and the marginals: the probabilities of each variable's states given the evidence.

    Returns
    -------
    float, list of list of float or None
        Logarithm to base 10 of the partition function; one list a variable, 0 and 1 for observed ones, None
        when the evidence contradicts the model.

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
        # back to each bucket that sent a message: the sum over all other variables without the message
        for scope, table, origin in factors:
            if origin is not None:
                axes = tuple(axis for axis, member in enumerate(clique) if member not in scope)
                sums = np.logaddexp.reduce(belief, axis=axes)
                with np.errstate(invalid="ignore"):
                    message = np.where(np.isneginf(table), table, sums - table)
                buckets[origin][1].append((scope, message, None))
    return total, [row.tolist() for row in marginals]


def condition(model: Model, evidence: Evidence) -> list[Function]:
    """Return the natural logarithms of the model's functions at the evidence, each with its other variables."""
    functions = []
    for scope, table in model.functions:
        values = table[tuple(evidence.get(variable, slice(None)) for variable in scope)]
        with np.errstate(divide="ignore"):
            functions.append(
                (tuple(variable for variable in scope if variable not in evidence), np.log(values))
            )
    return functions


def _eliminate(
    model: Model, evidence: Evidence, maximised: frozenset[int] = frozenset()
) -> tuple[float, dict[int, Bucket]]:
    """Eliminate all variables, by maximum where they are `maximised` and else by sum.

    Returns
    -------
    float, dict of int to Bucket
        Logarithm to base 10 of the result, and the bucket of each variable in the order of elimination.
    """
    # variables of one state are observed, so that arrays have few axes
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
    # by the variable that is eliminated first, as a tuple; factors without variables have the key ()
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


def _multiply(factors: list[Factor], clique: tuple[int, ...], model: Model) -> Array:
    """Return the product of factors as an array with one axis for each variable of the clique."""
    product = np.zeros([model.cardinalities[variable] for variable in clique])
    for scope, table, _ in factors:
        product += table[tuple(slice(None) if variable in scope else None for variable in clique)]
    return product


def order_variables(
    sizes: Mapping[int, int], scopes: Iterable[tuple[int, ...]], last: frozenset[int]
) -> list[int]:
    """Return the variables in order of fewest new neighbours (min-fill), then smallest table, those of `last` last.

    Parameters
    ----------
    sizes : mapping of int to int
        Number of states of each variable that is eliminated.
    scopes : iterable of tuple of int
        Variables that stand together in a factor.
    last : frozenset of int
        Variables that are eliminated after all others.

    Raises
    ------
    TooWideError
        When a table of more than 2**23 entries would be needed.
    """
    bits = {variable: math.log2(states) for variable, states in sizes.items()}
    neighbours = {variable: {variable} for variable in sizes}  # each with itself
    for scope in scopes:
        for variable in scope:
            neighbours[variable].update(scope)

    def cost(variable: int):
        """Return the cost of eliminating a variable now; the smallest goes first, equal ones by number."""
        width = sum(bits[neighbour] for neighbour in neighbours[variable])
        gaps = math.inf  # of a table that is refused; counting them would take long
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
