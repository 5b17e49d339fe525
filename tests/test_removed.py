"""What is gone says since when, and what to use."""

from typing import Literal

import pytest

from srlib import removed
from srlib.cli.main import main
from srlib.errors import InputError
from srlib.problems import load_problems
from srlib.rendering import render_suite
from srlib.yaml_files import Strict, validate
from tests.rendering.small import CHECK, WORK, write_notebook, write_suite


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
    monkeypatch.setattr("srlib.yaml_files.KEYS", {"colour": "say hue"})
    with pytest.raises(InputError, match=r"suite.yaml: colour is gone since .*: say hue"):
        validate(Part, {"kind": "x", "colour": 3}, "suite.yaml")


def test_a_removed_value_is_one_sentence(monkeypatch):
    monkeypatch.setattr("srlib.yaml_files.KEYS", {"size: huge": "say large"})
    with pytest.raises(InputError, match=r"suite.yaml: size: huge is gone since .*: say large"):
        validate(Part, {"kind": "x", "size": "huge"}, "suite.yaml")


@pytest.mark.parametrize(
    ("key", "place"),
    [("labels: {a: b}", "problems"), ("series: a", "problems"), ("series: a", "defaults")],
)
def test_a_key_is_called_removed_where_it_was_and_nowhere_else(key, place, tmp_path):
    below = {"problems": "problems:\n  - ", "defaults": "defaults:\n    "}[place]
    task = "dataset: d\n    features: [a]\n    truth: a\n"
    (tmp_path / "p.yaml").write_text(
        f"schema: 1\nname: p\n{below}{key}\n"
        + ("    " * (place == "problems"))
        + (task if place == "problems" else f"problems:\n  - {task}")
    )
    with pytest.raises(InputError) as refused:
        load_problems(tmp_path / "p.yaml")
    gone = f"{place}.{key.partition(':')[0]}" in removed.KEYS
    assert ("is gone since" in str(refused.value)) is gone


@pytest.mark.parametrize("name", ["series", "names"])
def test_a_parameter_is_called_removed_only_where_notebooks_had_it(name, tmp_path):
    write_notebook(tmp_path / "a.ipynb", WORK, CHECK)
    suite = write_suite(tmp_path, {"a": f"{{{name}: x}}"})
    with pytest.raises(InputError) as refused:
        render_suite(suite, tmp_path / "out")
    assert ("is gone since" in str(refused.value)) is (name in removed.PARAMETERS)
