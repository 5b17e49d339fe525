"""`srlib equivalent` as a user calls it: the sentence, the JSON, exit codes."""

import json

import pytest

from srlib.cli.main import main
from tests import workers_cases


def called(capsys, *words):
    assert main(["equivalent", *words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err.count("\n") == out.count("\n") == 1
    return json.loads(out), err


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("y*x", "A solution, the truth itself: equal with the constants as they stand"),
        ("x*y - 2", "A solution, the truth plus -2: equal"),
        ("3.5*y*x", "A solution, 3.5 times the truth: equal"),
        ("x + y", "No solution: on the domain the difference runs from"),
        ("7", "No solution: the model is a constant"),
    ],
)
def test_without_json_it_is_a_sentence(model, said, capsys):
    assert main(["equivalent", "--truth", "x*y", "--model", model]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(said)
    assert (out.count("\n"), err) == (1, "")


def test_what_is_none(capsys):
    found, sentence = called(
        capsys, "--truth", "sin(x)", "--model", "x - x^3/6", "--domain", "x=-1:1"
    )
    assert (found["verdict"], found["constant"], found["proof"]) == ("different", None, "witness")
    at, truth, model = (found["witness"][name] for name in ("point", "truth", "model"))
    assert -1 <= at["x"] <= 1
    assert truth != model
    assert found["digits"] == 15
    assert "difference runs from" in sentence


@pytest.mark.parametrize(
    "words",
    [
        ["--domain", "x"],
        ["--domain", "x=5:1"],
        ["--domain", "x=a:b"],
        ["--domain", "=1:2"],
        ["--domain", "x=0:inf"],
        ["--model", "x +"],
        ["--constants", "significant:0"],
        ["--constants", "free"],
        ["--free", "c"],
        ["--constants", "free", "--free", "c"],
        ["--truth", "x*c", "--model", "x*c", "--constants", "free", "--free", "c"],
    ],
)
def test_bad_input_is_one_sentence(words, capsys):
    assert main(["equivalent", "--truth", "x", "--model", "x", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("srlib: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("model", "verdict", "why"),
    [
        ("9**9**9**9*x", "different", "undefined"),
        ("x + 0*sin(exp(exp(exp(x))))", "different", "undefined"),
        ("x + 1/exp(exp(exp(exp(x))))", "identical", "equal with the constants as they stand"),
        ("x + exp(-exp(exp(exp(x))))", "identical", "equal with the constants as they stand"),
    ],
)
def test_values_that_explode_end_in_a_sentence(model, verdict, why, capsys):
    found, sentence = called(capsys, "--truth", "x", "--model", model)
    assert found["verdict"] == verdict
    assert why in sentence


def test_a_process_that_is_killed_is_unknown_in_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr("srlib.api.models.compare_texts", workers_cases.kill_itself)
    found, sentence = called(capsys, "--truth", "x", "--model", "x")
    assert found["verdict"] == "unknown"
    assert "killed by signal" in sentence
