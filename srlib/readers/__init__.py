"""Run tables of every layout, one layout a file; `read_runs` recognises which one it is given."""

from srlib.readers.runs import LAYOUTS, Runs, read_runs

__all__ = ["LAYOUTS", "Runs", "read_runs"]
