"""Verdicts on models against the truth: a verdict belongs to the function, however its constants are written.

Columns of verdicts.csv: truth; model; intervals of features, where they are not those of DOMAIN; how constants are
compared; constants that are free; kinds that are right; the offset, the scale, or the free constants; proofs that are
right; a part of the sentence; a constant that differs, and by how many percent.
"""

import importlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.expressions import compare, evaluate, parse
from srlib.expressions.comparison import MOST_SHARE, EqualityTest, allowance
from srlib.expressions.evaluate import differentiate
from srlib.expressions.evidence import SOLUTIONS
from srlib.expressions.fitting import compare_values
from srlib.expressions.model import equivalent
from srlib.expressions.points import draw_points
from srlib.rules import Constants
from tests.builders import examples
from tests.expressions.cases import cells, each_row

DOMAIN = dict.fromkeys(["x1", "x2", "x3", "x4"], (-5.0, 5.0)) | dict.fromkeys("xyzabh", (1.0, 5.0))
TABLE = Path(__file__).with_name("verdicts.csv")
ROWS = pd.read_csv(TABLE, dtype=str, keep_default_na=False).to_dict("records")
F1 = "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1"


def verdict(truth, model, domain=(), **options):
    return compare(parse(truth), parse(model), DOMAIN | dict(domain), **options)


def param_of(row):
    """Constants that are fitted within a sine take a second."""
    marks = [pytest.mark.slow] * (row["truth"] == "sin(c*x)")
    return pytest.param(row, id=f"{row['truth']} | {row['model']}"[:60], marks=marks)


@pytest.mark.parametrize("row", [*map(param_of, ROWS)])
def test_pair_of_the_table_has_its_verdict_and_evidence(row):
    intervals = map(str.split, filter(None, row["domain"].split(",")))
    domain = {name: (float(low), float(high)) for name, low, high in intervals}
    reading = row["constants"] or "decimals:3"
    free = {"constants": reading, "free": [*row["free"]]}
    equivalence = verdict(row["truth"], row["model"], domain, **free)
    assert equivalence.kind in row["kind"].split("|"), equivalence.detail
    assert not row["proof"] or equivalence.proof in row["proof"].split("|")
    assert row["detail"] in equivalence.detail
    assert equivalence.constants == str(Constants.read(reading))
    if row["value"]:
        value = equivalence.free or equivalence.constant
        assert value == pytest.approx(json.loads(row["value"]), rel=1e-6, abs=1e-6)
    moved = {f"{moved['constant']} {moved['percent']}" for moved in equivalence.moved}
    assert not row["moved"] or row["moved"] in moved
    if equivalence.kind in SOLUTIONS:
        check_solution(equivalence, reading)
    elif equivalence.witness and reading != "free":
        check_witness(equivalence.witness, row["truth"])


def check_solution(equivalence, reading):
    """It has no witness, its values are certain, and its constants stay within their tolerance."""
    assert equivalence.witness is None and equivalence.digits == 30
    if reading == "decimals:3":
        percents = [abs(moved["percent"] or 0) for moved in equivalence.moved]
        assert max(percents, default=0) <= 100 * MOST_SHARE
        assert not equivalence.moved or equivalence.proof == "numerical"


def check_witness(witness, truth):
    """Its truth is the value at its point, and its difference that of its values, as far as floats tell."""
    point = {name: np.array([value]) for name, value in witness["point"].items()}
    value = evaluate(parse(truth), point, 1)[0]
    assert not np.isfinite(value) or witness["truth"] == pytest.approx(value, rel=1e-6)
    if witness["model"] is not None:
        total = witness["truth"] + witness["difference"]
        assert total == pytest.approx(witness["model"], rel=1e-6) and witness["difference"] != 0


def test_verdict_is_unknown_where_arithmetic_fails(monkeypatch):
    module = importlib.import_module("srlib.expressions.equality")
    monkeypatch.setattr(module, "refine", lambda fit: 1 / 0)
    failed = verdict("x", "x + 1e-12*y")
    assert (failed.kind, failed.detail) == ("unknown", "the arithmetic failed: division by zero")


def test_witness_has_fifteen_certain_digits():
    assert verdict("x", "x + 1e17*x - 1e17*y*x").digits == 15


def test_evidence_depends_on_the_seed_alone():
    first, other = (verdict(F1, "x1", seed=seed) for seed in (0, 7))
    assert verdict(F1, "x1") == first
    assert other.kind == first.kind and other.witness != first.witness


