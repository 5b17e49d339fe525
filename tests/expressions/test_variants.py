"""No mutated truth passes as a solution, and no rewritten one is missed: all formulas that are known here."""

import pytest

from srlib.expressions import compare, parse, to_text
from srlib.problems import domain_of, load_problems
from tests.expressions.variants import SOLUTIONS, mutated, rewritten, same_function

pytestmark = pytest.mark.slow


def own_truths():
    problems = load_problems("synthetic-2022").problems
    return list({p.truth: p for p in problems if p.truth}.values())


def once_each(variants):
    """Leave out the very trees that came before: most rewritings change nothing in a given formula."""
    seen = set()
    for name, model in variants:
        if model.tape not in seen:
            seen.add(model.tape)
            yield name, model


def misjudged(truth, domain):
    """What was judged wrongly, in words."""
    wrong = []
    for name, model in once_each(rewritten(truth, domain)):
        found = compare(truth, model, domain)
        if found.kind not in SOLUTIONS:
            wrong.append(f"missed: {name}: {to_text(model)}: {found.kind}, {found.detail}")
    for name, model in once_each(mutated(truth, domain)):
        found = compare(truth, model, domain)
        if found.kind == "unknown" or (found.kind in SOLUTIONS and not same_function(truth, model)):
            wrong.append(f"accepted: {name}: {to_text(model)}: {found.kind}, {found.detail}")
    return wrong


@pytest.mark.parametrize("problem", own_truths(), ids=lambda problem: problem.dataset)
def test_own_truths(problem):
    assert misjudged(parse(problem.truth, problem.features), domain_of(problem)) == []


@pytest.mark.parametrize("share", range(4))
def test_truths_of_the_reference_data(reference_data, share):
    problems = [p for p in load_problems(reference_data / "pmlb").problems if p.truth]
    assert len(problems) >= 70
    wrong = [f"{p.dataset}: {line}" for p in problems[share::4]
             for line in misjudged(parse(p.truth, p.features), domain_of(p))]  # fmt: skip
    assert wrong == []
