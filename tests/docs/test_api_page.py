"""The built page of the interface holds every exported name, with its arguments, and every class of results."""

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import srlib
from srlib.api import models, verbs
from srlib.result import Result

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"
RESULTS = {
    kind
    for module in (models, verbs)
    for kind in vars(module).values()
    if inspect.isclass(kind) and issubclass(kind, Result) and kind is not Result
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Built as `make docs` builds it: a warning is an error."""
    folder = tmp_path_factory.mktemp("manual")
    (folder / "in").mkdir()
    shutil.copy(DOCS / "api.md", folder / "in")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-c", DOCS, "-D", "root_doc=api"]
    subprocess.run([*build, folder / "in", folder / "out"], check=True)
    return (folder / "out" / "api.html").read_text(encoding="utf-8")


def test_every_exported_name_is_there_with_its_arguments(page):
    for name in srlib.__all__:
        start = page.find(f'id="srlib.{name}"')
        assert start >= 0, name
        found = re.sub(r"<[^>]+>", "", page[start:].partition("</dt>")[0])
        if name != "SrlibError":
            assert all(one in found for one in inspect.signature(getattr(srlib, name)).parameters)


def test_every_class_of_results_is_there_with_its_attributes(page):
    assert len(RESULTS) == 8
    for one in RESULTS:
        where = f'id="{one.__module__}.{one.__name__}'
        assert f'{where}"' in page
        doc = inspect.getdoc(one) or ""
        for line in re.findall(r"^([\w, ]+) : ", doc.partition("Attributes\n---")[2], re.M):
            assert all(f"{where}.{name}" in page for name in line.split(", ")), line