ALLOWANCES = """
    0.4   3  model  0.000499
    0.05  3  model  0.000245
    12.6  3  model  0.000499
    250   3  model  0.000499
    -2    3  model  0.000499
    12.6  3  truth  0.0499
    1.01  2  truth  0.004949
    1.1   2  truth  0.00539
"""


@each_row("constant decimals side expected", ALLOWANCES)
def test_constant_may_move_as_counted_by_hand(constant, decimals, side, expected):
    """Of 12.6 in a truth half a unit of the last digit; of 1.1 at most 0.49%, and not 0.05."""
    reading = Constants.read(f"decimals:{decimals}")
    room = allowance(np.array([float(constant)]), reading, of_truth=side == "truth")
    assert room == pytest.approx([float(expected)])


# pairs, one verdict each, with every kind of constant: outer, inner, gathered, of a step
[TRUTHS] = cells("""
    x  x*y  2.5*exp(0.3*x)  x/(y + 273.15)  sin(0.75*x) + y  where(x > 2.5, x, y)  floor(3*x)*y
""")
CHANGES = cells("""
    identical  {}
    different  {} + 0.1*max(0, x - 4.7)
    different  {} + 0.05*sin(9*x)
    different  {} + 0.05*(y > 4.6)
""")
OFFSETS = st.floats(0, 13).map(lambda power: 10**power)
EQUAL = [*zip(TRUTHS, TRUTHS, strict=True)] + [
    ("sin(x)**2", "(1 - cos(2*x))/2"),
    ("cos(x)", "sin(x + 1.5708)"),
]


@examples(40)
@given(st.sampled_from(TRUTHS), st.sampled_from(CHANGES), OFFSETS, st.sampled_from([1, -1]))
def test_verdict_stays_when_an_offset_stands_before_both(truth, change, size, sign):
    kind, template = change
    model = template.format(truth)
    offset = f"({sign * size!r}) + "
    assert verdict(truth, model).kind == kind
    assert verdict(offset + truth, offset + model).kind == kind
    assert (verdict(truth, offset + model).kind in SOLUTIONS) == (kind in SOLUTIONS)


@examples(40)
@given(st.sampled_from(EQUAL), OFFSETS)
def test_identical_model_stays_a_solution_as_a_sum_and_as_a_multiple(pair, offset):
    truth, model = pair
    assert verdict(truth, f"{offset!r} + {model}").kind == "offset"
    assert verdict(truth, f"3*({model})").kind == "scale"
    assert verdict(f"{offset!r} + {truth}", f"3*({truth}) + 3*{offset!r}").kind == "scale"


def test_a_difference_is_relative_to_how_the_truth_varies_by_hand():
    """Of 0 to 4 the median is 2 and the usual distance from it 2, however far the model varies."""
    columns = {"x": np.arange(5.0)}
    sides = (differentiate(parse(text).tape, columns, [], 5) for text in ("x", "1000*x"))
    gap = compare_values(*sides, "identical")
    assert gap.residual == pytest.approx(999 * np.array([0 / 4, 1 / 3, 2 / 2, 3 / 3, 4 / 4]))


def test_a_constant_inherits_the_largest_move_and_not_their_sum():
    """98.7 has room for half a unit of its last digit, 0.0499, and a 1 before x would take it by 0.0493."""
    rng = np.random.default_rng(0)
    truth, ranges = parse("98.7*x"), {"x": (1.0, 5.0)}
    sample = draw_points(truth.tape, truth.tape, ranges, 96, rng)
    test = EqualityTest(truth, truth, ranges, Constants.read("decimals:3"), sample, [])
    assert test.truth_allowances[0] == pytest.approx([0.0499])


def test_only_a_proof_makes_a_model_the_truth_itself():
    proved, compared = (equivalent("cos(x)", text) for text in ("cos(-x)", "sin(x + 1.5708)"))
    assert proved.evidence["proof"] == "symbolic"
    assert proved.sentences[0].startswith("A solution, the truth itself: equal")
    start = "A solution: no difference found at 608 points of the domain; equal within"
    assert compared.evidence["points"] == 608 and compared.sentences[0].startswith(start)
    [refuted] = equivalent("cos(x)", "x").sentences
    assert refuted.startswith("No solution: at these points the difference runs from")
