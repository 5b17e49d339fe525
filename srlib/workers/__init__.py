"""Work that may hang, crash or eat memory, in processes with hard limits: `bounded_map` and its `Outcome`."""

from srlib.workers.pool import Outcome, bounded_map, usable_cpus

__all__ = ["Outcome", "bounded_map", "usable_cpus"]
