"""Model texts: what each construct means, which texts are refused and how, and that what is printed is read back.

Columns of texts.csv: the tool that writes so, a text, the features, the same in our notation. Columns of refusals.csv:
a text, the kind of the error, and its sentence, where `...` stands for what srlib reads. hostile.json has texts that
are no models by the kind of their error. In both tables `\\n` is a line break.
"""

import ast
import json
import operator
import pickle
import re
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from srlib.errors import ModelTextError
from srlib.expressions import Expression, count_text, evaluate, parse, positional_bases, to_text
from srlib.expressions.spellings import ambiguous_texts
from tests.expressions.cases import trees

FOLDER = Path(__file__).parent
ABC = ["a", "b", "c"]


def read_rows(name):
    table = pd.read_csv(FOLDER / name, dtype=str, keep_default_na=False)
    for escape, character in (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")):
        table["text"] = table["text"].str.replace(escape, character, regex=False)
    return table.to_dict("records")


PROTECTED = {
    "x0 + add(sqrt(x1), x2)": True,
    "add(2*sqrt(x1), x2)": True,
    "add(SQRT(x1), x2)": True,
    "mul(-log(x1), x2)": True,
    "np.add(sqrt(x1), x2)": False,
    "add(pow(x1, 2), log(x2))": False,
    "x0 + sqrt(x1)": False,
}


@pytest.mark.parametrize("text", PROTECTED)
def test_texts_that_are_read_with_protected_operators_are_named(text):
    sentences = [sentence for sentence, _ in ambiguous_texts(pd.Series([text]))]
    assert any("gplearn's protected ones" in sentence for sentence in sentences) == PROTECTED[text]
    protected = {"sqrtabs", "gplearn_log"} & set(re.findall(r"\w+", to_text(parse(text))))
    assert bool(protected) == PROTECTED[text]


@pytest.mark.parametrize("row", read_rows("texts.csv"), ids=lambda row: row["text"][:40])
def test_every_construct_has_its_meaning(row):
    features = row["features"].split() or None
    model, meaning = parse(row["text"], features), parse(row["meaning"], features)
    assert model == meaning == parse(to_text(model), features)
    assert to_text(model) == row["meaning"] or not row["dialect"]


@pytest.mark.parametrize("row", read_rows("refusals.csv"), ids=lambda row: row["text"][:40])
def test_a_refusal_says_what_was_expected_what_came_and_where(row):
    pattern = re.escape(row["sentence"]).replace(re.escape("..."), r" \(srlib reads .*\)")
    with pytest.raises(ModelTextError, match=pattern + ": ") as caught:
        parse(row["text"], ABC)
    assert caught.value.kind == row["kind"]


def test_protected_operators_keep_their_library_s_meaning():
    x = {"x": np.array([-4.0, 0.0, 0.0005, 2.0]), "y": np.array([0.0005, 2.0, -2.0, 0.0])}
    expected = {
        "div(x, y)": [1.0, 0.0, -0.00025, 1.0],  # gplearn
        "add(log(x), 0)": [np.log(4), 0.0, 0.0, np.log(2)],
        "add(inv(x), 0)": [-0.25, 0.0, 0.0, 0.5],
        "add(sqrt(x), 0)": [2.0, 0.0, np.sqrt(0.0005), np.sqrt(2)],
        "x p/ y": [-4 / 0.0015, 0.0, -0.0005 / 1.999, 2000.0],  # GP-GOMEA
        "plog(x)": [np.log(4), 0.0, np.log(0.0005), np.log(2)],
        "aq(x, y)": x["x"] / np.sqrt(1 + x["y"] ** 2),
        "protectedDiv(x, y)": [-8000.0, 0.0, -0.00025, 1.0],  # DEAP
        "x/y": [-8000.0, 0.0, -0.00025, np.inf],  # nobody's
    }
    for text, values in expected.items():
        np.testing.assert_allclose(evaluate(parse(text), x, 4), values, err_msg=text)
    assert np.isnan(evaluate(parse("sqrt(x)"), x, 4)).tolist() == [True, False, False, False]
    assert to_text(parse("Mul(sqrt(X0), log(y))")) == "sqrt(X0)*log(y)"


@given(trees(), trees())
def test_what_is_printed_is_read_back_to_the_same_tree(tree, other):
    text = to_text(tree)
    assert parse(text) == parse(text, sorted(tree.features)) == tree
    assert parse(text).model_id == tree.model_id
    assert count_text(parse(text)) == count_text(tree) <= len(tree.tape)
    assert (tree == other) == (tree.model_id == other.model_id)


BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow,
          ast.Div: operator.truediv}  # fmt: skip


