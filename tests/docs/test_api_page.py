"""The pages of the reference name every public name, which has a docstring, and every class of results."""

import importlib
import inspect
from pathlib import Path

import pytest

from srlib import Competition
from srlib.result import Result

PAGE = (Path(__file__).resolve().parents[2] / "docs/api.md").read_text()
TOOLS = [f"srlib.tools.{name}" for name in ("audit", "ballot", "inference", "recording")]


@pytest.mark.parametrize("name", ["srlib", *TOOLS])
def test_public_name_of_a_module_has_a_docstring(name):
    """Without a docstring the page leaves it out."""
    assert f".. automodule:: {name}\n   :members:\n   :imported-members:\n" in PAGE
    module = importlib.import_module(name)
    for exported in filter(callable, (getattr(module, name) for name in module.__all__)):
        assert exported.__doc__ and not exported.__doc__.startswith(f"{exported.__name__}("), (
            exported
        )


def test_method_of_a_competition_has_an_example():
    methods = {name: getattr(Competition, name) for name in vars(Competition) if name[0] != "_"}
    texts = {name: inspect.getdoc(method) for name, method in methods.items() if callable(method)}
    assert len(texts) > 8 and [name for name, text in texts.items() if ">>>" not in text] == []


def test_class_of_results_is_on_the_page_with_its_fields():
    for name in PAGE.split("autoclass:: ")[1:]:
        importlib.import_module(name.partition("()")[0].rpartition(".")[0])
    kinds = [kind for kind in Result.__subclasses__() if kind.__module__.startswith("srlib.")]
    assert len(kinds) > 7
    for kind in kinds:
        assert f"autoclass:: {kind.__module__}.{kind.__name__}()" in PAGE, kind
        fields, text = getattr(kind, "__dataclass_fields__", ()), inspect.getdoc(kind) or ""
        assert [field for field in fields if field not in text + PAGE] == [], kind
