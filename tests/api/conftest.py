"""A small competition that is judged once for each module."""

from pathlib import Path

import pytest

import srlib
from tests.api import small


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.problems(tmp_path_factory.mktemp("springs"))


@pytest.fixture(scope="module")
def judged(problems: Path):
    return srlib.judge(small.runs(), problems)
