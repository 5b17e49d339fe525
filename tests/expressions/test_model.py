"""`srlib.parse` gives a model that predicts from tables of any make; what it cannot use is one sentence."""

import numpy as np
import pandas as pd
import pytest
import yaml

import srlib
from tests.builders import each, refused
from tests.expressions.cases import each_row

MODEL = srlib.parse("a + b", features=["a", "b"])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"name": ["one", "two"], "b": [1, 2], "a": pd.array([1, None], "Int64")}),
        np.array([[1, 1], [np.nan, 2]]),
        {"a": [1, None], "b": [1, 2]},
    ],
)
def test_a_model_predicts_from_what_it_uses(X):
    np.testing.assert_array_equal(MODEL.predict(X), [2, np.nan])
    assert srlib.parse("3", ["a", "b"]).predict(X).tolist() == [3, 3]


@each(
    "X sentence",
    """
{a: [u], b: [1]} | a table of numbers
{a: [1, 2], b: [1]} | same length
{a: [1]} | uses 'b', which is no column
[[1.0]] | 2 columns passed, passed data had 1 columns
""",
)
def test_a_table_without_the_features_is_one_sentence(X, sentence):
    with refused(sentence):
        MODEL.predict(yaml.safe_load(X))


def test_columns_without_names_or_with_one_name_are_refused():
    with refused("no names"):
        srlib.parse("k*d").predict([[1.0, 2.0]])
    with refused("two columns have the same"):
        MODEL.predict(pd.DataFrame([[1, 2, 3]], columns=list("aba")))


# truth, model, features with a domain of their own, constants of any value
EULER = """
    exp(1)*w       E*w        -  -  identical
    exp(k)         E**k       -  -  identical
    2*e*w          E*w        -  -  scale
    exp(1)*w       E*w        E  -  different
    exp(1)*w       E*w        k  -  identical
    E*w            w*2.5      -  E  form
"""


@each_row("truth model domain free verdict", EULER)
def test_e_is_eulers_number_unless_it_has_a_domain(truth, model, domain, free, verdict):
    constants = {"constants": "free", "free": [free]} if free != "-" else {}
    ranges = {domain: (1, 2)} if domain != "-" else {}
    result = srlib.equivalent(truth, model, domain=ranges, **constants)
    assert result.verdict == verdict
    assert "E" not in result.domain or domain == "E"
