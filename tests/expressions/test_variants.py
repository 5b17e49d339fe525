"""No changed truth passes as a solution, and no rewritten one is missed: all formulas that are known here."""

import numpy as np
import pytest
import sympy

from srlib.expressions import Expression, compare, from_sympy, parse, to_sympy, to_text
from srlib.expressions.evidence import SOLUTIONS
from srlib.expressions.operators import OPERATORS
from srlib.problems import domain_of, load_problems

pytestmark = pytest.mark.slow

REWRITINGS = """
    log(exp(({0})/1e3))*1e3
    2.71*({0})
    -0.037*({0})
    {0} + 11.3
    2.0003*({0})*0.49992
    0.0001*({0})*10000
    ({0}) + 1e7 - 1e7
"""
# a coefficient that is there may differ by 0.0005, and all others by as much the other way, if they are scaled
CHANGES = """
    {0} + 0.002*`{1}`
    ({0})*(1 + 0.001*`{1}`)
    {0} + 0.002*sin(30*`{1}`)*({0})
    ({0})**2 + 0.01*({0})
"""


def rewrite(truth):
    """Write the same function otherwise, up to a constant."""
    text, tree = to_text(truth), to_sympy(truth)
    yield from (parse(template.format(text)) for template in REWRITINGS.strip().splitlines())
    for step in (
        sympy.expand,
        sympy.factor,
        sympy.together,
        sympy.powsimp,
        sympy.trigsimp,
        sympy.expand_trig,
    ):
        yield from_sympy(step(tree))
    yield from_sympy(tree.replace(sympy.cos, lambda angle: sympy.sin(angle + 1.5708)))
    yield from (refit(truth, seed) for seed in range(3))


def refit(truth, seed):
    """Split constants and features into factors, and add what optimisers leave behind."""
    rng = np.random.default_rng(seed)
    add, mul, div = (OPERATORS[name] for name in ("add", "mul", "div"))
    tape = []
    for item in truth.tape:
        factor = rng.uniform(0.05, 9)
        split = isinstance(item, float | str) and rng.random() < 0.7
        tape += [item, factor, div, factor, mul] if split else [item]
    return Expression((*tape, 10.0 ** rng.uniform(-17, -6), add))


def change(truth, domain):
    """Make other functions, unless a factor or a symmetry makes them the same after all."""
    tape, used = truth.tape, sorted(truth.features)
    for template in CHANGES.strip().splitlines():
        yield from (parse(template.format(to_text(truth), name)) for name in domain)
    for place, item in enumerate(tape):
        if isinstance(item, float) and abs(item) * 0.01 > 0.00051:
            yield Expression((*tape[:place], item * 1.01, *tape[place + 1 :]))
    for a, b in zip(used, used[1:], strict=False):
        yield Expression(tuple({a: b, b: a}.get(item, item) for item in tape))


def is_same_function(truth, model):
    """Whether sympy finds difference or ratio constant: how symmetries are recognised, apart from srlib."""
    t, m = to_sympy(truth), to_sympy(model)
    between = (sympy.simplify(sympy.nsimplify(e, rational=True)) for e in (m - t, m / t))
    return any(not e.free_symbols for e in between)


def list_misjudged(problem):
    """What was judged wrongly, in words; equal trees are judged once."""
    truth, domain = parse(problem.truth, problem.features), domain_of(problem)
    rewritten, wrong = dict.fromkeys(rewrite(truth)), []
    for model in rewritten | dict.fromkeys(change(truth, domain)):
        kind = compare(truth, model, domain).kind
        right = model in rewritten or kind in SOLUTIONS and is_same_function(truth, model)
        if kind == "unknown" or (kind in SOLUTIONS) != right:
            wrong.append(f"{problem.dataset}: {kind}: {to_text(model)}")
    return wrong


def test_truths_of_2022():
    problems = load_problems("synthetic-2022").problems
    truths = {problem.truth: problem for problem in problems if problem.truth}
    assert [line for problem in truths.values() for line in list_misjudged(problem)] == []


@pytest.mark.parametrize("share", range(4))
def test_truths_of_the_reference_data(reference_data, share):
    problems = [p for p in load_problems(reference_data / "pmlb").problems if p.truth]
    assert len(problems) >= 70
    assert [line for problem in problems[share::4] for line in list_misjudged(problem)] == []
