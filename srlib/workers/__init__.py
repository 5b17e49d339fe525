"""Bounded maps for work that may hang, crash or eat memory: each item in a process of its own with hard limits."""

from srlib.workers.dask import dask_map
from srlib.workers.pool import Outcome, bounded_map, call_bounded, check_limits, missing_limits

__all__ = ["Outcome", "bounded_map", "call_bounded", "check_limits", "dask_map", "missing_limits"]
