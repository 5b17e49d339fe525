r"""Model texts: what each construct means, which texts are refused and how, and that what is printed is read back.

Columns of texts.csv: the tool that writes so, a text, the features, the same in our notation. Columns of refusals.csv:
a text, the kind of the error, and its sentence, where `...` stands for what srlib reads. hostile.json has texts that
are no models by the kind of their error, and what other texts are made of. In both tables `\n` is a line break.
"""

import json
import pickle
import re
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from srlib.errors import ModelTextError
from srlib.expressions import Expression, count_text, evaluate, parse, to_text
from srlib.expressions.names import fold
from srlib.expressions.operators import OPERATORS
from srlib.expressions.parse import read_each
from srlib.expressions.spellings import FUNCTIONS, INFIX, ambiguous_texts
from tests.builders import examples
from tests.expressions.cases import cells, each_row, trees

FOLDER = Path(__file__).parent
ABC = ["a", "b", "c"]
HOSTILE = json.loads((FOLDER / "hostile.json").read_text())
PIECES, SIGNS = HOSTILE.pop("pieces"), HOSTILE.pop("signs")


def read_rows(name):
    table = pd.read_csv(FOLDER / name, dtype=str, keep_default_na=False)
    escapes = {r"\\n": "\n", r"\\r": "\r", r"\\t": "\t"}
    return table.replace({"text": escapes}, regex=True).to_dict("records")


PROTECTED = """
    protected  x0 + add(sqrt(x1), x2)
    protected  add(2*sqrt(x1), x2)
    protected  add(SQRT(x1), x2)
    protected  mul(-log(x1), x2)
    plain      np.add(sqrt(x1), x2)
    plain      add(pow(x1, 2), log(x2))
    plain      x0 + sqrt(x1)
    plain      Mul(sqrt(x1), log(x2))
"""


@each_row("operators text", PROTECTED)
def test_text_with_protected_operators_is_named(operators, text):
    sentences = [sentence for sentence, _ in ambiguous_texts(pd.Series([text]))]
    named = any("gplearn's protected ones" in sentence for sentence in sentences)
    read = re.search("sqrtabs|gplearn_log", to_text(parse(text))) is not None
    assert named == read == (operators == "protected")


@pytest.mark.parametrize("row", read_rows("texts.csv"), ids=lambda row: row["text"][:40])
def test_construct_of_a_dialect_has_its_meaning(row):
    features = row["features"].split() or None
    model, meaning = parse(row["text"], features), parse(row["meaning"], features)
    assert model == meaning == parse(to_text(model), features)
    assert to_text(model) == row["meaning"] or not row["dialect"]


@pytest.mark.parametrize("row", read_rows("refusals.csv"), ids=lambda row: row["text"][:40])
def test_text_that_is_refused_gets_a_sentence_and_a_position(row):
    pattern = re.escape(row["sentence"]).replace(re.escape("..."), r" \(srlib reads .*\)")
    with pytest.raises(ModelTextError, match=pattern + ": ") as caught:
        parse(row["text"], ABC)
    assert caught.value.kind == row["kind"]


# values where x is -4, 0, 0.0005, 4 and y is 0.0005, 2, -2, 0; of gplearn, GP-GOMEA, DEAP, and nobody's
PROTECTED_VALUES = """
    div(x, y)           1           0    -0.00025      1
    add(log(x), 0)      1.38629436  0    0             1.38629436
    add(inv(x), 0)      -0.25       0    0             0.25
    add(sqrt(x), 0)     2           0    0.02236068    2
    x p/ y              -2666.6667  0    -2.501251e-4  4000
    plog(x)             1.38629436  0    -7.6009025    1.38629436
    aq(x, y)            -3.9999995  0    2.2360680e-4  4
    protectedDiv(x, y)  -8000       0    -0.00025      1
    x/y                 -8000       0    -0.00025      inf
    sqrt(x)             nan         0    0.02236068    2
"""


