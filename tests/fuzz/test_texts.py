"""Hostile model texts: refused with a position, or read, written, evaluated and shown; nothing is ever executed.

What a worker does for an assessment (simplify, count, compare, choose what is shown) is done in a worker, too: it ends
in a value, an error of ours in one line, or at a limit, which is a ledger line; no process is ever lost.
"""

from pathlib import Path
from random import Random
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.measure import PRELOAD, Question, measure_model
from srlib.assessing.run import PARTS
from srlib.displays.tables.equations import equation, equation_latex
from srlib.displays.tables.latex import latex_table
from srlib.displays.tables.table import html_table
from srlib.errors import ModelTextError
from srlib.expressions import Expression, count_text, evaluate, parse, to_latex, to_text
from srlib.expressions.simplify import round_model
from srlib.files import DEMO
from srlib.problems import Problem
from srlib.prose import INVISIBLE
from srlib.rendering.page import finished
from srlib.table_files import read_frame
from srlib.workers import bounded_map
from tests.fuzz.bytes_and_cells import TEXTS
from tests.fuzz.harness import hammer

pytestmark = pytest.mark.slow

FEATURES = (
    ["x1", "x2", "x3"],
    ["a", "cell size", "\u03b1"],
    ["x0", "X0", "x_1"],
    ["sin", "exp", "if"],
    ["a\x07b", "1"],
)
TOKENS = (
    "+", "-", "*", "/", "**", "^", "(", ")", "[", "]", "|", ",", "<", ">", "==", "&", "~", "!", "%", "@", "=", ":", ";",
    "x1", "x0", "X3", "x[:, 1]", "x_2", "sin(", "log(", "sqrt(", "pow(", "div(", "add(", "IF(", "where(", "Piecewise((",
    "0", "1", "2.5", "1e308", "1e-320", ".5", "5.", "1e", "9" * 300, "9" * 500, "0x1F", "1_0", "1j", "nan", "inf",
    "pi", "E", "e", "I", "True", "None", "lambda", "def f(x1):\n return ", "return ", "__import__('os')", "exec",
    "f'{x}'", "`", "`a b`", "'", '"', "\\",
    "Float('1e999')", "Rational(1, 0)", "Integer(5)", "Symbol('x1')", "factorial(", "9**9**9", "exp(exp(exp(", " ",
)  # fmt: skip
POINTS = np.array([0.5, 1.0, -2.0, 0.0, 1e300])
WORKER_S = 1.0
LEAVES = (
    "x1",
    "x2",
    "1",
    "2.5",
    "1e300",
    "1e-300",
    "9**9**9",
    "0",
    "-1",
    "pi",
    "0.1",
    "123456789.123",
    "1e-17",
)
AROUND = (
    "{} + {}", "{} - {}", "{}*{}", "{}/{}", "({})**({})", "sin({})", "exp({})", "log({})", "sqrt({})", "abs({})",
    "max({}, {})", "where({} < {}, {}, {})", "floor({})", "gamma({})", "tan({})", "({})**0.5", "({})**-3",
    "mod({}, {})", "atan2({}, {})", "cbrt({})", "({} - {})*({} + {})",
)  # fmt: skip
TRUTHS = ("x1", "x1*x2 + 0.5", "exp(x1) - 2.5*x2")


def models() -> list[str]:
    return list(read_frame(DEMO / "runs.parquet")["model"].dropna().unique()[::7])


def grown(random: Random, depth: int) -> str:
    """A text that can be read, of what explodes, vanishes or is undefined."""
    if depth == 0 or random.random() < 0.1:
        return random.choice(LEAVES)
    around = random.choice(AROUND)
    return around.format(*(grown(random, depth - 1) for _ in range(around.count("{}"))))


def made(random: Random) -> str:
    what = random.randrange(12)
    if what > 8:
        return grown(random, random.choice((1, 2, 3, 4)))
    if what == 0:
        return "".join(random.choice(TOKENS) for _ in range(random.choice((1, 5, 20, 100))))
    if what == 1:
        size = random.choice((10, 1000, 20_000, 150_000))
        return random.choice(("(" * size + "x1" + ")" * size, "-" * size + "x1", "sin(" * size, "x1+" * size + "x1",
                              "x1**" * size + "2", "[" * size, "|" * size, "2" * size, "x1 " * size, "`" * size,
                              "x1*(" * size + "1" + ")" * size, "," * size, "1e" * size, "\u0663" * size))  # fmt: skip
    if what == 2:
        return random.choice(TEXTS) + random.choice(("", "+x1", "*2"))
    text = random.choice(models())
    for _ in range(random.choice((1, 2, 5))):
        at = random.randrange(len(text) + 1)
        text = (
            text[:at] + random.choice((*TOKENS, *TEXTS)) + text[at + random.choice((0, 0, 1, 5)) :]
        )
    return text


