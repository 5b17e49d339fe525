"""Fewer readings, where what is tested does not depend on how many there are."""

import pytest

from srlib.judging import readings


@pytest.fixture
def keep_readings(monkeypatch):
    """Turn these switches alone, beside those of the aspects."""

    def keep(*switches):
        few = {paths: values for paths, values in readings.READINGS.items() if paths[0] in switches}
        monkeypatch.setattr(readings, "READINGS", few)

    return keep


@pytest.fixture
def fewer(keep_readings):
    """Three switches instead of all."""
    keep_readings("ties", "missing", "aggregate")
