"""Fewer readings, where what is tested does not depend on how many there are."""

import pytest

from srlib.judging.robustness import readings


@pytest.fixture
def fewer(monkeypatch):
    """Three switches instead of all, beside those of the aspects."""
    kept = [("ties",), ("missing", "incomplete"), ("aggregate",)]
    monkeypatch.setattr(readings, "READINGS", {paths: readings.READINGS[paths] for paths in kept})