CONSTANTS = ("decimals:3", "decimals:3", "significant:3", "srbench")


def attempt(seed: int, folder: Path) -> str:
    random = Random(seed)
    text, features = made(random), random.choice((*FEATURES, *FEATURES[:1] * 5, None))
    shown(text)
    try:
        model = parse(text, features, names=random.choice(("auto", "auto", "features", "x0", "x1")))
    except ModelTextError as error:
        assert error.kind in ("unparsed", "empty", "nonfinite", "several_models", "no_closed_form")
        assert "\n" not in str(error)
        assert len(str(error)) < 2000
        return "refused"
    assert features is None or model.features <= set(features)
    assert count_text(model) >= 1
    again = parse(to_text(model), features, names="features")
    assert again.model_id == model.model_id
    values = evaluate(model, {name: POINTS for name in model.features}, len(POINTS))
    assert values.shape == POINTS.shape
    assert values.dtype in (np.dtype(float), np.dtype(complex))
    round_model(model, 3, None)
    if len(model.tape) < 5000:  # pages show no longer ones as equations
        assert not INVISIBLE.search(to_latex(model))
    return f"read, {measured(model, random)}"


def measured(model: Expression, random: Random) -> str:
    """Measure one part of an assessment in a worker."""
    features = tuple(sorted({*model.features, "x1", "x2"}))
    domain = dict.fromkeys(features, random.choice(((1.0, 5.0), (-1.0, 1.0), (0.0, 1e9))))
    truth = {"truth": random.choice(TRUTHS), "features": features}
    rounding = {"round_constants": random.choice(("before", "after", "never"))}
    simplified = to_text(round_model(model, 3, None))
    questions = {
        "size": [rounding, {"rewrites": 1}],
        "count": [{}],
        "solution": [truth | {"domain": domain, "constants": random.choice(CONSTANTS)}],
        "shown": [{"simplified": simplified, "domain": domain}],
    }
    assert {*questions, "data", "predictions", "simplified_solution"} == set(PARTS)
    name = random.choice(list(questions))
    problem = Problem(dataset="d", features=features)
    question = Question(name, model, random.choice(questions[name]), problem)
    limits = {"timeout": WORKER_S, "jobs": 1, "preload": PRELOAD}
    [(_, outcome)] = bounded_map(measure_model, [question], **limits)
    said = f"{name} {outcome.status}"
    if outcome.status == "error":  # a sentence of ours, as the ledger shows it
        kind = outcome.detail.partition(":")[0]
        assert kind in ("SrlibError", "ModelTextError", "InputError"), f"{said}: {outcome.detail}"
        assert "\n" not in outcome.detail
    assert outcome.status != "crashed", f"{said}: {outcome.detail}"
    return said


def shown(text: str) -> None:
    """As a page and a paper show it: no control character, nothing that is not escaped."""
    if len(text) > 20_000:
        return
    frame = pd.DataFrame(
        {
            "name": [text.encode(errors="replace").decode()],
            "model": [text.encode(errors="replace").decode()],
        }
    )
    page = finished(html_table(frame, "Models", equations=["model"]))
    assert not INVISIBLE.search(page)
    assert page.isascii()
    assert "<script" not in page.lower()
    if "<wbr>" not in page:
        ElementTree.fromstring(page.replace("&nbsp;", " "))
    assert not INVISIBLE.search(latex_table(frame, "Models", equations=["model"]))
    assert not INVISIBLE.search(equation_latex(text))
    equation(text)


def test_texts() -> None:
    counts = hammer("texts", 250)
    assert counts.total() - counts["refused"] > counts.total() / 20
    assert counts["refused"] > counts.total() / 3
    assert sum(n for said, n in counts.items() if said.endswith(" ok")) > counts.total() / 40
