"""Run tables of every layout, one layout a file; `read_runs` and `read_results` recognise which one is given."""

from srlib.readers.runs import (
    LAYOUTS,
    Names,
    RunTable,
    read_results,
    read_runs,
    with_names,
)

__all__ = ["LAYOUTS", "Names", "RunTable", "read_results", "read_runs", "with_names"]
