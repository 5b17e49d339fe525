"""`srlib equivalent` as a user calls it: the sentence, and the JSON."""

import json

import pytest

from tests import workers_cases


@pytest.mark.parametrize(
    ("truth", "model", "sentence"),
    [
        ("x*y", "y*x", "A solution, the truth itself: equal with the constants as they stand"),
        ("x*y", "x*y - 2", "A solution, the truth plus -2: equal"),
        ("x*y", "3.5*y*x", "A solution, 3.5 times the truth: equal"),
        ("x*y", "x + y", "No solution: on the domain the difference runs from"),
        ("x*y", "7", "No solution: the model is a constant"),
        ("x", "9**9**9**9*x", "No solution: the model is undefined"),
        (
            "x",
            "x + 0*sin(exp(exp(exp(x))))",
            "No solution: equal with the constants as they stand; the",
        ),
        ("x", "x + 1/exp(exp(exp(exp(x))))", "A solution, the truth itself: equal"),
        ("x", "x + exp(-exp(exp(exp(x))))", "A solution, the truth itself: equal"),
    ],
)
def test_the_verdict_is_a_sentence(truth, model, sentence, call):
    code, output, error = call(f"equivalent --truth '{truth}' --model '{model}'")
    assert (code, output[: len(sentence)], error) == (0, sentence, "")
    assert output.count("\n") == 1


def test_a_difference_has_a_witness_in_json(call):
    code, output, sentence = call(
        "equivalent --truth 'sin(x)' --model 'x - x^3/6' --domain x=-1:1 --json"
    )
    assert (code, sentence.count("\n")) == (0, 1) and "difference runs from" in sentence
    verdict = json.loads(output)
    witness = verdict.pop("witness")
    expected = {"verdict": "different", "constant": None, "proof": "witness", "digits": 15}
    assert verdict == verdict | expected
    assert -1 <= witness["point"]["x"] <= 1 and witness["truth"] != witness["model"]


def test_a_process_that_is_killed_is_unknown_in_a_sentence(call, monkeypatch):
    monkeypatch.setattr("srlib.expressions.model.compare_texts", workers_cases.kill_itself)
    code, output, sentence = call("equivalent --truth x --model x --json")
    assert (code, json.loads(output)["verdict"]) == (0, "unknown")
    assert "killed by signal" in sentence