def grow(inner):
    spaces = st.sampled_from(["", " ", "\n "])
    signs = st.sampled_from(["+", "-", "*", "/", "**"])
    calls = st.sampled_from(["({})", "-{}", "+ {}", "sin({})", "exp({})", "sqrt({})", "tanh({})"])
    infix = st.tuples(inner, spaces, signs, spaces, inner).map("".join)
    return st.one_of(infix, st.builds(str.format, calls, inner))


def test_constants_are_kept_to_the_last_bit():
    for value in (0.1, 1 / 3, 1e-320, 1.7976931348623157e308, np.pi):
        assert parse(to_text(parse(repr(value)))).tape == (value,)


DEEP = 10_000
SHAPES = [("(", "x", ")"), ("sin(", "x", ")"), ("-", "x", ""), ("x**", "x", ""), ("x-(", "x", ")"), ("|", "x", "|"),
          ("Piecewise((x, x > 0), (", "1", ", True))"), ("ITE(", "x > 0", ", 1, 2) > 1")]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[0])
def test_nesting_ten_thousand_deep(shape):
    before, middle, after = shape
    tree = parse(before * DEEP + middle + after * DEEP)
    assert parse(to_text(tree)) == tree
    assert evaluate(tree, {"x": np.array([0.5])}, 1).shape == (1,)


# Texts of strangers: no code runs, nothing hangs.
events: list[str] = []
watching = False


def record_event(event, _arguments):
    if watching:
        events.append(event)


sys.addaudithook(record_event)


def refuse(text, features=None):
    """Parse under the audit hook; the error, or None where the text is a model."""
    global watching
    events.clear()
    watching = True
    try:
        assert isinstance(parse(text, features), Expression)
        return None
    except ModelTextError as error:
        return error
    finally:
        watching = False
        # "compile" is how `ast.parse` is announced, which compiles nothing
        allowed = ("object.", "sys._getframe", "compile")
        assert [event for event in events if not event.startswith(allowed)] == []


@pytest.mark.parametrize("features", [None, ["x", "y", "z"]], ids=["any", "xyz"])
@pytest.mark.parametrize("kind", ["empty", "nonfinite", "unparsed", "no_closed_form"])
def test_a_text_that_is_no_model_is_refused(kind, features):
    for text in json.loads((FOLDER / "hostile.json").read_text())[kind]:
        error = refuse(text, features)
        assert error is not None and error.kind == kind, text
        assert 0 <= error.position <= len(text)
        assert error.excerpt in text or error.excerpt.strip(".") in text
        assert pickle.loads(pickle.dumps(error)).kind == kind


