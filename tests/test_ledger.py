"""The ledger: its codes, and the sum that must always hold."""

import pytest

from srlib.errors import SrlibError
from srlib.ledger import check_run_counts, entry, excluded_runs, to_frame

LINES = [
    entry("judge", "unparsed", "excluded", "a", method="A", dataset="d", repetition=2),
    entry("judge", "unknown_dataset", "excluded", "b", method="A", dataset="d", repetition=2),
    entry("assess", "machine_limit", "replaced", "c", method="A", dataset="d", repetition=1),
    entry("judge", "missing_runs", "replaced", "d", level="cell", method="A", dataset="d"),
]


def test_run_is_excluded_once_and_a_lost_one_is_noticed():
    ledger = to_frame(LINES)
    assert len(excluded_runs(ledger)) == 1
    with pytest.raises(SrlibError, match="a run was lost"):
        check_run_counts(3, 1, ledger)


def test_order_does_not_depend_on_the_order_of_events():
    assert to_frame(LINES).equals(to_frame(reversed(LINES)))
