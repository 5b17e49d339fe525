"""Readers of run tables; `read_runs` and `read_results` recognise the layout of a table."""

from srlib.readers.run_table import read_compared, read_results, read_runs
from srlib.readers.runs import RunSources, RunTable
from srlib.tables import runs_of

__all__ = ["RunSources", "RunTable", "read_compared", "read_results", "read_runs", "runs_of"]
