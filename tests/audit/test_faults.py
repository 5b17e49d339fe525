"""Each planted fault turns its own check to fail, and no other."""

from pathlib import Path

import pytest

from srlib.audit import CHECKS, FILE_CHECKS, audit

FAULTS = sorted((Path(__file__).parent / "faults").glob("*.yaml"))
CLEAN = """
schema: 1
name: clean
problems:
  - dataset: clean
    property: local_optima
    truth: "x1*x2 + 2*x1 + 3*x2"
    noise_level: 0.05
    data_seeds: [1, 2]
    data:
      generator: formula
      arguments:
        features: {x1..x4: [uniform, -5, 5]}
        surrogates: {s1: "x1*x2", s2: "2*x1 + 3*x2"}
        extrapolation: {x1: [uniform, 5, 8]}
        rows: {train: 300, test: 300, extrapolation: 50}
"""


def test_every_check_has_a_planted_fault():
    assert {path.stem for path in FAULTS} == CHECKS.keys() | FILE_CHECKS.keys()


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_a_planted_fault_fails_its_own_check_only(path):
    found = audit(path)
    assert set(found.loc[found["verdict"] == "fail", "check"]) == {path.stem}
    assert set(found.loc[found["check"] != path.stem, "verdict"]) == {"pass"}


def test_without_a_fault_every_check_passes(tmp_path):
    (tmp_path / "clean.yaml").write_text(CLEAN)
    found = audit(tmp_path / "clean.yaml")
    assert set(found["check"]) == CHECKS.keys() | FILE_CHECKS.keys()
    assert set(found["verdict"]) == {"pass"}
    assert found["check"].is_monotonic_increasing
    assert list(found.columns) == ["dataset", "check", "verdict", "value", "detail"]