@pytest.mark.parametrize(("text", "values"), [(row[0], row[1:]) for row in cells(PROTECTED_VALUES)])
def test_protected_operator_has_the_values_of_its_library(text, values):
    columns = {"x": np.array([-4.0, 0.0, 0.0005, 4.0]), "y": np.array([0.0005, 2.0, -2.0, 0.0])}
    expected = np.array(values, dtype=float)
    np.testing.assert_allclose(evaluate(parse(text), columns, 4), expected, rtol=1e-6)


@given(trees(), trees())
def test_printed_text_is_read_back_to_the_same_tree(tree, other):
    text = to_text(tree)
    assert parse(text) == parse(text, sorted(tree.features)) == tree
    assert count_text(parse(text)) == count_text(tree) <= len(tree.tape)
    assert (tree == other) == (tree.model_id == other.model_id)
    copy = pickle.loads(pickle.dumps(tree))
    assert (copy, hash(copy)) == (tree, hash(tree))


NESTED = """
    (                      x      )
    sin(                   x      )
    -                      x
    x**                    x
    x-(                    x      )
    |                      x      |
    Piecewise((x, x > 0), (  1    , True))
    ITE(                   x > 0  , 1, 2) > 1
"""


@pytest.mark.parametrize("row", cells(NESTED), ids=str)
def test_text_nested_three_thousand_deep_is_read_and_evaluated(row):
    before, middle, after = (*row, "")[:3]
    tree = parse(before * 3_000 + middle + after * 3_000)
    assert parse(to_text(tree)) == tree
    assert evaluate(tree, {"x": np.array([0.5])}, 1).shape == (1,)


# Texts of strangers: no code runs, nothing hangs.
events: set[str] = set()
sys.addaudithook(lambda event, _, record=events.add: record(event))


def refuse(text, features=None):
    """Parse under the audit hook; the error, or None where the text is a model."""
    events.clear()
    try:
        assert isinstance(parse(text, features), Expression)
        error = None
    except ModelTextError as caught:
        error = caught
    # "compile" is how `ast.parse` is announced, which compiles nothing
    allowed = ("object.", "sys._getframe", "compile")
    assert [event for event in events if not event.startswith(allowed)] == []
    return error


