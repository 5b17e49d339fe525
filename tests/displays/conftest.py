"""The made-up judgement, the demo's, and what pages show, as fixtures."""

import pytest
from nbformat.v4 import new_output

from srlib.displays import page
from tests.builders import judge_competition, made_up_judgement


def keep_outputs(monkeypatch):
    """Let pages put what they show into a list of notebook outputs."""
    outputs = []

    def keep(data, metadata=None, raw=False):
        outputs.append(new_output("display_data", data, metadata=metadata or {}))

    monkeypatch.setattr(page, "display", keep)
    return outputs


@pytest.fixture
def outputs(monkeypatch):
    return keep_outputs(monkeypatch)


@pytest.fixture
def judgement():
    return made_up_judgement()


@pytest.fixture(scope="package")
def demo():
    return judge_competition()
