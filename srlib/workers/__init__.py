"""Maps for functions that may hang, crash or exhaust memory: each item runs in its own process with hard limits."""

from srlib.workers.dask import dask_map
from srlib.workers.pool import Outcome, bounded_map, call_bounded, check_limits, missing_limits

__all__ = ["Outcome", "bounded_map", "call_bounded", "check_limits", "dask_map", "missing_limits"]
