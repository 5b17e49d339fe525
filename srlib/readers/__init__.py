"""Run tables of every layout, one layout a file; `read_runs` and `read_results` recognise which one is given."""

from srlib.readers.runs import LAYOUTS, Runs, read_results, read_runs

__all__ = ["LAYOUTS", "Runs", "read_results", "read_runs"]