@pytest.mark.parametrize("features", [None, ["x", "y", "z"]], ids=["any", "xyz"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_refused_with_its_kind(kind, features):
    for text in HOSTILE[kind]:
        error = refuse(text, features)
        assert error is not None and error.kind == kind, text
        assert 0 <= error.position <= len(text)
        source = f"{text} {fold(text)}"
        assert error.excerpt.strip(".") in source or error.excerpt in source
        assert pickle.loads(pickle.dumps(error)).kind == kind


@pytest.mark.parametrize("piece", PIECES)
def test_long_nonsense_is_refused_within_two_seconds(piece):
    begun = time.process_time()
    error = refuse(piece * (30_000 // len(piece)), ABC)
    assert error is not None and len(str(error)) < 600
    assert time.process_time() - begun < 2


def test_text_of_more_than_a_megabyte_is_refused():
    assert len(parse("+".join(["x*1.5"] * 150_000)).tape) == 599_999
    assert refuse("x+" * 500_001 + "x") is not None
    assert len(str(refuse("a" * 900_000 + "(x)"))) < 600


MIXTURES = st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)


@examples(900)
@given(st.one_of(MIXTURES, MIXTURES, st.text(max_size=60)))
@example("|x|(x)|x|")
@example("Piecewise((x, True), (1, True))")
def test_any_text_is_a_model_or_refused(text):
    if refuse(text) is None:
        assert parse(to_text(parse(text))) == parse(text)


# Values where x is 1 and y is 2, each stated by hand.
WORD_VALUES = """
    truediv(x, y)       0.5
    ARG0 / ARG1         0.5
    ARG1 - y            0
    hypot(x, y)         2.23606797749979
    pow_abs(y, x)       2
    ppow(-y, 3)         8
    fmod(y, x)          0
    fmod(-7, 3*x)       -1
    fmod(7.5, -y)       1.5
    trunc(1.7*x)        1
    np.trunc(-1.7*x)    -1
    fix(-1.7*x)         -1
    Heaviside(x)        1
    Heaviside(x - 1)    0.5
    heaviside(x - 1, y)  2
    np.heaviside(-x, 1)  0
    root(y, 3)          1.2599210498948732
    floordiv(-y, 3)     -1
    log2_abs(-4*x)      2
"""


@each_row("text value", WORD_VALUES)
def test_word_has_its_value(text, value):
    columns = {"x": np.array([1.0]), "y": np.array([2.0])}
    for model in (parse(text, ["x", "y"]), parse(to_text(parse(text, ["x", "y"])), ["x", "y"])):
        assert evaluate(model, columns, 1)[0] == pytest.approx(float(value), abs=1e-15)


# Which feature a name means: its numbering, if it is stated; else the only one that fits, or an exact name. E and I are
# constants where no feature is called so. Columns: texts, features, numbering, the meaning.
MEANINGS = """
    x1; x_1; X1; X_1; x[:,1]; X[:, 1]; x[1]  a b             x0        b
    x1; x_1; X1; X_1; x[:,1]; X[:, 1]; x[1]  a b             x1        a
    x1                                       x1 x2 x3        features  x1
    x1; x_1; X1; X_1; x[:,1]                 x2 x1 x3 X1 x_1 X_1 a  x0  `x1`
    x1; x_1; X1; X_1; x[:,1]                 x2 x1 x3 X1 x_1 X_1 a  x1  `x2`
    `x3` + a                                 x2 x1 x3 a      x0        `x3` + a
    x0 + 2*x1; x0 + 2*X_1                    x1 x2 x3        -         `x1` + 2*`x2`
    x1 + 2*x3; X_1 + 2*x3                    x0 x1 x2        -         `x0` + 2*`x2`
    x0 + x1                                  x0 x1           -         `x0` + `x1`
    x1 + 2*x2                                x1 x2 x3        -         `x1` + 2*`x2`
    x2; x_2; x[2]                            a b             -         b
    2nd*`a'b`                                2nd a'b         -         `2nd`*`a'b`
    x0p/x1                                   x0p x1          features  `x0p`/`x1`
    E*w                                      w               -         E()*w
    E + e                                    e E             -         `E` + `e`
    I*x                                      I x             -         `I`*x
    exp(0.2*age) + exp*E                     exp age E       -         exp(0.2*`age`) + `exp`*`E`
    exp(exp)/log(log, 10) - pi() + pi        exp log pi      -         exp(`exp`)/log(`log`, 10) - pi() + `pi`
    ARG0/ARG1                                a b             -         a/b
    ARG0/ARG1                                ARG1 b          x1        `ARG1`/`ARG1`
    λ + \\lambda_1*\\lambda_{1}; lambda + λ_1*lambda_1  lambda lambda_1  -  `lambda` + `lambda_1`*`lambda_1`
    λ + \\lambda_1; lambda + lambda_1          λ λ_1           -         `λ` + `λ_1`
    λ*lambda; `λ`*`lambda`                   lambda λ        -         `λ`*`lambda`
    Δx + Ω/µ/ϵ                               Deltax Omega mu epsilon  -  Deltax + Omega/mu/epsilon
    Größe*2; Gro\u0308ße*2                   Größe           -         `Größe`*2
    Größe*2; Gro\u0308ße*2                   Gro\u0308ße     -         `Größe`*2
"""


@each_row("texts features names meaning", MEANINGS)
def test_name_means_its_feature(texts, features, names, meaning):
    texts, features = (part.replace("\\u0308", "\u0308") for part in (texts, features))
    features = features.split()
    expected = parse(meaning, features, names="features")
    for text in texts.split("; "):
        model = parse(text, features, names=None if names == "-" else names)
        assert model == expected, text
        assert model.features <= set(features)


@pytest.mark.parametrize(
    "text", ["cell size*2", "cell  size * 2", "cell\u00a0size*2", "`cell size`*2"]
)
@pytest.mark.parametrize("feature", ["cell size", "cell  size"])
def test_blanks_in_a_name_are_one(text, feature):
    assert parse(text, [feature, "b"]).tape == (feature, 2, OPERATORS["mul"])


WORDS = sorted({*FUNCTIONS, *INFIX, *OPERATORS, "E", "e", "I", "True", "nan", "lambda", "def"})


@given(st.sampled_from([word for word in WORDS if word.isidentifier()]), st.data())
def test_a_word_is_a_function_before_a_bracket_and_elsewhere_the_feature(word, data):
    """Of all words, as the features' names: one rule, whatever else a word may mean."""
    features = [word, "b", data.draw(st.sampled_from(["sin", "max", "E"]))]
    assert parse(f"2*{word} - b/({word})", features) == parse(f"2*`{word}` - b/`{word}`", features)
    call = FUNCTIONS.get(word)
    if call and word not in ("piecewise", "and", "or", "where", "ite", "ifelse", "if"):
        arguments = ", ".join(["b > 0" if word == "not" else "b"] * call.fewest)
        own = ", ".join([word] * call.fewest)
        assert parse(f"{word}({arguments})", features) == parse(f"{word}({arguments})", ["b"])
        if word != "not":
            tape = parse(f"{word}({own})", features).tape
            renamed = [
                word if item == "b" else item for item in parse(f"{word}({arguments})", ["b"]).tape
            ]
            assert tape == tuple(renamed)


def test_a_text_that_fits_two_numberings_is_refused_without_features_names():
    with pytest.raises(ModelTextError, match="state how features are named") as caught:
        parse("x1 + cell size", ["cell size", "b"])
    assert caught.value.kind == "unparsed"


NUMBERINGS = """
    x3 + x1                  x1 x2 x3 xx3 ax3 x-1x3  features x0 x1
    xx3 + x-1x3              x1 x2 x3 xx3 ax3 x-1x3  features x0 x1
    x0 + x1                  x1 x2 x3                x0
    x3 + x1                  x1 x2 x3                features x1
    x1 + 2*x3                x0 x1 x2                x1
    X1 + X2                  a b c                   x0 x1
    a + 1; ARG0              a b c                   features x0 x1
    def f(a, b, c): return x2 + x3       a b c       x1
    def f(x): return x[1]    a b c                   features x0 x1
"""


@each_row("texts features names", NUMBERINGS)
def test_numberings_are_those_that_fit(texts, features, names):
    for text in texts.split("; "):
        assert " ".join(read_each(text, tuple(features.split()))) == names, text


LISTS = r"""
    [{}, {}]  [{}; {}]  ({}, {})  {}, {}  {}; {}  {}\n{}  {}\r\n{}  [({}, 0.9), ({}, 0.8)]  ['{}', '{}']  {{{}; {}}}
    {{"a": "{}", "b": "{}"}}  [[{}, {}]]  {} | {}  [{} | {}]  [{},{},]  {};{};
"""
MODELS = ["a*b", "a + b", "-a", "-sin(b)*2.5", "max(a, b)", "(a + b)*c", "a", "(a)", "x0 + x1/x2"]


@given(st.sampled_from(sum(cells(LISTS), [])), st.sampled_from(MODELS), st.sampled_from(MODELS))
def test_a_list_of_models_is_neither_their_sum_nor_the_first(pattern, one, two):
    text = pattern.format(one, two).replace(r"\n", "\n").replace(r"\r", "\r")
    with pytest.raises(ModelTextError) as caught:
        parse(text, ABC)
    assert caught.value.kind == "several_models", text


@pytest.mark.parametrize(
    "text", ["a\n + b", "(a\n-b)", "a +\n-b", "[a]*b", "a\n  *b", "((a)\n(b))"]
)
def test_one_model_may_have_several_lines_or_brackets(text):
    assert parse(text, ABC).features == {"a", "b"}
