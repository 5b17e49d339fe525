"""The made-up judgement, the demo's, and what displays show, as fixtures."""

import pytest
from nbformat.v4 import new_output

from srlib.displays import show
from srlib.displays.tables import answer
from tests.builders import judge_competition
from tests.displays.made_up import made_up_judgement


def keep_outputs(monkeypatch: pytest.MonkeyPatch) -> list:
    """Let displays put what they show into a list of notebook outputs."""
    outputs = []

    def keep(data, metadata=None, raw=False):
        outputs.append(new_output("display_data", data, metadata=metadata or {}))

    for module in (show, answer):
        monkeypatch.setattr(module, "display", keep)
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
