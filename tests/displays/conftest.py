"""The made-up judgement as a fixture."""

import pytest

from tests.displays.made_up import made_up_judgement


@pytest.fixture(name="judgement")
def judgement_fixture():
    return made_up_judgement()