PIECES = ["1", "(", "-", "|", "`", ".", "x,", "x*", "max(x,", "x ", "x=\n", "x\n", "\n", "```", "'", "[", "x[", "x**",
          "Float('", "Symbol(", "Rational(1,", "Piecewise(", "a if ", "a else ", "a | ", "ITE(", "def f(a):",
          "return "]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_long_nonsense_is_refused_in_seconds(piece):
    begun = time.process_time()
    error = refuse(piece * (90_000 // len(piece)), ABC)
    assert error is not None and len(str(error)) < 600
    assert time.process_time() - begun < 4


def test_a_megabyte_is_read_and_no_more():
    assert len(parse("+".join(["x*1.5"] * 150_000)).tape) == 3 * 150_000 + 149_999
    assert refuse("x+" * 500_001 + "x") is not None
    assert len(str(refuse("a" * 900_000 + "(x)"))) < 600


MIXTURES = st.lists(
    st.sampled_from(
        [*"()[]|+-*/^,.<>=&~` \n", "**", "x", "x1", "E", "pi", "sin(", "max(", "div(", "log(", "Piecewise((",
         "), (", "True", "1", "2.5", "1e-3", "p/", "np.", "not ", "and ", "Float('", "')", "x[:, ", "]", "__", "é",
         "\x00", "lambda ", "`a b`"]
    ), max_size=40,
).map("".join)  # fmt: skip


@settings(max_examples=900)
@given(st.one_of(MIXTURES, MIXTURES, st.text(max_size=60)))
@example("|x|(x)|x|")
@example("Piecewise((x, True), (1, True))")
def test_any_text_is_a_model_or_refused(text):
    if refuse(text) is None:
        tree = parse(text)
        assert parse(to_text(tree)) == tree


# Which feature a name means.
X123 = ["x1", "x2", "x3"]
PERMUTED = ["x2", "x1", "x3", "X1", "x_1", "X_1", "a"]


@pytest.mark.parametrize(
    ("text", "features", "names", "meaning"),
    [
        *((name, "ab", "auto", "b") for name in ("x1", "x_1", "X1", "X_1", "x[:,1]", "X[:, 1]", "x[1]")),
        *((name, "ab", "x1", "a") for name in ("x1", "x_1", "X1", "X_1", "x[:,1]", "X[:, 1]", "x[1]")),
        # an exact name wins, unless a base is stated
        ("x1", X123, "auto", "x1"), ("X1", X123, "auto", "x2"), ("2nd*`a'b`", ["2nd", "a'b"], "auto", "`2nd`*`a'b`"),
        *((name, PERMUTED, "x0", "`x1`") for name in ("x1", "x_1", "X1", "X_1", "x[:,1]")),
        *((name, PERMUTED, "x1", "`x2`") for name in ("x1", "x_1", "X1", "X_1", "x[:,1]")),
        ("`x3` + a", PERMUTED, "x0", "`x3` + a"), ("x1 + X1", ["x2", "x1"], "auto-x1", "`x1` + `x2`"),
        # a text that counts from zero gives itself away
        ("x0 + 2*x1", X123, "auto", "`x1` + 2*`x2`"), ("x0 + 2*X_1", X123, "auto", "`x1` + 2*`x2`"),
        ("x0 + x1", ["x0", "x1"], "auto", "`x0` + `x1`"),
        # Euler's number and the imaginary unit, where no feature is called so
        ("E*w", "w", "auto", "E()*w"), ("E + e", "eE", "auto", "`E` + `e`"), ("I*x", "Ix", "auto", "`I`*x"),
    ],
)  # fmt: skip
def test_names_mean_features(text, features, names, meaning):
    model = parse(text, list(features), names=names)
    assert model == parse(meaning, list(features), names="features")


def test_exact_names_are_no_evidence_of_a_base():
    assert positional_bases("x3 + x1", X123) == set()
    assert positional_bases("xx3 + ax3 + x-1x3", ["xx3", "ax3", "x-1x3"]) == set()
    assert positional_bases("x0 + x1", X123) == {0}


@pytest.mark.parametrize("text", ["I*x", "I**2*x", "sqrt(-x)*sqrt(-x)"])
def test_what_is_complex_on_the_way_is_undefined(text):
    model = parse(text, ["x"])
    assert np.isnan(evaluate(model, {"x": np.array([1.0, 4.0])}, 2)).all()
    assert parse(to_text(model), ["x"]) == model
