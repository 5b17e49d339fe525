"""A small competition that is judged once for each module."""

import pytest

from tests.api import small
from tests.builders import judge_competition


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    path = tmp_path_factory.mktemp("springs") / "springs.yaml"
    path.write_text(small.PROBLEMS)
    return path


@pytest.fixture(scope="module")
def judged(problems):
    return judge_competition(small.runs(), problems)
