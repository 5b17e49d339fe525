"""What other people hold of models, beside our verdicts: accepted forms of FastSRB, every disagreement named."""

from collections import Counter

from srlib.expressions import compare, parse
from srlib.yamlfile import load_yaml

# sqrt(2)*sqrt(a*b*(cos - 1) + (a - b)**2/2) has 4*a*b less below the root; -a/(b*(-c*v - d)) lost a sign on its way
WRONG_FORMS = {"I.29.16": "1.4142135623730951", "II.21.32": "-3.711322364871929e-19"}


def ranges(problem: dict) -> dict[str, tuple[float, float]]:
    """Sampling ranges as intervals, in the units of the problem: from 1e-24 to 1e10."""
    found = {}
    for name, variable in problem["vars"].items():
        if name != "v0":
            low, high = map(float, variable["sample_range"][:2])
            found[name] = (-high if "neg" in str(variable["sample_type"]) else low, high)
    return found


def test_fastsrb_s_accepted_forms_are_equal_but_for_two_that_are_wrong(reference_data):
    problems = load_yaml(reference_data / "field" / "fastsrb" / "expressions.yaml")
    kinds: Counter[str] = Counter()
    refuted = {}
    for name, problem in problems.items():
        domain = ranges(problem)
        truth = parse(str(problem["prepared"]), list(domain))
        for form in problem["accept"]:
            found = compare(truth, parse(str(form), list(domain)), domain)
            kinds[found.kind] += 1
            if found.kind == "different":
                refuted[name] = str(form)
                assert found.witness is not None
    assert kinds == {"identical": 133, "scale": 2, "different": 2}
    assert all(part in refuted[name] for name, part in WRONG_FORMS.items())
