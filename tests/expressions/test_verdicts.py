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
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import Expression, compare, evaluate, parse
from srlib.expressions.comparison import SHARE, allowance
from srlib.expressions.evidence import SOLUTIONS
from srlib.expressions.operators import OPERATORS
from srlib.rules import Constants

DOMAIN = dict.fromkeys(["x1", "x2", "x3", "x4"], (-5.0, 5.0)) | dict.fromkeys("xyzabh", (1.0, 5.0))
TABLE = Path(__file__).with_name("verdicts.csv")
ROWS = pd.read_csv(TABLE, dtype=str, keep_default_na=False).to_dict("records")
F1 = "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1"


def verdict(truth, model, domain=None, **options):
    return compare(parse(truth), parse(model), DOMAIN | (domain or {}), **options)


def read_domain(text):
    parts = (part.split() for part in text.split(",") if part)
    return {name: (float(low), float(high)) for name, low, high in parts}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['truth']} | {row['model']}"[:60] for row in ROWS])
def test_each_row_of_the_table(row):
    reading = row["constants"] or "decimals:3"
    equivalence = verdict(
        row["truth"],
        row["model"],
        read_domain(row["domain"]),
        constants=reading,
        free=[*row["free"]],
    )
    assert equivalence.kind in row["kind"].split("|"), equivalence.detail
    assert not row["proof"] or equivalence.proof in row["proof"].split("|")
    assert row["detail"] in equivalence.detail
    assert equivalence.constants == str(Constants.read(reading))
    if row["value"] and reading == "free":
        assert equivalence.free == pytest.approx(json.loads(row["value"]), rel=1e-6, abs=1e-6)
    elif row["value"]:
        assert equivalence.constant == pytest.approx(float(row["value"]), rel=1e-3)
    if row["moved"]:
        constant, percent = row["moved"].rsplit(" ", 1)
        (moved,) = [moved for moved in equivalence.moved if moved["constant"] == constant]
        assert moved["percent"] == pytest.approx(float(percent), rel=0.01)
    if equivalence.kind in SOLUTIONS:
        check_solution(equivalence, reading)
    elif equivalence.witness and reading != "free":
        check_witness(equivalence.witness, row)


def check_solution(equivalence, reading):
    """It has no witness, its values are certain, and its constants stay within their tolerance."""
    assert equivalence.witness is None and equivalence.digits == 30
    if reading == "decimals:3":
        percents = [abs(moved["percent"] or 0) for moved in equivalence.moved]
        assert max(percents, default=0) <= 100 * SHARE
        assert not equivalence.moved or equivalence.proof == "numerical"


def check_witness(witness, row):
    """Its truth is the value at its point, and its difference that of its values, as far as floats tell."""
    point = {name: np.array([value]) for name, value in witness["point"].items()}
    truth = evaluate(parse(row["truth"]), point, 1)[0]
    assert not np.isfinite(truth) or witness["truth"] == pytest.approx(truth, rel=1e-6)
    if witness["model"] is not None:
        shown = witness["model"] - witness["truth"]
        rounding = 1e-12 * (abs(witness["truth"]) + abs(witness["model"]))
        assert shown == pytest.approx(witness["difference"], rel=1e-6, abs=rounding)
        assert witness["difference"] != 0


def test_arithmetic_that_fails_leaves_the_verdict_unknown(monkeypatch):
    module = importlib.import_module("srlib.expressions.equality")
    monkeypatch.setattr(module, "refine", lambda fit: 1 / 0)
    failed = verdict("x", "x + 1e-12*y")
    assert (failed.kind, failed.detail) == ("unknown", "the arithmetic failed: division by zero")


def test_digits_of_a_witness_are_certain():
    assert verdict("x", "x + 1e17*x - 1e17*y*x").digits == 15


def test_the_same_call_gives_the_same_evidence():
    first, other = (verdict(F1, "x1", seed=seed) for seed in (0, 7))
    assert verdict(F1, "x1") == first
    assert other.kind == first.kind and other.witness != first.witness


def test_tolerance_by_hand():
    """Of 12.6 in a truth half a unit of the last digit; of 1.1 at most 0.49%, and not 0.05."""

    def room(constants, decimals, of_truth):
        reading = Constants.read(f"decimals:{decimals}")
        return allowance(np.array(constants), reading, of_truth=of_truth).tolist()

    expected = [0.000499, 0.000245, 0.000499, 0.000499, 0.000499]
    assert room([0.4, 0.05, 12.6, 250.0, -2.0], 3, False) == pytest.approx(expected)
    assert room([12.6], 3, True) == pytest.approx([0.0499])
    assert room([1.01, 1.1], 2, True) == pytest.approx([0.004949, 0.00539])


def split_constants(tape, seed):
    """Split constants into factors and terms, and insert numbers that cancel: the same function."""
    rng = np.random.default_rng(seed)
    add, mul, div, sub = (OPERATORS[name] for name in ("add", "mul", "div", "sub"))
    items = []
    for item in tape:
        number = float(2.0 ** rng.integers(-12, 12)) * float(rng.choice([1.0, 0.75, 1.25]))
        choice = rng.integers(6)
        if isinstance(item, int | float) and items and choice < 3 and item != 2:
            splits = [(item / number, mul), (item - number, add), (item * number, div)]
            items += [splits[choice][0], number, splits[choice][1]]
        elif isinstance(item, str) and choice < 2:
            items += [[item, number, mul, number, div], [number, item, add, number, sub]][choice]
        else:
            items.append(item)
    return Expression(tuple(items))


# truths, and a constant of theirs that is no factor of the whole
TRUTHS = {F1: 0.4, "2.5*exp(0.3*x)": 0.3, f"({F1})/(1 + 0.2*(x1**2 + x2**2))": 0.2, "a*b/(1.5*x + y)": 1.5,
          "0.75*sin(1.3*x + y)": 1.3, "sqrt(2.25*x + y**2)": 2.25, "log(2.5*x + y)*z": 2.5}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from(list(TRUTHS)), st.integers(0, 10**6), st.booleans())
def test_splitting_a_model_changes_no_verdict(truth, seed, wrong):
    factor = 1.012 if wrong else 1.0
    tape = tuple(item * factor if item == TRUTHS[truth] else item for item in parse(truth).tape)
    before = compare(parse(truth), Expression(tape), DOMAIN).kind
    after = compare(parse(truth), split_constants(tape, seed), DOMAIN).kind
    assert after == before == ("different" if wrong else "identical")
