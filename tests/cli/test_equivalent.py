"""`srlib equivalent` as a user calls it: the sentence, and the JSON."""

import json

import pytest

from tests import workers_cases


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("3.5*y*x", "A solution, 3.5 times the truth: equal"),
        ("x + y", "No solution: at these points the difference runs from"),
        ("9**9**9**9*x", "No solution: the model is undefined"),
    ],
)
def test_the_verdict_is_printed_as_a_sentence(model, sentence, call):
    code, output, error = call(f"equivalent --truth x*y --model '{model}'")
    assert (code, output[: len(sentence)], output.count("\n"), error) == (0, sentence, 1, "")


def test_the_json_of_a_difference_has_a_witness(call):
    line = "equivalent --truth 'sin(x)' --model 'x - x^3/6' --domain x=-1:1 --json"
    code, output, sentence = call(line)
    assert (code, sentence.count("\n")) == (0, 1) and "difference runs from" in sentence
    verdict = json.loads(output)
    expected = {"verdict": "different", "constant": None, "proof": "witness", "digits": 15}
    assert verdict == verdict | expected
    witness = verdict["witness"]
    assert -1 <= witness["point"]["x"] <= 1 and witness["truth"] != witness["model"]


def test_the_verdict_of_a_killed_process_is_unknown(call, monkeypatch):
    monkeypatch.setattr("srlib.expressions.model.compare_texts", workers_cases.kill_itself)
    code, output, sentence = call("equivalent --truth x --model x --json")
    assert (code, json.loads(output)["verdict"]) == (0, "unknown")
    assert "killed by signal" in sentence
