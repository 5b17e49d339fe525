"""What other people hold of models, beside our verdicts: every disagreement is named and judged."""

from collections import Counter
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
import yaml

from srlib.expressions import compare, parse
from srlib.expressions.evidence import SOLUTIONS
from srlib.problems import domain_of, load_problems
from srlib.yaml_files import load_yaml
from tests.expressions.cases import cells

pytestmark = pytest.mark.slow

# sqrt(2)*sqrt(a*b*(cos - 1) + (a - b)**2/2) has 4*a*b less below the root; -a/(b*(-c*v - d)) lost a sign on its way
WRONG_FORMS = {"I.29.16": "1.4142135623730951", "II.21.32": "-3.711322364871929e-19"}


def read_domain(problem):
    """Sampling ranges as intervals, in the units of the problem: from 1e-24 to 1e10."""
    domain = {}
    for name, variable in problem["vars"].items():
        if name != "v0":  # the target
            low, high = map(float, variable["sample_range"][:2])
            domain[name] = (-high if "neg" in str(variable["sample_type"]) else low, high)
    return domain


def test_fastsrb_s_accepted_forms_are_equal_but_for_two_that_are_wrong(reference_data):
    problems = load_yaml(reference_data / "field/fastsrb/expressions.yaml")
    kinds, refuted = Counter(), {}
    for name, problem in problems.items():
        domain = read_domain(problem)
        for form in problem["accept"]:
            truth, model = (parse(str(text), list(domain)) for text in (problem["prepared"], form))
            verdict = compare(truth, model, domain)
            kinds[verdict.kind] += 1
            if verdict.witness:
                refuted[name] = str(form)
    assert kinds == {"identical": 135, "different": 2}
    assert refuted.keys() == WRONG_FORMS.keys()
    assert all(part in refuted[name] for name, part in WRONG_FORMS.items())


# The PySR paper's five empirical laws. Targets were logarithms but for Hubble's; constants are free, exponents not.
LAWS = yaml.safe_load("""
hubble: [c*D, {D: [0.03, 2.0]}]
newton: [log(m1*m2/r^2) + c, {r: [1.0e+8, 1.0e+10], m1: [1.0e+24, 1.0e+30], m2: [1.0e+24, 1.0e+30]}]
ideal_gas: [log(n*T/V) + c, {n: [1, 50], T: [250, 350], V: [1, 50]}]
schechter: [a*log(L) + b*L + c, {L: [1.0e+7, 1.0e+9]}]
""")
LONGEST = 14  # items: the laws have no more


FRONTS = """
    pysr      hubble     form
    uDSR      hubble     form
    pysr      newton     form
    pysr      ideal_gas  form
    uDSR      ideal_gas  form
    uDSR      schechter  form
    operon    schechter  none  0.000*L: its constant is lost where three decimals were printed
    QLattice  schechter  none  log(6.08e-9*x0 - 0.000114525): a constant more than the law has
"""


@pytest.mark.parametrize("row", cells(FRONTS), ids=str)
def test_forms_that_a_person_found_on_a_front(reference_data, row):
    method, law, expected = row[:3]
    folder = reference_data / "field/pysr_paper"
    verdict = (folder / "analysis" / f"{method}_{law}_seed=1.txt").read_text()
    assert verdict.split()[0] == "yes"
    (text, domain), kinds = LAWS[law], set()
    free = sorted({"a", "b", "c"} & parse(text).features)
    for path in folder.rglob(f"{method}_{law}_seed=1_v*_results.txt"):
        for line in filter(str.strip, path.read_text().splitlines()):
            model = parse(line.strip(), list(domain), names="x0")
            if len(model.tape) <= LONGEST and model.features == set(domain):
                equivalence = compare(parse(text), model, domain, constants="free", free=free)
                kinds.add(equivalence.kind)
    assert kinds and ("form" in kinds) == (expected == "form")


TABLE = Path(__file__).with_name("disagreements.csv")
KEY = ["dataset", "target_noise", "random_state"]


def test_disagreement_is_listed_and_solutions_are_certain(reference_data):
    runs = pd.read_feather(reference_data / "srbench/runs/rils-rols.feather")
    problems = load_problems(reference_data / "pmlb")

    @cache
    def judge(dataset, *texts):
        problem = problems.find(dataset)
        truth, model = parse(texts[0]), parse(texts[1], problem.features, names="x0")
        return compare(truth, model, domain_of(problem))

    texts = runs[["dataset", "true_model", "symbolic_model"]].itertuples(index=False)
    verdicts = [judge(*row) for row in texts]
    assert {verdict.digits for verdict in verdicts if verdict.kind in SOLUTIONS} == {30}
    runs["recorded"] = runs["symbolic_solution"].astype(bool)
    runs["ours"] = [verdict.kind for verdict in verdicts]
    assert "unknown" not in set(runs["ours"])
    differing = runs[runs["ours"].isin(SOLUTIONS) != runs["recorded"]].sort_values(KEY)
    columns = [*KEY, "recorded", "ours"]
    listed = pd.read_csv(TABLE)[columns]
    assert differing[columns].to_numpy().tolist() == listed.to_numpy().tolist()


def test_disagreement_has_a_reason_and_a_category():
    listed = pd.read_csv(TABLE)
    assert listed[["right", "category", "reason"]].notna().all(axis=None)
    assert not listed.duplicated(KEY).any()
    text = TABLE.with_name("README.md").read_text()
    for category, count in listed["category"].value_counts().items():
        assert f"\n| {category} | {count} |" in text
