"""What is narrower than random points are apart: spikes, poles, steps and walls that a verdict must not miss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import compare, parse
from srlib.expressions.truth.parts import Parts

BOX = dict.fromkeys("abxyz", (1.0, 5.0))
SPIKES = [
    "1e9*exp(-1e6*(x - 3.1415926)**2)",
    "1e9*exp(-1e12*(x*y - 3.3)**2)",
    "1/(1 + 1e18*(x - 2.2)**2)",
    "1e9*exp(-1e6*((x - 2.2)**2 + (y - 3.3)**2))",
    "1e9*exp(-1e6*(x - 2.2)**2)*exp(-1e6*(y - 3.3)**2)",
    "1e9*exp(-1e6*(x - y - 0.2)**2)*exp(-1e6*(x + y - 6.3)**2)",
    "1e9*exp(-1e6*(3*(x - 2.2)**2 + (x - 2.2)*(y - 3) + (y - 3)**2 + (z - 2)**2))",
    "1e9*exp(-1e6*(x**2 - 4.4*x + 4.84))",
    "1e9*max(0, 1 - 1e6*(abs(x - 2.5) + abs(y - 3.1) + abs(z - 1.1)))",
    "(1 - (x - 2.2)**2/25)**1000000000",
    "cos(x - 2.2)**1e11",
    "where(abs(x - 2.2) < 1e-7, 1, 0)",
    "(x > 2.2)*(x < 2.2000001)",
    "tanh(1e9*(x - 2)) - tanh(1e9*(x - 2.00001))",
]


@pytest.mark.parametrize("truth", ["x", "2*x + sin(y)"])
@pytest.mark.parametrize("spike", SPIKES)
def test_a_spike_is_no_solution(truth, spike):
    found = compare(parse(truth), parse(f"{truth} + {spike}"), BOX)
    assert (found.kind, found.proof) == ("different", "witness")
    assert abs(found.witness["difference"]) > 1e-7
    assert compare(parse(f"{truth} + {spike}"), parse(truth), BOX).kind == "different"


@pytest.mark.parametrize("model", ["3 + x + {}", "2*x*(1 + {})"])
@pytest.mark.parametrize("spike", SPIKES[:3])
def test_nor_beside_a_constant(model, spike):
    assert compare(parse("x"), parse(model.format(spike)), BOX).kind == "different"


@settings(deadline=None, max_examples=25)
@given(
    centre=st.tuples(*[st.floats(1.05, 4.95)] * 3),
    width=st.floats(1e-7, 1e-4),
    height=st.sampled_from([-50.0, 3.0, 1e6]),
    features=st.integers(1, 3),
)
def test_a_spike_is_found_wherever_it_stands(centre, width, height, features):
    places = zip("xyz"[:features], centre, strict=False)
    distance = " + ".join(f"({name} - {place!r})**2" for name, place in places)
    spike = f"{height}*exp(-({distance})/{width**2!r})"
    assert compare(parse("x*y"), parse(f"x*y + {spike}"), BOX).kind == "different"


@pytest.mark.parametrize(
    ("truth", "model"),
    [
        ("1/(x - 2.5)", "1/(x - 2.5001)"),
        ("tan(x)", "sin(x)/cos(x)"),
        ("log(abs(x - 3))", "0.5*log((x - 3)**2)"),
        ("abs(x - 3.1415927)", "abs(x - 3.14159265358979)"),
        ("1e9*exp(-1e6*(x - 3.1)**2) + y", "y + 1e9*exp(-1000000*(3.1 - x)**2)"),
        ("sqrt(x - 1)*y", "y*(x - 1)**0.5"),
        ("x/(x - 3)", "1 + 3/(x - 3)"),
    ],
)
def test_singular_places_refute_nothing(truth, model):
    """Near a pole, the last digits of a constant make any difference."""
    assert compare(parse(truth), parse(model), BOX).kind == "identical"


def test_what_cannot_be_searched_is_unknown():
    many = " + ".join(f"0*sin({i}*x)" for i in range(1, 450))
    found = compare(parse("x"), parse(f"x + {many} + 1e9*exp(-1e6*(x - 3.1415926)**2)"), BOX)
    assert found.kind == "unknown"
    assert "parts, and at most 400 are searched" in found.detail


@pytest.mark.parametrize("spike", SPIKES[:3])
def test_a_spike_beside_a_truth_without_values_in_float64_is_no_solution(spike):
    truth = "sqrt(-x)*sqrt(-y)"
    assert compare(parse(truth), parse("-sqrt(x*y)"), BOX).kind == "identical"
    assert compare(parse(truth), parse(f"-sqrt(x*y) + {spike}"), BOX).kind in (
        "different",
        "unknown",
    )


def test_parts_are_computed_once_and_are_those_of_their_own_arguments():
    """Of both functions, in order: sizes of products (their logarithm) and arguments of what is not linear."""
    x, y, z = np.array([[0.5, 2.0, -3.0], [1.5, -1.0, 0.25], [1.5, 3.0, -2.0]])
    tapes = [parse(text).tape for text in ("exp(x*y) + exp(x*z)", "(x*z)**2.5 - max(x, y)")]
    parts = Parts(tapes)
    values = dict(parts.at(np.column_stack([x, y, z]), ["x", "y", "z"], range(len(parts.found))))
    sizes = [np.log(abs(x)) + np.log(abs(other)) for other in (y, z)]
    expected = [sizes[0], x * y, sizes[1], x * z, sizes[1], x * z, x, y, x - y]
    np.testing.assert_array_equal([values[i] for i in range(len(expected))], expected)
    assert parts.found[2:4] == parts.found[4:6] and len(values) == len(expected)
    asked = dict(parts.at(np.column_stack([x, y, z]), ["x", "y", "z"], [3, 8]))
    assert sorted(asked) == [3, 8] and (asked[3] == x * z).all() and (asked[8] == x - y).all()
