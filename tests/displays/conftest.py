"""The made-up judgement, the demo's, and what pages show, as fixtures."""

import pytest
from nbformat.v4 import new_output

from srlib.displays import page
from tests.builders import judge_competition, made_up_judgement


def keep_outputs(monkeypatch: pytest.MonkeyPatch) -> list:
    """Let pages put what they show into a list of notebook outputs."""
    outputs = []

    def keep(data, metadata=None, raw=False):
        outputs.append(new_output("display_data", data, metadata=metadata or {}))

    monkeypatch.setattr(page, "display", keep)
    return outputs


@pytest.fixture(name="outputs")
def outputs_fixture(monkeypatch):
    return keep_outputs(monkeypatch)


@pytest.fixture(name="judgement")
def judgement_fixture():
    return made_up_judgement()


@pytest.fixture(name="demo", scope="package")
def demo_fixture():
    return judge_competition()
