"""What is gone says since when, and what to use."""

from typing import Literal

import pytest

from srlib import removed
from srlib.cli.main import main
from srlib.errors import InputError
from srlib.yamlfile import Strict, validate


class Part(Strict):
    kind: str
    size: Literal["large", "small"] = "small"


@pytest.mark.parametrize("call", sorted(removed.COMMANDS))
def test_a_removed_command_or_option_is_one_sentence(call, capsys):
    assert main([*call.split(), "anything"]) == 2
    said = capsys.readouterr().err
    assert f"{call} is gone since {removed.SINCE}: {removed.COMMANDS[call]}" in said
    assert said.count("\n") == 1


def test_names_that_never_were_are_not_called_removed(capsys):
    for call in (["score", "--never"], ["never"]):
        assert main(call) == 2
        assert "is gone" not in capsys.readouterr().err


def test_a_removed_key_is_one_sentence(monkeypatch):
    monkeypatch.setattr("srlib.yamlfile.KEYS", {"colour": "say hue"})
    with pytest.raises(InputError, match=r"suite.yaml: colour is gone since .*: say hue"):
        validate(Part, {"kind": "x", "colour": 3}, "suite.yaml")


def test_a_removed_value_is_one_sentence(monkeypatch):
    monkeypatch.setattr("srlib.yamlfile.KEYS", {"size: huge": "say large"})
    with pytest.raises(InputError, match=r"suite.yaml: size: huge is gone since .*: say large"):
        validate(Part, {"kind": "x", "size": "huge"}, "suite.yaml")
