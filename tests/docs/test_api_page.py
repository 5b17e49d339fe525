"""The built reference holds every public name with its arguments, and every class of results with its attributes."""

import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from srlib import Competition
from srlib.result import Result

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODULES = [
    "srlib",
    *(f"srlib.tools.{name}" for name in ("audit", "ballot", "inference", "recording")),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Built as `make docs` builds it: a warning is an error, but for links to the pages that are left out here."""
    folder = tmp_path_factory.mktemp("manual")
    (folder / "in").mkdir()
    shutil.copy(DOCS / "api.md", folder / "in")
    options = ["-D", "root_doc=api", "-D", "suppress_warnings=myst.xref_missing"]
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-c", DOCS, *options]
    subprocess.run([*build, folder / "in", folder / "out"], check=True)
    return (folder / "out/api.html").read_text()


def text_of(page, identifier, end):
    """The text of an entry, up to the end of its signature or of the entry."""
    start = page.find(f'id="{identifier}"')
    assert start >= 0, identifier
    return re.sub(r"<[^>]+>", "", page[start:].partition(end)[0])


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_there_with_its_arguments(page, module):
    for name in importlib.import_module(module).__all__:
        exported = getattr(importlib.import_module(module), name)
        if callable(exported):  # others are tables that functions take
            entry = text_of(page, f"{module}.{name}", "</dt>")
            arguments = inspect.signature(exported).parameters
            assert [argument for argument in arguments if argument not in entry] == [], name


def test_method_of_a_competition_is_there_with_an_example(page):
    methods = [
        name for name, value in vars(Competition).items() if name[0] != "_" and callable(value)
    ]
    assert len(methods) > 5
    for name in methods:
        assert ">>>" in inspect.getdoc(getattr(Competition, name)), name
        text_of(page, f"srlib.Competition.{name}", "</dt>")


def test_class_of_results_is_there_with_its_fields(page):
    listed = re.findall(r"autoclass:: (srlib\.[\w.]+)\(\)", (DOCS / "api.md").read_text())
    for name in listed:
        importlib.import_module(name.rpartition(".")[0])
    kinds = [kind for kind in Result.__subclasses__() if kind.__module__.startswith("srlib.")]
    assert len(kinds) > 7
    for kind in kinds:
        entry = text_of(page, f"{kind.__module__}.{kind.__name__}", '<dl class="py class">')
        fields = getattr(kind, "__dataclass_fields__", ())
        assert [field for field in fields if field not in entry] == [], kind
